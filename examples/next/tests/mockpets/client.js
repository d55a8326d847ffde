// mockpets 0.2.0: written by "mockpets kit"; run it again, do not edit; agents: mockpets skill
/* eslint-disable */
// @ts-nocheck: the declarations have the types

// Control a mockpets server from Node, Deno, Bun or a page. No dependencies.

import {
  Connection,
  LONGEST_WAIT_MS,
  MockpetsError,
  segment,
  watch,
} from "./connection.js";
import { CHANGES, PROTOCOL, VERSION } from "./control.js";

export { MockpetsError, parseObject } from "./connection.js";
export * from "./types.js";

/**
 * @import { CheckedScenario, ClockState, CollectionSummary, ContractList, DroppedStub, Explanation, Findings } from "./control.js"
 * @import { Har, Health, LoggedIn, RecordedScenario, RecordedStub, RecordingStarted, RequestToExplain } from "./control.js"
 * @import { Change, ScenarioDetails, ScenarioSummary, SessionContents, SessionExport, State, StubInUse, Times } from "./control.js"
 * @import { DataRecord, RecordPage, RecordsSource, RequestSummary, Undone, Verification, WaitingResponse } from "./control.js"
 * @import { AnyCallOptions, CallArguments, CallName, CallOptions, CallResponse, Clock, CollectionName, Contents, Data, DataOf } from "./types.js"
 * @import { DropOptions, Entry, ExportOptions, Expression, Filter, Gate, GateName, Login, LoginOptions } from "./types.js"
 * @import { Options, PetData, ReleaseOptions, ResourceName, Scenario, ScenarioName, StorageState } from "./types.js"
 * @import { StubOptions, Time, TokenPlaces, UserProperties, VerifyMatch, VerifyOptions } from "./types.js"
 */

const DEFAULT_URL = "http://localhost:7387";
/** The base path of the contract until the server has sent its own. */
const DEFAULT_BASE = "/v1";
/**
 * The variable with which `webServer` and `startServer` pass the URL of their server on to the tests. It is stronger
 * than MOCKPETS_URL. Its name begins with another word, because the server rejects unknown variables of mockpets.
 */
export const TESTS_URL = "PLAYWRIGHT_MOCKPETS_URL";
/** The variable with which `startServer` passes on the base paths of this server, as JSON. */
export const TESTS_BASES = "PLAYWRIGHT_MOCKPETS_BASES";
const DEFAULT_KEY = "mockpets";
const SESSION_NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;
const WITHIN_MS = 5_000;
const LISTED_REQUESTS = 1_000;

/**
 * Where a server is, and the base paths of its contracts.
 * @typedef {{ root: string, bases: readonly string[] }} Place
 */

/**
 * The servers with our protocol, by the URL of a client; a promise while its first client connects.
 * @type {Map<string, Place | Promise<Place>>}
 */
const servers = new Map();
/**
 * The codes of errors that the loss of a session can cause, besides those with the status 404.
 * @type {MockpetsError["code"][]}
 */
const CAUSED_BY_LOSS = ["verification_failed", "not_held", "unknown_session"];

/**
 * What is called after changes of a kind; of requests, what it was called with.
 * @typedef {object} Listener
 * @property {Change | "request"} kind
 * @property {(entry: Entry) => void} listener
 * @property {number} since
 * @property {Set<number>} reported
 */

/**
 * A session of a mockpets server: its own data, scenarios and request log.
 *
 * If a call fails, it throws a `MockpetsError`. The code `session_lost` means that the session's data is
 * gone, because the server was restarted or another client deleted the session.
 */
export class Mockpets {
  #given; // the URL as a user names it, without slashes at its end
  /** @type {Place | undefined} */
  #server; // once it has responded
  /** @type {(root: string) => Connection} */
  #open;
  #connection;
  #fetch;
  /** @type {string | undefined} */
  #id; // of the session in earlier responses
  /** @type {Set<Listener>} */
  #listeners = new Set();
  #polling = new AbortController();

  /** @param {Options} [options] */
  constructor(options = {}) {
    const url = options.url ?? variable(TESTS_URL) ?? namedUrl();
    const { root, session: named } = splitUrl(url);
    const session = (options.session ?? named ?? "default").toLowerCase();
    if (!SESSION_NAME.test(session)) {
      const rule =
        "use at most 64 of a-z, 0-9, '.', '_' and '-', or Mockpets.slug(title)";
      throw new TypeError(`invalid session name '${session}'; ${rule}`);
    }
    const key = options.key ?? DEFAULT_KEY;
    const token = options.token ?? variable("MOCKPETS_CONTROL_TOKEN");
    this.#given = withoutSlash(url);
    this.#fetch = options.fetch;
    this.#open = (root) =>
      new Connection({
        root,
        session: () => session,
        token: () => token,
        fetch: options.fetch,
      });
    /**
     * The name of the session.
     * @readonly
     */
    this.session = session;
    /**
     * An API key for your app that selects the session, such as `mockpets~my-session`.
     * @readonly
     */
    this.key = session === "default" ? key : `${key}~${session}`;
    /**
     * A header for the requests of your app that selects the session.
     * @readonly
     */
    this.headers = { "Mockpets-Session": session };
    /**
     * An entry in the header `baggage` that selects the session, such as `mockpets.session=my-session`.
     * @readonly
     */
    this.baggage = `mockpets.session=${session}`;
    const known = servers.get(this.#given); // by another client
    this.#place =
      known === undefined || known instanceof Promise
        ? { root, bases: likelyBases(url) }
        : known;
    this.#connection = this.#open(this.#place.root);
  }

  /**
   * Where the server is; before it has responded, what is likely.
   * @type {Place}
   */
  #place;

  /** The root URL of the server. */
  get url() {
    return this.#place.root;
  }

  /**
   * The base paths of the server's contracts, empty for the root. Until the first call of a client has connected, they
   * are those of the server that `startServer` has started, or `["/v1"]`.
   */
  get bases() {
    return this.#place.bases;
  }

  /** The URL of the session, such as `http://localhost:7387/~my-session`, to which any of the `bases` can be added. */
  get rootUrl() {
    return this.session === "default"
      ? this.url
      : `${this.url}/~${this.session}`;
  }

  /**
   * A base URL for your app that selects the session, such as `http://localhost:7387/~my-session/v1`. It ends with the
   * first of the `bases`.
   */
  get baseUrl() {
    return `${this.rootUrl}${this.bases[0]}`;
  }

  /**
   * Return a readable session name that is unique for the title and the parts.
   * @param {string} title
   * @param {(string | number)[]} parts
   */
  static slug(title, ...parts) {
    const plain = title.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
    const readable = plain
      .replace(/[^a-z0-9]+/g, "-")
      .slice(0, 48)
      .replace(/^-|-$/g, "");
    const digest = fnv1a(JSON.stringify([title, ...parts]));
    return readable ? `${readable}-${digest}` : digest;
  }

  // --- Session and scenarios ---

  /**
   * Return the session and the server at a glance.
   * @returns {Promise<State>}
   */
  async state() {
    return this.#call("GET /state");
  }

  /**
   * Create or change the session. With `--sessions declared`, call this before all other methods.
   * @param {Contents} [contents]
   */
  async make(contents = {}) {
    const body = /** @type {SessionContents} */ (
      /** @type {unknown} */ (contents)
    );
    await this.#call("PUT /sessions/{name}", { ...this.#own, body });
  }

  /**
   * Activate scenarios; the first takes precedence. An expression such as `getPet:404` is a scenario without a file.
   * @param {(ScenarioName | Expression | Scenario)[]} scenarios
   */
  async use(...scenarios) {
    const { scenario = [] } = /** @type {SessionContents} */ ({
      scenario: scenarios,
    });
    await this.#call("PUT /scenario", { body: { scenario } });
  }

  /**
   * Return the scenarios that the session can activate.
   * @returns {Promise<ScenarioSummary[]>}
   */
  async scenarios() {
    const { scenarios } = await this.#call("GET /scenarios");
    return scenarios;
  }

  /**
   * Return the names of the active scenarios; the first takes precedence.
   * @returns {Promise<string[]>}
   */
  async active() {
    const { active } = await this.#call("GET /scenarios");
    return active;
  }

  /**
   * Return a scenario: its description, its stubs, and whether it has affected a request of the session.
   * @param {string} name
   * @returns {Promise<ScenarioDetails>}
   */
  async scenario(name) {
    return this.#call("GET /scenarios/{name}", { path: { name } });
  }

  /** Reset data, counters, random numbers and the request log; the active scenarios stay active. */
  async reset() {
    await this.#call("POST /reset");
  }

  /**
   * Delete the session and release the responses it holds. Its name stays closed for 60 seconds.
   * @param {DropOptions} [options]
   */
  async drop(options = {}) {
    const known = this.#id;
    const { id } = await this.#call("DELETE /sessions/{name}", {
      ...this.#own,
      query: { closed: "60s" },
    });
    if (options.checkLost && known && id !== known) throw this.#lost();
  }

  /**
   * Export the data, scenarios, counters, seed and clock of the session, for `import()` on another server.
   * @param {ExportOptions} [options]
   * @returns {Promise<SessionExport>}
   */
  async export(options = {}) {
    const query = { log: options.log || undefined };
    return this.#call("GET /sessions/{name}/export", {
      path: { name: this.session },
      query,
      wait: LONGEST_WAIT_MS,
    });
  }

  /**
   * Replace the contents of the session with those of an exported one; the request log restarts.
   * @param {SessionExport} exported
   */
  async import(exported) {
    const { log, ...body } = exported;
    await this.#call("PUT /sessions/{name}/export", {
      ...this.#own,
      body,
      wait: LONGEST_WAIT_MS,
    });
  }

  /**
   * Undo the last reset, clear or delete of the session, within 10 seconds.
   * @returns {Promise<Undone>}
   */
  async undo() {
    return this.#call("POST /sessions/{name}/undo", this.#own);
  }

  /**
   * The clock of the session, which sets the header `Date`, the reference `now`, and whether getPet is removed.
   * @returns {Clock}
   */
  get clock() {
    /** @param {CallOptions<"PUT /clock">["body"]} body */
    const change = (body) => this.#call("PUT /clock", { body });
    return {
      get: () => this.#call("GET /clock"),
      set: (now, { frozen } = {}) => change({ now: moment(now), frozen }),
      advance: (milliseconds) =>
        change({ advance: `${Math.round(milliseconds) / 1000}s` }),
      freeze: (now) => change({ now: moment(now), frozen: true }),
    };
  }

  // --- Data ---

  /**
   * Return the collections of the contract and of the active scenarios.
   * @returns {Promise<CollectionSummary[]>}
   */
  async collections() {
    const { data } = await this.#call("GET /data");
    return data;
  }

  /**
   * The pets of the built-in contract: short for `data("pets")`.
   * @returns {PetData}
   */
  get pets() {
    return /** @type {PetData} */ (
      /** @type {unknown} */ (this.data(/** @type {CollectionName} */ ("pets")))
    );
  }

  /**
   * Return the records of a collection, to read and change them; those of a scenario with a type of your own.
   * @template {CollectionName} Name
   * @overload
   * @param {Name} name
   * @returns {DataOf<Name>}
   */
  /**
   * Return the records of a collection, to read and change them; those of a scenario with a type of your own.
   * @template {object} T
   * @overload
   * @param {CollectionName | `${ScenarioName}.${ResourceName}`} name
   * @returns {Data<T>}
   */
  /**
   * @param {string} name
   * @returns {Data}
   */
  data(name) {
    segment(name); // throws now, not in the first call
    /** @param {string | number} record */
    const at = (record) => ({ path: { name, record } });
    const path = { name };
    return {
      all: async (filters) => {
        const records = [];
        /** @type {string | null | undefined} */
        let after;
        while (after !== null) {
          /** @type {RecordPage} */
          const page = await this.#call("GET /data/{name}", {
            path,
            query: { ...filters, after },
          });
          records.push(...page.records);
          after = page.next === null ? null : String(page.next);
        }
        return records;
      },
      get: (id) => this.#call("GET /data/{name}/{record}", at(id)),
      set: async (records) => {
        const body = /** @type {RecordsSource} */ (records);
        await this.#call("PUT /data/{name}", { path, body });
      },
      add: (body) => this.#call("POST /data/{name}", { path, body }),
      change: (id, body) =>
        this.#call("PATCH /data/{name}/{record}", { ...at(id), body }),
      delete: async (id) => {
        await this.#call("DELETE /data/{name}/{record}", at(id));
      },
    };
  }

  /**
   * Log in as a user of the session, without a password. The contract needs a log-in operation.
   * @param {UserProperties} [user] properties that the user has, such as `{ username: "jake" }`; by default the first user
   * @param {LoginOptions} [options]
   * @returns {Promise<Login>}
   * @throws {MockpetsError} `not_found` if no user has them; its message lists the nearest values
   */
  async as(user = /** @type {UserProperties} */ ({}), options = {}) {
    checkDefined("user", user); // JSON would leave the property out, and any user would do
    const login = await this.#call("POST /login", {
      body: { user: /** @type {DataRecord} */ (user) },
      query: { contract: options.contract },
    });
    return {
      ...login,
      user: /** @type {Login["user"]} */ (login.user),
      storageState: (places) => storageState(login, this.url, places),
    };
  }

  // --- Requests and gates ---

  /**
   * Return the newest requests that match the filter, by default at most 100, oldest first.
   * @param {Filter} [filter]
   * @returns {Promise<Entry[]>}
   */
  async requests(filter) {
    const { requests } = await this.#call("GET /requests", { query: filter });
    return entries(requests);
  }

  /**
   * Return these requests as a HAR 1.2 document.
   * @param {Filter} [filter]
   * @returns {Promise<Har>}
   */
  async har(filter) {
    return this.#call("GET /requests.har", { query: filter });
  }

  /**
   * Check that matching requests were received, by default at least one; return them.
   * @param {VerifyMatch} match
   * @param {number | Times} [times]
   * @param {VerifyOptions} [options]
   * @returns {Promise<Entry[]>}
   * @throws {MockpetsError} `verification_failed`; its message shows the nearest requests
   */
  async verify(match, times, options = {}) {
    const within =
      options.within === undefined ? undefined : duration(options.within);
    const body = /** @type {Verification} */ ({ match, times, within });
    const { requests } = await this.#call("POST /verify", {
      body,
      wait: within === undefined ? 0 : LONGEST_WAIT_MS,
    });
    return entries(requests);
  }

  /**
   * Explain why a request, by default the last one, got its response: each stub with its conditions.
   * @param {number} [number]
   * @returns {Promise<Explanation>}
   */
  async explain(number) {
    const last =
      number ??
      (await this.#call("GET /requests", { query: { limit: 1 } })).last;
    return this.#call("GET /requests/{number}/explain", {
      path: { number: last || 1 },
    });
  }

  /**
   * Explain what would respond to a request now, without sending it. This changes nothing. Without the header
   * `Authorization`, the request has the key of this session.
   * @param {RequestToExplain} request
   * @returns {Promise<Explanation>}
   */
  async explainRequest(request) {
    return this.#call("POST /explain", {
      body: { key: this.key, ...request },
      wait: LONGEST_WAIT_MS,
    });
  }

  /**
   * Return what each operation of the contracts does, and which rule determined it.
   * @returns {Promise<ContractList["contracts"]>}
   */
  async contract() {
    const { contracts } = await this.#call("GET /contract");
    return contracts;
  }

  /**
   * Return what `mockpets report` finds in the request log.
   * @returns {Promise<Findings>}
   */
  async findings() {
    return this.#call("GET /findings", { wait: LONGEST_WAIT_MS });
  }

  /**
   * Return the problems in the text of a scenario file.
   * @param {string} text
   * @param {string} [name]
   * @returns {Promise<CheckedScenario>}
   */
  async checkScenario(text, name) {
    return this.#call("POST /scenarios/check", { text, query: { name } });
  }

  /**
   * Save a scenario file in a `--scenarios-dir` of the server.
   * @param {string} name
   * @param {string} text
   * @param {string} [digest] that of the file as it was read (`scenario()`); leave it out for a new file
   * @returns {Promise<ScenarioDetails>}
   * @throws {MockpetsError} `conflict`, if the file has changed since; `invalid_scenario` with the problems
   */
  async saveScenario(name, text, digest) {
    /** @type {Record<string, string>} */
    const headers =
      digest === undefined
        ? { "If-None-Match": "*" }
        : { "If-Match": `"${digest}"` };
    return this.#call("PUT /scenarios/{name}", {
      path: { name },
      text,
      headers,
    });
  }

  /**
   * Override the text of a scenario in this session only.
   * @param {string} name
   * @param {string} text
   * @returns {Promise<ScenarioDetails>}
   */
  async overrideScenario(name, text) {
    return this.#call("PUT /overrides/{name}", { path: { name }, text });
  }

  /**
   * Stop overriding a scenario.
   * @param {string} name
   */
  async dropOverride(name) {
    await this.#call("DELETE /overrides/{name}", { path: { name } });
  }

  /**
   * Return a stub that sends the response of a recorded request to similar requests.
   * @param {number} number
   * @param {StubOptions} [options]
   * @returns {Promise<RecordedStub>}
   */
  async stub(number, options) {
    return this.#call("GET /requests/{number}/stub", {
      path: { number },
      query: stubQuery(options),
    });
  }

  /**
   * Activate such a stub, above the other scenarios, which keep their counters.
   * @param {Pick<Entry, "number">} request
   * @param {StubOptions} [options]
   * @returns {Promise<StubInUse>}
   */
  async respondLike(request, options) {
    const { number } = request;
    return this.#call("POST /requests/{number}/stub", {
      path: { number },
      query: stubQuery(options),
    });
  }

  /**
   * Remove the stub that `respondLike` activated.
   * @param {number} number
   * @returns {Promise<DroppedStub>}
   */
  async dropStub(number) {
    return this.#call("DELETE /requests/{number}/stub", { path: { number } });
  }

  /**
   * Start recording with the next request, and save the current records.
   * @returns {Promise<RecordingStarted>}
   */
  async startRecording() {
    return this.#call("POST /recording");
  }

  /**
   * Return a scenario that reproduces the responses since the recording started.
   * @returns {Promise<RecordedScenario>}
   */
  async recording() {
    return this.#call("GET /recording");
  }

  /**
   * Return the responses that are held, delayed or throttled now, oldest first.
   * @returns {Promise<WaitingResponse[]>}
   */
  async held() {
    const { held } = await this.#call("GET /held");
    return held;
  }

  /**
   * Release the waiting responses to these requests, or replace them.
   * @param {number[]} requests
   * @param {ReleaseOptions} [options]
   */
  async release(requests, options = {}) {
    const { reply, delay } = options;
    await this.#call("POST /held/release", {
      body: { requests, reply, delay: delay ? duration(delay) : undefined },
    });
  }

  /**
   * Return a gate, to wait until it holds responses and to release them.
   * @param {GateName | (string & {})} name
   * @returns {Gate}
   */
  gate(name) {
    segment(name); // throws now, not in the first call
    const path = { name };
    return {
      held: async (count = 1, within = WITHIN_MS) => {
        const body = { held: count, within: duration(within) };
        await this.#call("POST /gates/{name}/wait", {
          path,
          body,
          wait: LONGEST_WAIT_MS,
        });
      },
      open: async () => {
        const { released } = await this.#call("POST /gates/{name}/open", {
          path,
        });
        return released;
      },
    };
  }

  /**
   * Call `listener` with each request of the session after its response was sent, beginning with those in
   * the request log. To stop, call the returned function.
   * @overload
   * @param {"request"} kind
   * @param {(entry: Entry) => void} listener
   * @returns {() => void}
   */
  /**
   * Call `listener` once when connected, and after each change of this kind; `held` is the same as
   * `gates`. To stop, call the returned function. If the server does not respond, the client retries. If the server rejects the
   * call, the error is an unhandled rejection.
   * @overload
   * @param {Change | "held"} kind
   * @param {() => void} listener
   * @returns {() => void}
   */
  /**
   * @param {Change | "held" | "request"} kind
   * @param {(entry: Entry) => void} listener
   */
  on(kind, listener) {
    const kinds = [...CHANGES, "request", "held"];
    if (!kinds.includes(kind)) {
      throw new TypeError(
        `unknown kind of change '${kind}'; use one of ${kinds.join(", ")}`,
      );
    }
    /** @type {Listener} */
    const entry = {
      kind: kind === "held" ? "gates" : kind,
      listener,
      since: 0,
      reported: new Set(),
    };
    this.#listeners.add(entry);
    if (this.#listeners.size === 1) {
      this.#polling = new AbortController();
      void this.#poll(this.#polling.signal); // its error is an unhandled rejection
    }
    return () => {
      this.#listeners.delete(entry);
      if (!this.#listeners.size) this.#polling.abort();
    };
  }

  /**
   * Wait for changes and call the listeners, until nobody listens.
   * @param {AbortSignal} signal
   */
  async #poll(signal) {
    // The calls are about any session of this name.
    const options = { signal, check: () => {}, wait: LONGEST_WAIT_MS };
    await watch((query) => this.#call("GET /events", { ...options, query }), {
      signal,
      changed: async (kinds) => {
        for (const entry of [...this.#listeners]) {
          if (entry.kind !== "request") {
            if (!kinds || kinds.includes(entry.kind))
              /** @type {() => void} */ (entry.listener)();
            continue;
          }
          if (!kinds) Object.assign(entry, { since: 0, reported: new Set() });
          if (!kinds || kinds.includes("requests"))
            await this.#reportRequests(entry, options);
        }
      },
      failed: (error) => {
        const isAway =
          error instanceof MockpetsError &&
          (error.code === "unreachable" || error.status === 503);
        if (!isAway) throw error;
      },
    });
  }

  /**
   * Call a listener of `request` with each request whose response was sent and that it does not know.
   * @param {Listener} entry
   * @param {Pick<AnyCallOptions, "signal" | "check">} options
   */
  async #reportRequests(entry, options) {
    const query = { since: entry.since, limit: LISTED_REQUESTS };
    const { requests, last } = await this.#call("GET /requests", {
      ...options,
      query,
    });
    const isPending = (/** @type {RequestSummary} */ { outcome }) =>
      outcome === "pending";
    for (const request of entries(requests)) {
      if (isPending(request) || entry.reported.has(request.number)) continue;
      entry.reported.add(request.number);
      entry.listener(request);
    }
    entry.since = (requests.find(isPending)?.number ?? last + 1) - 1;
    for (const number of entry.reported)
      if (number <= entry.since) entry.reported.delete(number);
  }

  // --- Calls ---

  /**
   * Call the control API, after the server was found.
   * @template {CallName} Name
   * @param {Name} name
   * @param {CallArguments<Name>} given
   * @returns {Promise<CallResponse<Name>>}
   */
  async #call(name, ...given) {
    // Without waiting once it is known, because the page may be about to close.
    if (!this.#server || servers.get(this.#given) !== this.#server)
      await this.#connect();
    const options = /** @type {AnyCallOptions} */ (given[0] ?? {});
    /** @type {AnyCallOptions["check"]} */
    const check = (id, error) => {
      if (options.check) options.check(id, error);
      else this.#checkId(id, error);
    };
    try {
      return await this.#connection.call(
        name,
        .../** @type {CallArguments<Name>} */ ([{ ...options, check }]),
      );
    } catch (error) {
      // The next server there may be another one.
      if (error instanceof MockpetsError && error.code === "unreachable")
        servers.delete(this.#given);
      throw error;
    }
  }

  /** Options of a call that creates or deletes the session. */
  get #own() {
    return {
      path: { name: this.session },
      /** @type {AnyCallOptions["check"]} */
      check: (id, error) => this.#replaceId(id, error),
    };
  }

  /** Find the server and compare its protocol with that of the kit, unless another client of this URL has done so. */
  async #connect() {
    const known = servers.get(this.#given) ?? this.#find();
    servers.set(this.#given, known);
    try {
      this.#server = this.#place = await known;
      this.#connection = this.#open(this.#place.root);
      servers.set(this.#given, this.#place);
    } catch (error) {
      servers.delete(this.#given);
      throw error;
    }
  }

  /**
   * Return the root and the bases of the server. Only the server knows whether the URL ends with a base path.
   * @returns {Promise<Place>}
   */
  async #find() {
    /** @type {MockpetsError | undefined} */
    let problem; // of the likely root
    for (const root of rootsOf(this.#given)) {
      try {
        const found = new Connection({ root, fetch: this.#fetch });
        const health = checkedHealth(root, await found.call("GET /health"));
        if (problem) checkEnd(this.#given, root, health.bases);
        compareProtocol(root, health);
        return { root, bases: health.bases };
      } catch (error) {
        // If something responds there, the server may have another root.
        if (!(error instanceof MockpetsError) || !error.status) throw error;
        problem ??= error;
      }
    }
    throw problem ?? new TypeError(`not a valid server URL: '${this.#given}'`);
  }

  /**
   * Remember the session's ID, or throw if it is another one or the session no longer exists.
   * @param {string | null} id
   * @param {MockpetsError} [error]
   */
  #checkId(id, error) {
    if (id !== null) this.#id ??= id;
    // Errors such as `busy` come before the session is selected.
    const mayBeLost =
      !error || error.status === 404 || CAUSED_BY_LOSS.includes(error.code);
    const isLost = id !== null ? id !== this.#id : this.#id && mayBeLost;
    if (isLost) throw this.#lost();
  }

  #lost() {
    const cause =
      "the server was restarted, or another client deleted the session";
    const hint =
      "to keep sessions over restarts, start the server with --state, and never kill it";
    return new MockpetsError(
      "session_lost",
      `session ${this.session} was lost: ${cause}; ${hint}`,
    );
  }

  /**
   * Remember the ID of the session that the call has created or deleted.
   * @param {string | null} id
   * @param {MockpetsError} [error]
   */
  #replaceId(id, error) {
    if (!error) this.#id = id ?? undefined;
  }
}

/**
 * Return the health of a server; throw MockpetsError if something else has responded.
 * @param {string} root
 * @param {Partial<Health>} health
 * @returns {Health}
 */
function checkedHealth(root, health) {
  const { status, version, protocol, bases } = health;
  const areBases =
    Array.isArray(bases) &&
    bases.length > 0 &&
    bases.every((base) => typeof base === "string");
  if (
    status !== "ok" ||
    typeof version !== "string" ||
    typeof protocol !== "number" ||
    !areBases
  ) {
    throw new MockpetsError(
      "unreachable",
      `${root} is not a mockpets server (status 200)`,
      200,
    );
  }
  return { status, version, protocol, bases };
}

/**
 * Throw MockpetsError unless a server has our protocol.
 * @param {string} root
 * @param {Health} health
 */
function compareProtocol(root, { version, protocol }) {
  if (protocol === PROTOCOL) return;
  const [older, fix] =
    protocol < PROTOCOL
      ? [
          "older",
          "where the server runs, run 'pip install .' in a current checkout of mockpets",
        ]
      : [
          "newer",
          "update the kit with 'mockpets kit DIR' of the server's version",
        ];
  const versions = `the server is mockpets ${version} (protocol ${protocol}), the kit mockpets ${VERSION} (protocol ${PROTOCOL})`;
  const message = `the server at ${root} is ${older} than this kit: ${versions}; ${fix}`;
  throw new MockpetsError("incompatible", message);
}

/**
 * Return recorded requests, whose operations are those of the contract.
 * @param {RequestSummary[]} requests
 */
function entries(requests) {
  return /** @type {Entry[]} */ (requests);
}

/**
 * Return the query of a stub.
 * @param {StubOptions} [options]
 * @returns {CallOptions<"GET /requests/{number}/stub">["query"]}
 */
function stubQuery({ delay, exact, ...query } = {}) {
  return {
    ...query,
    exact: exact && "true",
    delay: delay ? duration(delay) : undefined,
  };
}

/** @param {string} url */
const withoutSlash = (url) => url.replace(/\/+$/, "");

/**
 * Return the likely root of a URL, before the server has sent its base paths, and the session that it names.
 * @param {string} url
 */
function splitUrl(url) {
  const root = withoutSlash(url).replace(
    new RegExp(`(?:${DEFAULT_BASE}(?:/[^/~]+)?|/__mockpets)$`),
    "",
  );
  const [, rest = root, selection] = /^(.*)\/~([^/]*)$/.exec(root) ?? [];
  const shown = redacted(url);
  if (
    shown !== url ||
    !/^https?:\/\/[^/?#\s]+(?:\/[^?#\s]*)?$/.test(rest) ||
    !URL.canParse(rest)
  ) {
    throw new TypeError(
      `not a valid server URL: '${shown}'; use a URL such as ${DEFAULT_URL}`,
    );
  }
  if (selection?.includes("+"))
    throw new TypeError(
      `the URL '${shown}' names scenarios; activate them with use()`,
    );
  return { root: rest, session: selection || undefined };
}

/**
 * Return the base paths of the server at a URL, before it has sent them: those that `startServer` has passed on.
 * @param {string} url
 * @returns {string[]}
 */
function likelyBases(url) {
  const passed =
    url === variable(TESTS_URL) ? variable(TESTS_BASES) : undefined;
  return passed ? /** @type {string[]} */ (JSON.parse(passed)) : [DEFAULT_BASE];
}

/**
 * Return the possible roots of a URL: the likely one, then every other beginning of its path, longest first.
 * @param {string} url a valid one
 */
function rootsOf(url) {
  const [, host = "", path = ""] = /^(https?:\/\/[^/]+)(.*)$/.exec(url) ?? [];
  const parts = path.split("/");
  const others = parts.map(
    (_, index) => host + parts.slice(0, parts.length - index).join("/"),
  );
  return [...new Set([splitUrl(url).root, ...others])];
}

/**
 * Throw TypeError unless a URL ends after its root with a base path of the server.
 * @param {string} url
 * @param {string} root
 * @param {readonly string[]} bases
 */
function checkEnd(url, root, bases) {
  const [, session, path = ""] =
    /^(\/~[^/]*)?(.*)$/.exec(url.slice(root.length)) ?? [];
  const isBase =
    path === "" || bases.some((base) => `${path}/`.startsWith(`${base}/`));
  if (session || !isBase)
    throw new TypeError(
      `the URL '${url}' is not one of the server at ${root}; use '${root}${session ?? ""}'`,
    );
}

/**
 * Return a URL for messages, without a user name and password, and the token in the fragment of the panel's URL.
 * @param {string} url
 */
export function redacted(url) {
  const anonymous = url.replace(
    /^(https?:\/\/)?[^]*(?:@|%40)/i,
    "$1[redacted]@",
  );
  return anonymous.replace(/([?&#](?:[^=&#]*=)?)[^&#]+/g, "$1[redacted]");
}

/**
 * Throw TypeError for a property without a value, such as one of an unset variable.
 * @param {string} what
 * @param {object} properties
 */
function checkDefined(what, properties) {
  const [name] =
    Object.entries(properties).find(([, value]) => value === undefined) ?? [];
  if (name !== undefined) throw new TypeError(`${what}.${name} is undefined`);
}

/**
 * Return what Playwright's option `storageState` takes: where the app of a user who has logged in keeps the token.
 * @param {LoggedIn} login
 * @param {string} mockUrl
 * @param {TokenPlaces} [places]
 * @returns {StorageState}
 * @throws {TypeError} there is neither a cookie nor an item of localStorage, or a value is invalid
 */
function storageState({ cookie }, mockUrl, places = {}) {
  const { origin, localStorage = {}, cookies = {}, ...others } = places;
  const [unknown] = Object.keys(others);
  if (unknown)
    throw new TypeError(
      `unknown property '${unknown}' of storageState; use origin, localStorage or cookies`,
    );
  checkDefined("localStorage", localStorage);
  checkDefined("cookies", cookies);
  const items = Object.entries(localStorage).map(([name, value]) => ({
    name,
    value: typeof value === "string" ? value : JSON.stringify(value),
  }));
  const set = Object.entries({
    ...(cookie && { [cookie.name]: cookie.value }),
    ...cookies,
  });
  if (!items.length && !set.length) {
    throw new TypeError(
      "the log-in sets no cookie; add where your app keeps the token, such as localStorage: { token: login.token }",
    );
  }
  if (
    origin === undefined
      ? items.length
      : !/^https?:/.test(origin) || !URL.canParse(origin)
  ) {
    throw new TypeError(
      `origin must be the URL of your app, such as http://localhost:5173, got ${JSON.stringify(origin)}; in Playwright, set baseURL`,
    );
  }
  const hosts = new Set(
    [mockUrl, ...(origin ? [origin] : [])].map((url) => new URL(url).hostname),
  ); // cookies ignore ports
  const flags = {
    path: "/",
    expires: -1,
    httpOnly: false,
    secure: false,
    sameSite: /** @type {const} */ ("Lax"),
  };
  return {
    cookies: [...hosts].flatMap((domain) =>
      set.map(([name, value]) => ({ name, value, domain, ...flags })),
    ),
    origins:
      origin && items.length
        ? [{ origin: new URL(origin).origin, localStorage: items }]
        : [],
  };
}

/**
 * Return milliseconds as a duration of the control API.
 * @param {number} milliseconds
 */
function duration(milliseconds) {
  return `${Math.round(milliseconds)}ms`;
}

/**
 * Return a time as text, which the server checks; undefined and null stay.
 * @param {Time | null | undefined} time
 * @returns {string | null | undefined}
 */
function moment(time) {
  return time instanceof Date || typeof time === "number"
    ? new Date(time).toISOString()
    : time;
}

/** Return the URL of the server that a user names for all programs, or the default. */
export function namedUrl() {
  return variable("MOCKPETS_URL") ?? DEFAULT_URL;
}

/**
 * Return an environment variable; a page has none.
 * @param {string} name
 */
function variable(name) {
  return globalThis.process?.env?.[name] || undefined;
}

/**
 * Return a hash of 64 bits in base 36: FNV-1a.
 * @param {string} text
 */
function fnv1a(text) {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(text)) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  }
  return hash.toString(36);
}
