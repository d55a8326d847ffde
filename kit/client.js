// Control a mockpets server from Node, Deno, Bun or a page. The declarations beside this file have the
// documentation. No dependencies.

/** Of mockpets.constants: the version of this kit, and the number of the control API's protocol. */
const VERSION = "0.2.0";
const PROTOCOL = 2;
const DEFAULT_URL = "http://localhost:7387";
/** The base path of the contract until it is known; older servers do not send it. */
export const DEFAULT_BASE = "/v1";
/**
 * The variable with which `webServer` and `startServer` pass the URL of their server on to the tests. It is stronger
 * than MOCKPETS_URL. Its name begins with another word, because the server rejects unknown variables of mockpets.
 */
export const TESTS_URL = "PLAYWRIGHT_MOCKPETS_URL";
/** The variable with which `startServer` passes on the base paths of this server, as JSON. */
export const TESTS_BASES = "PLAYWRIGHT_MOCKPETS_BASES";
const DEFAULT_KEY = "mockpets";
const SESSION_HEADER = "Mockpets-Session";
const SESSION_ID_HEADER = "Mockpets-Session-Id";
const SESSION_NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;
const RESPONSE_MS = 10_000; // for a call that does not wait
const WITHIN_MS = 5_000;
const LONGEST_WAIT_MS = 30_000;
const POLL_SECONDS = 25;
const SAME = { held: "gates" };
const CHANGES = [
  "scenario",
  "data",
  "requests",
  "request",
  "gates",
  "held",
  "sessions",
  "files",
  "origins",
  "clock",
];
const LISTED_REQUESTS = 1_000;
const PAUSE_MS = 100; // minimum time between two polls
const RETRY_MS = [500, 1_000, 2_000, 4_000];
// The URL or path of this folder, from a stack such as `at file:///kit/client.js:1:2` or `@http://host/client.js:1:2`.
// Without `file://`, because Playwright loads this file as a module and others by path if a reporter imports it.
const THIS_FOLDER = /(?:file:\/\/)?([^\s(@]+)client\.js:\d+:\d+\)?$/m.exec(
  new Error().stack ?? "",
)?.[1];
const OUR_FILES = [
  "client.js",
  "shared.js",
  "states.js",
  "interleavings.js",
  "requests.js",
  "server.js",
  "playwright.js",
  "vitest.js",
  "storybook.js",
  "cypress.js",
];
/** The servers with our protocol, by the URL of a client; a promise while its first client connects. */
const servers = new Map();
/** The codes of errors that the loss of a session can cause, besides those with the status 404. */
const CAUSED_BY_LOSS = ["verification_failed", "not_held", "unknown_session"];

export class MockpetsError extends Error {
  constructor(code, message, status = 0, details = {}) {
    super(message);
    this.name = "MockpetsError";
    this.code = code;
    this.status = status;
    this.details = details;
    // Test runners show the first line of the stack: the one of the test, not one of ours.
    const isOurs = (line) =>
      OUR_FILES.some((name) => line.includes(`${THIS_FOLDER}${name}:`));
    const lines = this.stack?.split("\n") ?? [];
    if (THIS_FOLDER)
      this.stack = lines.filter((line) => !isOurs(line)).join("\n");
  }
}

export class Mockpets {
  #given; // the URL as a user names it, without slashes at its end
  #server; // its root and bases, once it has responded
  #token;
  #fetch;
  #id; // of the session in earlier responses
  #listeners = new Set();
  #polling = new AbortController();

  constructor(options = {}) {
    const url = options.url ?? variable(TESTS_URL) ?? namedUrl();
    const { root, session: named } = splitUrl(url);
    const session = (options.session ?? named ?? "default").toLowerCase();
    if (!SESSION_NAME.test(session)) {
      const rule =
        "use at most 64 of a-z, 0-9, '.', '_' and '-', or Mockpets.slug(title)";
      throw new TypeError(`invalid session name '${session}'; ${rule}`);
    }
    const isDefault = session === "default";
    const key = options.key ?? DEFAULT_KEY;
    this.#given = withoutSlash(url);
    this.session = session;
    this.key = isDefault ? key : `${key}~${session}`;
    this.headers = { [SESSION_HEADER]: session };
    this.baggage = `mockpets.session=${session}`;
    const known = servers.get(this.#given); // by another client
    this.#place(
      known === undefined || known instanceof Promise
        ? { root, bases: likelyBases(url) }
        : known,
    );
    this.#token = options.token ?? variable("MOCKPETS_CONTROL_TOKEN");
    this.#fetch =
      options.fetch ?? ((...request) => globalThis.fetch(...request));
  }

  /** Set what only the server knows; before it has responded, what is likely. */
  #place({ root, bases }) {
    this.url = root;
    this.bases = bases;
    this.rootUrl =
      this.session === "default" ? root : `${root}/~${this.session}`;
    this.baseUrl = this.rootUrl + bases[0];
  }

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

  async state() {
    return this.#call("GET", "state");
  }

  async make(contents = {}) {
    await this.#call("PUT", `sessions/${this.session}`, {
      body: contents,
      check: this.#replaceId,
    });
  }

  async use(...scenarios) {
    await this.#call("PUT", "scenario", { body: { scenario: scenarios } });
  }

  async scenarios() {
    const { scenarios } = await this.#call("GET", "scenarios");
    return scenarios;
  }

  async active() {
    const { active } = await this.#call("GET", "scenarios");
    return active;
  }

  async scenario(name) {
    return this.#call("GET", `scenarios/${segment(name)}`);
  }

  async reset() {
    await this.#call("POST", "reset");
  }

  async drop({ checkLost = false } = {}) {
    const known = this.#id;
    const { id } = await this.#call("DELETE", `sessions/${this.session}`, {
      query: { closed: "60s" },
      check: this.#replaceId,
    });
    if (checkLost && known && id !== known) throw this.#lost();
  }

  async export({ log = false } = {}) {
    return this.#call("GET", `sessions/${this.session}/export`, {
      query: { log: log || undefined },
      wait: LONGEST_WAIT_MS,
    });
  }

  async import({ log, ...exported }) {
    const path = `sessions/${this.session}/export`;
    await this.#call("PUT", path, {
      body: exported,
      wait: LONGEST_WAIT_MS,
      check: this.#replaceId,
    });
  }

  async undo() {
    return this.#call("POST", `sessions/${this.session}/undo`, {
      check: this.#replaceId,
    });
  }

  get clock() {
    const change = (body) => this.#call("PUT", "clock", { body });
    return {
      get: () => this.#call("GET", "clock"),
      set: async (now, { frozen } = {}) => change({ now: moment(now), frozen }),
      advance: async (milliseconds) =>
        change({ advance: `${Math.round(milliseconds) / 1000}s` }),
      freeze: async (now) => change({ now: moment(now), frozen: true }),
    };
  }

  // --- Data ---

  async collections() {
    const { data } = await this.#call("GET", "data");
    return data;
  }

  get pets() {
    return this.data("pets");
  }

  data(name) {
    const path = `data/${segment(name)}`;
    const record = (id) => `${path}/${segment(String(id))}`;
    return {
      all: async (filters) => {
        const records = [];
        for (let after; after !== null;) {
          const page = await this.#call("GET", path, {
            query: { ...filters, after },
          });
          records.push(...page.records);
          after = page.next;
        }
        return records;
      },
      get: (id) => this.#call("GET", record(id)),
      set: async (records) => {
        await this.#call("PUT", path, { body: records });
      },
      add: (body) => this.#call("POST", path, { body }),
      change: (id, body) => this.#call("PATCH", record(id), { body }),
      delete: async (id) => {
        await this.#call("DELETE", record(id));
      },
    };
  }

  async as(user = {}, { contract } = {}) {
    checkDefined("user", user); // JSON would leave the property out, and any user would do
    const login = await this.#call("POST", "login", {
      body: { user },
      query: { contract },
    });
    return {
      ...login,
      storageState: (places) => storageState(login, this.url, places),
    };
  }

  // --- Requests and gates ---

  async requests(filter) {
    const { requests } = await this.#call("GET", "requests", { query: filter });
    return requests;
  }

  async har(filter) {
    return this.#call("GET", "requests.har", { query: filter });
  }

  async verify(match, times, { within } = {}) {
    const body = {
      match,
      times,
      within: within === undefined ? within : duration(within),
    };
    const { requests } = await this.#call("POST", "verify", {
      body,
      wait: within === undefined ? 0 : LONGEST_WAIT_MS,
    });
    return requests;
  }

  async explain(number) {
    const { last } =
      number === undefined
        ? await this.#call("GET", "requests", { query: { limit: 1 } })
        : {};
    return this.#call("GET", `requests/${number ?? (last || 1)}/explain`);
  }

  async explainRequest(request) {
    return this.#call("POST", "explain", {
      body: { key: this.key, ...request },
      wait: LONGEST_WAIT_MS,
    });
  }

  async contract() {
    const { contracts } = await this.#call("GET", "contract");
    return contracts;
  }

  async findings() {
    return this.#call("GET", "findings", { wait: LONGEST_WAIT_MS });
  }

  async checkScenario(text, name) {
    return this.#call("POST", "scenarios/check", { text, query: { name } });
  }

  async saveScenario(name, text, digest) {
    const conditions =
      digest === undefined
        ? { "If-None-Match": "*" }
        : { "If-Match": `"${digest}"` };
    return this.#call("PUT", `scenarios/${segment(name)}`, {
      text,
      conditions,
    });
  }

  async overrideScenario(name, text) {
    return this.#call("PUT", `overrides/${segment(name)}`, { text });
  }

  async dropOverride(name) {
    await this.#call("DELETE", `overrides/${segment(name)}`);
  }

  async stub(number, { delay, ...query } = {}) {
    return this.#call("GET", `requests/${number}/stub`, {
      query: { ...query, delay: delay && duration(delay) },
    });
  }

  async respondLike({ number }, { delay, ...query } = {}) {
    return this.#call("POST", `requests/${number}/stub`, {
      query: { ...query, delay: delay && duration(delay) },
    });
  }

  async dropStub(number) {
    return this.#call("DELETE", `requests/${number}/stub`);
  }

  async startRecording() {
    return this.#call("POST", "recording");
  }

  async recording() {
    return this.#call("GET", "recording");
  }

  async held() {
    const { held } = await this.#call("GET", "held");
    return held;
  }

  async release(requests, { reply, delay } = {}) {
    await this.#call("POST", "held/release", {
      body: { requests, reply, delay: delay && duration(delay) },
    });
  }

  gate(name) {
    const path = `gates/${segment(name)}`;
    return {
      held: async (count = 1, within = WITHIN_MS) => {
        const body = { held: count, within: duration(within) };
        await this.#call("POST", `${path}/wait`, {
          body,
          wait: LONGEST_WAIT_MS,
        });
      },
      open: async () => {
        const { released } = await this.#call("POST", `${path}/open`);
        return released;
      },
    };
  }

  on(kind, listener) {
    if (!CHANGES.includes(kind))
      throw new TypeError(
        `unknown kind of change '${kind}'; use one of ${CHANGES.join(", ")}`,
      );
    const entry = {
      kind: SAME[kind] ?? kind,
      listener,
      since: 0,
      reported: new Set(),
    };
    this.#listeners.add(entry);
    if (this.#listeners.size === 1) {
      this.#polling = new AbortController();
      this.#poll(this.#polling.signal);
    }
    return () => {
      this.#listeners.delete(entry);
      if (!this.#listeners.size) this.#polling.abort();
    };
  }

  /** Wait for changes and call the listeners, until nobody listens. */
  async #poll(stopped) {
    let last;
    for (let failures = 0; !stopped.aborted;) {
      try {
        const query = last && { since: last.change, wait: POLL_SECONDS };
        const now = await this.#call("GET", "events", {
          query,
          wait: LONGEST_WAIT_MS,
          stopped,
          check: accept,
        });
        // Another number of resets, or a lower number of changes, belongs to another session or server.
        const isSame = last?.resets === now.resets && last.change <= now.change;
        this.#notify(isSame ? now.changed : null);
        for (const entry of [...this.#listeners].filter(
          ({ kind }) => kind === "request",
        )) {
          if (!isSame) Object.assign(entry, { since: 0, reported: new Set() });
          if (!isSame || now.changed.includes("requests"))
            await this.#reportRequests(entry, stopped);
        }
        last = now;
        failures = 0;
        await sleep(PAUSE_MS);
      } catch (error) {
        if (stopped.aborted) return;
        if (error.code !== "unreachable" && error.status !== 503) throw error; // as an unhandled rejection
        await sleep(RETRY_MS[Math.min(failures++, RETRY_MS.length - 1)]);
      }
    }
  }

  /** Call the listeners of some kinds of change; null stands for all kinds. */
  #notify(kinds) {
    for (const { kind, listener } of [...this.#listeners]) {
      if (kind !== "request" && (kinds === null || kinds.includes(kind)))
        listener();
    }
  }

  /** Call a listener of `request` with each request whose response was sent and that it does not know. */
  async #reportRequests(entry, stopped) {
    const query = { since: entry.since, limit: LISTED_REQUESTS };
    const { requests, last } = await this.#call("GET", "requests", {
      query,
      stopped,
      check: accept,
    });
    const isPending = ({ outcome }) => outcome === "pending";
    for (const request of requests) {
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
   * Call the control API and return the parsed response.
   * @param wait milliseconds that the server may take in addition
   * @param check called with the session's ID in the response, and the error that is about to be thrown
   */
  async #call(
    method,
    path,
    {
      body,
      text,
      query = {},
      conditions,
      wait = 0,
      stopped,
      check = this.#checkId,
    } = {},
  ) {
    // Without waiting once it is known, because the page may be about to close.
    if (!this.#server || servers.get(this.#given) !== this.#server)
      await this.#connect();
    const url = new URL(`${this.url}/__mockpets/${path}`);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, value);
    }
    const headers = { ...this.headers, ...conditions };
    if (this.#token) headers.Authorization = `Bearer ${this.#token}`;
    if (body !== undefined) headers["Content-Type"] = "application/json";
    if (text !== undefined) headers["Content-Type"] = "application/yaml";
    const timeout = AbortSignal.timeout(RESPONSE_MS + wait);
    const signal = stopped ? AbortSignal.any([stopped, timeout]) : timeout;
    const { response, result } = await this.#send(url.href, {
      method,
      headers,
      body: text ?? JSON.stringify(body),
      signal,
    });
    const error = response.ok ? undefined : responseError(result);
    check.call(this, response.headers.get(SESSION_ID_HEADER), error);
    if (error) throw error;
    return result;
  }

  /** Send a request; return the response and the object that it contains. */
  async #send(url, init) {
    const { response, text } = await this.#exchange(url, init);
    return { response, result: this.#parse(response, text) };
  }

  async #exchange(url, init) {
    const send = this.#fetch; // browsers reject `fetch` as a method of another object
    try {
      const response = await send(url, { ...init, credentials: "omit" });
      return { response, text: await response.text() };
    } catch (cause) {
      servers.delete(this.#given); // the next server there may be another one
      throw new MockpetsError(
        "unreachable",
        `cannot connect to ${this.url} (${reason(cause)}); is mockpets running there?`,
      );
    }
  }

  #parse(response, text) {
    const result = parseObject(text);
    if (
      result === undefined ||
      (!response.ok && !(result.code && result.message))
    )
      throw this.#another(response);
    if (response.status === 401)
      result.message += `; the server is ${this.url}`; // perhaps somebody else's
    return result;
  }

  #another({ status }) {
    return new MockpetsError(
      "unreachable",
      `${this.url} is not a mockpets server (status ${status})`,
    );
  }

  /** Find the server and compare its protocol with that of the kit, unless another client of this URL has done so. */
  async #connect() {
    if (!servers.has(this.#given)) servers.set(this.#given, this.#find());
    try {
      const server = await servers.get(this.#given);
      this.#server = server;
      servers.set(this.#given, server);
      this.#place(server);
    } catch (error) {
      servers.delete(this.#given);
      throw error;
    }
  }

  /** Return the root and the bases of the server. Only the server knows whether the URL ends with a base path. */
  async #find() {
    let problem; // of the likely root
    for (const root of rootsOf(this.#given)) {
      const signal = AbortSignal.timeout(RESPONSE_MS);
      const { response, text } = await this.#exchange(
        `${root}/__mockpets/health`,
        { method: "GET", signal },
      );
      let health;
      try {
        health = this.#healthIn(response, text);
      } catch (error) {
        problem ??= error;
        continue;
      }
      if (problem) checkEnd(this.#given, root, health.bases);
      this.#compareProtocol(health);
      return { root, bases: health.bases };
    }
    throw problem;
  }

  #healthIn(response, text) {
    const result = this.#parse(response, text);
    if (!response.ok) throw responseError(result);
    const { status, version, protocol = 1, bases = [DEFAULT_BASE] } = result; // servers before the number existed have 1
    const areBases =
      Array.isArray(bases) &&
      bases.length > 0 &&
      bases.every((base) => typeof base === "string");
    if (
      status !== "ok" ||
      typeof version !== "string" ||
      !Number.isInteger(protocol) ||
      !areBases
    )
      throw this.#another(response);
    return { version, protocol, bases };
  }

  #compareProtocol({ version, protocol }) {
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
    throw new MockpetsError(
      "incompatible",
      `the server at ${this.url} is ${older} than this kit: ${versions}; ${fix}`,
    );
  }

  /** Remember the session's ID, or throw if it is another one or the session no longer exists. */
  #checkId(id, error) {
    if (id !== null) this.#id ??= id;
    // Errors such as `busy` come before the session is selected.
    const isLost =
      id !== null
        ? id !== this.#id
        : this.#id &&
          (!error ||
            error.status === 404 ||
            CAUSED_BY_LOSS.includes(error.code));
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

  /** Remember the ID of the session that the call has created or deleted. */
  #replaceId(id, error) {
    if (!error) this.#id = id ?? undefined;
  }
}

/** Do nothing: the call is about any session of this name. */
function accept() {}

function responseError({ code, message, status, details = {} }) {
  // The message already contains a single problem.
  const problems = details.problems?.length > 1 ? details.problems : [];
  return new MockpetsError(
    code,
    [message, ...problems.map(describeProblem)].join("\n"),
    status,
    details,
  );
}

function describeProblem({ line, column, where, what, hint }) {
  const place = [line && `${line}:${column}`, where].filter(Boolean).join(": ");
  return [place, hint ? `${what}; ${hint}` : what].filter(Boolean).join(": ");
}

const withoutSlash = (url) => url.replace(/\/+$/, "");

/** Return the likely root of a URL, before the server has sent its base paths, and the session that it names. */
function splitUrl(url) {
  const root = withoutSlash(url).replace(
    new RegExp(`(?:${DEFAULT_BASE}(?:/[^/~]+)?|/__mockpets)$`),
    "",
  );
  const [, rest, selection] = /^(.*)\/~([^/]*)$/.exec(root) ?? [
    undefined,
    root,
  ];
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

/** Return the base paths of the server at a URL, before it has sent them: those that `startServer` has passed on. */
function likelyBases(url) {
  const passed =
    url === variable(TESTS_URL) ? variable(TESTS_BASES) : undefined;
  return passed ? JSON.parse(passed) : [DEFAULT_BASE];
}

/** Return the possible roots of a URL: the likely one, then every other beginning of its path, longest first. */
function rootsOf(url) {
  const [, host, path] = /^(https?:\/\/[^/]+)(.*)$/.exec(url);
  const parts = path.split("/");
  const others = parts.map(
    (_, index) => host + parts.slice(0, parts.length - index).join("/"),
  );
  return [...new Set([splitUrl(url).root, ...others])];
}

/** Throw unless a URL ends after its root with a base path of the server. */
function checkEnd(url, root, bases) {
  const [, session, path] = /^(\/~[^/]*)?(.*)$/.exec(url.slice(root.length));
  const isBase =
    path === "" || bases.some((base) => `${path}/`.startsWith(`${base}/`));
  if (session || !isBase)
    throw new TypeError(
      `the URL '${url}' is not one of the server at ${root}; use '${root}${session ?? ""}'`,
    );
}

/** Return a URL for messages, without a user name and password, and the token in the fragment of the panel's URL. */
export function redacted(url) {
  const anonymous = url.replace(
    /^(https?:\/\/)?[^]*(?:@|%40)/i,
    "$1[redacted]@",
  );
  return anonymous.replace(/([?&#](?:[^=&#]*=)?)[^&#]+/g, "$1[redacted]");
}

/** Return a name as one segment of a path. */
function segment(name) {
  if (["", ".", ".."].includes(name) || name.includes("/")) {
    throw new TypeError(
      `invalid name '${name}'; it must not be empty or contain '/'`,
    );
  }
  return encodeURIComponent(name);
}

/** Throw for a property without a value, such as one of an unset variable. */
function checkDefined(what, properties) {
  const name = Object.keys(properties).find(
    (each) => properties[each] === undefined,
  );
  if (name !== undefined) throw new TypeError(`${what}.${name} is undefined`);
}

/** Return what Playwright's option `storageState` takes: where the app of a user who has logged in keeps the token. */
function storageState(
  { cookie },
  mockUrl,
  { origin, localStorage = {}, cookies = {}, ...others } = {},
) {
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
    sameSite: "Lax",
  };
  return {
    cookies: [...hosts].flatMap((domain) =>
      set.map(([name, value]) => ({ name, value, domain, ...flags })),
    ),
    origins: items.length
      ? [{ origin: new URL(origin).origin, localStorage: items }]
      : [],
  };
}

/** Return milliseconds as a duration of the control API. */
function duration(milliseconds) {
  return `${Math.round(milliseconds)}ms`;
}

/** Return a time as text, which the server checks; undefined and null stay. */
function moment(time) {
  return time instanceof Date || typeof time === "number"
    ? new Date(time).toISOString()
    : time;
}

/** Return an object in JSON; undefined for anything else. */
export function parseObject(text) {
  try {
    const value = JSON.parse(text);
    return value instanceof Object ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Return why `fetch` has failed; only Node reports the cause. */
function reason(error) {
  if (error.name === "TimeoutError") return "no response in time";
  return error.cause?.code || error.cause?.message || error.message;
}

/** Return the URL of the server that a user names for all programs, or the default. */
export function namedUrl() {
  return variable("MOCKPETS_URL") ?? DEFAULT_URL;
}

/** Return an environment variable; a page has none. */
function variable(name) {
  return globalThis.process?.env?.[name] || undefined;
}

/** Return a hash of 64 bits in base 36: FNV-1a. */
function fnv1a(text) {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(text)) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  }
  return hash.toString(36);
}

function sleep(milliseconds) {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
}
