// Pass a session on from your app's server to mockpets, and open links that name one. It imports nothing and runs in
// every runtime that has `Headers`: it is part of your app.

/**
 * `Headers` of any runtime or framework.
 * @typedef {object} ReadableHeaders
 * @property {(name: string) => string | null | undefined} get
 */

/**
 * Headers as an object, such as those of `node:http`.
 * @typedef {{ readonly [name: string]: string | readonly string[] | undefined }} HeadersObject
 */

/**
 * The headers of a request, or a request that has them.
 * @typedef {ReadableHeaders | HeadersObject | { readonly headers: ReadableHeaders | HeadersObject }} Incoming
 */

const NAMES = ["mockpets-session", "mockpets-scenario"];
const IN_COOKIE = /(?:^|;)\s*(mockpets=[^;]+)/;

/**
 * Return headers for a request of your server: `headers`, and those with which the incoming request names
 * a session and scenarios, `Mockpets-Session`, `Mockpets-Scenario` and the cookie `mockpets`. Without them,
 * as in production, the result has only `headers`. Names are in lower case.
 *
 * @param {Incoming} incoming the request that your server handles, or its headers, such as `await headers()` in Next
 * @param {Iterable<readonly [string, string]> | Readonly<Record<string, string>>} [headers] your own headers; if they name a session too, the headers of the incoming request take precedence
 * @returns {Record<string, string>}
 * @throws TypeError if `incoming` is neither, such as a promise that you have not awaited
 */
export function withSession(incoming, headers) {
  if (
    typeof incoming !== "object" ||
    incoming === null ||
    Array.isArray(incoming) ||
    "then" in incoming
  ) {
    throw new TypeError(
      `withSession expects the incoming request or its headers, got ${describe(incoming)}`,
    );
  }
  /** @type {Record<string, string>} */
  const result = Object.fromEntries(
    // Headers accepts any iterable of pairs, which its type does not allow.
    new Headers(/** @type {Record<string, string>} */ (headers)),
  );
  for (const name of NAMES) {
    const value = read(incoming, name);
    if (value) result[name] = value;
  }
  const cookie = IN_COOKIE.exec(read(incoming, "cookie") ?? "")?.[1];
  if (cookie && !IN_COOKIE.test(result.cookie ?? ""))
    result.cookie = result.cookie ? `${result.cookie}; ${cookie}` : cookie;
  return result;
}

/**
 * Return the headers of a redirect that stores the session and scenarios of a link, such as
 * `/pets?mockpets=demo%2Bretry`, in the cookie `mockpets`, and removes them from the address; an empty value
 * deletes the cookie. Return `null` for every other URL.
 *
 * @param {string} url of the incoming request: a path or an absolute URL
 * @returns {{ Location: string; "Set-Cookie": string } | null}
 */
export function openLink(url) {
  const isPath = url.startsWith("/");
  const { origin, pathname, search, searchParams } = new URL(
    isPath ? `http://localhost${url}` : url,
  );
  const names = searchParams.get("mockpets");
  if (names === null) return null;
  const others = search
    .slice(1)
    .split("&")
    .filter((part) => part && !new URLSearchParams(part).has("mockpets"));
  // With two slashes, a path would lead to another host.
  const path =
    pathname.replace(/^\/+/, "/") +
    (others.length ? `?${others.join("&")}` : "");
  return {
    Location: isPath ? path : origin + path,
    "Set-Cookie": `mockpets=${encodeURIComponent(names)}; Path=/; SameSite=Lax${names ? "" : "; Max-Age=0"}`,
  };
}

/**
 * Return a header of a request, of `Headers`, or of an object with names in any case.
 * @param {Incoming} incoming
 * @param {string} name in lower case
 * @returns {string | null | undefined}
 */
function read(incoming, name) {
  const unknown = /** @type {Record<string, unknown>} */ (incoming);
  if (typeof unknown.get === "function")
    return /** @type {ReadableHeaders} */ (incoming).get(name);
  if (typeof unknown.headers === "object" && unknown.headers !== null)
    return read(/** @type {Incoming} */ (unknown.headers), name);
  const [, value] =
    Object.entries(/** @type {HeadersObject} */ (incoming)).find(
      ([key]) => key.toLowerCase() === name,
    ) ?? [];
  return typeof value === "object" ? value.join(", ") : value;
}

/** @param {unknown} value */
function describe(value) {
  if (Array.isArray(value)) return "an array; pass `new Headers(array)`";
  if (typeof value === "object" && value !== null)
    return "a promise; await it, as in `await headers()`";
  return String(value);
}
