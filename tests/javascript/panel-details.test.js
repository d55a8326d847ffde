import { describe, expect, it, vi } from "vitest";

// The modules read the address of the page when they are loaded.
vi.stubGlobal("location", new URL("http://mock/__mockpets/"));
const { difference } = await import("../../mockpets/web/panel/details.js");
const { matching } = await import("../../mockpets/web/panel/overlays.js");

describe("difference", () => {
  const signs = (/** @type {string} */ before, /** @type {string} */ after) =>
    difference([...before], [...after])
      .map(([sign, line]) => sign + line)
      .join("");

  it.each([
    ["", "", ""],
    ["abc", "abc", " a b c"],
    ["", "ab", "+a+b"],
    ["ab", "", "-a-b"],
    ["abc", "axc", " a-b+x c"],
    ["abcd", "bd", "-a b-c d"],
    ["ab", "ba", "-a b+a"],
    ["aab", "ab", " a-a b"],
  ])("of %j and %j is %j", (before, after, result) => {
    expect(signs(before, after)).toBe(result);
  });

  it("keeps empty lines apart from the end", () => {
    expect(difference(["", "a"], ["", "", "a"])).toEqual([
      [" ", ""],
      ["+", ""],
      [" ", "a"],
    ]);
  });
});

describe("matching", () => {
  const options = [
    { name: "slow-list", hint: "Delays the list" },
    { name: "list-empty", hint: "No pets", tags: "Empty states" },
    { name: "getPet", hint: "GET /pets/{id}" },
  ];
  const names = (/** @type {string} */ text) =>
    matching(options, text).map(({ name }) => name);

  it.each([
    ["", ["slow-list", "list-empty", "getPet"]],
    ["   ", ["slow-list", "list-empty", "getPet"]],
    ["list", ["list-empty", "slow-list"]],
    ["LIST empty", ["list-empty"]],
    ["pets", ["list-empty", "getPet"]],
    ["get", ["getPet"]],
    ["states", ["list-empty"]],
    ["nothing", []],
    ["list nothing", []],
  ])("%j finds %j", (text, result) => {
    expect(names(text)).toEqual(result);
  });
});
