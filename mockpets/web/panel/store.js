// What the panel knows: the server's state, kept current by long polling, and what the URL selects.
// Components read `store`; `update` changes it and renders the page again.

import {
  Connection,
  LONGEST_WAIT_MS,
  MockpetsError,
  sleep,
  watch,
} from "../../../kit/connection.js";
import {
  activatable,
  contractOf,
  stacked,
} from "../../../kit/toolbar/active.js";
import { useEffect, useLayoutEffect, useRef } from "./preact.js";

/**
 * @import { CallOptions } from "../../../kit/types.js"
 * @import { Change, Events, RequestSummary, SessionSummary, State } from "../../../kit/control.js"
 */

// --- Calls to the control API. All URLs derive from the page's own, so the panel works behind a
// prefix, and `/~w3/` opens the panel of session w3. ---

const TOKEN = "mockpets-token";
const PATIENCE_MS = 60_000; // the user sees that a call takes long
const [, root = "", own] =
  /^(.*?)(?:\/~([^/]*))?\/__mockpets\/[^/]*$/.exec(location.pathname) ?? [];

/**
 * Return the URL of a path on this server, such as a session's `/~w3/v1`.
 * @param {string} path
 */
export const address = (path) => `${location.origin}${root}${path}`;

/**
 * Return a path in a session.
 * @param {string} name
 * @param {string} path
 */
export const inSession = (name, path) =>
  name === "default" ? path : `/~${name}${path}`;

/**
 * Return a path as a client without a prefix and in the session `default` knows it.
 * @param {string} path
 */
export function plainPath(path) {
  const session = inSession(own ?? "default", "");
  const prefix =
    [root + session, session, root].find((each) =>
      `${path}/`.startsWith(`${each}/`),
    ) ?? "";
  return path.slice(prefix.length);
}

/**
 * Return the URL of a session's panel.
 * @param {string} name
 */
export const panelOf = (name) => address(inSession(name, "/__mockpets/"));

const storedToken = () => sessionStorage.getItem(TOKEN) ?? undefined;

/** The calls of this server, in the session of the panel. Large ids are texts: see `parseExact`. */
export const connection = new Connection({
  root: address(""),
  session: () => own ?? "",
  token: storedToken,
  parse: parseExact,
  credentials: "same-origin",
  timeout: PATIENCE_MS,
});

/**
 * Call the control API; prompt for the token if the server requires one.
 * @type {Connection["call"]}
 */
export const call = (name, ...given) =>
  withToken(() => connection.call(name, ...given));

/**
 * Call the control API, and return the JSON of the response as text, with all digits of its numbers.
 * @type {Connection["text"]}
 */
export const callText = (name, ...given) =>
  withToken(() => connection.text(name, ...given));

/**
 * Return the options of a call with a body in JSON, which keeps all digits of its numbers.
 * @param {string} json
 */
export const asJson = (json) => ({
  text: json,
  headers: { "Content-Type": "application/json" },
});

/**
 * @template T
 * @param {() => Promise<T>} send
 */
async function withToken(send) {
  for (;;) {
    const token = storedToken();
    try {
      return await send();
    } catch (error) {
      if (!isRejected(error) || error.status !== 401) throw error;
      if (storedToken() === token)
        await promptToken(token !== undefined, error.message);
    }
  }
}

/**
 * Whether an error is a response of the control API.
 * @param {unknown} error
 * @returns {error is MockpetsError}
 */
export const isRejected = (error) =>
  error instanceof MockpetsError && error.code !== "unreachable";

/**
 * Return what an error says. That of a call that got no response has another text in each browser.
 * Such a call throws a `MockpetsError`: a `TypeError` is a mistake of ours, or an invalid name.
 * @param {unknown} error
 */
export function describeError(error) {
  if (error instanceof MockpetsError && error.status === 0)
    return "Cannot reach the server. Is it still running?";
  return error instanceof Error ? error.message : String(error);
}

/**
 * Parse JSON. Unsafe integers become strings of their digits: ids are int64, and a rounded id would
 * be that of another record.
 * @param {string} json
 * @returns {unknown}
 */
export function parseExact(json) {
  if (!/\d{16}/.test(json)) return JSON.parse(json);
  const exact = json.replace(
    /"(?:[^"\\]|\\.)*"|(?<![\d.])-?\d{16,}(?![\d.eE])/g,
    (part) =>
      part.startsWith('"') || Number.isSafeInteger(Number(part))
        ? part
        : `"${part}"`,
  );
  return JSON.parse(exact);
}

/** Move a token from the URL, `#token=...`, to the session storage. */
export function storeUrlToken() {
  const token = /^#token=(.+)$/.exec(location.hash)?.[1];
  if (token === undefined) return;
  // Tokens contain no characters that URLs escape.
  sessionStorage.setItem(TOKEN, token);
  history.replaceState(null, "", location.pathname + location.search);
}

/** @type {Promise<void> | null} */
let prompted = null;

/**
 * Prompt for the control token, once for all calls that wait for it.
 * @param {boolean} isRejected
 * @param {string} reason
 */
function promptToken(isRejected, reason) {
  const message = isRejected
    ? `The server rejected the token: ${reason}`
    : "The control API of this server requires a token. The server prints it at startup.";
  prompted ??= new Promise((resolve) => {
    const answer = (/** @type {string} */ token) => {
      sessionStorage.setItem(TOKEN, token.trim());
      prompted = null;
      update({ prompt: null });
      resolve();
    };
    update({ prompt: { message, answer } });
  });
  return prompted;
}

// --- The store ---

export const VIEWS = /** @type {const} */ ([
  "requests",
  "scenarios",
  "states",
  "data",
  "sessions",
  "findings",
  "contract",
  "try",
]);

/** @typedef {typeof VIEWS[number]} View */
/** @typedef {Record<string, string | number | boolean | null | undefined>} Params of a view, such as its filter */
/** @typedef {[view: View, id: string | null, params?: Params]} Place */
/** @typedef {{ view: View, id: string | null, params: Partial<Record<string, string>> }} Route */
/** @typedef {() => unknown} Undo */

/**
 * @typedef {object} Toast
 * @property {number} id
 * @property {string} text
 * @property {boolean} failed
 * @property {Undo | null} undo
 * @property {number} until in milliseconds since the epoch
 */

/**
 * @typedef {object} Store
 * @property {State | null} state null until it is loaded
 * @property {string} session the name of the panel's session
 * @property {unknown} problem why the server cannot be reached; null if it can, undefined at first
 * @property {Partial<Record<Change | "all", number>>} changes counts the changes of each kind; see `useChange`
 * @property {Route} route
 * @property {Toast[]} toasts
 * @property {string} news what screen readers announce
 * @property {{ message: string, answer: (token: string) => void } | null} prompt the prompt for the token
 * @property {"palette" | "keys" | "sessions" | "more" | "clock" | "origins" | null} overlay the open one
 * @property {number | null} findings their number, once it is known
 * @property {Params} requestParams those of the view of the requests, when another one is open
 */

/** @type {Store} */
export const store = {
  state: null,
  session: own ?? "default",
  problem: undefined,
  changes: {},
  route: { view: "requests", id: null, params: {} },
  toasts: [],
  news: "",
  prompt: null,
  overlay: null,
  findings: null,
  requestParams: {},
};

/** Return the server's state. The views are shown only when it is loaded. */
export function loadedState() {
  if (store.state === null) throw new Error("the state is not loaded");
  return store.state;
}

let renderPage = () => {};
let queued = false;

/**
 * Change values of the store, and render the page.
 * @param {Partial<Store>} values
 */
export function update(values) {
  Object.assign(store, values);
  if (queued) return;
  queued = true;
  queueMicrotask(() => {
    queued = false;
    renderPage();
  });
}

/** @typedef {{ busy: boolean, again: boolean, load: () => unknown, gone: boolean }} Loading */

/**
 * Load something when the component appears, and again after each change of these kinds. Loads do not overlap.
 * @param {Change[]} kinds
 * @param {() => unknown} load its errors become toasts
 * @param {unknown[]} [inputs] values whose change loads again too
 */
export function useChange(kinds, load, inputs = []) {
  /** @type {{ current: Loading }} */
  const run = useRef({ busy: false, again: false, load, gone: false });
  run.current.load = load;
  const changes = kinds.map((kind) => store.changes[kind]);
  useEffect(() => {
    const { current } = run;
    current.again = true;
    if (!current.busy) void repeat(current);
  }, [store.changes.all, ...changes, ...inputs]);
  useEffect(
    () => () => {
      run.current.gone = true;
    },
    [],
  );
}

/** @param {Loading} run */
async function repeat(run) {
  run.busy = true;
  while (run.again && !run.gone) {
    run.again = false;
    await act(() => run.load());
  }
  run.busy = false;
}

/**
 * What the keys of the open view do, such as `{j: next, k: previous}`.
 * @type {Map<string, () => unknown>}
 */
export const viewKeys = new Map();

/**
 * Set what keys do while the component is shown.
 * @param {Record<string, () => unknown>} keys
 */
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

/** @returns {Route} */
function route() {
  const [path = "", query = ""] = location.hash.slice(1).split("?");
  const [name, ...id] = path.split("/");
  return {
    view: VIEWS.find((each) => each === name) ?? "requests",
    id: id.length ? decode(id.join("/")) : null,
    params: Object.fromEntries(new URLSearchParams(query)),
  };
}

/** @param {string} escaped */
function decode(escaped) {
  try {
    return decodeURIComponent(escaped);
  } catch {
    return escaped;
  }
}

/**
 * Return the hash of a view.
 * @param {View} view
 * @param {string | null} [id]
 * @param {Params} [params]
 */
export function link(view, id = null, params = {}) {
  const parts = Object.entries(params)
    .filter(([, value]) => value !== "" && value !== null)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, String(value)]);
  const query = String(new URLSearchParams(parts));
  return `#${view}${id === null ? "" : `/${encodeURIComponent(id)}`}${query ? `?${query}` : ""}`;
}

/**
 * Open a view; `replace` adds no entry to the history.
 * @param {View} view
 * @param {string | null} [id]
 * @param {Params} [params]
 */
export function go(view, id = null, params = {}, replace = false) {
  const hash = link(view, id, params);
  history[replace ? "replaceState" : "pushState"](null, "", hash);
  update({ route: route() });
}

/**
 * Change parameters of the open view, such as its filter.
 * @param {Params} params
 */
export function setParams(params) {
  const { view, id, params: old } = store.route;
  go(view, id, { ...old, ...params }, true);
}

// --- The contracts: the server knows their names, paths and errors, and the panel none of them ---

/**
 * Return the contract to which a path without a session belongs, if any.
 * @param {string} path
 */
export const contractServing = (path) => contractOf(loadedState(), path);

export const collections = () =>
  loadedState().contracts.flatMap((contract) => contract.collections);

/** Return what the records are called: by their name if the contracts have one collection. */
export function recordsWord() {
  const [one, ...others] = collections();
  return one && !others.length ? one.name : "records";
}

// --- Actions ---

/**
 * Run an action; its error becomes a toast.
 * @param {() => unknown} action
 */
export async function act(action) {
  try {
    await action();
  } catch (error) {
    const isAborted = error instanceof Error && error.name === "AbortError";
    if (!isAborted) toast(describeError(error), { failed: true });
  }
}

/**
 * Return an event handler whose errors become toasts.
 * @template {Event} E
 * @param {(event: E) => unknown} action
 * @returns {(event: E) => Promise<void>}
 */
export const handler = (action) => (event) => {
  event.preventDefault();
  return act(() => action(event));
};

let toastId = 0;

/**
 * Show a toast, for 8 s with `undo`, else for 5 s, or 20 s for a failure.
 * @param {string} text
 * @param {{ failed?: boolean, undo?: Undo | null | undefined }} [options]
 */
export function toast(text, { failed = false, undo = null } = {}) {
  const ms = undo ? 8_000 : failed ? 20_000 : 5_000;
  const id = ++toastId;
  // Of each kind, the newest only.
  const others = store.toasts.filter((each) => each.failed !== failed);
  update({
    toasts: [...others, { id, text, failed, undo, until: Date.now() + ms }],
  });
  setTimeout(() => dismiss(id), ms);
}

/** @param {number} id of a toast */
export const dismiss = (id) =>
  update({ toasts: store.toasts.filter((each) => each.id !== id) });

/**
 * Announce a text politely to screen readers, which ignore an unchanged one.
 * @param {string} text
 */
export const announce = (text) =>
  update({ news: store.news === text ? `${text}\u00a0` : text });

/**
 * Activate scenarios; the first has precedence.
 * @param {string[]} names
 */
export async function activate(names) {
  const state = loadedState();
  const all = names.length ? names : ["default"];
  const scenario = await activatable({ call }, state, all);
  const { active, notes } = await call("PUT /scenario", {
    body: { scenario },
  });
  update({ state: { ...loadedState(), active } }); // before the next poll, for a click that follows at once
  announce(`Active scenarios: ${active.join(", ")}`);
  if (notes) toast(notes.join("\n"));
}

/** @type {Promise<unknown>} the last change that `stack` has begun */
let stacking = Promise.resolve();

/**
 * Activate a scenario on top of the active ones, or deactivate it. A quick second click waits for the first.
 * @param {string} name
 */
export function stack(name) {
  const done = stacking.then(() => {
    const { active } = loadedState();
    return activate(
      active.includes(name)
        ? active.filter((each) => each !== name)
        : stacked(active, name),
    );
  });
  stacking = done.catch(() => {});
  return done;
}

/**
 * Return the view of a scenario or an expression, its id and its parameters.
 * @param {string} name
 * @param {Params} [params]
 * @returns {Place}
 */
export function placeOf(name, params = {}) {
  const [operation, state] = name.split(":");
  return state === undefined
    ? ["scenarios", name, params]
    : ["states", null, { filter: operation }];
}

/**
 * Return the undo of what was just removed from a session: a reset, a clear or a delete.
 * @param {string} session
 */
export const undoIn = (session) => async () => {
  const { undone } = await call("POST /sessions/{name}/undo", {
    path: { name: session },
  });
  announce(`Undone: ${undone}`);
};

export async function resetSession() {
  await call("POST /reset");
  toast(
    `Session reset: ${recordsWord()} and counters restored, request log cleared.`,
    { undo: undoIn(store.session) },
  );
}

/** @param {number} n */
const responses = (n) => (n === 1 ? "1 response" : `${n} responses`);

/**
 * Release every response that is held at the gates of the session, or at one of them.
 * @param {string | null} [gate]
 */
export async function releaseAll(gate = null) {
  const { gates } = loadedState();
  const names =
    gate === null ? Object.keys(gates).filter((name) => gates[name]) : [gate];
  const opened = await Promise.all(
    names.map((name) => call("POST /gates/{name}/open", { path: { name } })),
  );
  announce(
    `Released ${responses(opened.reduce((sum, each) => sum + each.released, 0))}`,
  );
}

/** @typedef {Omit<NonNullable<CallOptions<"POST /held/release">["body"]>, "requests">} Instead a reply or a delay */

/**
 * Release responses; with a reply or a delay, that is sent instead of what was prepared.
 * @param {number[]} requests
 * @param {Partial<Instead>} [instead]
 * @param {string} [session]
 */
export async function release(requests, instead = {}, session = undefined) {
  const { released } = await call("POST /held/release", {
    body: { requests, ...instead },
    session,
  });
  announce(
    `Released ${released.length === 1 ? `request ${released[0]}` : responses(released.length)}`,
  );
}

/**
 * Let the user save JSON as a file.
 * @param {string} name
 * @param {string} json
 */
export function download(name, json) {
  const href = URL.createObjectURL(
    new Blob([json], { type: "application/json" }),
  );
  Object.assign(document.createElement("a"), { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 1000);
}

/**
 * Return the ways to name a session, each with its text and a function that copies it.
 * @param {Pick<SessionSummary, "name" | "active">} session
 * @returns {{ what: string, text: string, does: () => Promise<void> }[]}
 */
export function waysToName({ name, active }) {
  const { contracts, settings } = loadedState();
  const isDefault = name === "default";
  const scenarios = active.join() === "default" ? [] : active;
  const names = [isDefault && scenarios.length ? "" : name, ...scenarios];
  const state = names.join("+");
  const way = (/** @type {string} */ what, /** @type {string} */ shown) => ({
    what,
    text: shown,
    does: () => copy(shown),
  });
  const baseUrls = contracts.map(({ title, base }) =>
    way(
      contracts.length > 1 ? `base URL of ${title}` : "base URL",
      address(inSession(name, base)),
    ),
  );
  return [
    ...baseUrls,
    way("header", `Mockpets-Session: ${name}`),
    way("key", isDefault ? settings.key : `${settings.key}~${name}`),
    { what: "link", text: linkTo(state), does: () => copyLink(name, state) },
  ];
}

/**
 * An entry of a HAR file; see http://www.softwareishard.com/blog/har-12-spec/.
 * @typedef {object} HarEntry
 * @property {RequestSummary} _mockpets
 * @property {{ headers: { name: string, value: string }[], postData?: { text: string } }} request
 * @property {{ content: { text?: string } }} response
 */

/**
 * Return requests of a session as the entries of a HAR file.
 * @param {string} session
 * @param {CallOptions<"GET /requests.har">["query"]} query
 */
export async function harEntries(session, query) {
  const { log } = await call("GET /requests.har", { session, query });
  return /** @type {HarEntry[]} */ (/** @type {unknown} */ (log.entries));
}

/**
 * Copy a link to the page that sent the last of a session's newest requests, or the query of a link.
 * @param {string} session
 * @param {string} names
 */
async function copyLink(session, names) {
  const entries = await harEntries(session, { limit: 20 });
  const page = entries
    .flatMap(({ request }) => request.headers)
    .filter(({ name }) => /^referer$/i.test(name))
    .findLast(({ value }) => !value.startsWith(`${location.origin}/`));
  await copy(linkTo(names, page?.value));
}

/** @param {string} names */
function linkTo(names, page = "") {
  const [path, query = ""] = page.split("?");
  const others = query
    .split("&")
    .filter((part) => part && !part.startsWith("mockpets="));
  return `${path}?${[...others, `mockpets=${encodeURIComponent(names)}`].join("&")}`;
}

/**
 * Copy a text to the clipboard.
 * @param {string} copied
 */
export async function copy(copied) {
  // Insecure contexts, such as plain HTTP on a host other than localhost, have no clipboard API.
  const clipboard = /** @type {Clipboard | undefined} */ (navigator.clipboard);
  if (clipboard) await clipboard.writeText(copied);
  else copyBySelection(copied);
  announce("Copied to the clipboard");
}

/** @param {string} copied */
function copyBySelection(copied) {
  const focused = /** @type {HTMLElement | null} */ (document.activeElement);
  const area = document.createElement("textarea");
  area.className = "away";
  area.value = copied;
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

const BETWEEN_LOADS_MS = 150; // besides the pause of `watch`: a busy app changes something with each request

/** @param {() => void} does when the page is hidden, or shown again */
const onNextSwitch = (does) =>
  document.addEventListener("visibilitychange", does, { once: true });

/** @returns {Promise<void>} */
const visible = () =>
  new Promise((resolve) => {
    if (document.hidden) onNextSwitch(resolve);
    else resolve();
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
  /** @type {Events | undefined} */
  let last;
  for (;;) {
    await visible();
    const hidden = new AbortController();
    onNextSwitch(() => hidden.abort());
    const { signal } = hidden;
    const next = (/** @type {{ since?: number, wait?: number }} */ query) =>
      call("GET /events", { query, signal, wait: LONGEST_WAIT_MS });
    last = await watch(next, { signal, changed, failed, last });
  }
}

/** @param {Change[] | null} kinds null if anything may have changed */
async function changed(kinds) {
  if (kinds === null || kinds.length) {
    const state = await call("GET /state");
    const changes = { ...store.changes };
    for (const kind of kinds ?? [/** @type {const} */ ("all")])
      changes[kind] = (changes[kind] ?? 0) + 1;
    update({ state, changes });
  }
  if (store.problem)
    update({ toasts: store.toasts.filter((each) => !each.failed) });
  update({ problem: null });
  await sleep(BETWEEN_LOADS_MS);
}

/** @param {unknown} error */
function failed(error) {
  const isSilence = !isRejected(error);
  if (!store.problem)
    toast(`${describeError(error)}${isSilence ? " Retrying." : ""}`, {
      failed: true,
    });
  update({ problem: error });
}
