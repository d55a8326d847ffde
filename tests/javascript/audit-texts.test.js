import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  jsonOf,
  normal,
  shapeOf,
  textsByOperation,
  textsOf,
  valuesIn,
} from "../../kit/audit/texts.js";

/** @import { Visit } from "../../kit/audit/types.d.ts" */

describe("normal", () => {
  it.each([
    ["", ""],
    ["12 pets", "0 pets"],
    ["1,234.50 €", "0 €"],
    ["10:32", "0"],
    ["v2", "v0"],
    ["3. of 4.", "0. of 0."],
  ])("of %j is %j", (text, result) => {
    expect(normal(text)).toBe(result);
  });
});

describe("valuesIn", () => {
  it.each([
    [null, []],
    [undefined, []],
    [true, []],
    ["", [""]],
    [0, ["0"]],
    [{}, []],
    [{ a: [1, { b: "x" }], c: null, d: false }, ["1", "x"]],
  ])("of %j is %j", (value, result) => {
    expect(valuesIn(value)).toEqual(result);
  });
});

describe("textsOf", () => {
  const responses = new Map([
    [
      "getPet",
      [
        ...["Miso", "555-0143", "1200", "cat", "two\n  lines of text"],
        "A very long description of a cat that sleeps all day",
      ],
    ],
    ["getTags", ["Misology", "design"]],
    ["getNothing", []],
  ]);
  const of = (/** @type {string} */ line) =>
    [...textsOf([line], responses).values()].flatMap((names) => [...names]);

  it.each([
    ["", []],
    ["Name: Miso", ["getPet"]],
    ["Miso, a Misology", ["getPet", "getTags"]],
    ["Misologies, then Miso", ["getPet"]],
    ["lines of text", ["getPet"]],
    ["Call 555-0143", ["getPet"]],
    ["1200 visits", []], // too short for a number
    ["The cat food", []], // too short for a word
    ["Hiring a designer", []], // the beginning of a word
    ["Redesign", []], // the end of a word
    ["A very long description of a…", ["getPet"]],
    ["A very long description of a...", ["getPet"]],
    ["A very long…", []], // too short for the beginning of a text
    ["(a.b)*[c", []],
  ])("takes %j to come from %j", (line, names) => {
    expect(of(line)).toEqual(names);
  });

  it("has the normalized lines as keys", () => {
    const texts = textsOf(["Miso, 3 years"], responses);
    expect([...texts.keys()]).toEqual(["Miso, 0 years"]);
  });
});

describe("shapeOf", () => {
  const values = new Set(["how-to", "anna", "news", "a b"]);

  it.each([
    ["http://app", "/"],
    ["http://app/article/how-to", "/article/{}"],
    ["http://app/article/how-to-2", "/article/how-to-2"],
    ["http://app/@anna", "/@{}"],
    ["http://app/@", "/@"],
    ["http://app/a%20b", "/{}"],
    ["http://app/pets/3", "/pets/{}"],
    ["http://app/pets/3a", "/pets/3a"],
    ["http://app/507f1f77bcf86cd799439011", "/{}"],
    ["http://app/123e4567-e89b-42d3-a456-426614174000", "/{}"],
    ["http://app/123e4567-e89b", "/123e4567-e89b"],
    ["http://app/about#team", "/about"],
    ["http://app/#/pets/3", "/#/pets/{}"],
    ["http://app/#!/pets?tag=news", "/#!/pets?tag={}"],
    ["http://app/?tag=news&tab=all", "/?tab=all&tag={}"],
    ["http://app/?tab=all&tag=news", "/?tab=all&tag={}"],
    ["http://app/?page=2", "/?page={}"],
    ["http://app/?q=", "/?q="],
    ["http://app/%E0%A4%A", "/%E0%A4%A"],
  ])("of %s is %s", (url, shape) => {
    expect(shapeOf(url, values)).toBe(shape);
  });

  it("rejects what is not a URL", () => {
    expect(() => shapeOf("/pets", values)).toThrow(TypeError);
  });
});

describe("the bodies of a visit", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /**
   * Return the part of a visit that is read.
   * @param {Visit["bodies"]} bodies
   * @param {[operation: string | null, text?: string | undefined][]} logged
   */
  function visit(bodies, logged) {
    const entries = logged.map(([operation, text]) => ({
      response: { content: text === undefined ? {} : { text } },
      _mockpets: { operation },
    }));
    const mock = { har: () => Promise.resolve({ log: { entries } }) };
    /** @type {unknown} */
    const stub = { bodies, mock };
    return /** @type {Visit} */ (stub);
  }

  it("come from the page, and from the log for what it has not called", async () => {
    const texts = await textsByOperation(
      visit(
        [
          { operation: "getPet", text: Promise.resolve('{"name": "Miso"}') },
          { operation: "getPet", text: Promise.resolve('["Nori"]') },
        ],
        [
          ["getPet", '"ignored"'],
          ["getTags", '["cats"]'],
          ["empty", undefined],
          [null, '"of no operation"'],
        ],
      ),
    );
    expect([...texts]).toEqual([
      ["getPet", ["Miso", "Nori"]],
      ["getTags", ["cats"]],
      ["empty", []],
    ]);
  });

  it("are read also if they are cut off or not JSON", async () => {
    const texts = await textsByOperation(
      visit(
        [],
        [
          ["cut", '[{"name": "Mi\\"so", "tag": "ca'],
          ["html", "<html>"],
        ],
      ),
    );
    expect(texts.get("cut")).toEqual(["name", 'Mi"so', "tag"]);
    expect(texts.get("html")).toEqual([]);
  });

  it("are given up after a second", async () => {
    const texts = textsByOperation(
      visit([{ operation: "getPet", text: new Promise(() => {}) }], []),
    );
    await vi.advanceTimersByTimeAsync(1_000);
    expect([...(await texts)]).toEqual([["getPet", []]]);
  });

  it("are JSON of one operation for jsonOf", async () => {
    const bodies = await jsonOf(
      visit(
        [],
        [
          ["getPet", "null"],
          ["getPet", "{"],
          ["getTags", "[]"],
          ["getPet", '{"code": "failed"}'],
        ],
      ),
      "getPet",
    );
    expect(bodies).toEqual([null, { code: "failed" }]);
  });
});
