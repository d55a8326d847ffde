// Requests to the operations of a contract.

import { isValidObject, members, parts, textOf } from "./json.js";

/** @import { Body, Details, Key, Operation, Parameter } from "./openapi.js" */

/** @typedef {[name: string, value: string]} Pair */

/**
 * A request to send; its path is below that of the session.
 * @typedef {object} OutgoingRequest
 * @property {string} method
 * @property {string} path
 * @property {Pair[]} headers
 * @property {string | null} body
 */

/**
 * The texts of a form: those of the parameters by `fieldOf`; and `type`, which is the media type,
 * `body` and `key`.
 * @typedef {Partial<Record<string, string>>} FormValues
 */

/** @typedef {{ parameter: Parameter, text: string }} Given */

const BOUNDARY = "mockpets-form";

/**
 * @param {string} name
 * @param {string} value
 * @returns {Pair}
 */
const pair = (name, value) => [name, value];

/**
 * Return the field of a form with a parameter; other fields have names without a colon.
 * @param {Parameter} parameter
 */
export const fieldOf = (parameter) => `${parameter.in}:${parameter.name}`;

/**
 * Return the headers and the query parameters that carry a key; Basic has a name and a password.
 * @param {Key | null} key
 * @param {string | undefined} text
 * @returns {{ headers: Pair[], query: Pair[] }}
 */
export function credentialsOf(key, text) {
  if (!key || !text) return { headers: [], query: [] };
  const value = key.prefix === "Basic " ? basic(text) : text;
  const all = [pair(key.name, key.prefix + value)];
  return key.in === "query"
    ? { headers: [], query: all }
    : { headers: all, query: [] };
}

/** @param {string} text */
function basic(text) {
  const utf8 = new TextEncoder().encode(text.includes(":") ? text : `${text}:`);
  return btoa(String.fromCharCode(...utf8));
}

/**
 * Return the request that the fields of a form describe.
 * @param {Pick<Operation, "method" | "path"> & Details} operation
 * @param {FormValues} values
 * @returns {OutgoingRequest}
 */
export function requestOf(operation, values) {
  const credentials = credentialsOf(operation.key, values.key);
  const given = operation.parameters.map((parameter) => ({
    parameter,
    text: values[fieldOf(parameter)] ?? "",
  }));
  const path = pathOf(operation.path, given);
  const search = new URLSearchParams([...queryOf(given), ...credentials.query]);
  const headers = [...credentials.headers, ...headersOf(given)];
  const media = bodyOfType(operation.bodies, values.type);
  const content =
    media && values.body ? encoded(media, values.body) : undefined;
  if (content) headers.push(["Content-Type", content.type]);
  return {
    method: operation.method,
    path: search.size ? `${path}?${search}` : path,
    headers,
    body: content?.text ?? null,
  };
}

/**
 * @param {string} template
 * @param {Given[]} given
 */
const pathOf = (template, given) =>
  given
    .filter(({ parameter }) => parameter.in === "path")
    .reduce(
      (path, { parameter, text }) =>
        path.replace(`{${parameter.name}}`, () =>
          valuesOf(parameter, text).map(encodeURIComponent).join(","),
        ),
      template,
    );

/**
 * @param {Given[]} given
 * @returns {Pair[]}
 */
const queryOf = (given) =>
  given
    .filter(({ parameter, text }) => parameter.in === "query" && text)
    .flatMap(({ parameter, text }) => {
      const all = valuesOf(parameter, text);
      const sent = parameter.explode === false ? [all.join(",")] : all;
      return sent.map((value) => pair(parameter.name, value));
    });

/**
 * @param {Given[]} given
 * @returns {Pair[]}
 */
const headersOf = (given) =>
  given
    .filter(({ parameter, text }) => parameter.in === "header" && text)
    .map(({ parameter, text }) => pair(parameter.name, text));

/**
 * Return the values of a parameter, which an array separates by commas.
 * @param {Parameter} parameter
 * @param {string} text
 */
const valuesOf = ({ schema }, text) =>
  schema.type === "array"
    ? text
        .split(",")
        .map((each) => each.trim())
        .filter(Boolean)
    : [text];

/**
 * Return the body of a media type, by default the first one.
 * @param {Body[]} bodies
 * @param {string | undefined} type
 */
export const bodyOfType = (bodies, type) =>
  bodies.find((each) => each.type === type) ?? bodies[0];

/**
 * Return the content type and the text of a body, which a form has as JSON.
 * @param {Body} media
 * @param {string} text
 */
function encoded({ type, isForm }, text) {
  if (!isForm || !isValidObject(text)) return { type, text };
  const fields = [...members(text)].flatMap(([name, json]) =>
    (json.startsWith("[") ? parts(json) : [json]).map((each) =>
      pair(name, textOf(each)),
    ),
  );
  if (type.startsWith("application/"))
    return { type, text: String(new URLSearchParams(fields)) };
  const lines = fields.map(
    ([name, value]) =>
      `--${BOUNDARY}\r\nContent-Disposition: form-data; ` +
      `name="${name.replaceAll('"', "%22")}"\r\n\r\n${value}\r\n`,
  );
  return {
    type: `${type}; boundary=${BOUNDARY}`,
    text: `${lines.join("")}--${BOUNDARY}--\r\n`,
  };
}
