// The operations with their parameters, and the properties of a pet, read from the OpenAPI document.
// The panel hard-codes neither.

import { API, control } from "./store.js";

/**
 * Load the contract.
 * @returns {Promise<{operations: Record<string, any>, newPet: any}>} operations by id, each with its
 *   method and path, and the schema of NewPet
 */
export async function loadContract() {
  const { paths, components: { schemas } } = await control("openapi.json");
  const operations = {};
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const parameters = (operation.parameters ?? []).map((each) => ({ ...each, schema: resolve(each.schema, schemas) }));
      operations[operation.operationId] = { ...operation, parameters, method: method.toUpperCase(), path: API + path };
    }
  }
  const properties = Object.entries(schemas.NewPet.properties).map(([name, schema]) => [name, resolve(schema, schemas)]);
  return { operations, newPet: { ...schemas.NewPet, properties: Object.fromEntries(properties) } };
}

/** Return a schema with what it refers to in place of its reference. */
function resolve({ $ref, ...schema }, schemas) {
  return $ref ? { ...schemas[$ref.split("/").pop()], ...schema } : schema;
}

/** Return the label of a property: "Category id" for `categoryId`. */
export function label(name) {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words[0].toUpperCase() + words.slice(1);
}
