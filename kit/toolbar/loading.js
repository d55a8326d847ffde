// What the toolbar loads from the server: at first, after its actions, and whenever something changes.

import { LONGEST_WAIT_MS, MockpetsError, watch } from "../connection.js";
import { PROTOCOL } from "../control.js";
import { NAME } from "./cookie.js";
import { shownPath } from "./shown.js";
import { host, leave, OWN, root } from "./host.js";
import { connection, server } from "./server.js";
import { keep, render, update, view } from "./view.js";

/**
 * @import { Change, State, WaitingResponse } from "../control.js"
 */

/** The gate at which the toolbar holds responses. */
export const GATE = "toolbar";
const REQUESTS = 10;
const FAILURES = 3; // polls in a row that may fail while the server restarts

// --- Load ---

/** Load what is shown. */
export async function load() {
  const [state, { held }, requests] = await Promise.all([
    connection.call("GET /state"),
    connection.call("GET /held"),
    view.open ? lastRequests() : [],
  ]);
  checkProtocol(state);
  update({ state });
  if (view.open) view.operations ??= await operations();
  const own = await ownSettings(state);
  const asked = held.filter(
    ({ gate, waits }) => gate === GATE && waits === "held",
  );
  announce(asked);
  update({ ...own, held, asked, requests, loaded: performance.now() });
}

async function lastRequests() {
  const query = { limit: REQUESTS };
  const { requests } = await connection.call("GET /requests", { query });
  return requests.reverse();
}

async function operations() {
  const { contracts } = await connection.call("GET /contract");
  return contracts.flatMap((contract) => contract.operations);
}

/**
 * Return what the toolbar's own scenario does.
 * @param {State} state
 */
async function ownSettings({ active }) {
  if (!active.includes(OWN)) return { ask: false, delay: "" };
  const path = { name: OWN };
  const details = await connection.call("GET /scenarios/{name}", { path });
  const text = details.text ?? ""; // as `activate` sends it
  return {
    ask: text.includes('"hold"'),
    delay: /"delay":"(\w+)"/.exec(text)?.[1] ?? "",
  };
}

/**
 * Announce a request whose response the user chooses, if it is a new one.
 * @param {readonly WaitingResponse[]} asked
 */
function announce(asked) {
  const [first] = asked;
  if (!first || asked.length <= view.asked.length) return;
  const path = shownPath(view.state, first.target);
  view.news = `Choose the response to ${first.method} ${path}`;
}

/** @param {State} state */
function checkProtocol({ protocol, version }) {
  if (protocol === PROTOCOL) return;
  const message = `${server} is mockpets ${version}, and this toolbar is for another version; update the older one`;
  throw new MockpetsError("incompatible", message);
}

// --- Wait for changes ---

let polling = new AbortController();

/** Wait for changes and show them. Hidden pages do not, since a browser opens few connections to a server. */
export function listen() {
  polling.abort();
  if (document.hidden || !host.isConnected) return;
  polling = new AbortController();
  const { signal } = polling;
  const wait = LONGEST_WAIT_MS;
  void watch(
    (query) => connection.call("GET /events", { query, signal, wait }),
    { signal, changed, failed },
  );
}

/** @param {Change[] | null} kinds */
async function changed(kinds) {
  if (kinds?.includes("files")) view.operations = undefined;
  if (kinds?.every((kind) => kind === "requests" && !view.open)) return;
  await load();
  render();
}

/**
 * @param {unknown} error
 * @param {number} failures
 */
function failed(error, failures) {
  if (failures <= FAILURES) return;
  polling.abort();
  const hasStatus = error instanceof MockpetsError && error.status !== 0;
  leave(hasStatus ? error.message : `${server} no longer responds`);
}

// --- Actions ---

/**
 * Run something, then show the result or its error.
 * @param {() => unknown} action
 */
export async function show(action) {
  update({ problem: "", note: "" });
  try {
    await action();
  } catch (error) {
    view.problem = error instanceof Error ? error.message : String(error);
  }
  render();
}

/**
 * Return an event handler for an action. It stops the poll, whose connection the action may need, and starts it again.
 * @param {() => unknown} action
 * @param {() => void} [after] called when the result is loaded
 */
export function does(action, after) {
  const run = async () => {
    polling.abort();
    try {
      await action();
      await load();
      after?.();
    } finally {
      listen();
    }
  };
  return () => show(run);
}

/** Tell the app that its data has changed; reload the page unless the app loads the data itself. */
export function refetch() {
  if (!dispatchEvent(new CustomEvent(NAME, { cancelable: true }))) return;
  keep({ focus: root.activeElement?.id ?? "" });
  location.reload();
}
