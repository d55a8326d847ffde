// mockpets 0.1.0: written by "mockpets kit"; run it again instead of editing this file
/* eslint-disable */

// What the integrations with test runners share. It is not an interface of the kit.

const LOOPBACK = "(?:(?:[^/]+\\.)?localhost|127(?:\\.\\d+){3}|\\[::1\\])";
const IS_LOOPBACK = new RegExp(`^${LOOPBACK}$`);

/** Random for each run: two runs of the same tests may use one server. */
export const RUN = Math.random().toString(36).slice(2);

/** Return the origin of a URL; all loopback names are the same. */
export function origin(url) {
  if (typeof url === "string" && !URL.canParse(url)) throw new TypeError(`not a valid origin: '${url}'`);
  const { protocol, hostname, port } = new URL(url);
  return `${protocol}//${IS_LOOPBACK.test(hostname) ? "localhost" : hostname}:${port}`;
}

/** Return a regular expression for the URLs that have the origin of a URL. */
export function urlsOf(url) {
  const { protocol, hostname, port } = new URL(origin(url));
  const host = hostname === "localhost" ? LOOPBACK : hostname.replace(/[.[\]]/g, "\\$&");
  return new RegExp(`^${protocol}//${host}${port && `:${port}`}/`);
}

/** Return headers with a session's baggage added to what they have; names are in lower case. */
export function withBaggage(headers, mock) {
  return { ...headers, baggage: headers.baggage ? `${headers.baggage},${mock.baggage}` : mock.baggage };
}

/** Call a function; return what it throws. */
export async function failure(call) {
  try {
    await call();
    return undefined;
  } catch (error) {
    return error;
  }
}

/** Delete a session, unless the test has already done so. */
export async function dropSession(mock) {
  const rejection = await failure(() => mock.drop());
  if (rejection && rejection.code !== "not_found") throw rejection;
}

/** Return the request log of a session, for the report of a failed test. */
export async function requestLog(mock) {
  const entries = await mock.requests();
  return entries.map(requestLine).join("\n") || `no requests to ${mock.baseUrl}`;
}

/** Return number, time, method, target, status, milliseconds, stubs and notes of a request. */
export function requestLine({ number, at, method, target, status, app_ms, delay_ms, stubs, outcome, fault, hold, notes }) {
  const remarks = [
    outcome === "sent" ? "" : outcome.replace("_", " "),
    fault ? `fault ${fault}` : "",
    hold ? `held at ${hold}` : "",
    ...notes.map(({ text }) => text),
  ];
  return [
    String(number).padStart(4),
    at.slice(11, 23),
    `${method.padEnd(6)} ${target.replace(/^\/~[^/]*/, "").padEnd(28)}`,
    status ?? "  -",
    `${app_ms.toFixed(1)}${delay_ms ? ` +${Math.round(delay_ms)}` : ""} ms`,
    stubs.join(" ") || "-",
    remarks.filter(Boolean).join("; "),
  ].join("  ").trimEnd();
}
