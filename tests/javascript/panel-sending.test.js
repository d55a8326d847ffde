import { describe, expect, it } from "vitest";
import { credentialsOf, requestOf } from "../../mockpets/web/panel/sending.js";

/**
 * @import { Body, Key, Parameter } from "../../mockpets/web/panel/openapi.js"
 */

/** @type {Key} */
const KEY = { name: "Authorization", prefix: "Bearer ", in: "header" };
/**
 * @param {string} place
 * @param {string} name
 * @param {string} [type]
 * @returns {Parameter}
 */
const parameter = (place, name, type = "string") => ({
  in: place,
  name,
  schema: schema(type),
  example: undefined,
});

/** @param {string} type */
const schema = (type) => ({ type, examples: [], properties: {}, required: [] });

/**
 * @param {string} type
 * @returns {Body}
 */
const media = (type) => ({
  type,
  isJson: type.endsWith("json"),
  isForm: !type.endsWith("json"),
  example: undefined,
  envelope: null,
  schema: schema("object"),
});

const TAGS = parameter("query", "tag", "array");
const OPERATION = {
  method: "PUT",
  path: "/v1/pets/{id}/{names}",
  key: KEY,
  parameters: [
    parameter("path", "id"),
    parameter("path", "names", "array"),
    TAGS,
    parameter("query", "q"),
    parameter("header", "X-Trace"),
  ],
  bodies: [
    media("application/json"),
    media("application/x-www-form-urlencoded"),
    media("multipart/form-data"),
  ],
};

describe("credentialsOf", () => {
  const nothing = { headers: [], query: [] };

  it("has nothing without a key or a text", () => {
    expect(credentialsOf(null, "x")).toEqual(nothing);
    expect(credentialsOf(KEY, "")).toEqual(nothing);
  });

  it("encodes a name and a password, in UTF-8", () => {
    /** @type {Key} */
    const basic = { ...KEY, prefix: "Basic " };
    const value = (/** @type {string} */ text) =>
      credentialsOf(basic, text).headers;
    const encoded = (/** @type {string} */ text) =>
      `Basic ${Buffer.from(text).toString("base64")}`;
    expect(value("jo:ä:b")).toEqual([["Authorization", encoded("jo:ä:b")]]);
    expect(value("jo")).toEqual([["Authorization", encoded("jo:")]]);
  });

  it("puts a key into the query", () => {
    /** @type {Key} */
    const key = { name: "key", prefix: "", in: "query" };
    expect(credentialsOf(key, "x")).toEqual({
      headers: [],
      query: [["key", "x"]],
    });
  });
});

describe("requestOf", () => {
  it("escapes what the fields contain", () => {
    const request = requestOf(OPERATION, {
      "path:id": "a/b $&",
      "path:names": "x y, ,z",
      "query:tag": "a, b&c",
      "query:q": "",
      "header:X-Trace": "1",
      key: "mockpets",
    });
    expect(request).toEqual({
      method: "PUT",
      path: "/v1/pets/a%2Fb%20%24%26/x%20y,z?tag=a&tag=b%26c",
      headers: [
        ["Authorization", "Bearer mockpets"],
        ["X-Trace", "1"],
      ],
      body: null,
    });
  });

  it("joins an array that does not explode", () => {
    const parameters = [{ ...TAGS, explode: false }];
    const operation = { ...OPERATION, path: "/v1", parameters };
    expect(requestOf(operation, { "query:tag": "a,b" })).toMatchObject({
      path: "/v1?tag=a%2Cb",
    });
  });

  /** @param {string} type @param {string} body @returns {object} */
  const sent = (type, body) => {
    const operation = { ...OPERATION, path: "/v1", parameters: [] };
    return requestOf(operation, { type, body });
  };

  it.each([
    ["application/json", "{a: 1", "{a: 1"],
    ["text/unknown", "{}", "{}"],
    ["application/x-www-form-urlencoded", "not JSON", "not JSON"],
    [
      "application/x-www-form-urlencoded",
      '{"a": "1 &", "b": [1, "x"], "c": 9223372036854775807}',
      "a=1+%26&b=1&b=x&c=9223372036854775807",
    ],
  ])("sends as %s the body %s", (type, body, text) => {
    expect(sent(type, body)).toMatchObject({ body: text });
  });

  it("escapes the name of a field of a form with parts", () => {
    expect(sent("multipart/form-data", '{"a\\"b": "x"}')).toMatchObject({
      headers: [
        ["Content-Type", "multipart/form-data; boundary=mockpets-form"],
      ],
      body: [
        "--mockpets-form",
        'Content-Disposition: form-data; name="a%22b"',
        "",
        "x",
        "--mockpets-form--",
        "",
      ].join("\r\n"),
    });
  });
});
