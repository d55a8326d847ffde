// What the panel knows: the server's state, kept current by long polling, and what the URL selects.
// Components read `store`; `update` changes it and renders the page again.

import { useEffect, useLayoutEffect, useRef } from "./preact.js";

// --- Calls to the control API. All URLs derive from the page's own, so the panel works behind a
// prefix, and `/~w3/` opens the panel of session w3. ---

const TOKEN = "mockpets-token";
const [, root, own] = /^(.*?)(?:\/~([^/]*))?\/__mockpets\/[^/]*$/.exec(
  location.pathname,
);

/** Return the URL of a path on this server, such as a session's `/~w3/v1`. */
export const address = (path) => `${location.origin}${root}${path}`;

/** Return a path in a session. */
export const inSession = (name, path) =>
  name === "default" ? path : `/~${name}${path}`;

/** Return a path as a client without a prefix and in the session `default` knows it. */
export function plainPath(path) {
  const session = inSession(own ?? "default", "");
  const prefix =
    [root + session, session, root].find((each) =>
      `${path}/`.startsWith(`${each}/`),
    ) ?? "";
  return path.slice(prefix.length);
}

/** Return the URL of a session's panel. */
export const panelOf = (name) => address(inSession(name, "/__mockpets/"));

/** An error response of the control API; `body` has its `code`, `message` and `details`. */
export class ControlError extends Error {
  constructor(status, body) {
    const problems = body.details?.problems ?? [];
    // The message of a single problem is the problem.
    super(
      [
        body.message,
        ...problems
          .map(describeProblem)
          .filter((text) => !body.message.includes(text)),
      ].join("\n"),
    );
    Object.assign(this, { status, body });
  }
}

function describeProblem({ where, what, hint }) {
  return [where, hint ? `${what}; ${hint}` : what].filter(Boolean).join(": ");
}

/**
 * Call the control API.
 * @param {string} path below `/__mockpets/`
 * @param {object} [options]
 * @param {string} [options.method]
 * @param {object | string} [options.body] an object is sent as JSON, a string as it is
 * @param {Record<string, string>} [options.headers]
 * @param {string} [options.session] another session than the panel's
 * @param {AbortSignal} [options.signal]
 * @param {boolean} [options.ask] false fails if a token is needed, instead of prompting for it
 * @param {boolean} [options.raw] return the JSON as a text
 * @returns {Promise<any>}
 */
export async function control(
  path,
  {
    method = "GET",
    body,
    headers = {},
    session,
    signal,
    ask = true,
    raw = false,
  } = {},
) {
  const url =
    session === undefined
      ? path
      : `${root}${inSession(session, "/__mockpets/")}${path}`;
  for (;;) {
    const token = sessionStorage.getItem(TOKEN);
    const all = {
      ...(body !== undefined && { "Content-Type": "application/json" }),
      ...(token !== null && { Authorization: `Bearer ${token}` }),
      ...headers,
    };
    const response = await fetch(url, {
      method,
      headers: all,
      body: typeof body === "object" ? JSON.stringify(body) : body,
      signal,
    });
    const text = await response.text();
    if (response.ok && raw) return text;
    const value = parseBody(text, response.status);
    if (response.ok) return value;
    if (response.status !== 401 || !ask)
      throw new ControlError(response.status, value);
    if (sessionStorage.getItem(TOKEN) === token)
      await promptToken(token !== null, value.message);
  }
}

function parseBody(text, status) {
  try {
    return parseExact(text);
  } catch {
    return {
      message: `Unexpected response with status ${status}: it does not come from mockpets.`,
    };
  }
}

/**
 * Parse JSON. Unsafe integers become strings of their digits: ids are int64, and a rounded id would
 * be that of another record.
 */
export function parseExact(text) {
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  return JSON.parse(
    text.replace(/"(?:[^"\\]|\\.)*"|(?<![\d.])-?\d{16,}(?![\d.eE])/g, (part) =>
      part[0] === '"' || Number.isSafeInteger(Number(part))
        ? part
        : `"${part}"`,
    ),
  );
}

/** Move a token from the URL, `#token=...`, to the session storage. */
export function storeUrlToken() {
  const match = /^#token=(.+)$/.exec(location.hash);
  if (!match) return;
  // Tokens contain no characters that URLs escape.
  sessionStorage.setItem(TOKEN, match[1]);
  history.replaceState(null, "", location.pathname + location.search);
}

let prompted = null;

/** Prompt for the control token, once for all calls that wait for it. */
function promptToken(rejected, message) {
  prompted ??= new Promise((resolve) => {
    const answer = (token) => {
      sessionStorage.setItem(TOKEN, token.trim());
      prompted = null;
      update({ prompt: null });
      resolve(undefined);
    };
    update({
      prompt: {
        message: rejected
          ? `The server rejected the token: ${message}`
          : "The control API of this server requires a token. The server prints it at startup.",
        answer,
      },
    });
  });
  return prompted;
}

// --- The store ---

export const VIEWS = [
  "requests",
  "scenarios",
  "states",
  "data",
  "sessions",
  "findings",
  "contract",
  "try",
];

export const store = {
  /** @type {any} GET state; null until it is loaded */
  state: null,
  /** The name of the panel's session. */
  session: own ?? "default",
  /** @type {Error | null | undefined} why the server cannot be reached; null if it can, undefined at first */
  problem: undefined,
  /** Counts the changes of each kind; see `useChange`. */
  changes: {},
  route: { view: "requests", id: null, params: {} },
  /** @type {{id: number, text: string, failed: boolean, undo: null | (() => Promise<void>), until: number}[]} */
  toasts: [],
  /** What screen readers announce. */
  news: "",
  /** @type {null | {message: string, answer: (token: string) => void}} the prompt for the token */
  prompt: null,
  /** @type {null | "palette" | "keys" | "sessions" | "more"} the open overlay */
  overlay: null,
};

let renderPage = () => {};
let queued = false;

/** Change values of the store, and render the page. */
export function update(values) {
  Object.assign(store, values);
  if (queued) return;
  queued = true;
  queueMicrotask(() => {
    queued = false;
    renderPage();
  });
}

/**
 * Load something when the component appears, and again after each change of these kinds. Loads do not overlap.
 * @param {string[]} kinds `requests`, `scenario`, `data`, `gates`, `sessions`, `files` or `origins`
 * @param {() => Promise<void>} load its errors become toasts
 * @param {unknown[]} [inputs] values whose change loads again too
 */
export function useChange(kinds, load, inputs = []) {
  const run = useRef({ busy: false, again: false, load, gone: false });
  run.current.load = load;
  useEffect(() => {
    const { current } = run;
    current.again = true;
    if (!current.busy) repeat(current);
  }, [
    store.changes.all,
    ...kinds.map((kind) => store.changes[kind]),
    ...inputs,
  ]);
  useEffect(
    () => () => {
      run.current.gone = true;
    },
    [],
  );
}

async function repeat(run) {
  run.busy = true;
  while (run.again && !run.gone) {
    run.again = false;
    await act(() => run.load());
  }
  run.busy = false;
}

/** What the keys of the open view do, such as `{j: next, k: previous}`. */
export const viewKeys = new Map();

/** Set what keys do while the component is shown. */
export function useKeys(keys) {
  useLayoutEffect(() => {
    for (const [key, does] of Object.entries(keys)) viewKeys.set(key, does);
    return () => {
      for (const [key, does] of Object.entries(keys))
        if (viewKeys.get(key) === does) viewKeys.delete(key);
    };
  });
}

// --- The URL: #VIEW/ID?NAME=VALUE&... ---

function route() {
  const [path, query = ""] = location.hash.slice(1).split("?");
  const [view, ...id] = path.split("/");
  const decoded = id.length ? decode(id.join("/")) : null;
  return {
    view: VIEWS.includes(view) ? view : "requests",
    id: decoded,
    params: Object.fromEntries(new URLSearchParams(query)),
  };
}

function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Return the hash of a view. */
export function link(view, id = null, params = {}) {
  const parts = Object.entries(params).filter(
    ([, value]) => value !== "" && value !== null && value !== undefined,
  );
  const query = new URLSearchParams(
    parts.map(([name, value]) => [name, String(value)]),
  ).toString();
  return `#${view}${id === null ? "" : `/${encodeURIComponent(id)}`}${query ? `?${query}` : ""}`;
}

/** Open a view; `replace` adds no entry to the history. */
export function go(view, id = null, params = {}, replace = false) {
  history[replace ? "replaceState" : "pushState"](
    null,
    "",
    link(view, id, params),
  );
  update({ route: route() });
}

/** Change parameters of the open view, such as its filter. */
export const setParams = (params) =>
  go(
    store.route.view,
    store.route.id,
    { ...store.route.params, ...params },
    true,
  );

// --- The contracts: the server knows their names, paths and errors, and the panel none of them ---

/** Return the contract to which a path without a session belongs, if any. */
export function contractOf(path) {
  const found = store.state.contracts.filter(({ base }) =>
    `${path}/`.startsWith(`${base}/`),
  );
  return found.sort((one, other) => other.base.length - one.base.length)[0];
}

export const collections = () =>
  store.state.contracts.flatMap((contract) => contract.collections);

/** Return what the records are called: by their name if the contracts have one collection. */
export function recordsWord() {
  const names = collections().map(({ name }) => name);
  return names.length === 1 ? names[0] : "records";
}

/** Return the reply of an error as the contract of a path has it. */
export function errorReply(path, status) {
  const error = contractOf(path)?.errors[status];
  return error ? { error } : { status };
}

// --- Actions ---

/** Run an action; its error becomes a toast. */
export async function act(action) {
  try {
    await action();
  } catch (error) {
    if (error.name !== "AbortError")
      toast(
        error instanceof TypeError
          ? "Cannot reach the server. Is it still running?"
          : error.message,
        { failed: true },
      );
  }
}

/** Return an event handler whose errors become toasts. */
export const handler = (action) => (event) => {
  event?.preventDefault();
  return act(() => action(event));
};

let toastId = 0;

/**
 * Show a toast, for 8 s with `undo`, else for 5 s, or 20 s for a failure.
 * @param {string} text
 * @param {{failed?: boolean, undo?: null | (() => Promise<any>)}} [options]
 */
export function toast(text, { failed = false, undo = null } = {}) {
  const ms = undo ? 8_000 : failed ? 20_000 : 5_000;
  const id = ++toastId;
  // Of each kind, the newest only.
  update({
    toasts: [
      ...store.toasts.filter((each) => each.failed !== failed),
      { id, text, failed, undo, until: Date.now() + ms },
    ],
  });
  setTimeout(() => dismiss(id), ms);
}

export const dismiss = (id) =>
  update({ toasts: store.toasts.filter((each) => each.id !== id) });

/** Announce a text politely to screen readers, which ignore an unchanged one. */
export const announce = (text) =>
  update({ news: store.news === text ? `${text}\u00a0` : text });

/** Activate scenarios; the first has precedence. */
export async function activate(names) {
  const scenario = await Promise.all(
    (names.length ? names : ["default"]).map(named),
  );
  const { active, hidden } = await control("scenario", {
    method: "PUT",
    body: { scenario },
  });
  update({ state: { ...store.state, active } }); // before the next poll, for a click that follows at once
  announce(`Active scenarios: ${active.join(", ")}`);
  if (hidden) toast(hidden.join("\n")); // resources whose path another one serves
}

/** Return what activates a scenario: a document that a test sent has no name that does, so send it again. */
async function named(name) {
  if (!store.state.scenarios.some((each) => each.name === name && each.inline))
    return name;
  const { override, text } = await control(
    `scenarios/${encodeURIComponent(name)}`,
  );
  return override ? name : JSON.parse(text);
}

/** Return what of an operation an expression sets, such as `getPet:response` for `getPet:404`; of a scenario, its name. */
const aspect = (name) =>
  name
    .replace(/:[\d.]+[ms]+$/, ":delay")
    .replace(/:(?!(?:delay|hold)$).*/, ":response");

/** Activate a scenario on top of the active ones, or deactivate it. An expression replaces another that sets the same. */
export function stack(name) {
  const { active } = store.state;
  if (active.includes(name))
    return activate(active.filter((each) => each !== name));
  return activate([
    name,
    ...active.filter(
      (each) => each !== "default" && aspect(each) !== aspect(name),
    ),
  ]);
}

/** Return the view of a scenario or an expression, its id and its parameters. */
export function placeOf(name, params = {}) {
  const [operation, state] = name.split(":");
  return state === undefined
    ? ["scenarios", name, params]
    : ["states", null, { filter: operation }];
}

/** Return the undo of what was just removed from a session: a reset, a clear or a delete. */
export const undoIn = (session) => async () => {
  const { undone } = await control(
    `sessions/${encodeURIComponent(session)}/undo`,
    { method: "POST" },
  );
  announce(`Undone: ${undone}`);
};

export async function resetSession() {
  await control("reset", { method: "POST" });
  toast(
    `Session reset: initial ${recordsWord()}, counters and an empty request log.`,
    { undo: undoIn(store.session) },
  );
}

/** Release every response that is held at the gates of the session, or at one of them. */
export async function releaseAll(gate = null) {
  const gates =
    gate === null
      ? Object.keys(store.state.gates).filter((name) => store.state.gates[name])
      : [gate];
  const opened = await Promise.all(
    gates.map((name) =>
      control(`gates/${encodeURIComponent(name)}/open`, { method: "POST" }),
    ),
  );
  announce(`Released: ${opened.reduce((sum, each) => sum + each.released, 0)}`);
}

/**
 * Release responses; with a reply or a delay, that is sent instead of what was prepared.
 * @param {number[]} requests
 * @param {{reply?: any, delay?: string}} [instead]
 */
export async function release(requests, instead = {}, session = undefined) {
  const { released } = await control("held/release", {
    method: "POST",
    body: { requests, ...instead },
    session,
  });
  announce(
    `Released ${released.length === 1 ? `request ${released[0]}` : `${released.length} responses`}`,
  );
}

/** Let the user save JSON as a file. */
export function download(name, text) {
  const href = URL.createObjectURL(
    new Blob([text], { type: "application/json" }),
  );
  Object.assign(document.createElement("a"), { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 1000);
}

/** Return the ways to name a session, each with its text and a function that copies it. */
export function waysToName({ name, active }) {
  const {
    contracts,
    settings: { key },
  } = store.state;
  const isDefault = name === "default";
  const scenarios = active.join() === "default" ? [] : active;
  const names = [isDefault && scenarios.length ? "" : name, ...scenarios].join(
    "+",
  );
  const baseUrls = contracts.map(({ title, base }) => [
    contracts.length > 1 ? `base URL of ${title}` : "base URL",
    address(inSession(name, base)),
  ]);
  const ways = [
    ...baseUrls,
    ["header", `Mockpets-Session: ${name}`],
    ["key", isDefault ? key : `${key}~${name}`],
  ];
  return [
    ...ways.map(([what, text]) => ({ what, text, does: () => copy(text) })),
    { what: "link", text: linkTo(names), does: () => copyLink(name, names) },
  ];
}

/** Copy a link to the page that sent the last of a session's newest requests, or the query of a link. */
async function copyLink(session, names) {
  const { log } = await control("requests.har?limit=20", { session });
  const headers = log.entries.flatMap(({ request }) => request.headers);
  const page = headers.findLast(
    ({ name, value }) =>
      /^referer$/i.test(name) && !value.startsWith(`${location.origin}/`),
  );
  await copy(linkTo(names, page?.value));
}

function linkTo(names, page = "") {
  const [path, query = ""] = page.split("?");
  const others = query
    .split("&")
    .filter((part) => part && !part.startsWith("mockpets="));
  return `${path}?${[...others, `mockpets=${encodeURIComponent(names)}`].join("&")}`;
}

/** Copy a text to the clipboard. */
export async function copy(text) {
  if (navigator.clipboard) await navigator.clipboard.writeText(text);
  else copyBySelection(text);
  announce("Copied to the clipboard");
}

// Insecure contexts, such as plain HTTP on a host other than localhost, have no clipboard API.
function copyBySelection(text) {
  const focused = /** @type {HTMLElement | null} */ (document.activeElement);
  const area = document.createElement("textarea");
  area.className = "away";
  area.value = text;
  (document.querySelector("dialog[open]") ?? document.body).append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  focused?.focus();
  if (!done)
    throw new Error(
      "The browser blocked copying. Select the text and copy it manually.",
    );
}

// --- Live updates by long polling: one request waits at the server for the next change. Hidden pages
// abort it, since a browser opens at most six connections to a server for all its tabs. ---

const WAIT_SECONDS = 20;
const PAUSE_MS = 250; // minimum time between two polls
const RETRY_MS = [500, 1000, 2000, 4000];

const sleep = (ms) =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
const visible = () =>
  new Promise((resolve) => {
    if (!document.hidden) resolve(undefined);
    else
      document.addEventListener("visibilitychange", () => resolve(undefined), {
        once: true,
      });
  });

/**
 * Start the store. Never returns.
 * @param {() => void} render renders the page
 */
export async function start(render) {
  renderPage = render;
  storeUrlToken();
  update({ route: route() });
  for (const event of ["hashchange", "popstate"])
    addEventListener(event, () => update({ route: route() }));
  let last = null; // the state of the last poll
  let failures = 0;
  for (;;) {
    await visible();
    try {
      last = await poll(last);
      failures = 0;
      if (store.problem)
        update({ toasts: store.toasts.filter((each) => !each.failed) });
      update({ problem: null });
      await sleep(PAUSE_MS);
    } catch (error) {
      if (error.name === "AbortError") continue;
      if (!store.problem)
        toast(
          error.status
            ? error.message
            : "Cannot reach the server. Is it still running? Retrying.",
          { failed: true },
        );
      update({ problem: error });
      await sleep(RETRY_MS[Math.min(failures++, RETRY_MS.length - 1)]);
    }
  }
}

/** Wait for a change and load the state; return where to wait from next. */
async function poll(last) {
  let now = null;
  if (last !== null) {
    now = await nextChange(last);
    // A lower number means another server. Another number of resets also means a recreated session.
    if (now.change < last.change || now.resets !== last.resets) last = null;
    else if (!now.changed.length) return now;
  }
  const state = await control("state");
  const changes = { ...store.changes };
  for (const kind of last === null ? ["all"] : now.changed)
    changes[kind] = (changes[kind] ?? 0) + 1;
  update({ state, changes });
  return now ?? { change: state.change, resets: state.resets };
}

async function nextChange(last) {
  const hidden = new AbortController();
  const stop = () => document.hidden && hidden.abort();
  document.addEventListener("visibilitychange", stop);
  try {
    return await control(`events?since=${last.change}&wait=${WAIT_SECONDS}`, {
      signal: hidden.signal,
    });
  } finally {
    document.removeEventListener("visibilitychange", stop);
  }
}
