import { describe, expect, it, vi } from "vitest";

// The modules read the address of the page when they are loaded.
vi.stubGlobal("location", new URL("http://mock/proxy/~w3/__mockpets/"));
const { address, describeError, inSession, parseExact, plainPath } =
  await import("../../mockpets/web/panel/store.js");
const { MockpetsError } = await import("../../kit/connection.js");

describe("parseExact", () => {
  it.each([
    ["null", null],
    ['""', ""],
    ["9007199254740991", 9007199254740991],
    ["9007199254740992", "9007199254740992"],
    ["-9007199254740992", "-9007199254740992"],
    ["9223372036854775807", "9223372036854775807"],
    ["[9223372036854775807,1]", ["9223372036854775807", 1]],
    ['{"id":-9223372036854775808}', { id: "-9223372036854775808" }],
    ['"9223372036854775807"', "9223372036854775807"],
    ['"\\"9223372036854775807"', '"9223372036854775807'],
    ['{"9223372036854775807":1}', { "9223372036854775807": 1 }],
    ["0.12345678901234567890", 0.12345678901234568],
    ["12345678901234567890.5", 12345678901234567000],
    ["12345678901234567890e2", 1.2345678901234568e21],
    ["0000000000000001", undefined],
    ["[9223372036854775807", undefined],
    ["", undefined],
  ])("of %s is %j", (text, value) => {
    if (value === undefined)
      expect(() => void parseExact(text)).toThrow(SyntaxError);
    else expect(parseExact(text)).toEqual(value);
  });
});

describe("addresses behind a prefix", () => {
  it.each([
    ["/proxy/~w3/v1/pets", "/v1/pets"],
    ["/proxy/v1", "/v1"],
    ["/~w3/v1", "/v1"],
    ["/proxy/~w3", ""],
    ["/proxy/~w30/v1", "/~w30/v1"],
    ["/v1/pets", "/v1/pets"],
    ["", ""],
  ])("plainPath of %s is %s", (path, plain) => {
    expect(plainPath(path)).toBe(plain);
  });

  it("name the session, unless it is the default one", () => {
    expect(address(inSession("w4", "/v1"))).toBe("http://mock/proxy/~w4/v1");
    expect(address(inSession("default", "/v1"))).toBe("http://mock/proxy/v1");
  });
});

describe("describeError", () => {
  const SILENCE = "Cannot reach the server. Is it still running?";
  it.each([
    [new MockpetsError("unreachable", "cannot connect"), SILENCE],
    [new MockpetsError("unreachable", "not mockpets", 502), "not mockpets"],
    [new MockpetsError("not_found", "no pet 3", 404), "no pet 3"],
    [new TypeError("x is undefined"), "x is undefined"],
    ["stopped", "stopped"],
  ])("of %o is %s", (error, text) => {
    expect(describeError(error)).toBe(text);
  });
});
