// Texts of scenarios that are not saved, by the name of the scenario. They survive a reload of the
// page.

import { go, store } from "./store.js";

/**
 * @typedef {object} Draft
 * @property {string} text
 * @property {string | null} digest of the file that it changes, if any
 */

export const NEW = "+"; // in the URL: a scenario that has no name yet

/** @param {string} name */
const keyOf = (name) => `mockpets-draft:${store.session}:${name}`;

/**
 * @param {string} name
 * @returns {Draft | null}
 */
export function draftOf(name) {
  /** @type {unknown} */
  const draft = JSON.parse(sessionStorage.getItem(keyOf(name)) ?? "null");
  return /** @type {Draft | null} */ (draft);
}

/**
 * Store the draft of a scenario; null removes it.
 * @param {string} name
 * @param {Draft | null} draft
 */
export function storeDraft(name, draft) {
  if (draft === null) {
    sessionStorage.removeItem(keyOf(name));
    return;
  }
  try {
    sessionStorage.setItem(keyOf(name), JSON.stringify(draft));
  } catch {
    // The storage is full: the text stays until the page is left.
  }
}

/**
 * Open the editor for a scenario that is not saved yet.
 * @param {string} name
 * @param {string} text
 */
export function editNew(name, text) {
  storeDraft(NEW + name, { text, digest: null });
  go("scenarios", NEW + name);
}
