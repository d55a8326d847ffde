import { describe, expect, it, vi } from "vitest";

/** @import { RequestDetails } from "../../kit/control.js" */

// The modules read the address of the page when they are loaded.
vi.stubGlobal("location", new URL("http://mock/__mockpets/"));
const { asTest, asVerify, bodyOf, curl, headersToResend } =
  await import("../../mockpets/web/panel/formats.js");

/**
 * Return a request with what these forms read.
 * @param {object} [more]
 */
const entry = (more) => {
  const read = {
    method: "GET",
    path: "/v1/pets",
    target: "/v1/pets",
    session: "default",
    operation: "listPets",
    status: 200,
    fault: null,
    scenarios: ["default"],
    notes: [],
    request: { headers: [], body: { text: "", base64: false, size: 0 } },
    ...more,
  };
  return /** @type {RequestDetails} */ (/** @type {unknown} */ (read));
};

describe("curl", () => {
  const url = "http://mock/v1";

  it.each([
    [{ method: "GET", url }, "curl -i 'http://mock/v1'"],
    [{ method: "HEAD", url }, "curl -I 'http://mock/v1'"],
    [{ method: "DELETE", url }, "curl -i -X 'DELETE' 'http://mock/v1'"],
    [{ method: "GET", url: "http://mock/[a]" }, "curl -i -g 'http://mock/[a]'"],
    [{ method: "GET", url: "http://mock/'" }, "curl -i 'http://mock/'\\'''"],
    [
      { method: "POST", url, body: "it's" },
      "curl -i 'http://mock/v1' -H 'Content-Type:' --data-raw 'it'\\''s'",
    ],
    [
      { method: "GET", url, body: "" },
      "curl -i -X 'GET' 'http://mock/v1' -H 'Content-Type:' --data-raw ''",
    ],
  ])("of %j is %s", (request, command) => {
    expect(curl(request).replaceAll(" \\\n  ", " ")).toBe(command);
  });

  it("sends an empty header, and a content type of the request's own", () => {
    const command = curl({
      method: "POST",
      url,
      headers: [
        ["X-Empty", ""],
        ["content-type", "a/b"],
      ],
      body: "{}",
    });
    expect(command).toContain("-H 'X-Empty;'");
    expect(command).toContain("-H 'content-type: a/b'");
    expect(command).not.toContain("Content-Type:'");
  });

  it("decodes bytes", () => {
    const command = curl({ method: "POST", url, body: "AP8=", base64: true });
    expect(command).toMatch(/^echo 'AP8=' \| base64 -d \| curl -i/);
    expect(command).toMatch(/--data-binary @-$/);
  });
});

describe("headersToResend", () => {
  /** @param {[string, string][]} headers @param {string[]} codes */
  const resent = (headers, ...codes) =>
    headersToResend(
      entry({
        request: { headers },
        notes: codes.map((code) => ({ code })),
      }),
      "mockpets",
    );

  it("leaves out those of the client and what was redacted", () => {
    expect(
      resent([
        ["Host", "x"],
        ["content-length", "3"],
        ["Sec-Fetch-Mode", "cors"],
        ["Cookie", "[redacted]"],
        ["X-Host", "x"],
        ["Accept", "*/*"],
      ]),
    ).toEqual([
      ["X-Host", "x"],
      ["Accept", "*/*"],
    ]);
  });

  it("sends the server's key, or a wrong one if it was wrong", () => {
    expect(resent([["authorization", "[redacted]"]])).toEqual([
      ["authorization", "Bearer mockpets"],
    ]);
    expect(resent([["Authorization", "[redacted]"]], "key_invalid")).toEqual([
      ["Authorization", "Bearer not-the-key"],
    ]);
  });
});

describe("bodyOf", () => {
  /**
   * @param {string} method
   * @param {{ text: string, base64: boolean, size: number }} body
   * @returns {unknown}
   */
  const of = (method, body) => bodyOf(entry({ method, request: { body } }));

  it("has none for GET, HEAD and an empty one", () => {
    const body = { text: "x", base64: false, size: 1 };
    expect(of("GET", body)).toBeUndefined();
    expect(of("HEAD", body)).toBeUndefined();
    expect(of("POST", { ...body, text: "", size: 0 })).toBeUndefined();
    expect(of("POST", body)).toBe("x");
  });

  it("has bytes for what is not a text", () => {
    const body = { text: "AP8=", base64: true, size: 2 };
    expect(of("POST", body)).toEqual(Uint8Array.of(0, 255));
  });
});

describe("the test and the command for a request", () => {
  it("names the operation, or else method and path", () => {
    expect(asTest(entry())).toContain('verify({"operation":"listPets"})');
    expect(asTest(entry({ operation: null }))).toContain(
      'verify({"method":"GET","path":"/v1/pets"})',
    );
    expect(asTest(entry())).not.toContain("mock.use");
    expect(asTest(entry({ scenarios: ["retry", "default"] }))).toContain(
      'await mock.use("retry");',
    );
  });

  it.each([
    [{}, "--operation listPets --status 200 --url http://mock"],
    [{ status: null }, "--operation listPets --url http://mock"],
    [
      { operation: null, path: "/it's", session: "w3" },
      "--method 'GET' --path '/it'\\''s' --status 200 --session w3 --url http://mock",
    ],
  ])("verifies %j", (more, options) => {
    expect(asVerify(entry(more))).toBe(`mockpets verify ${options}`);
  });
});
