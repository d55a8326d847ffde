// How toolbar and panel show recorded requests.

import { contractOf } from "./active.js";

/**
 * @import { RequestSummary, State, WaitKind } from "../control.js"
 */

/** @type {Record<WaitKind, string>} */
const WAITS = { held: "held", delayed: "delayed", throttled: "sending" };

/** @type {Record<number, string>} */
const KINDS = { 2: "ok", 4: "client", 5: "server" };

/**
 * Return milliseconds as "0.7 ms", "421 ms" or "1.20 s".
 * @param {number} ms
 */
export function duration(ms) {
  if (ms < 9.95) return `${ms.toFixed(1)} ms`;
  return ms < 999.5 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(2)} s`;
}

/**
 * Return a path and query without the session's prefix.
 * @param {string} target
 */
export function withoutSession(target) {
  return target.replace(/^\/~[^/]*/, "");
}

/**
 * Return a path and query without the session and the base path of the contract.
 * @param {Pick<State, "contracts">} state
 * @param {string} target
 */
export function shownPath(state, target) {
  const path = withoutSession(target);
  const [name = ""] = path.split("?");
  const base = contractOf(state, name)?.base ?? "";
  return path.startsWith(`${base}/`) ? path.slice(base.length) : path;
}

/**
 * Return what a request waits for; null if it does not wait.
 * @param {Pick<RequestSummary, "outcome" | "waits" | "hold">} request
 */
export function waitsFor({ outcome, waits, hold }) {
  if (outcome !== "pending") return null;
  return waits ?? (hold ? "held" : "delayed");
}

/**
 * Return the class of a status; of another state of an operation, none.
 * @param {number | string} status
 */
export function kindOf(status) {
  return KINDS[Math.floor(Number(status) / 100)] ?? "";
}

/**
 * Return a request's status: the text, its class, and a second text with its class.
 * @param {RequestSummary} request
 * @param {Pick<State, "faults">} state
 * @returns {[text: string, kind: string, more: string, moreKind: string]}
 */
export function statusParts(request, { faults }) {
  const { status, outcome, fault } = request;
  const waits = waitsFor(request);
  const word = fault ? (faults[fault] ?? fault) : "";
  const code = String(status ?? "");
  if (waits) {
    return [WAITS[waits], waits === "held" ? "held" : "soft", code, "soft"];
  }
  if (outcome === "client_left") return ["left", "soft", code, "soft"];
  if (status === null) return [word || outcome, "server", "", ""];
  return [code, kindOf(status), word, "server"];
}
