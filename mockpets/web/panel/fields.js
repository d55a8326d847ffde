// Controls for values by their schema, as Data and Try it have them. Values are texts: see `textOf`.

import { isText, jsonOf, members, textOf, toObject } from "./json.js";
import { html } from "./preact.js";

/** Return a value of the schema as a text, as `textOf` does. */
export const textIn = (value) =>
  typeof value === "string" || value === undefined
    ? value
    : JSON.stringify(value);

/** Return the values to choose from, as texts; undefined for any other property. */
export const optionsOf = ({ type, enum: values } = {}) =>
  (values ?? (type === "boolean" ? [true, false] : undefined))
    ?.filter((each) => each !== null)
    .map(textIn);

export const isNumber = ({ type } = {}) =>
  type === "integer" || type === "number";

/** Whether a text is one that a field of the browser for dates can show. */
const isDate = ({ type, format }, text) =>
  type === "string" && format === "date" && /^(\d{4}-\d\d-\d\d)?$/.test(text);

/** Return a short text about the values that a schema allows, such as "integer, 1 to 100". */
export function typeText({
  type,
  format,
  minimum,
  maximum,
  items,
  default: given,
}) {
  const range =
    minimum !== undefined && maximum !== undefined
      ? `${minimum} to ${maximum}`
      : minimum !== undefined
        ? `from ${minimum}`
        : maximum !== undefined
          ? `up to ${maximum}`
          : "";
  const each =
    type === "array"
      ? `${optionsOf(items)?.join(", ") ?? items?.type ?? "values"}, separated by commas`
      : (format ?? (type === "string" ? "" : type));
  return [each, range, given !== undefined && `default ${textIn(given)}`]
    .filter(Boolean)
    .join(", ");
}

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
 * @param {{schema: any, value: string, none?: string | false}} properties
 *   `none` is the option without a value; the rest is passed to the element
 */
export function Control({ schema, value, none = "None", onInput, ...rest }) {
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
  const set = (event) => !event.target.validity.badInput && onInput(event); // a date that is not complete yet is empty
  return html`<input ...${more} ...${rest} onInput=${set} value=${value} />`;
}

/** The name of a value, with a short note, before its control. */
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
 * @param {{schema: any, json: string, change: (json: string) => void}} properties
 */
export function Fields({ schema, json, change }) {
  const known = members(json);
  const set = (name, property, isRequired, text) => {
    const value = jsonOf(
      text,
      property.type ? property.type === "string" : isText(known.get(name)),
    );
    if (text === "" && !(isRequired && property.type === "string"))
      known.delete(name);
    else known.set(name, value);
    const names = new Set([
      ...Object.keys(schema.properties).filter((each) => known.has(each)),
      ...known.keys(),
    ]); // in the order of the fields
    change(toObject([...names].map((each) => [each, known.get(each)])));
  };
  return Object.entries(schema.properties).map(([name, property]) => {
    const isRequired = schema.required.includes(name);
    const value = textOf(known.get(name));
    const onInput = (event) =>
      set(name, property, isRequired, event.target.value);
    return html`<${Label}
      key=${name}
      name=${property.label ?? name}
      note=${isRequired && "required"}
      title=${property.description}
      class=${property.sample === undefined ? null : "nested"}
    >
      ${
        property.sample === undefined
          ? html`<${Control}
            schema=${property}
            value=${value}
            none=${!isRequired && "None"}
            placeholder=${typeText(property)}
            onInput=${onInput}
          />`
          : html`<textarea
            rows="2"
            spellcheck=${false}
            placeholder=${JSON.stringify(property.sample)}
            value=${value}
            onInput=${onInput}
          ></textarea>`
      }
    <//>`;
  });
}
