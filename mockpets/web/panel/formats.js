// A recorded request in other forms: curl, fetch, a Playwright test, a verification, a stub.

import { address, inSession } from "./store.js";

/** @import { RequestDetails } from "../../../kit/control.js" */
/** @import { Pair } from "./sending.js" */

/** @param {string} text */
const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

/**
 * Return the curl command of a request.
 * @param {object} request
 * @param {string} request.method
 * @param {string} request.url
 * @param {Pair[]} [request.headers]
 * @param {string | null} [request.body]
 * @param {boolean} [request.base64] whether the body is base64
 */
export function curl({
  method,
  url,
  headers = [],
  body = null,
  base64 = false,
}) {
  // Without -g, curl takes brackets and braces for a pattern of URLs.
  const globbing = /[[\]{}]/.test(url) ? " -g" : "";
  const parts = [`curl ${method === "HEAD" ? "-I" : "-i"}${globbing}`];
  if (method !== "HEAD" && method !== (body === null ? "GET" : "POST"))
    parts.push(`-X ${quoted(method)}`);
  parts.push(quoted(url));
  for (const [name, value] of headers)
    parts.push(`-H ${quoted(value === "" ? `${name};` : `${name}: ${value}`)}`);
  // Otherwise curl sends the content type of a form.
  if (body !== null && !headers.some(([name]) => /^content-type$/i.test(name)))
    parts.push("-H 'Content-Type:'");
  if (body !== null)
    parts.push(base64 ? "--data-binary @-" : `--data-raw ${quoted(body)}`);
  const command = parts.join(" \\\n  ");
  return base64 && body !== null
    ? `echo ${quoted(body)} | base64 -d | ${command}`
    : command;
}

// The client sets these headers itself, or they belong to the connection.
const CLIENT_HEADERS =
  /^(host|content-length|connection|accept-encoding|user-agent|sec-.*|proxy-.*|transfer-encoding)$/i;

/**
 * Return the headers for resending a recorded request. Recorded requests have no key, so use the
 * server's.
 * @param {Pick<RequestDetails, "notes" | "request">} entry
 * @param {string} key
 */
export function headersToResend(entry, key) {
  const invalidKey = entry.notes.some((note) => note.code === "key_invalid");
  /** @type {Pair[]} */
  const headers = [];
  for (const [name = "", value = ""] of entry.request.headers) {
    if (CLIENT_HEADERS.test(name)) continue;
    if (name.toLowerCase() === "authorization")
      headers.push([name, `Bearer ${invalidKey ? "not-the-key" : key}`]);
    else if (value !== "[redacted]") headers.push([name, value]);
  }
  return headers;
}

/**
 * Return the URL for sending a recorded request again, in its session.
 * @param {RequestDetails} entry
 */
export function urlOf(entry) {
  const prefixed = entry.target.startsWith("/~");
  return address(
    prefixed ? entry.target : inSession(entry.session, entry.target),
  );
}

/**
 * Return the body to send again: undefined without one, else a text or bytes.
 * @param {RequestDetails} entry
 */
export function bodyOf({ method, request }) {
  const { text, base64, size } = request.body;
  if (!size || method === "GET" || method === "HEAD") return undefined;
  return base64
    ? Uint8Array.from(atob(text), (char) => char.charCodeAt(0))
    : text;
}

/**
 * @param {RequestDetails} entry
 * @param {string} key
 */
export function asCurl(entry, key) {
  const { text, base64, size } = entry.request.body;
  return curl({
    method: entry.method,
    url: urlOf(entry),
    headers: headersToResend(entry, key),
    body: size ? text : null,
    base64,
  });
}

/**
 * @param {RequestDetails} entry
 * @param {string} key
 */
export function asFetch(entry, key) {
  const { base64, text } = entry.request.body;
  const headers = Object.fromEntries(headersToResend(entry, key));
  const lines = [
    `  method: ${JSON.stringify(entry.method)},`,
    `  headers: ${JSON.stringify(headers, null, 2).replaceAll("\n", "\n  ")},`,
  ];
  if (bodyOf(entry) !== undefined) {
    const body = JSON.stringify(text);
    const bytes = `Uint8Array.from(atob(${body}), (char) => char.charCodeAt(0))`;
    lines.push(`  body: ${base64 ? bytes : body},`);
  }
  return `await fetch(${JSON.stringify(urlOf(entry))}, {\n${lines.join("\n")}\n});`;
}

/**
 * Return the conditions that a request meets: its operation, or its method and path.
 * @param {RequestDetails} entry
 */
const matchOf = ({ operation, method, path }) =>
  operation ? { operation } : { method, path };

/** @param {RequestDetails} entry */
export function asTest(entry) {
  const scenarios = entry.scenarios
    .filter((name) => name !== "default")
    .map((name) => JSON.stringify(name))
    .join(", ");
  const title = `${entry.method} ${entry.path}: ${entry.status ?? entry.fault}`;
  return `import { expect, test } from "./mockpets/playwright";

test(${JSON.stringify(title)}, async ({ mock, page }) => {
${scenarios ? `  await mock.use(${scenarios});\n` : ""}  await page.goto("/");
  await mock.verify(${JSON.stringify(matchOf(entry))});
});
`;
}

/** @param {RequestDetails} entry */
export function asVerify(entry) {
  const { operation, method, path, session, status } = entry;
  const match = operation
    ? ["--operation", operation]
    : ["--method", quoted(method), "--path", quoted(path)];
  return [
    "mockpets verify",
    ...match,
    ...(status === null ? [] : ["--status", status]),
    ...(session === "default" ? [] : ["--session", session]),
    "--url",
    address(""),
  ].join(" ");
}
