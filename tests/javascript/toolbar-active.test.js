import { describe, expect, it } from "vitest";
import { activatable, contractOf, stacked } from "../../kit/toolbar/active.js";

/** @import { Connection } from "../../kit/connection.js" */
/** @import { State } from "../../kit/control.js" */

/**
 * @param {{ bases?: string[], scenarios?: { name: string, inline: boolean }[] }} parts
 * @returns {State} with the properties that are read
 */
function state({ bases = [], scenarios = [] }) {
  /** @type {unknown} */
  const stub = { contracts: bases.map((base) => ({ base })), scenarios };
  return /** @type {State} */ (stub);
}

describe("contractOf", () => {
  it.each([
    [["/v1"], "/v1/pets", "/v1"],
    [["/v1"], "/v1", "/v1"],
    [["/v1"], "/v10/pets", undefined],
    [["/v1"], "/", undefined],
    [["/v1"], "", undefined],
    [["/v1", "/v1/admin"], "/v1/admin/users", "/v1/admin"],
    [["/v1/admin", "/v1"], "/v1/administrators", "/v1"],
    [["", "/v1"], "/v2/pets", ""],
    [["", "/v1"], "/v1/pets", "/v1"],
    [[], "/v1/pets", undefined],
  ])("of %j finds for %s %s", (bases, path, base) => {
    expect(contractOf(state({ bases }), path)?.base).toBe(base);
  });
});

describe("stacked", () => {
  it.each([
    [[], "empty", ["empty"]],
    [["default"], "empty", ["empty"]],
    [["retry", "empty"], "empty", ["empty", "retry"]],
    [["getPet:404"], "getPet:500", ["getPet:500"]],
    [["getPet:404"], "getPet:offline", ["getPet:offline"]],
    [["getPet:404"], "getPets:404", ["getPets:404", "getPet:404"]],
    [["getPet:2s"], "getPet:300ms", ["getPet:300ms"]],
    [["getPet:1.5m"], "getPet:2s", ["getPet:2s"]],
    [["getPet:delay"], "getPet:2s", ["getPet:2s"]],
    [["getPet:2s"], "getPet:404", ["getPet:404", "getPet:2s"]],
    [["getPet:hold"], "getPet:404", ["getPet:404", "getPet:hold"]],
    [["getPet:hold"], "getPet:2s", ["getPet:2s", "getPet:hold"]],
    [
      ["getPet:404", "getPet:2s", "getPet:hold", "empty"],
      "getPet:hold",
      ["getPet:hold", "getPet:404", "getPet:2s", "empty"],
    ],
  ])("puts on top of %j", (active, name, result) => {
    expect(stacked(active, name)).toEqual(result);
  });

  it("does not change the active ones", () => {
    const active = Object.freeze(["getPet:404", "empty"]);
    expect(stacked(active, "getPet:500")).toEqual(["getPet:500", "empty"]);
  });
});

describe("activatable", () => {
  const scenarios = [
    { name: "sent", inline: true },
    { name: "file", inline: false },
  ];
  /** @param {{ override: boolean, text: string | null }} scenario what the server returns */
  function connection(scenario) {
    /** @type {unknown[][]} */
    const calls = [];
    const call = (/** @type {unknown[]} */ ...values) => {
      calls.push(values);
      return Promise.resolve(scenario);
    };
    /** @type {unknown} */
    const stub = { call };
    return { calls, stub: /** @type {Connection} */ (stub) };
  }

  it("has names as they are, without a call", async () => {
    const { stub, calls } = connection({ override: false, text: "{}" });
    const names = ["file", "unknown", "getPet:404", "file"];
    expect(await activatable(stub, state({ scenarios }), names)).toEqual(names);
    expect(await activatable(stub, state({ scenarios }), [])).toEqual([]);
    expect(calls).toEqual([]);
  });

  it("sends a document again, in its place", async () => {
    const { stub, calls } = connection({
      override: false,
      text: '{"description": "sent"}',
    });
    const names = ["file", "sent", "getPet:404"];
    expect(await activatable(stub, state({ scenarios }), names)).toEqual([
      "file",
      { description: "sent" },
      "getPet:404",
    ]);
    expect(calls).toEqual([
      ["GET /scenarios/{name}", { path: { name: "sent" } }],
    ]);
  });

  it("has the name of a scenario whose text the session overrides", async () => {
    const other = connection({ override: true, text: '{"a": 1}' }).stub;
    expect(await activatable(other, state({ scenarios }), ["sent"])).toEqual([
      "sent",
    ]);
  });

  it("has the name of a document without a text", async () => {
    const { stub } = connection({ override: false, text: null });
    expect(await activatable(stub, state({ scenarios }), ["sent"])).toEqual([
      "sent",
    ]);
  });

  it("fails if the server does", async () => {
    /** @type {unknown} */
    const stub = { call: () => Promise.reject(new Error("gone")) };
    const failing = /** @type {Connection} */ (stub);
    await expect(
      activatable(failing, state({ scenarios }), ["sent"]),
    ).rejects.toThrow("gone");
  });
});
