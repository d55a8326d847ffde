// How values are shown.

import { statusParts, withoutSession } from "../../../kit/toolbar/shown.js";
import { store } from "./store.js";

/** @import { NoteCode, RequestOutcome, RequestSummary } from "../../../kit/control.js" */

/**
 * Return a number with its noun.
 * @param {number} n
 * @param {string} one
 * @param {string} [more]
 */
export const count = (n, one, more = `${one}s`) =>
  `${n.toLocaleString("en")} ${n === 1 ? one : more}`;

/** @param {number} bytes */
export const size = (bytes) =>
  bytes < 1024 ? `${bytes} B` : `${(bytes / 1024).toFixed(1)} KiB`;

/**
 * Return the local time of day of an ISO 8601 time, with milliseconds.
 * @param {string} time
 */
export function clock(time) {
  const at = new Date(time);
  const two = (/** @type {number} */ n) => String(n).padStart(2, "0");
  const whole = [at.getHours(), at.getMinutes(), at.getSeconds()].map(two);
  return `${whole.join(":")}.${String(at.getMilliseconds()).padStart(3, "0")}`;
}

/**
 * Return how long ago something was: "now", "12 s", "6 min" or "3 h".
 * @param {number} seconds
 */
export function ago(seconds) {
  if (seconds < 3) return "now";
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  return seconds < 3600
    ? `${Math.floor(seconds / 60)} min`
    : `${Math.floor(seconds / 3600)} h`;
}

/**
 * Return a path and query with at most this many characters: the middle of the query goes first.
 * @param {string} target
 * @param {number} most
 */
export function shorten(target, most) {
  if (target.length <= most) return target;
  const start = target.indexOf("?") + 1;
  const rest = most - start;
  if (start && rest >= 5)
    return target.slice(0, start) + middle(target.slice(start), rest);
  return start && start + 1 <= most
    ? `${target.slice(0, start)}…`
    : middle(target, Math.max(5, most));
}

/**
 * @param {string} text
 * @param {number} most
 */
function middle(text, most) {
  const end = Math.floor((most - 1) / 2);
  return `${text.slice(0, most - 1 - end)}…${text.slice(text.length - end)}`;
}

/**
 * Return the path and query of a request without the session's prefix.
 * @param {Pick<RequestSummary, "target">} row
 */
export const shownTarget = (row) => withoutSession(row.target);

/**
 * Return the parts of a request's status: the text, its class, and a second text with its class.
 * @param {RequestSummary} row
 */
export const statusOf = (row) =>
  statusParts(row, store.state ?? { faults: {} }); // the reference page has no state

/**
 * Labels of the notes of requests.
 * @type {Record<NoteCode, string>}
 */
export const NOTES = {
  off_contract: "off contract",
  unmatched: "unmatched",
  key_missing: "missing key",
  key_invalid: "invalid key",
  limit_out_of_range: "limit out of range",
  server_limit: "server limit",
  ignored_query: "query ignored",
  ignored_cookie: "cookie ignored",
  ignored_headers: "header ignored",
  ignored_members: "properties ignored",
  deprecated: "deprecated",
  released: "released",
  references: "values repeated",
  reference_missing: "value missing",
  repeated: "response repeated",
  clock: "clock set",
  resource: "resource",
};

/**
 * Labels of the outcomes of requests.
 * @type {Record<RequestOutcome, string>}
 */
export const OUTCOMES = {
  pending: "pending",
  sent: "sent",
  client_left: "client left",
  broken: "broken",
};

/**
 * Whether a request failed: an error status, a broken connection, or a client that left.
 * @param {Pick<RequestSummary, "outcome" | "status">} row
 */
export const hasFailed = ({ outcome, status }) =>
  outcome === "broken" ||
  outcome === "client_left" ||
  (outcome !== "pending" && status !== null && status >= 400);

/**
 * Indent JSON without changing digits or escapes; return null if the text is not valid JSON.
 * @param {string} text
 */
export function indent(text) {
  try {
    JSON.parse(text);
  } catch {
    return null;
  }
  let depth = 0;
  const line = () => `\n${"  ".repeat(depth)}`;
  return text
    .replace(/"(?:[^"\\]|\\.)*"|[[{]\s*[\]}]|[[\]{},:]|\s+/g, (part) => {
      if (part.startsWith('"')) return part;
      if (/^\s/.test(part)) return "";
      if (/^[[{]\s*[\]}]$/.test(part)) return part.replace(/\s+/, "");
      if (part === "{" || part === "[") {
        depth += 1;
        return part + line();
      }
      if (part === "}" || part === "]") {
        depth -= 1;
        return line() + part;
      }
      return part === "," ? part + line() : ": ";
    })
    .trim();
}
