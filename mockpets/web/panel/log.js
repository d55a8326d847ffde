// The request log as the panel has it: the requests of one session, or of all.

import { announce, call, harEntries, store, update } from "./store.js";
import { count, statusOf } from "./values.js";

/** @import { RequestSummary } from "../../../kit/control.js" */

/** The most requests that the server returns. */
export const PAGE = 1000;
const MOST_ROWS = 10_000;
const ANNOUNCE_MS = 5000;

/**
 * What the panel knows of a request besides; times are those of `performance.now()`.
 * @typedef {object} Seen
 * @property {number} seen when its waiting was read
 * @property {number} waited milliseconds that its response had waited then
 * @property {number} start when it began, in milliseconds since the epoch
 * @property {number} arrival its place among all that the panel has loaded
 * @property {number} fresh when it was loaded; 0 for those that were there at first
 */

/** @typedef {RequestSummary & Seen} Row */

/**
 * The requests of a session.
 * @typedef {object} Source
 * @property {Row[]} rows by their numbers
 * @property {number} last the number of the newest
 * @property {number} cleared the number of the newest that was cleared
 */

export const log = {
  /** @type {Row[]} */
  rows: [],
  /** @type {Map<string, Source>} */
  sources: new Map(),
  /** The number of times that anything may have changed; undefined until the log is loaded. */
  epoch: /** @type {number | undefined} */ (undefined),
  arrivals: 0,
  /**
   * The texts of bodies, in lower case, by the keys of requests.
   * @type {Map<string, string>}
   */
  bodies: new Map(),
  /**
   * The number of the newest request whose bodies are loaded, by session.
   * @type {Map<string, number>}
   */
  bodiesTo: new Map(),
};

/**
 * Return the key of a request in the URL: its number, with its session if that is another one.
 * @param {Pick<RequestSummary, "number" | "session">} row
 */
export const keyOf = ({ number, session }) =>
  session === store.session ? String(number) : `${number}@${session}`;

/**
 * Load what has changed.
 * @param {boolean} everySession
 */
export async function refresh(everySession) {
  if (log.epoch !== store.changes.all) {
    log.epoch = store.changes.all;
    log.sources.clear();
    log.bodies.clear();
    log.bodiesTo.clear();
  }
  const names = everySession ? await sessionsWithRequests() : [store.session];
  for (const name of log.sources.keys())
    if (!names.includes(name)) log.sources.delete(name);
  await Promise.all(names.map(refreshSource));
  const [only, ...others] = [...log.sources.values()].map(({ rows }) => rows);
  log.rows =
    only && !others.length
      ? only
      : [only ?? [], ...others]
          .flat()
          .sort((one, other) => one.start - other.start);
  update({});
}

async function sessionsWithRequests() {
  const { sessions } = await call("GET /sessions");
  return sessions
    .filter(({ name, requests }) => requests || log.sources.has(name))
    .map(({ name }) => name);
}

/**
 * Load the new requests of a session, and those whose response has ended since.
 * @param {string} name
 * @returns {Promise<void>}
 */
async function refreshSource(name) {
  const source = log.sources.get(name) ?? { rows: [], last: 0, cleared: 0 };
  log.sources.set(name, source);
  const target = { session: name };
  const pending = source.rows.filter((row) => row.outcome === "pending");
  const still = pending.length
    ? await call("GET /requests", {
        ...target,
        query: { outcome: "pending", limit: PAGE },
      })
    : { requests: [] };
  const waiting = new Set(still.requests.map(({ number }) => number));
  const ended = pending.filter(({ number }) => !waiting.has(number));
  const since = Math.min(source.last, ...ended.map(({ number }) => number - 1));
  const [page, all] = await Promise.all([
    call("GET /requests", { ...target, query: { since, limit: PAGE } }),
    source.last
      ? call("GET /requests", { ...target, query: { limit: 1 } })
      : null,
  ]);
  const { last, dropped, total } = all ?? page;
  const cleared = last - dropped - total;
  if (cleared < source.cleared) {
    // An undo brought requests back.
    log.sources.delete(name);
    return refreshSource(name);
  }
  const loaded = [...still.requests, ...page.requests];
  const { rows, added } = merged(source, loaded, { since, cleared });
  source.rows = rows.slice(-MOST_ROWS);
  source.cleared = cleared;
  if (source.last) unannounced.push(...added);
  source.last = Math.max(page.last, source.last);
}

/**
 * Return the rows of a session with the changed and the new ones.
 * @param {Source} source
 * @param {RequestSummary[]} loaded of the same request, the last one counts
 * @param {{ since: number, cleared: number }} range all requests after `since` are loaded; those up to
 *   `cleared` are gone
 */
export function merged(source, loaded, { since, cleared }) {
  const now = performance.now();
  const changed = new Map(loaded.map((row) => [row.number, row]));
  /** @type {Row[]} */
  const rows = [];
  for (const row of source.rows) {
    if (row.number <= cleared) continue;
    const next = changed.get(row.number);
    changed.delete(row.number);
    // A pending one that is in no list was dropped: what became of it is unknown.
    const isLost = row.outcome === "pending" && row.number <= since;
    if (next) rows.push({ ...row, ...next, ...waitedAt(next, now) });
    else rows.push(isLost ? { ...row, outcome: "sent" } : row);
  }
  const added = [...changed.values()].map((row) => ({
    ...row,
    ...waitedAt(row, now),
    start: Date.parse(row.at),
    arrival: ++log.arrivals,
    fresh: source.last ? now : 0,
  }));
  rows.push(...added);
  return { rows: rows.sort((one, other) => one.number - other.number), added };
}

/**
 * Return how long a response has waited, in milliseconds, and when that was read.
 * @param {RequestSummary} row
 * @param {number} now
 */
const waitedAt = ({ at, app_ms, held_ms }, now) => ({
  seen: now,
  waited:
    held_ms === null
      ? Math.max(0, Date.now() - Date.parse(at))
      : app_ms + held_ms,
});

/**
 * Return the seconds that a waiting response has waited, such as "12.4 s".
 * @param {Pick<Row, "waited" | "seen">} row
 */
export const elapsed = ({ waited, seen }) =>
  `${((waited + performance.now() - seen) / 1000).toFixed(1)} s`;

/** Load the bodies of new requests, which only a filter by body needs. */
export async function refreshBodies() {
  for (const [name, source] of log.sources) {
    const since = log.bodiesTo.get(name) ?? 0;
    const entries = await harEntries(name, { since, limit: PAGE });
    for (const { _mockpets: row, request, response } of entries) {
      const bodies = [request.postData?.text, response.content.text];
      log.bodies.set(
        keyOf({ ...row, session: name }),
        bodies
          .map((text) => text ?? "")
          .join("\n")
          .toLowerCase(),
      );
    }
    const pending = source.rows.find((row) => row.outcome === "pending");
    log.bodiesTo.set(name, pending ? pending.number - 1 : source.last);
  }
  update({});
}

/**
 * New requests that screen readers have not heard of.
 * @type {RequestSummary[]}
 */
const unannounced = [];

setInterval(() => {
  const newest = unannounced.at(-1);
  if (newest && store.route.view === "requests" && !document.hidden) {
    const [status] = statusOf(newest);
    announce(
      `${count(unannounced.length, "new request")}, latest: ${newest.method} ${newest.path} ${status}`,
    );
  }
  unannounced.length = 0;
}, ANNOUNCE_MS);
