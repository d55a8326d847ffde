import { describe, expect, it } from "vitest";
import {
  compact,
  isObject,
  isValidObject,
  jsonOf,
  members,
  parts,
  patch,
  summary,
  textOf,
  toObject,
} from "../../mockpets/web/panel/json.js";

const BIG = "9223372036854775807";

describe("parts", () => {
  it.each([
    ["", []],
    ["[]", []],
    ["[ ]", []],
    ["{}", []],
    ["3", []],
    [`[${BIG}, 1.0, 1e400]`, [BIG, "1.0", "1e400"]],
    ['["a,b", "]", "\\"[", "\\\\"]', ['"a,b"', '"]"', '"\\"["', '"\\\\"']],
    ["[[1, 2], {}, []]", ["[1, 2]", "{}", "[]"]],
    ['{"a": [1, {"b": 2}], "c": 3}', ['"a": [1, {"b": 2}]', '"c": 3']],
  ])("of %s are %j", (json, result) => {
    expect(parts(json)).toEqual(result);
  });
});

describe("members", () => {
  it("keeps values as they are written, the last of equal names", () => {
    const json = `{"id": ${BIG}, "a:b": "x", "\\u0061": 1.50, "a": 2, "": null}`;
    expect([...members(json)]).toEqual([
      ["id", BIG],
      ["a:b", '"x"'],
      ["a", "2"],
      ["", "null"],
    ]);
  });

  it("are the same after toObject", () => {
    const json = `{"id": ${BIG}, "a\\"b": {"c": [1.0]}}`;
    expect(toObject(members(json))).toBe(json);
    expect(toObject(new Map())).toBe("{}");
  });
});

describe("patch", () => {
  it.each([
    ["{}", "{}", "{}"],
    ['{"a": 1}', "{}", '{"a": null}'],
    ["{}", `{"a": ${BIG}}`, `{"a": ${BIG}}`],
    [
      '{"a": {"b": 1, "c": 2}}',
      '{"a": {"b": 1}}',
      '{"a": {"b": 1, "c": null}}',
    ],
    ['{"a": [1]}', '{"a": {"b": 1}}', '{"a": {"b": 1}}'],
    ["[1]", "[2]", "[2]"],
    ["{}", "3", "3"],
  ])("from %s to %s is %s", (before, after, result) => {
    expect(patch(before, after)).toBe(result);
  });
});

describe("jsonOf", () => {
  it.each([
    ["", false, '""'],
    ["12", false, "12"],
    ["12", true, '"12"'],
    [BIG, false, BIG],
    ["1,5", false, '"1,5"'],
    ["null", false, "null"],
    ["null", true, '"null"'],
    ["{a}", false, '"{a}"'],
  ])("of %j (text: %s) is %s", (text, asText, result) => {
    expect(jsonOf(text, asText)).toBe(result);
  });
});

describe("textOf", () => {
  it.each([
    ['""', ""],
    ['"a\\nb"', "a\nb"],
    [BIG, BIG],
    ["1.0", "1.0"],
    ["null", "null"],
    [undefined, ""],
  ])("of %s is %j", (json, text) => {
    expect(textOf(json)).toBe(text);
  });
});

describe("isValidObject", () => {
  it.each([
    ["{}", true],
    [' {"a": 1} ', true],
    ["[]", false],
    ["null", false],
    ['"{}"', false],
    ["{", false],
    ["{a: 1}", false],
    ["", false],
  ])("of %j is %s", (text, result) => {
    expect(isValidObject(text)).toBe(result);
  });

  it("differs from isObject, which only looks at the beginning", () => {
    expect(isObject("{")).toBe(true);
    expect(isObject(undefined)).toBe(false);
  });
});

describe("summary", () => {
  it.each([
    ["[]", "0 items"],
    ["[1]", "1 item"],
    ["[[1, 2], 3]", "2 items"],
    ["{}", "{}"],
    ['{"a": 1, "b": 2, "c": 3}', "{a, b, c}"],
    ['{"a": 1, "b": 2, "c": 3, "d": 4}', "{a, b, c, …}"],
  ])("of %s is %s", (json, text) => {
    expect(summary(json)).toBe(text);
  });
});

describe("compact", () => {
  it("leaves the spaces in texts", () => {
    expect(compact('{\n  "a b": [1, "c \\" d"]\n}')).toBe(
      '{"a b":[1,"c \\" d"]}',
    );
  });
});
