// The columns of the table of records, and what its filter suggests: from the schema and from the
// records that are shown.

import { isHidden } from "./described.js";
import { isNumber, optionsOf } from "./fields.js";
import { isNested, textOf } from "./json.js";

/**
 * @import { CollectionSummary } from "../../../kit/control.js"
 * @import { Parent } from "./described.js"
 * @import { Keys } from "./filter.js"
 * @import { Properties } from "./json.js"
 * @import { Schema } from "./openapi.js"
 */

/**
 * @typedef {object} Column
 * @property {string} name of the property
 * @property {string} head
 * @property {boolean} isNumber
 * @property {boolean} isChoice
 */

/**
 * Return the names of the properties that the schema or a record has, without the key.
 * @param {CollectionSummary} collection
 * @param {Properties[]} records
 * @param {Schema} [schema]
 * @param {Parent} [parent]
 */
export function propertiesOf(collection, records, schema, parent) {
  const names = new Set([
    ...(parent && isHidden(parent.column) ? [parent.column] : []),
    ...Object.keys(schema?.properties ?? {}),
    ...records.flatMap((record) => [...record.keys()]),
  ]);
  return [...names].filter(
    (name) =>
      name !== collection.id && (!isHidden(name) || name === parent?.column),
  );
}

/**
 * @param {string} name
 * @param {Properties[]} records
 * @param {Schema} [schema]
 * @param {Parent} [parent]
 * @returns {Column}
 */
export const columnOf = (name, records, schema, parent) => ({
  name,
  head: parent && isHidden(name) ? `of ${parent.name}` : name,
  isNumber: isNumeric(name, records, schema),
  isChoice: Boolean(optionsOf(schema?.properties[name])),
});

/**
 * Whether a column has numbers only.
 * @param {string} name
 * @param {Properties[]} records
 * @param {Schema} [schema]
 */
export function isNumeric(name, records, schema) {
  const property = schema?.properties[name];
  if (property?.type) return isNumber(property);
  const values = records.flatMap((record) => record.get(name) ?? []);
  return values.length > 0 && values.every((json) => /^-?\d/.test(json));
}

// --- The filter: status:sold petId:3 ---

/**
 * Whether the filter can select by a property.
 * @param {string} name
 */
export const isProperty = (name) => name !== "limit" && name !== "after"; // these parameters page

/**
 * Return what the filter suggests: properties, and the values that the schema and the records have.
 * @param {string[]} names
 * @param {Properties[]} records
 * @param {Schema} [schema]
 * @returns {Keys}
 */
export function filterKeys(names, records, schema) {
  const usable = names.filter(
    (name) => isProperty(name) && /^[^\s":]+$/.test(name),
  );
  return Object.fromEntries(
    usable.map((name) => {
      const values = valuesOf(name, records, schema);
      return [
        name,
        { hint: values.slice(0, 3).join(", "), values: () => values },
      ];
    }),
  );
}

/**
 * @param {string} name
 * @param {Properties[]} records
 * @param {Schema} [schema]
 */
function valuesOf(name, records, schema) {
  const seen = records
    .flatMap((record) => record.get(name) ?? [])
    .filter((json) => !isNested(json))
    .map(textOf);
  const all = new Set([
    ...(optionsOf(schema?.properties[name]) ?? []),
    ...seen,
  ]);
  return [...all].filter((value) => value && !value.includes('"'));
}

/**
 * Return a filter that selects something, such as `status:sold`; empty without one.
 * @param {Keys} keys
 * @param {string[]} names
 * @param {Schema} [schema]
 */
export function exampleOf(keys, names, schema) {
  const short = (/** @type {string} */ name) =>
    keys[name]?.values?.().find((value) => /^\S{1,20}$/.test(value));
  const usable = names.filter(short);
  const name =
    usable.find((each) => schema?.properties[each]?.enum) ?? usable[0];
  return name === undefined ? "" : `${name}:${short(name)}`;
}
