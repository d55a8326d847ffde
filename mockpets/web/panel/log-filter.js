// The filter of the request log: status:5xx stub:retry/* session:* body:Miso "free text"

import { waitsFor } from "../../../kit/toolbar/shown.js";
import { filterParts } from "./filter.js";
import { keyOf, log, PAGE } from "./log.js";
import { act, call, collections, loadedState, store, update } from "./store.js";
import { hasFailed, NOTES, OUTCOMES, statusOf } from "./values.js";

/**
 * @import { Keys, Part } from "./filter.js"
 * @import { Row } from "./log.js"
 */

/** @typedef {(row: Row) => boolean} Test */

/**
 * What each key of the filter compares: a function from its value to a test of a row.
 * @type {Record<string, (value: string) => Test>}
 */
const TOKENS = {
  status: (value) =>
    /^\dxx$/i.test(value)
      ? ({ status }) => String(status).startsWith(value.slice(0, 1))
      : (row) => String(row.status) === value || statusOf(row)[0] === value,
  method: (value) => (row) => row.method === value.toUpperCase(),
  path: (value) => {
    const one = glob(value);
    return (row) => one.test(row.path);
  },
  stub: (value) => {
    const one = glob(value);
    return ({ stubs }) =>
      value === "-" ? !stubs.length : stubs.some((stub) => one.test(stub));
  },
  session: (value) => {
    const one = glob(value);
    return (row) => one.test(row.session);
  },
  body: (value) => (row) =>
    log.bodies.get(keyOf(row))?.includes(value.toLowerCase()) ?? false,
  operation: (value) => (row) => row.operation === value,
  note: (value) => (row) => row.notes.some((note) => note.code === value),
  outcome: (value) => (row) => row.outcome === value,
};

/** @param {string} pattern */
function glob(pattern) {
  const parts = pattern
    .split("*")
    .map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`, "is");
}

/** @type {(value: string) => Test} */
const free = (value) => (row) => {
  const { method, target, status, stubs, session, fault, notes } = row;
  const texts = notes.map((note) => note.text);
  return [method, target, status, stubs, session, fault, texts]
    .map(String)
    .join(" ")
    .toLowerCase()
    .includes(value.toLowerCase());
};

/**
 * Return the parts of a filter.
 * @param {string} text
 */
export const parseFilter = (text) =>
  filterParts(text, (key) => Object.hasOwn(TOKENS, key));

/**
 * Return the rows that meet all parts of a filter.
 * @param {Row[]} rows
 * @param {Part[]} parts
 */
export function filtered(rows, parts) {
  const tests = parts.map(({ key, value }) =>
    ((key !== null && TOKENS[key]) || free)(value),
  );
  return tests.length
    ? rows.filter((row) => tests.every((test) => test(row)))
    : rows;
}

/** The kinds of requests that can be shown alone. */
export const ONLY = {
  all: () => true,
  failed: hasFailed,
  held: (/** @type {Row} */ row) => waitsFor(row) === "held",
  unmatched: (/** @type {Row} */ row) =>
    row.notes.some((note) => note.code === "unmatched"),
};

/**
 * Return the values that requests of the log have.
 * @param {(row: Row) => unknown} get
 */
const seen = (get) =>
  [...new Set(log.rows.slice(-PAGE).flatMap(get))]
    .filter((value) => value !== null)
    .map(String)
    .sort();

const contract = {
  loaded: "",
  /** @type {string[]} */
  operations: [],
};

/** Return the operations of the contracts, which are loaded when the filter first needs them. */
function operations() {
  const current = `${store.changes.all} ${store.changes.files}`;
  if (contract.loaded !== current) {
    contract.loaded = current;
    void act(async () => {
      const { contracts } = await call("GET /contract");
      const all = contracts.flatMap((each) => each.operations);
      contract.operations = all.map(({ name }) => name);
      update({});
    });
  }
  return contract.operations;
}

const basePaths = () => loadedState().contracts.map(({ base }) => `${base}/*`);

/**
 * Return what the filter suggests for each key.
 * @returns {Keys}
 */
export const suggested = () => ({
  status: {
    hint: "503, 5xx or held",
    values: () => ["2xx", "4xx", "5xx", ...seen((row) => row.status)],
  },
  method: { hint: "POST", values: () => seen((row) => row.method) },
  path: {
    hint: [...collections().map(({ path }) => `${path}*`), ...basePaths()][0],
    values: () => [...basePaths(), ...seen((row) => row.path)],
  },
  stub: {
    hint: "retry/*, or - for no stub",
    values: () => ["-", ...seen((row) => row.stubs)],
  },
  session: {
    hint: "* for all sessions",
    values: () => ["*", ...seen((row) => row.session)],
  },
  body: { hint: "text in a body" },
  operation: {
    hint: collections().flatMap(({ lists }) => lists)[0],
    values: () => [
      ...new Set([...seen((row) => row.operation), ...operations()]),
    ],
  },
  note: { hint: "unmatched", values: () => Object.keys(NOTES), hints: NOTES },
  outcome: { hint: "pending or broken", values: () => Object.keys(OUTCOMES) },
});
