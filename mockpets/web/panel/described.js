// What the contracts say of a collection of records.

/**
 * @import { CollectionSummary } from "../../../kit/control.js"
 * @import {
 *   ContractOperation, Details, LoadedContract, Operation, Schema,
 * } from "./openapi.js"
 */

/** @typedef {{ name: string, column: string }} Parent the collection, and the column of its key */
/** @typedef {Pick<Operation, "method" | "path"> & Details} Create adds a record */

/**
 * @typedef {object} Described
 * @property {Schema | undefined} [schema]
 * @property {Create | undefined} [create]
 * @property {Parent | undefined} [parent]
 */

/**
 * Whether no response shows a property, such as the key of a single object.
 * @param {string} name
 */
export const isHidden = (name) => name.startsWith("~");

/**
 * Return what the contracts say of a collection; nothing of those of scenarios.
 * @param {LoadedContract[]} contracts
 * @param {CollectionSummary} collection
 * @returns {Described}
 */
export function inContract(contracts, { scenario, name, path }) {
  if (scenario !== null) return {};
  for (const { collections, operations } of contracts) {
    const collection = collections.find((each) => each.name === name);
    if (!collection) continue;
    const { schema, parent, link } = collection;
    return {
      schema,
      create: creating(operations, path),
      parent:
        parent && !link?.includes(".")
          ? { name: parent, column: link ?? `~${parent}` }
          : undefined,
    };
  }
  return {};
}

/**
 * @param {ContractOperation[]} operations
 * @param {string} path of the collection
 * @returns {Create | undefined}
 */
function creating(operations, path) {
  if (path.includes("{")) return undefined;
  for (const { method, path: own, details } of operations) {
    if (method !== "POST" || own !== path || !details) continue;
    const described = details();
    if (described.bodies[0]?.isJson) return { method, path, ...described };
  }
  return undefined;
}

/**
 * Return the property that names a record to people: the first text that it must have.
 * @param {Schema | undefined} schema
 */
export function labelOf(schema) {
  if (!schema) return "name";
  const label = Object.entries(schema.properties).find(
    ([name, { type, enum: options }]) =>
      type === "string" && !options && schema.required.includes(name),
  );
  return label?.[0] ?? "name";
}
