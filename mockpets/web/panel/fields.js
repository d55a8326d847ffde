// Controls for values by their schema, for Data and Try it. Values are texts: see `textOf`.

import { isText, jsonOf, members, textOf, toObject } from "./json.js";
import { html } from "./preact.js";

/**
 * @import { Properties } from "./json.js"
 * @import { Schema, SchemaSource, ValueSchema } from "./openapi.js"
 * @import { Content, On } from "./preact.js"
 */

/** @typedef {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} ValueElement */

/**
 * Return a value of the schema as a text, as `textOf` does.
 * @param {unknown} value
 */
export const textIn = (value) =>
  typeof value === "string" ? value : JSON.stringify(value);

/**
 * Return the values to choose from, as texts; undefined for any other property.
 * @param {SchemaSource} [schema]
 */
export const optionsOf = ({ type, enum: values } = {}) =>
  (values ?? (type === "boolean" ? [true, false] : undefined))
    ?.filter((each) => each !== null)
    .map(textIn);

/** @param {ValueSchema} schema */
export const isNumber = ({ type }) => type === "integer" || type === "number";

/**
 * Whether what is entered for a property is a text; without a type, as its value is.
 * @param {ValueSchema} schema
 * @param {string | undefined} json
 */
export const isTextual = ({ type }, json) =>
  type ? type === "string" : isText(json);

/**
 * Whether a text is one that a field of the browser for dates can show.
 * @param {ValueSchema} schema
 * @param {string} text
 */
const isDate = ({ type, format }, text) =>
  type === "string" && format === "date" && /^(\d{4}-\d\d-\d\d)?$/.test(text);

/**
 * Return a short text about the values that a schema allows, such as "integer, 1 to 100".
 * @param {ValueSchema} schema
 */
export function typeText(schema) {
  const { type, format, items, default: given } = schema;
  const each =
    type === "array"
      ? `${String(optionsOf(items)?.join(", ") ?? items?.type ?? "values")}, comma-separated`
      : (format ?? (type === "string" ? "" : type));
  return [
    each,
    rangeText(schema),
    given !== undefined && `default ${textIn(given)}`,
  ]
    .filter(Boolean)
    .join(", ");
}

/** @param {ValueSchema} schema */
function rangeText({ minimum, maximum }) {
  if (minimum === undefined)
    return maximum === undefined ? "" : `up to ${maximum}`;
  return maximum === undefined ? `from ${minimum}` : `${minimum} to ${maximum}`;
}

/** @param {{ options: string[], chosen: string, none: string | false }} properties */
const Options = ({ options, chosen, none }) => html`
  ${none && html`<option value="">${none}</option>`}
  ${(!chosen || options.includes(chosen) ? options : [chosen, ...options]).map(
    (each) => html`<option
      key=${each}
      value=${each}
      selected=${each === chosen}
    >
      ${each}
    </option>`,
  )}
`;

/**
 * The control of a value: a list to choose from, a date, or a field.
 * @param {{
 *   schema: ValueSchema,
 *   value: string,
 *   none?: string | false,
 *   onInput?: (event: On<ValueElement>) => unknown,
 * } & Record<string, unknown>} properties
 *   `none` is the option without a value, if there is one; the rest is passed to the element
 */
export function Control({ schema, value, none = false, onInput, ...rest }) {
  const options = optionsOf(schema);
  if (options)
    return html`<select ...${rest} onInput=${onInput} value=${value}>
      <${Options} options=${options} chosen=${value} none=${none} />
    </select>`;
  const more = isDate(schema, value)
    ? { type: "date" }
    : {
        autocomplete: "off",
        spellcheck: false,
        inputmode: isNumber(schema) ? "decimal" : null,
      };
  // A date that is not complete yet is empty.
  const set = (/** @type {On<HTMLInputElement>} */ event) =>
    !event.target.validity.badInput && onInput?.(event);
  return html`<input ...${more} ...${rest} onInput=${set} value=${value} />`;
}

/**
 * The name of a value, with a short note, before its control.
 * @param {{
 *   name: string,
 *   note?: string | false,
 *   title?: string,
 *   children: Content,
 * } & Record<string, unknown>} properties
 */
export const Label = ({ name, note, title, children, ...rest }) => html`<label
  title=${title || null}
  ...${rest}
>
  <span>
    ${name}
    ${note && html` <span class="soft">${note}</span>`}
  </span>${" "}
  ${children}
</label>`;

/**
 * Fields for the properties of an object, which is JSON.
 * @param {{ schema: Schema, json: string, change: (json: string) => void }} properties
 */
export function Fields({ schema, json, change }) {
  const known = members(json);
  return Object.entries(schema.properties).map(([name, property]) => {
    const isNested = property.sample !== undefined;
    const isRequired = schema.required.includes(name);
    const value = textOf(known.get(name));
    const onInput = (/** @type {On<ValueElement>} */ event) => {
      const text = event.target.value;
      change(toObject(withText(known, schema, name, text)));
    };
    return html`<${Label}
      key=${name}
      name=${property.label ?? name}
      note=${isRequired && "required"}
      title=${property.description}
      class=${isNested ? "nested" : null}
    >
      ${
        isNested
          ? html`<textarea
            rows="2"
            spellcheck=${false}
            placeholder=${JSON.stringify(property.sample)}
            value=${value}
            onInput=${onInput}
          ></textarea>`
          : html`<${Control}
            schema=${property}
            value=${value}
            none=${!isRequired && "Not set"}
            placeholder=${typeText(property)}
            onInput=${onInput}
          />`
      }
    <//>`;
  });
}

/**
 * Return an object in the order of its fields, with what was entered for a property. An empty text
 * removes the property, unless it must have a text.
 * @param {Properties} known
 * @param {Schema} schema
 * @param {string} name
 * @param {string} text
 */
function withText(known, schema, name, text) {
  const property = schema.properties[name] ?? {};
  const stays =
    text !== "" ||
    (schema.required.includes(name) && property.type === "string");
  const changed = new Map(known);
  if (stays)
    changed.set(name, jsonOf(text, isTextual(property, known.get(name))));
  else changed.delete(name);
  /** @type {Properties} */
  const ordered = new Map();
  for (const each of [...Object.keys(schema.properties), ...changed.keys()]) {
    const json = changed.get(each);
    if (json !== undefined) ordered.set(each, json);
  }
  return ordered;
}
