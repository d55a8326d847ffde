// The scenario in the editor: what the server has of it, the user's draft, the problems of its
// text, and saving.

import { draftOf, NEW, storeDraft } from "./drafts.js";
import { useEffect, useState } from "./preact.js";
import {
  act,
  announce,
  call,
  collections,
  go,
  isRejected,
  loadedState,
  toast,
  useChange,
} from "./store.js";

/**
 * @import { InputProblem, ScenarioDetails } from "../../../kit/control.js"
 * @import { Draft } from "./drafts.js"
 */

const CHECK_MS = 250;
const KEBAB_CASE = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/**
 * What the server has of a scenario, or the template of a new one.
 * @typedef {object} Saved
 * @property {string | null} text null if the file cannot be read
 * @property {string | null} digest of the file
 * @property {boolean} writable whether saving writes a file, as far as is known
 * @property {ScenarioDetails | null} details null for a new or missing scenario
 * @property {string | null} missing why the server does not have the scenario
 */

/**
 * @typedef {object} State
 * @property {Saved | null} saved null until it is loaded
 * @property {Draft | null} draft
 * @property {string} newName of a new scenario, as the user types it
 * @property {{ status: number, message: string } | null} rejection of the last attempt to save
 */

/**
 * @typedef {object} Derived
 * @property {string} name in the URL
 * @property {boolean} isNew
 * @property {boolean} hasText whether there is a text to show
 * @property {string} text
 * @property {string | null} base the digest of the file that the text changes
 * @property {boolean} isEdited
 * @property {boolean} canEdit
 * @property {boolean} canSave
 * @property {boolean} isConflict whether the file has changed in the meantime
 * @property {(values: Partial<State>) => void} change
 */

/** @typedef {State & Derived} Edited */

/** @param {string} name */
export const isValidName = (name) => KEBAB_CASE.test(name);

/** @param {string} name */
const isKnown = (name) =>
  loadedState().scenarios.some((each) => each.name === name);

/** @returns {Saved} */
function template() {
  const lists = collections().flatMap((collection) => collection.lists);
  const match = lists
    .slice(0, 1)
    .map((name) => `    match: {operation: ${name}}\n`)
    .join("");
  const text = `description: What this scenario does.
stubs:
  - name: first
${match}\
    reply: {status: 503, headers: {Retry-After: 2}}
    times: 2
`;
  return { text, digest: null, writable: true, details: null, missing: null };
}

/**
 * @param {ScenarioDetails} details
 * @returns {Saved}
 */
const savedOf = (details) => ({
  text: details.text,
  digest: details.digest,
  writable: details.writable,
  details,
  missing: null,
});

/**
 * @param {string} reason
 * @returns {Saved}
 */
const missing = (reason) => ({
  text: null,
  digest: null,
  writable: true,
  details: null,
  missing: reason,
});

/**
 * Load a scenario, and again when it changes.
 * @param {string} name in the URL
 * @returns {Edited}
 */
export function useEdited(name) {
  const isNew = name.startsWith(NEW);
  const [state, setState] = useState(
    /** @returns {State} */ () => ({
      saved: isNew ? template() : null,
      draft: draftOf(name),
      newName: name.slice(NEW.length),
      rejection: null,
    }),
  );
  const { saved, draft, rejection } = state;
  const change = (/** @type {Partial<State>} */ values) =>
    setState((before) => ({ ...before, ...values }));
  useChange(["files", "scenario"], async () => {
    if (isNew) return;
    try {
      const details = await call("GET /scenarios/{name}", { path: { name } });
      change({ saved: savedOf(details) });
    } catch (error) {
      if (!isRejected(error) || error.status !== 404) throw error;
      // A text that is being edited stays when its file is deleted.
      if (saved === null || draft === null)
        change({ saved: missing(error.message) });
    }
  });
  const base = (draft ?? saved)?.digest ?? null;
  const isEdited = draft !== null && draft.text !== saved?.text;
  // Of a file that was deleted, the draft can still be edited and saved.
  const hasText =
    saved !== null &&
    (saved.text !== null || (saved.missing !== null && draft !== null));
  const canEdit = hasText && !loadedState().settings.public;
  return {
    ...state,
    name,
    isNew,
    hasText,
    text: draft?.text ?? saved?.text ?? "",
    base,
    isEdited,
    canEdit,
    canSave: canEdit && (isEdited || isNew),
    isConflict:
      rejection?.status === 409 ||
      (isEdited &&
        saved !== null &&
        (saved.missing !== null || base !== saved.digest)),
    change,
  };
}

/**
 * @typedef {object} Checked
 * @property {InputProblem[]} problems
 * @property {InputProblem[]} warnings
 * @property {string | null} valid the last text without problems
 */

/**
 * Check the text while the user edits it.
 * @param {Edited} edited
 */
export function useCheck({ name, isNew, text, canEdit }) {
  const [checked, setChecked] = useState(
    /** @returns {Checked} */ () => ({
      problems: [],
      warnings: [],
      valid: null,
    }),
  );
  useEffect(() => {
    if (!canEdit) return undefined;
    const stop = new AbortController();
    const check = async () => {
      const { problems, warnings } = await problemsOf(
        isNew ? undefined : name,
        text,
        stop.signal,
      );
      setChecked(({ valid }) => ({
        problems,
        warnings,
        valid: problems.length ? valid : text,
      }));
    };
    const timer = setTimeout(() => void act(check), CHECK_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [text, canEdit]);
  return checked;
}

/**
 * Return the problems and warnings of a text. If the server rejects the call, its reason is the
 * problem.
 * @param {string | undefined} name
 * @param {string} text
 * @param {AbortSignal} signal
 * @returns {Promise<{ problems: InputProblem[], warnings: InputProblem[] }>}
 */
async function problemsOf(name, text, signal) {
  try {
    return await call("POST /scenarios/check", {
      query: { name },
      text,
      signal,
    });
  } catch (error) {
    if (!isRejected(error)) throw error;
    const what = error.message;
    return {
      problems: [{ file: "", line: 1, column: 1, where: "", what, hint: "" }],
      warnings: [],
    };
  }
}

/**
 * Keep a draft in the editor and over a reload of the page; null removes it.
 * @param {Edited} edited
 * @param {Draft | null} draft
 */
function setDraft({ name, change }, draft) {
  storeDraft(name, draft);
  change({ draft });
}

/**
 * Take what the user has typed as the draft.
 * @param {Edited} edited
 * @param {string} text
 */
export function write(edited, text) {
  const { saved, base } = edited;
  setDraft(edited, text === saved?.text ? null : { text, digest: base });
}

/**
 * Save the text, unless the file has another digest than that of the file that the user began to
 * edit.
 * @param {Edited} edited
 * @param {string | null} [digest] null if there must be no file
 */
export async function save(edited, digest = edited.base) {
  const { name, isNew, newName, change } = edited;
  if (!edited.canSave) return;
  const target = isNew ? newName.trim() : name;
  if (!isValidName(target)) {
    const message = "The name must be in kebab-case, such as checkout-error.";
    change({ rejection: { status: 400, message } });
    return;
  }
  try {
    const details = await put(edited, target, digest);
    setDraft(edited, null);
    change({ saved: savedOf(details), rejection: null });
    announce(`Saved ${target}${details.override ? " for this session" : ""}`);
    if (isNew) go("scenarios", target, {}, true);
  } catch (error) {
    if (!isRejected(error)) throw error;
    change({ rejection: error });
  }
}

/**
 * Save the text to a file, or without one for this session only.
 * @param {Edited} edited
 * @param {string} name of the scenario
 * @param {string | null} digest
 */
async function put({ text, isNew, saved }, name, digest) {
  const request = { path: { name }, text };
  const override = () => call("PUT /overrides/{name}", request);
  if (!isNew && !saved?.writable) return override();
  /** @type {Record<string, string>} */
  const headers =
    digest === null ? { "If-None-Match": "*" } : { "If-Match": `"${digest}"` };
  try {
    return await call("PUT /scenarios/{name}", { ...request, headers });
  } catch (error) {
    const isReadOnly = isRejected(error) && error.status === 403; // no folder is writable
    if (isReadOnly && !isKnown(name)) return override();
    throw error;
  }
}

/**
 * Save the text in place of what the file has become in the meantime.
 * @param {Edited} edited
 */
export async function overwrite(edited) {
  const { name, change } = edited;
  const { scenarios } = await call("GET /scenarios");
  const details = scenarios.some((each) => each.name === name)
    ? await call("GET /scenarios/{name}", { path: { name } })
    : null;
  if (details) change({ saved: savedOf(details) });
  await save(edited, details?.digest ?? null);
}

/** @param {Edited} edited */
export function discard(edited) {
  const { name, draft, change } = edited;
  setDraft(edited, null);
  change({ rejection: null });
  if (!isKnown(name))
    change({ saved: missing(`The file of ${name} was deleted.`) });
  toast(`Discarded your changes to ${name}.`, {
    undo: () => setDraft(edited, draft),
  });
}

/**
 * Discard what was saved for this session only.
 * @param {ScenarioDetails} scenario
 */
export async function removeOverride({ name, text }) {
  const path = { name };
  await call("DELETE /overrides/{name}", { path });
  toast(`Discarded the changes to ${name} saved for this session.`, {
    undo: () =>
      call("PUT /overrides/{name}", { path, text: text ?? undefined }),
  });
}
