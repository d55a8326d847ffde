import { describe, expect, it } from "vitest";
import { fixOf, span, tokens } from "../../mockpets/web/panel/yaml.js";

/** Return the tokens of one line that have a kind. @param {string} line */
const kinds = (line) =>
  tokens([line], 0, 1).flatMap((parts) => parts.filter(([kind]) => kind));

describe("tokens", () => {
  it.each([
    ["", []],
    [
      "delay: 300ms",
      [
        ["key", "delay"],
        ["number", "300ms"],
      ],
    ],
    [
      "rate: 1.5KB/s",
      [
        ["key", "rate"],
        ["number", "1.5KB/s"],
      ],
    ],
    [
      "rate: 50%",
      [
        ["key", "rate"],
        ["number", "50%"],
      ],
    ],
    ["a: 1.2.3", [["key", "a"]]],
    [
      "a: -5",
      [
        ["key", "a"],
        ["number", "-5"],
      ],
    ],
    [
      "a: yes # why",
      [
        ["key", "a"],
        ["literal", "yes"],
        ["comment", "# why"],
      ],
    ],
    ["a: b#c", [["key", "a"]]],
    ["url: http://x", [["key", "url"]]],
    [
      "'it''s': \"a: b\"",
      [
        ["key", "'it''s'"],
        ["string", '"a: b"'],
      ],
    ],
    [
      'a: "open',
      [
        ["key", "a"],
        ["string", '"open'],
      ],
    ],
    [
      "- {a: 1, b: [2]}",
      [
        ["key", "a"],
        ["number", "1"],
        ["key", "b"],
        ["number", "2"],
      ],
    ],
  ])("of %j are %j", (line, result) => {
    expect(kinds(line)).toEqual(result);
  });

  it.each(["", "  a:  1 # b", "\t- 'x", "::", "[{,}]", "a: |-", "🐈: 1"])(
    "lose no character of %j",
    (line) => {
      const [parts = []] = tokens([line], 0, 1);
      expect(parts.map(([, text]) => text).join("")).toBe(line);
    },
  );

  it("take a block for a text, up to the indentation of its key", () => {
    const lines = ["a:", "  b: |", "    c: 1", "", "    d: 2", "  e: 3"];
    expect(tokens(lines, 2, 9).map(([first]) => first?.[0])).toEqual([
      "string",
      "string",
      "string",
      "",
    ]);
  });

  it("have no kind in a line that is too long", () => {
    const line = `a: ${"1".repeat(2_000)}`;
    expect(tokens([line], 0, 1)).toEqual([[["", line]]]);
  });
});

describe("span", () => {
  it.each([
    ["delay: 300ms", 8, "300ms"],
    ["delay: 300ms", 1, "delay"],
    ["delay: 300ms # long", 8, "300ms"],
    ["🐈: cat", 4, "cat"],
    ["a: b", 99, "a: b"],
    ["  a: b", 0, "  a: b"],
  ])("in %j at %i is %j", (line, column, text) => {
    const [start, end] = span(line, column);
    expect(line.slice(start, end).trim()).toBe(text.trim());
  });
});

describe("fixOf", () => {
  /** @param {string} text @param {number} line @param {number} column @param {string} hint */
  function fixed(text, line, column, hint) {
    const fix = fixOf(text, { line, column, hint });
    return fix && text.slice(0, fix.start) + fix.text + text.slice(fix.end);
  }

  it.each([
    ["a: 1\ndealy: 2", 2, 1, "did you mean 'delay'?", "a: 1\ndelay: 2"],
    ['a: "emtpy"', 1, 4, "did you mean 'empty'?", 'a: "empty"'],
    ['status: "503"', 1, 9, "remove the quotes", "status: 503"],
    ["a: yes # b", 1, 4, 'quote it: "yes"', 'a: "yes" # b'],
  ])("changes %j", (text, line, column, hint, result) => {
    expect(fixed(text, line, column, hint)).toBe(result);
  });

  it.each([
    ["a: 1", 1, 1, "use another name"],
    ["a: 1", 1, 1, ""],
    ["a: 1", 9, 1, "did you mean 'b'?"],
    ["a: 1", 0, 1, "did you mean 'b'?"],
    ["\na: 1", 1, 1, "did you mean 'b'?"],
    ["a: 503", 1, 4, "remove the quotes"],
    ["a: 'yes'", 1, 4, 'quote it: "yes"'],
    ["delay: 1", 1, 1, "did you mean 'delay'?"],
  ])("changes nothing in %j at %i:%i for %j", (text, line, column, hint) => {
    expect(fixed(text, line, column, hint)).toBeNull();
  });
});
