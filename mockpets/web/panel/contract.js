// The operations with their parameters, and the properties of a pet, read from the OpenAPI document.
// The panel hard-codes neither.

import { control } from "./api.js";
import { el } from "./dom.js";

/**
 * Load the contract.
 * @returns {Promise<{operations: Record<string, any>, newPet: any}>} operations by id, each with its
 *   method and path, and the schema of NewPet
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

/** Return the label of a property: "Category id" for `categoryId`. */
export function label(name) {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words[0].toUpperCase() + words.slice(1);
}

/**
 * Create a form control: a select if the schema lists the values, else a text field.
 * @param {string} name
 * @param {{enum?: string[]}} schema
 * @param {{value?: unknown, none?: string | false, [attribute: string]: unknown}} options
 *   `none` labels the choice without a value
 */
export function input(name, schema, { value = "", none = false, ...attributes }) {
  if (!schema.enum) return el("input", { name, value, autocomplete: "off", ...attributes });
  return el("select", { name, ...attributes }, none && el("option", { value: "" }, none),
    ...schema.enum.map((choice) => el("option", { selected: choice === value }, choice)));
}
