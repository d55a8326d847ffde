// mockpets 0.1.0: written by "mockpets kit"; run it again instead of editing this file
/* eslint-disable */

// Add headers to the requests that the page, or Node, sends. It is not an interface of the kit.

const WRAPPED = Symbol.for("mockpets.wrapped");
// Global, because a test runner may load this module twice.
const state = (globalThis[Symbol.for("mockpets.requests")] ??= { sources: {} });

/**
 * Make `fetch` and `XMLHttpRequest` add headers to their requests.
 * @param name of the caller; a second call with the same name replaces the first
 * @param headersFor called with a request's URL and its own headers; returns pairs to add
 * @returns the original `fetch`
 */
export function wrapRequests(name, headersFor) {
  state.sources[name] = headersFor;
  if (!globalThis.fetch[WRAPPED]) {
    state.fetch = globalThis.fetch;
    globalThis.fetch = wrapFetch(globalThis.fetch);
  }
  const prototype = globalThis.XMLHttpRequest?.prototype;
  if (prototype && !prototype[WRAPPED]) wrapXMLHttpRequest(prototype);
  return state.fetch;
}

/** Return the headers to add to a request. */
function addedHeaders(url, headers) {
  const base = globalThis.document?.baseURI;
  if (!URL.canParse(url, base)) return [];
  return Object.values(state.sources).flatMap((headersFor) => headersFor(new URL(url, base), headers));
}

function wrapFetch(original) {
  const wrapped = async function fetch(input, init) {
    const headers = new Headers(init?.headers ?? input?.headers);
    const added = addedHeaders(input?.url ?? input, headers);
    if (!added.length) return original.call(globalThis, input, init);
    for (const [name, value] of added) headers.set(name, value);
    // Otherwise a browser makes a request wait for a held response with the same URL, also of another session.
    return original.call(globalThis, input, { cache: "no-store", ...init, headers: [...headers] });
  };
  return Object.assign(wrapped, { [WRAPPED]: true });
}

function wrapXMLHttpRequest(prototype) {
  const { open, setRequestHeader, send } = prototype;
  const requests = new WeakMap();
  Object.assign(prototype, {
    [WRAPPED]: true,
    open(method, url, ...rest) {
      requests.set(this, { url, headers: new Headers() });
      return open.call(this, method, url, ...rest);
    },
    setRequestHeader(name, value) {
      const result = setRequestHeader.call(this, name, value); // throws if the name is invalid
      requests.get(this)?.headers.append(name, value);
      return result;
    },
    send(body) {
      const { url, headers } = requests.get(this) ?? {};
      for (const [name, value] of headers ? addedHeaders(url, headers) : []) this.setRequestHeader(name, value);
      return send.call(this, body);
    },
  });
}
