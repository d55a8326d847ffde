// A recorded request in other forms: curl, fetch, a Playwright test, a verification, a stub.

import { address, inSession } from "./store.js";

const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

/**
 * Return the curl command of a request.
 * @param {{method: string, url: string, headers?: [string, string][], body?: string | null, base64?: boolean}} request
 */
export function curl({
  method,
  url,
  headers = [],
  body = null,
  base64 = false,
}) {
  const parts = [method === "HEAD" ? "curl -I" : "curl -i"];
  if (/[[\]{}]/.test(url)) parts[0] += " -g"; // or curl takes them for a pattern of URLs
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
  return base64 ? `echo ${quoted(body)} | base64 -d | ${command}` : command;
}

// The client sets these headers itself, or they belong to the connection.
const CLIENT_HEADERS =
  /^(host|content-length|connection|accept-encoding|user-agent|sec-.*|proxy-.*|transfer-encoding)$/i;

/**
 * Return the headers for resending a recorded request. Recorded requests have no key, so use the server's.
 * @param {any} entry of the request log
 * @param {string} key
 * @returns {[string, string][]}
 */
export function headersToResend(entry, key) {
  const invalidKey = entry.notes.some((note) => note.code === "key_invalid");
  const headers = [];
  for (const [name, value] of entry.request.headers) {
    if (CLIENT_HEADERS.test(name)) continue;
    if (name.toLowerCase() === "authorization")
      headers.push([name, `Bearer ${invalidKey ? "not-the-key" : key}`]);
    else if (value !== "[redacted]") headers.push([name, value]);
  }
  return headers;
}

/** Return the URL for sending a recorded request again, in its session. */
export function urlOf(entry) {
  const prefixed = entry.target.startsWith("/~");
  return address(
    prefixed ? entry.target : inSession(entry.session, entry.target),
  );
}

/** Return the body to send again: undefined without one, else a text or bytes. */
export function bodyOf({
  method,
  request: {
    body: { text, base64, size },
  },
}) {
  if (!size || method === "GET" || method === "HEAD") return undefined;
  return base64
    ? Uint8Array.from(atob(text), (char) => char.charCodeAt(0))
    : text;
}

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

export function asFetch(entry, key) {
  const { base64, text } = entry.request.body;
  const body = bodyOf(entry);
  const lines = [
    `  method: ${JSON.stringify(entry.method)},`,
    `  headers: ${JSON.stringify(Object.fromEntries(headersToResend(entry, key)), null, 2).replaceAll("\n", "\n  ")},`,
  ];
  if (body !== undefined)
    lines.push(
      `  body: ${base64 ? `Uint8Array.from(atob(${JSON.stringify(text)}), (char) => char.charCodeAt(0))` : JSON.stringify(body)},`,
    );
  return `await fetch(${JSON.stringify(urlOf(entry))}, {\n${lines.join("\n")}\n});`;
}

/** Return the conditions that a request meets: its operation, or its method and path. */
const matchOf = ({ operation, method, path }) =>
  operation ? { operation } : { method, path };

export function asTest(entry) {
  const scenarios = entry.scenarios
    .filter((name) => name !== "default")
    .map((name) => JSON.stringify(name))
    .join(", ");
  return `import { expect, test } from "./mockpets/playwright";

test(${JSON.stringify(`${entry.method} ${entry.path}: ${entry.status ?? entry.fault}`)}, async ({ mock, page }) => {
${scenarios ? `  await mock.use(${scenarios});\n` : ""}  await page.goto("/");
  await mock.verify(${JSON.stringify(matchOf(entry))});
});
`;
}

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
