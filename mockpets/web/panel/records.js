// The records of a collection in the control API. They stay JSON texts until they are shown.

import { members, parts, textOf } from "./json.js";
import {
  announce,
  asJson,
  call,
  callText,
  isRejected,
  toast,
} from "./store.js";

/** @import { CollectionSummary } from "../../../kit/control.js" */

/** @typedef {[property: string, value: string]} Filter */

const MOST_PAGE = 1000; // the most that the server returns
const MOST_UNDO = 10_000; // of more records, the browser keeps no copy

/**
 * Return the name by which the control API knows a collection, whatever others are named.
 * @param {CollectionSummary} collection
 */
export const nameOf = ({ scenario, name }) =>
  scenario === null ? name : `${scenario}.${name}`;

/** @param {CollectionSummary} collection */
const pathOf = (collection) => ({ path: { name: nameOf(collection) } });

/**
 * @param {CollectionSummary} collection
 * @param {string} record its key
 */
const pathIn = (collection, record) => ({
  path: { name: nameOf(collection), record },
});

/**
 * Load records up to a number, as JSON.
 * @param {CollectionSummary} collection
 * @param {Filter[]} [filters]
 */
export async function loadRecords(collection, filters = [], limit = Infinity) {
  /** @type {string[]} */
  const records = [];
  /** @type {string | null} */
  let last = null;
  for (;;) {
    const size = Math.min(limit - records.length, MOST_PAGE);
    /** @type {Awaited<ReturnType<typeof loadPage>>} */
    let page;
    try {
      page = await loadPage(collection, filters, size, last);
    } catch (error) {
      const isGone = isRejected(error) && error.status === 404;
      if (last === null || !isGone) throw error;
      return loadRecords(collection, filters, limit); // `last` was deleted meanwhile
    }
    records.push(...page.records);
    last = page.next;
    if (last === null || records.length >= limit)
      return { records, total: page.total, hasMore: last !== null };
  }
}

/**
 * @param {CollectionSummary} collection
 * @param {Filter[]} filters
 * @param {number} limit
 * @param {string | null} last the key of the record before the page
 */
async function loadPage(collection, filters, limit, last) {
  const query = {
    ...Object.fromEntries(filters),
    limit,
    after: last ?? undefined,
  };
  const page = members(
    await callText("GET /data/{name}", { ...pathOf(collection), query }),
  );
  const next = page.get("next") ?? "null";
  return {
    records: parts(page.get("records") ?? "[]"),
    total: Number(page.get("total")),
    next: next === "null" ? null : textOf(next),
  };
}

/**
 * Load all records as a JSON array.
 * @param {CollectionSummary} collection
 * @param {Filter[]} [filters]
 */
export async function loadList(collection, filters) {
  const { records } = await loadRecords(collection, filters);
  return `[${records.join(",")}]`;
}

/**
 * Change one property or more of a record.
 * @param {CollectionSummary} collection
 * @param {string} record its key
 * @param {string} json a merge patch
 */
export const changeRecord = (collection, record, json) =>
  call("PATCH /data/{name}/{record}", {
    ...pathIn(collection, record),
    ...asJson(json),
  });

/**
 * Add a record, and return what to show of it.
 * @param {CollectionSummary} collection
 * @param {string} json
 */
export async function addRecord(collection, json) {
  const added = await callText("POST /data/{name}", {
    ...pathOf(collection),
    ...asJson(json),
  });
  const key = textOf(members(added).get(collection.id));
  announce(`Added record ${key} to ${collection.name}`);
  return `Added record ${key}.`;
}

/**
 * Add a record that the server generates.
 * @param {CollectionSummary} collection
 */
export async function addGenerated(collection) {
  const added = await callText("POST /data/{name}", pathOf(collection));
  const key = textOf(members(added).get(collection.id));
  toast(`Added generated record ${key}.`, {
    undo: () => deleteRecord(collection, key),
  });
}

/**
 * @param {CollectionSummary} collection
 * @param {string} record its key
 */
const deleteRecord = (collection, record) =>
  call("DELETE /data/{name}/{record}", pathIn(collection, record));

/**
 * Delete a record, which can be undone.
 * @param {CollectionSummary} collection
 * @param {string} record its key
 * @param {string} title
 */
export const removeRecord = (collection, record, title) =>
  undoably(`Deleted record ${title}.`, collection, () =>
    deleteRecord(collection, record),
  );

/**
 * Replace all records, which can be undone.
 * @param {string} text what was done
 * @param {CollectionSummary} collection
 * @param {string} json the source of the records
 */
export const replaceRecords = (text, collection, json) =>
  undoably(text, collection, () => putRecords(collection, json));

/**
 * @param {CollectionSummary} collection
 * @param {string} json
 */
const putRecords = (collection, json) =>
  call("PUT /data/{name}", { ...pathOf(collection), ...asJson(json) });

/**
 * Change records, and offer to put back those of before.
 * @param {string} text what was done
 * @param {CollectionSummary} collection
 * @param {() => Promise<unknown>} change
 */
async function undoably(text, collection, change) {
  const before =
    collection.total <= MOST_UNDO ? await loadList(collection) : null;
  await change();
  toast(text, {
    undo: before === null ? null : () => putRecords(collection, before),
  });
}
