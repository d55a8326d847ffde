// mockpets 0.1.0: written by "mockpets kit"; run it again instead of editing this file
/* eslint-disable */
// @ts-nocheck: the declarations have the types

// Pass a test's session on from your app's server to mockpets. The declarations beside this file have the
// documentation. It imports nothing and runs in every runtime that has `Headers`: it is part of your app.

const NAMES = ["mockpets-session", "mockpets-scenario"];

export function withSession(incoming, headers) {
  if (typeof incoming !== "object" || incoming === null || Array.isArray(incoming) || "then" in incoming) {
    throw new TypeError(`withSession expects the incoming request or its headers, got ${describe(incoming)}`);
  }
  const result = Object.fromEntries(new Headers(headers));
  for (const name of NAMES) {
    const value = read(incoming, name);
    if (value) result[name] = value;
  }
  return result;
}

/** Return a header of a request, of `Headers`, or of an object with names in any case. */
function read(incoming, name) {
  if (typeof incoming.get === "function") return incoming.get(name);
  if (typeof incoming.headers === "object" && incoming.headers !== null) return read(incoming.headers, name);
  const [, value] = Object.entries(incoming).find(([key]) => key.toLowerCase() === name) ?? [];
  return Array.isArray(value) ? value.join(", ") : value;
}

function describe(value) {
  if (Array.isArray(value)) return "an array; pass `new Headers(array)`";
  if (typeof value === "object" && value !== null) return "a promise; await it, as in `await headers()`";
  return String(value);
}
