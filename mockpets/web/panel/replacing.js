// The form that replaces all records of a collection.

import { jsonOf, toObject } from "./json.js";
import { html, useRef, useState } from "./preact.js";
import { replaceRecords } from "./records.js";
import { handler } from "./store.js";
import { Button } from "./ui.js";

/**
 * @import { CollectionSummary } from "../../../kit/control.js"
 * @import { Properties } from "./json.js"
 * @import { On, Ref } from "./preact.js"
 */

/**
 * What replaces the records.
 * @typedef {object} Source
 * @property {string} name
 * @property {string} text
 * @property {(entered: string) => string} json what is sent
 */

/** @typedef {Ref<HTMLInputElement | HTMLTextAreaElement | null>} FieldRef null without a field */

/** @type {Source} */
const GENERATED = {
  name: "generate",
  text: "Generated records",
  json: (entered) => `{"count":${jsonOf(entered, false)}}`,
};

/** @type {Source} */
const PASTED = { name: "paste", text: "JSON", json: (entered) => entered };

/** @type {Source} */
const FIXTURE = {
  name: "fixture",
  text: "Fixture file",
  json: (entered) => JSON.stringify(entered.trim()),
};

/** @type {Source} */
const NOTHING = { name: "clear", text: "No records", json: () => "[]" };

/**
 * Replace all records with generated ones, a fixture, pasted JSON, or nothing.
 * @param {{ collection: CollectionSummary, first?: Properties }} properties
 */
export function Replace({ collection, first }) {
  const canGenerate = collection.scenario === null;
  const sources = [
    ...(canGenerate ? [GENERATED] : []),
    PASTED,
    FIXTURE,
    NOTHING,
  ];
  const [source, setSource] = useState(canGenerate ? GENERATED : PASTED);
  /** @type {FieldRef} */
  const field = useRef(null);
  const choose = (/** @type {On<HTMLSelectElement>} */ event) =>
    setSource(
      sources.find(({ name }) => name === event.target.value) ?? source,
    );
  const replace = handler(() => {
    const does = source === NOTHING ? "Deleted" : "Replaced";
    return replaceRecords(
      `${does} all records of ${collection.name}.`,
      collection,
      source.json(field.current?.value ?? ""),
    );
  });
  return html`<form
    class="panel-form"
    aria-label="Replace all records"
    onSubmit=${replace}
  >
    <label>
      With${" "}
      <select value=${source.name} onChange=${choose}>
        ${sources.map(
          ({ name, text }) =>
            html`<option key=${name} value=${name}>${text}</option>`,
        )}
      </select>
    </label>
    <${SourceField}
      source=${source}
      field=${field}
      example=${first ? toObject(first) : `{"${collection.id}": 1}`}
    />
    <${Button}
      kind="primary"
      type="submit"
      text=${source === NOTHING ? "Delete all" : "Replace"}
    />
  </form>`;
}

/** @param {{ source: Source, field: FieldRef, example: string }} properties */
function SourceField({ source, field, example }) {
  if (source === GENERATED)
    return html`<label key="generate">
      Count${" "}
      <input
        ref=${field}
        name="value"
        inputmode="numeric"
        autocomplete="off"
        required
        defaultValue="100"
      />
    </label>`;
  if (source === FIXTURE)
    return html`<label key="fixture">
      Name <input ref=${field} name="value" autocomplete="off" required />
    </label>`;
  if (source === PASTED)
    return html`<label key="paste" class="grow">
      Records${" "}
      <textarea
        ref=${field}
        name="value"
        rows="3"
        spellcheck=${false}
        required
        placeholder=${`[${example}]`}
      ></textarea>
    </label>`;
  return null;
}
