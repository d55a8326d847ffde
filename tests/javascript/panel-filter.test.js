import { describe, expect, it, vi } from "vitest";

// The modules read the address of the page when they are loaded.
vi.stubGlobal("location", new URL("http://mock/__mockpets/"));
const { filterParts } = await import("../../mockpets/web/panel/filter.js");

describe("filterParts", () => {
  const isKey = (/** @type {string} */ key) => key === "status";
  /** @param {string} text */
  const parts = (text) =>
    filterParts(text, isKey).map(({ key, value }) => [key, value]);

  it.each([
    ["", []],
    ["   ", []],
    ["pets", [[null, "pets"]]],
    ["status:5xx", [["status", "5xx"]]],
    ['status:"not found"', [["status", "not found"]]],
    ["status:", [[null, "status:"]]],
    [
      "status :500",
      [
        [null, "status"],
        [null, ":500"],
      ],
    ],
    ["a:b", [[null, "a:b"]]],
    ["http://x/y", [[null, "http://x/y"]]],
    [
      '"two words" one',
      [
        [null, "two words"],
        [null, "one"],
      ],
    ],
    ['"status:500"', [[null, "status:500"]]],
    ['"open', [[null, '"open']]],
    ['""', [[null, ""]]],
    ["status:a:b", [["status", "a:b"]]],
    [
      "status:500 status:404",
      [
        ["status", "500"],
        ["status", "404"],
      ],
    ],
    ["constructor:x", [[null, "constructor:x"]]],
  ])("of %j are %j", (text, result) => {
    expect(parts(text)).toEqual(result);
  });
});
