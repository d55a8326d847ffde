// The operations with their parameters and the properties of their bodies, read from the OpenAPI document.
// The panel hard-codes neither.

import { API, control } from "./store.js";

/**
 * Load the contract.
 * @returns {Promise<{operations: Record<string, any>}>} operations by id, each with its method, its
 *   path, and the schema of its body
 */
export async function loadContract() {
  const { paths, components: { schemas } } = await control("openapi.json");
  const operations = {};
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const parameters = (operation.parameters ?? []).map((each) => ({ ...each, schema: resolve(each.schema, schemas) }));
      const body = operation.requestBody?.content["application/json"]?.schema;
      operations[operation.operationId] = { ...operation, parameters, method: method.toUpperCase(), path: API + path, body: body && object(resolve(body, schemas), schemas) };
    }
  }
  return { operations };
}

/** Return the schema of an object with those of its properties resolved. */
function object({ properties = {}, required = [], ...schema }, schemas) {
  const resolved = Object.entries(properties).map(([name, property]) => [name, resolve(property, schemas)]);
  return { ...schema, required, properties: Object.fromEntries(resolved) };
}

/** Return a schema with what it refers to in place of its reference. */
function resolve({ $ref, ...schema }, schemas) {
  return $ref ? { ...schemas[$ref.split("/").pop()], ...schema } : schema;
}
