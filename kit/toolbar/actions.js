// What the controls do, and the active scenarios that they change.

import { activatable, stacked } from "./active.js";
import { cookie, NAME, parts, setCookie } from "./cookie.js";
import { OWN } from "./host.js";
import { GATE } from "./loading.js";
import { connection, session } from "./server.js";
import { keep, render, update, view } from "./view.js";

/**
 * @import { Release } from "../control.js"
 */

const UNDO_MS = 8_000;
const NOTE_MS = 4_000;

// --- Scenarios ---

/** Return the active scenarios. Those in the cookie take precedence over the session's. */
export function activeScenarios() {
  const { scenarios } = parts(cookie());
  if (scenarios.length) return scenarios;
  return view.state.active.filter((name) => name !== OWN);
}

/**
 * Activate scenarios with what the toolbar adds. The cookie then names only the session.
 * @param {readonly string[]} names
 * @param {{ delay?: string, ask?: boolean }} [adds]
 */
export async function activate(
  names,
  { delay = view.delay, ask = view.ask } = {},
) {
  const { active } = view.state;
  const path = { name: OWN };
  const stubs = [
    ...(ask ? [{ name: "ask", hold: GATE }] : []),
    ...(delay ? [{ name: "delay", delay }] : []),
  ];
  const adds = stubs.length > 0;
  if (adds) {
    const description = "Added by the toolbar in your app.";
    const body = { description, stubs };
    await connection.call("PUT /overrides/{name}", { path, body });
  }
  const needed = names.length || adds ? names : ["default"];
  await select([...(adds ? [OWN] : []), ...needed]);
  if (!adds && active.includes(OWN)) {
    await connection.call("DELETE /overrides/{name}", { path });
  }
  if (!ask && view.ask) {
    await connection.call("POST /gates/{name}/open", { path: { name: GATE } });
  }
  if (cookie()) setCookie(session());
  if (session() === "default") view.advice = ""; // requests without a cookie are in this session too
}

/** @param {readonly string[]} names */
async function select(names) {
  if (names.join() === view.state.active.join()) return;
  const scenario = await activatable(connection, view.state, names);
  await connection.call("PUT /scenario", { body: { scenario } });
}

/** @param {string} name */
export function add(name) {
  return activate(stacked(activeScenarios(), name));
}

/** @param {string} name */
export function remove(name) {
  return activate(activeScenarios().filter((each) => each !== name));
}

// --- The session ---

export async function reset() {
  await connection.call("POST /reset");
  keep({ undo: Date.now() + UNDO_MS });
}

export async function undo() {
  const path = { name: session() };
  await connection.call("POST /sessions/{name}/undo", { path });
  keep({ undo: 0 });
}

// --- A link ---

/** @type {ReturnType<typeof setTimeout> | undefined} */
let noted; // removes the note

/** Copy the page's address with the session and its scenarios. */
export async function copyLink() {
  const url = new URL(location.href);
  url.searchParams.set(NAME, [session(), ...activeScenarios()].join("+"));
  clearTimeout(noted);
  try {
    await navigator.clipboard.writeText(url.href);
    view.note = "Link copied";
    noted = setTimeout(() => {
      update({ note: "", news: "" });
      render();
    }, NOTE_MS);
  } catch {
    view.note = `Copy this link: ${url.href}`; // the page may not write to the clipboard
  }
  view.news = view.note;
}

// --- Requests ---

/**
 * Release a held response.
 * @param {number} request
 * @param {Omit<Release, "requests">} [instead] what to send in its place
 */
export function release(request, instead = {}) {
  const body = { requests: [request], ...instead };
  return connection.call("POST /held/release", { body });
}

/**
 * Show why a request got its response, or hide it.
 * @param {number} number
 */
export async function explain(number) {
  if (view.why?.number === number) {
    view.why = undefined;
    return;
  }
  const path = { number };
  const { summary } = await connection.call("GET /requests/{number}/explain", {
    path,
  });
  view.why = { number, text: summary };
}
