// What the contract has, from the OpenAPI document: the operations with their parameters, and the
// properties of a pet. The panel keeps no list of either.

import { control } from "./api.js";
import { el } from "./dom.js";

/**
 * @returns {Promise<{operations: Record<string, any>, newPet: any}>} operations by id, each with its
 *   method and its path, and the schema of a NewPet
 */
export async function loadContract() {
  const { servers, paths, components } = await control("openapi.json");
  const operations = {};
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      operations[operation.operationId] = { ...operation, method: method.toUpperCase(), path: servers[0].url + path };
    }
  }
  return { operations, newPet: components.schemas.NewPet };
}

/** The name of a property as a label has it: "Category id" for `categoryId`. */
export function label(name) {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words[0].toUpperCase() + words.slice(1);
}

/**
 * A form control for a value: a choice where the schema lists the values, else a text field.
 * @param {string} name
 * @param {{enum?: string[]}} schema
 * @param {{value?: unknown, none?: string | false, [attribute: string]: unknown}} options
 *   `none` is the choice of no value
 */
export function input(name, schema, { value = "", none = false, ...attributes }) {
  if (!schema.enum) return el("input", { name, value, autocomplete: "off", ...attributes });
  return el("select", { name, ...attributes }, none && el("option", { value: "" }, none),
    ...schema.enum.map((word) => el("option", { selected: word === value }, word)));
}
