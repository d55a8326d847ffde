// The values of records in their table: each is edited in place, or as JSON if it is nested.

import { Control, isTextual, optionsOf } from "./fields.js";
import { isNested, jsonOf, patch, summary, textOf, toObject } from "./json.js";
import { Dialog } from "./overlays.js";
import { html, useEffect, useRef, useState } from "./preact.js";
import { changeRecord } from "./records.js";
import { act, announce, handler, isRejected, toast } from "./store.js";
import { Button } from "./ui.js";
import { indent } from "./values.js";

/**
 * @import { CollectionSummary } from "../../../kit/control.js"
 * @import { Column } from "./columns.js"
 * @import { Schema, ValueSchema } from "./openapi.js"
 * @import { On, Ref } from "./preact.js"
 */

/** @typedef {(text: string) => Promise<void>} Change saves what the user has entered */

/**
 * A property of a record; an empty one removes the property.
 * @param {{
 *   collection: CollectionSummary,
 *   id: string,
 *   title: string,
 *   column: Column,
 *   json: string | undefined,
 *   schema?: Schema,
 * }} properties
 */
export function Value({ collection, id, title, column, json, schema }) {
  const { name, head } = column;
  const property = schema?.properties[name] ?? {};
  const isRequired = schema?.required.includes(name) ?? false;
  /** @type {Change} */
  const change = async (text) => {
    const value =
      text === "" && !isRequired
        ? "null"
        : jsonOf(text, isTextual(property, json));
    await changeRecord(collection, id, toObject([[name, patch(json, value)]]));
    announce(
      text
        ? `${head} of record ${id} is now ${text}`
        : `Record ${id} now has no ${head}`,
    );
  };
  const common = { name: `${head} of record ${title}`, change };
  return isNested(json) || (json === undefined && property.sample !== undefined)
    ? html`<${Folded} ...${common} json=${json} sample=${property.sample} />`
    : html`<${Cell}
      ...${common}
      value=${textOf(json)}
      schema=${property}
      isRequired=${isRequired}
      isNumber=${column.isNumber}
    />`;
}

/** @typedef {{ name: string, json?: string, sample: unknown, change: Change }} Nested */

/**
 * A nested value in few words, which opens as JSON.
 * @param {Nested} properties
 */
function Folded({ name, json, sample, change }) {
  const [isOpen, setOpen] = useState(false);
  return html`<td>
    <button
      type="button"
      class="folded ${json === undefined ? "soft" : ""}"
      aria-label=${name}
      aria-haspopup="dialog"
      title=${json}
      onClick=${() => setOpen(true)}
    >
      ${json === undefined ? "Not set" : summary(json)}
    </button>
    ${
      isOpen &&
      html`<${NestedEditor}
        name=${name}
        json=${json}
        sample=${sample}
        change=${change}
        close=${() => setOpen(false)}
      />`
    }
  </td>`;
}

/** @param {Nested & { close: () => void }} properties */
function NestedEditor({ name, json, sample, change, close }) {
  const [draft, setDraft] = useState(
    json === undefined ? "" : (indent(json) ?? json),
  );
  const [problem, setProblem] = useState("");
  const save = handler(async () => {
    try {
      await change(draft.trim());
      close();
    } catch (error) {
      if (!isRejected(error)) throw error;
      setProblem(error.message);
    }
  });
  const enter = (/** @type {On<HTMLTextAreaElement>} */ event) =>
    setDraft(event.target.value);
  return html`<${Dialog}
    label=${`Edit ${name}`}
    class="nested-value"
    close=${close}
  >
    <form onSubmit=${save}>
      <h2>${name}</h2>
      <textarea
        aria-label="JSON"
        rows="14"
        spellcheck=${false}
        autofocus
        value=${draft}
        placeholder=${
          sample === undefined ? null : JSON.stringify(sample, null, 2)
        }
        aria-invalid=${problem ? "true" : null}
        onInput=${enter}
      ></textarea>
      ${problem && html`<p class="failure" role="alert">${problem}</p>`}
      <div class="line">
        <${Button} kind="primary" type="submit" text="Save" />
        <${Button} text="Cancel" does=${close} />
      </div>
    </form>
  <//>`;
}

/**
 * A value that is changed in place: with Enter or by leaving the field; Escape restores it.
 * @param {{
 *   name: string,
 *   value: string,
 *   schema: ValueSchema,
 *   isRequired: boolean,
 *   isNumber: boolean,
 *   change: Change,
 * }} properties
 */
function Cell({ name, value, schema, isRequired, isNumber, change }) {
  const { draft, setDraft, problem, save, restore } = useDraft(value, change);
  const onKeyDown = (/** @type {On<HTMLElement, KeyboardEvent>} */ event) => {
    if (event.key === "Enter") event.target.blur();
    if (event.key !== "Escape") return;
    restore();
    event.stopPropagation();
  };
  const enter = (/** @type {On<HTMLInputElement>} */ event) =>
    setDraft(event.target.value);
  const leave = () => draft !== null && act(() => save(draft));
  const choose = (/** @type {On<HTMLSelectElement>} */ event) => {
    setDraft(event.target.value);
    return act(() => save(event.target.value));
  };
  const handlers = optionsOf(schema)
    ? { onChange: choose }
    : { onInput: enter, onBlur: leave };
  return html`<td class=${isNumber ? "number" : ""}>
    <${Control}
      schema=${schema}
      value=${draft ?? value}
      none=${!isRequired && "Not set"}
      aria-label=${name}
      aria-invalid=${problem ? "true" : null}
      title=${problem || null}
      ...${handlers}
      onKeyDown=${onKeyDown}
    />
  </td>`;
}

/**
 * Keep what the user enters until it is saved, and why it was rejected.
 * @param {string} value
 * @param {Change} change
 */
function useDraft(value, change) {
  const [draft, setDraft] = useState(/** @type {string | null} */ (null));
  const [problem, setProblem] = useState("");
  /** @type {Ref<string | null>} */
  const saved = useRef(null);
  const restore = () => {
    setDraft(null);
    setProblem("");
  };
  // Not what was entered since.
  useEffect(
    () => setDraft((now) => (now === saved.current ? null : now)),
    [value],
  );
  const save = async (/** @type {string} */ text) => {
    if (text === value) {
      restore();
      return;
    }
    saved.current = text;
    try {
      await change(text);
      setProblem("");
    } catch (error) {
      saved.current = null;
      if (!isRejected(error)) throw error;
      setProblem(error.message);
      toast(error.message, { failed: true });
    }
  };
  return { draft, setDraft, problem, save, restore };
}
