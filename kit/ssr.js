// Pass a session on from your app's server to mockpets, and open links that name one. The declarations beside
// this file have the documentation. It imports nothing and runs in every runtime that has `Headers`: it is part
// of your app.

const NAMES = ["mockpets-session", "mockpets-scenario"];
const IN_COOKIE = /(?:^|;)\s*(mockpets=[^;]+)/;

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
  const result = Object.fromEntries(new Headers(headers));
  for (const name of NAMES) {
    const value = read(incoming, name);
    if (value) result[name] = value;
  }
  const cookie = IN_COOKIE.exec(read(incoming, "cookie") ?? "")?.[1];
  if (cookie && !IN_COOKIE.test(result.cookie))
    result.cookie = result.cookie ? `${result.cookie}; ${cookie}` : cookie;
  return result;
}

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

/** Return a header of a request, of `Headers`, or of an object with names in any case. */
function read(incoming, name) {
  if (typeof incoming.get === "function") return incoming.get(name);
  if (typeof incoming.headers === "object" && incoming.headers !== null)
    return read(incoming.headers, name);
  const [, value] =
    Object.entries(incoming).find(([key]) => key.toLowerCase() === name) ?? [];
  return Array.isArray(value) ? value.join(", ") : value;
}

function describe(value) {
  if (Array.isArray(value)) return "an array; pass `new Headers(array)`";
  if (typeof value === "object" && value !== null)
    return "a promise; await it, as in `await headers()`";
  return String(value);
}
