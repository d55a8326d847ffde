// mockpets 0.2.0: written by "mockpets kit"; run it again, do not edit; agents: mockpets skill
/* eslint-disable */
// @ts-nocheck: the declarations have the types

// Calls of the control API of one server, and the wait for its changes.

/**
 * @import { Change, Events, InputProblem } from "./control.js"
 * @import { AnyCallOptions, CallArguments, CallName, CallResponse, ErrorDetails, FailureCode } from "./types.js"
 */

const SESSION_HEADER = "Mockpets-Session";
const SESSION_ID_HEADER = "Mockpets-Session-Id";
const RESPONSE_MS = 10_000;
/** Milliseconds to add for a call that waits at the server. */
export const LONGEST_WAIT_MS = 30_000;
const POLL_SECONDS = 25;
const PAUSE_MS = 100; // minimum time between two polls
const RETRY_MS = [500, 1_000, 2_000, 4_000];

// The URL or path of this folder, from a stack such as `at file:///kit/connection.js:1:2` or `@http://host/connection.js:1:2`.
// Without `file://`, because Playwright loads this file as a module and others by path if a reporter imports it.
const THIS_FOLDER = /(?:file:\/\/)?([^\s(@]+)connection\.js:\d+:\d+\)?$/m.exec(
  new Error().stack ?? "",
)?.[1];
const OUR_FILES = [
  ...["client", "connection", "shared", "states", "interleavings", "requests"],
  ...["server", "playwright", "vitest", "storybook", "cypress"],
];

/** Thrown if the server rejects a call, does not respond, or has lost the session. */
export class MockpetsError extends Error {
  /**
   * @param {FailureCode} code
   * @param {string} message
   * @param {number} [status]
   * @param {ErrorDetails} [details]
   */
  constructor(code, message, status = 0, details = {}) {
    super(message);
    this.name = "MockpetsError";
    /**
     * The code of the server's error, `unreachable` if mockpets does not respond at the URL,
     * `incompatible` if the server is older or newer than this kit, or `session_lost` if the server was
     * restarted or another client deleted the session.
     * @readonly
     */
    this.code = code;
    /**
     * The HTTP status; 0 if the server did not respond.
     * @readonly
     */
    this.status = status;
    /**
     * `problems` for an invalid body, `nearest` for a failed `verify`, `held` for a gate.
     * @readonly
     */
    this.details = details;
    removeOurLines(this);
  }
}

/**
 * Test runners show the first line of a stack: let it be the one of the test, not one of ours.
 * @param {Error} error
 */
function removeOurLines(error) {
  if (THIS_FOLDER === undefined || error.stack === undefined) return;
  const isOurs = (/** @type {string} */ line) =>
    OUR_FILES.some((name) => line.includes(`${THIS_FOLDER}${name}.js:`));
  const lines = error.stack.split("\n");
  error.stack = lines.filter((line) => !isOurs(line)).join("\n");
}

/** The calls of one server, in one session unless a call names another. */
export class Connection {
  #session;
  #token;
  #fetch;
  #parse;
  #credentials;
  #timeout;

  /**
   * @param {object} options
   * @param {string} options.root the URL of the server, without a slash at its end
   * @param {() => string} [options.session] the name of the session; empty for none
   * @param {() => string | undefined} [options.token] the control token
   * @param {typeof fetch} [options.fetch]
   * @param {(text: string) => unknown} [options.parse] parses JSON
   * @param {RequestCredentials} [options.credentials] as for `fetch`
   * @param {number} [options.timeout] milliseconds for the response to a call that does not wait
   */
  constructor({
    root,
    session = () => "",
    token = () => undefined,
    fetch,
    parse = JSON.parse,
    credentials = "omit",
    timeout = RESPONSE_MS,
  }) {
    /** The URL of the server, without a slash at its end. */
    this.root = root;
    this.#session = session;
    this.#token = token;
    // Later replacements of the global one count, too.
    this.#fetch = fetch ?? ((...request) => globalThis.fetch(...request));
    this.#parse = parse;
    this.#credentials = credentials;
    this.#timeout = timeout;
  }

  /**
   * Call the control API; return the JSON of the response.
   * @template {CallName} Name
   * @param {Name} name the method and the path, with the names of its parameters in braces
   * @param {CallArguments<Name>} given
   * @returns {Promise<CallResponse<Name>>}
   * @throws {MockpetsError} the server rejects the call, or does not respond
   */
  async call(name, ...given) {
    const options = /** @type {AnyCallOptions | undefined} */ (given[0]);
    const { value } = await this.#respond(name, options);
    return /** @type {CallResponse<Name>} */ (value);
  }

  /**
   * Call the control API; return the JSON of the response as text, with all digits of its numbers.
   * @template {CallName} Name
   * @param {Name} name the method and the path, with the names of its parameters in braces
   * @param {CallArguments<Name>} given
   * @throws {MockpetsError} the server rejects the call, or does not respond
   */
  async text(name, ...given) {
    const options = /** @type {AnyCallOptions | undefined} */ (given[0]);
    const { text } = await this.#respond(name, options);
    return text;
  }

  /**
   * @param {string} name
   * @param {AnyCallOptions} [options]
   */
  async #respond(name, options = {}) {
    const { wait = 0 } = options;
    const [method = "", path = ""] = name.split(" ");
    const url = new URL(
      `${this.root}/__mockpets${filled(path, options.path ?? {})}`,
    );
    for (const [key, value] of Object.entries(options.query ?? {})) {
      if (value !== undefined) url.searchParams.set(key, String(value));
    }
    const timeout = AbortSignal.timeout(this.#timeout + wait);
    const signal = options.signal
      ? AbortSignal.any([options.signal, timeout])
      : timeout;
    const response = await this.#send(url, {
      method,
      headers: this.#headersOf(options),
      body: options.text ?? JSON.stringify(options.body),
      signal,
    });
    const error = response.ok ? undefined : errorOf(response.value, this.root);
    options.check?.(response.session, error);
    if (error) throw error;
    return response;
  }

  /** @param {AnyCallOptions} options */
  #headersOf({ session = this.#session(), headers, body, text }) {
    const token = this.#token();
    return {
      ...(session && { [SESSION_HEADER]: encodeURIComponent(session) }),
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      ...(body !== undefined && { "Content-Type": "application/json" }),
      ...(text !== undefined && { "Content-Type": "application/yaml" }),
      ...headers,
    };
  }

  /**
   * Send a request; return what matters of the response, with its text and the object in it.
   * @param {URL} url
   * @param {RequestInit & { signal: AbortSignal }} init
   */
  async #send(url, init) {
    const send = this.#fetch; // browsers reject `fetch` as a method of another object
    let response, text;
    try {
      const credentials = this.#credentials;
      response = await send(url.href, { ...init, credentials });
      text = await response.text();
    } catch (cause) {
      if (cause instanceof Error && cause.name === "AbortError") throw cause; // the caller's signal
      const message = `cannot connect to ${this.root} (${reasonOf(cause)}); is mockpets running there?`;
      throw new MockpetsError("unreachable", message);
    }
    const { ok, status, headers } = response;
    const value = parseObject(text, this.#parse);
    if (!value || (!ok && !("code" in value && "message" in value))) {
      const message = `${this.root} is not a mockpets server (status ${status})`;
      throw new MockpetsError("unreachable", message, status);
    }
    return { ok, text, value, session: headers.get(SESSION_ID_HEADER) };
  }
}

/**
 * Return an object in JSON; undefined for anything else.
 * @param {string} text
 * @param {(text: string) => unknown} [parse]
 */
export function parseObject(text, parse = JSON.parse) {
  try {
    const value = parse(text);
    return value instanceof Object ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Return a path whose parameters have values.
 * @param {string} path
 * @param {Readonly<Record<string, string | number>>} values
 */
function filled(path, values) {
  return path.replace(/\{(\w+)\}/g, (_, /** @type {string} */ name) =>
    segment(String(values[name])),
  );
}

/**
 * Return a name as one segment of a path.
 * @param {string} name
 * @throws {TypeError} the name cannot be one
 */
export function segment(name) {
  if (["", ".", ".."].includes(name) || name.includes("/")) {
    throw new TypeError(
      `invalid name '${name}'; it must not be empty or contain '/'`,
    );
  }
  return encodeURIComponent(name);
}

/**
 * @param {object} value the JSON of an error
 * @param {string} root
 */
function errorOf(value, root) {
  const {
    code,
    message,
    status,
    details = {},
  } = /** @type {{ code: FailureCode, message: string, status: number, details?: ErrorDetails }} */ (
    value
  );
  const server = status === 401 ? `; the server is ${root}` : ""; // perhaps somebody else's
  // The message already contains a single problem.
  const { problems = [] } = details;
  const listed = problems.length > 1 ? problems.map(describeProblem) : [];
  return new MockpetsError(
    code,
    [message + server, ...listed].join("\n"),
    status,
    details,
  );
}

/** @param {InputProblem} problem */
function describeProblem({ line, column, where, what, hint }) {
  const place = [line && `${line}:${column}`, where].filter(Boolean).join(": ");
  return [place, hint ? `${what}; ${hint}` : what].filter(Boolean).join(": ");
}

/**
 * Return why `fetch` has failed; only Node reports the cause.
 * @param {unknown} error
 */
function reasonOf(error) {
  if (!(error instanceof Error)) return String(error);
  if (error.name === "TimeoutError") return "no response in time";
  const { code, message } = /** @type {{ code?: string, message?: string }} */ (
    error.cause ?? {}
  );
  return code || message || error.message;
}

// --- Changes ---

/**
 * Wait for changes until the signal is aborted.
 * @param {(query: { since?: number, wait?: number }) => Promise<Events>} next calls `GET /events`
 * @param {object} options
 * @param {AbortSignal} options.signal
 * @param {(kinds: Change[] | null) => unknown} options.changed called with the kinds of change, and with null at first and
 *   whenever anything may have changed: in another session of this name, or on another server
 * @param {(error: unknown, failures: number) => void} options.failed called before each retry; throws to end the waiting
 * @param {Events} [options.last] what an earlier wait has returned, to continue from
 * @returns {Promise<Events | undefined>}
 */
export async function watch(next, { signal, changed, failed, last }) {
  for (let failures = 0; !signal.aborted;) {
    try {
      // After a failure, the server may be another one with the same numbers, which would wait for its next change.
      const known = failures ? undefined : last;
      const now = await next(
        known ? { since: known.change, wait: POLL_SECONDS } : {},
      );
      // Another number of resets, or a lower number of changes, belongs to another session or server.
      const isSame = known?.resets === now.resets && known.change <= now.change;
      await changed(isSame ? now.changed : null);
      last = now;
      failures = 0;
      await sleep(PAUSE_MS);
    } catch (error) {
      if (signal.aborted) break;
      failed(error, failures + 1);
      await sleep(RETRY_MS[Math.min(failures++, RETRY_MS.length - 1)] ?? 0);
    }
  }
  return last;
}

/**
 * @param {number} milliseconds
 * @returns {Promise<void>}
 */
export function sleep(milliseconds) {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
}
