// Format a request as a curl command.

const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

/**
 * Return the curl command of a request.
 * @param {{method: string, url: string, headers?: [string, string][], body?: string | null, base64?: boolean}} request
 */
export function curl({ method, url, headers = [], body = null, base64 = false }) {
  const parts = [method === "HEAD" ? "curl -I" : "curl -i"];
  if (/[[\]{}]/.test(url)) parts[0] += " -g"; // or curl takes them for a pattern of URLs
  if (method !== "HEAD" && method !== (body === null ? "GET" : "POST")) parts.push(`-X ${quoted(method)}`);
  parts.push(quoted(url));
  for (const [name, value] of headers) parts.push(`-H ${quoted(value === "" ? `${name};` : `${name}: ${value}`)}`);
  // Otherwise curl sends the content type of a form.
  if (body !== null && !headers.some(([name]) => /^content-type$/i.test(name))) parts.push("-H 'Content-Type:'");
  if (body !== null) parts.push(base64 ? "--data-binary @-" : `--data-raw ${quoted(body)}`);
  const command = parts.join(" \\\n  ");
  return base64 ? `echo ${quoted(body)} | base64 -d | ${command}` : command;
}

// The client sets these headers itself, or they belong to the connection.
const CLIENT_HEADERS = /^(host|content-length|connection|accept-encoding|user-agent|sec-.*|proxy-.*|transfer-encoding)$/i;

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
    if (name.toLowerCase() === "authorization") headers.push([name, `Bearer ${invalidKey ? "not-the-key" : key}`]);
    else if (value !== "[redacted]") headers.push([name, value]);
  }
  return headers;
}
