// mockpets 0.2.0: written by "mockpets kit"; run it again, do not edit; agents: mockpets skill
/* eslint-disable */
// @ts-nocheck: the declarations have the types

// Add headers to the requests that the page, or Node, sends. It is not an interface of the kit.

const WRAPPED = Symbol.for("mockpets.wrapped");
// Global, because a test runner may load this module twice.
const state = (globalThis[Symbol.for("mockpets.requests")] ??= { sources: {} });

/**
 * Make `fetch` and `XMLHttpRequest` add headers to their requests.
 * @param name of the caller; a second call with the same name replaces the first
 * @param headersFor called with a request's URL and its own headers; returns pairs to add
 * @param init for requests of `fetch` to which headers are added
 * @returns the original `fetch`
 */
export function wrapRequests(name, headersFor, init = {}) {
  state.sources[name] = { headersFor, init };
  // Again if the test runner has made another window, but not because a test has replaced `fetch`.
  if (!state.fetch || state.window !== globalThis.window) {
    state.window = globalThis.window;
    if (!globalThis.fetch[WRAPPED]) {
      state.fetch = globalThis.fetch;
      globalThis.fetch = wrapFetch(state.fetch);
    }
  }
  const prototype = globalThis.XMLHttpRequest?.prototype;
  if (prototype && !prototype[WRAPPED]) wrapXMLHttpRequest(prototype);
  return state.fetch;
}

/** Return the headers to add to a request, and options for `fetch`. The last source takes precedence. */
function additions(url, headers) {
  const added = { headers: new Map(), init: {} };
  const base = globalThis.document?.baseURI;
  if (!URL.canParse(url, base)) return added;
  for (const { headersFor, init } of Object.values(state.sources)) {
    const pairs = headersFor(new URL(url, base), headers);
    for (const [name, value] of pairs) added.headers.set(name, value);
    if (pairs.length) Object.assign(added.init, init);
  }
  return added;
}

function wrapFetch(original) {
  const wrapped = async function fetch(input, init) {
    const headers = new Headers(init?.headers ?? input?.headers);
    const added = additions(input?.url ?? input, headers);
    if (!added.headers.size) return original.call(globalThis, input, init);
    for (const [name, value] of added.headers) headers.set(name, value);
    return original.call(globalThis, input, {
      ...added.init,
      ...init,
      headers: [...headers],
    });
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
      const request = requests.get(this);
      const added = request
        ? additions(request.url, request.headers).headers
        : [];
      for (const [name, value] of added) this.setRequestHeader(name, value);
      return send.call(this, body);
    },
  });
}
