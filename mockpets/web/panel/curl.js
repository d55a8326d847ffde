// A request as a command for a shell.

const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

/**
 * @param {{method: string, url: string, headers?: [string, string][], body?: string | null, base64?: boolean}} request
 */
export function curl({ method, url, headers = [], body = null, base64 = false }) {
  const words = ["curl -i"];
  if (method === "HEAD") words[0] = "curl -I";
  else if (method !== (body === null ? "GET" : "POST")) words.push(`-X ${quoted(method)}`);
  words.push(quoted(url));
  for (const [name, value] of headers) words.push(`-H ${quoted(value === "" ? `${name};` : `${name}: ${value}`)}`);
  // curl would say that the body is a form's.
  if (body !== null && !headers.some(([name]) => /^content-type$/i.test(name))) words.push("-H 'Content-Type:'");
  if (body !== null) words.push(base64 ? "--data-binary @-" : `--data-raw ${quoted(body)}`);
  const command = words.join(" \\\n  ");
  return base64 ? `echo ${quoted(body)} | base64 -d | ${command}` : command;
}

// What the program that sends it sets by itself, or what was not kept.
const OWN = /^(host|content-length|connection|accept-encoding|user-agent|sec-.*|proxy-.*|transfer-encoding)$/i;

/**
 * The headers to send a recorded request with again; the key is not kept, so it is the server's.
 * @param {any} entry of the journal
 * @param {string} key
 * @returns {[string, string][]}
 */
export function headersAgain(entry, key) {
  const wrong = entry.notes.some((note) => note.code === "key_invalid");
  const headers = [];
  for (const [name, value] of entry.request.headers) {
    if (OWN.test(name)) continue;
    if (name.toLowerCase() === "authorization") headers.push([name, `Bearer ${wrong ? "not-the-key" : key}`]);
    else if (value !== "[redacted]") headers.push([name, value]);
  }
  return headers;
}
