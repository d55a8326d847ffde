// Requests to the operations of a contract: {method, path, headers, body} with a path below the
// session and headers as pairs.

import { isValidObject, members, parts, textOf } from "./json.js";

const BOUNDARY = "mockpets-form";

/** Return the field of a form with a parameter; other fields have names without a colon. */
export const fieldOf = (parameter) => `${parameter.in}:${parameter.name}`;

/** Return the headers and the query parameters that carry a key; Basic has a name and a password. */
export function credentialsOf(key, text) {
  if (!key || !text) return { headers: [], query: [] };
  const value =
    key.prefix === "Basic "
      ? btoa(
          unescape(encodeURIComponent(text.includes(":") ? text : `${text}:`)),
        )
      : text;
  const pair = [key.name, key.prefix + value];
  return key.in === "query"
    ? { headers: [], query: [pair] }
    : { headers: [pair], query: [] };
}

/** Return the values of a parameter, which an array separates by commas. */
const valuesOf = ({ schema }, text) =>
  schema.type === "array"
    ? text
        .split(",")
        .map((each) => each.trim())
        .filter(Boolean)
    : [text];

/**
 * Return the request that the fields of a form describe.
 * @param {any} operation with its method, path and details
 * @param {Record<string, string>} values by `fieldOf`; and `type`, `body` and `key`
 */
export function requestOf(operation, values) {
  const { headers, query } = credentialsOf(operation.key, values.key);
  const given = (place) =>
    operation.parameters
      .filter((each) => each.in === place)
      .map((each) => [each, values[fieldOf(each)] ?? ""]);
  const path = given("path").reduce(
    (text, [each, value]) =>
      text.replace(`{${each.name}}`, () =>
        valuesOf(each, value).map(encodeURIComponent).join(","),
      ),
    operation.path,
  );
  const parameters = given("query")
    .filter(([, value]) => value)
    .flatMap(([each, value]) => {
      const all = valuesOf(each, value);
      return (each.explode === false ? [all.join(",")] : all).map((one) => [
        each.name,
        one,
      ]);
    });
  const search = new URLSearchParams([...parameters, ...query]);
  headers.push(
    ...given("header")
      .filter(([, value]) => value)
      .map(([each, value]) => [each.name, value]),
  );
  const media =
    operation.bodies.find((each) => each.type === values.type) ??
    operation.bodies[0];
  const [type, body] =
    media && values.body ? encoded(media, values.body) : [null, null];
  if (type) headers.push(["Content-Type", type]);
  return {
    method: operation.method,
    path: search.size ? `${path}?${search}` : path,
    headers,
    body,
  };
}

/** Return the content type and the text of a body, which a form has as JSON. */
function encoded({ type, isForm }, text) {
  if (!isForm || !isValidObject(text)) return [type, text];
  const pairs = [...members(text)].flatMap(([name, json]) =>
    (json.startsWith("[") ? parts(json) : [json]).map((each) => [
      name,
      textOf(each),
    ]),
  );
  if (type.startsWith("application/"))
    return [type, String(new URLSearchParams(pairs))];
  const lines = pairs.map(
    ([name, value]) =>
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name.replaceAll('"', "%22")}"\r\n\r\n${value}\r\n`,
  );
  return [
    `${type}; boundary=${BOUNDARY}`,
    `${lines.join("")}--${BOUNDARY}--\r\n`,
  ];
}
