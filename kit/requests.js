// Add headers to the requests that the page, or Node, sends. It is not an interface of the kit.

const WRAPPED = Symbol.for("mockpets.wrapped");

/** @typedef {{ [WRAPPED]?: true }} Wrapped */

/**
 * @callback HeadersFor
 * @param {URL} url
 * @param {Headers} headers the own headers of the request
 * @returns {[name: string, value: string][]} headers to add
 */

/**
 * @typedef {object} RequestsState
 * @property {Record<string, { headersFor: HeadersFor, init: RequestInit }>} sources
 * @property {typeof fetch} [fetch] the original one
 * @property {Window} [window]
 */

/**
 * @typedef {object} RequestMethods
 * @property {(...values: [method: string, url: string | URL]) => void} open more values may follow
 * @property {XMLHttpRequest["setRequestHeader"]} setRequestHeader
 * @property {XMLHttpRequest["send"]} send
 */

/** @type {{ [symbol: symbol]: RequestsState | undefined }} */
const globals = globalThis;
// Global, because a test runner may load this module twice.
const state = (globals[Symbol.for("mockpets.requests")] ??= { sources: {} });

/**
 * Make `fetch` and `XMLHttpRequest` add headers to their requests.
 * @param {string} name of the caller; a second call with the same name replaces the first
 * @param {HeadersFor} headersFor
 * @param {RequestInit} [init] for requests of `fetch` to which headers are added
 * @returns the original `fetch`
 */
export function wrapRequests(name, headersFor, init = {}) {
  state.sources[name] = { headersFor, init };
  // Again if the test runner has made another window, but not because a test has replaced `fetch`.
  if (!state.fetch || state.window !== globalThis.window) {
    state.window = globalThis.window;
    /** @type {typeof fetch & Wrapped} */
    const current = globalThis.fetch;
    if (!current[WRAPPED]) {
      state.fetch = current;
      globalThis.fetch = wrapFetch(current);
    }
  }
  /** @type {(XMLHttpRequest & Wrapped) | undefined} */
  const prototype = globalThis.XMLHttpRequest?.prototype;
  if (prototype && !prototype[WRAPPED]) wrapXMLHttpRequest(prototype);
  return state.fetch;
}

/**
 * Return the headers to add to a request, and options for `fetch`. The last source takes precedence.
 * @param {string | URL} url
 * @param {Headers} headers
 */
function additions(url, headers) {
  /** @type {{ headers: Map<string, string>, init: RequestInit }} */
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

/** @param {typeof fetch} original */
function wrapFetch(original) {
  /** @type {typeof fetch} */
  const wrapped = async function fetch(input, init) {
    // Not `instanceof`: the request may be of another window.
    const request = /** @type {Partial<Request> | undefined} */ (input);
    const headers = new Headers(init?.headers ?? request?.headers);
    const url = request?.url ?? /** @type {string | URL} */ (input);
    const added = additions(url, headers);
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

/** @param {XMLHttpRequest} prototype */
function wrapXMLHttpRequest(prototype) {
  /** @type {RequestMethods} */
  // eslint-disable-next-line @typescript-eslint/unbound-method -- called with the request as `this`
  const { open, setRequestHeader, send } = prototype;
  /** @type {WeakMap<XMLHttpRequest, { url: string | URL, headers: Headers }>} */
  const requests = new WeakMap();
  /** @type {Wrapped & RequestMethods & ThisType<XMLHttpRequest>} */
  const methods = {
    [WRAPPED]: true,
    open(...values) {
      requests.set(this, { url: values[1], headers: new Headers() });
      return open.apply(this, values);
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
  };
  Object.assign(prototype, methods);
}
