// The operations with their parameters and the properties of their bodies, read from the OpenAPI document.
// The panel hard-codes neither.

import { control, plainPath, store } from "./store.js";

const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];
const DEEPEST = 16; // references that follow one another, which may be circular
const MOST_NESTED = 5; // in a sample
/** Where the API key of a request is, unless the contract says otherwise. */
export const BEARER = { in: "header", name: "Authorization", prefix: "Bearer " };

/** Load the contracts that the server serves, each with its operations. */
export const loadContracts = () => Promise.all(store.state.contracts.map(async (each) => ({ ...each, operations: await loadOperations(each.label) })));

/**
 * Load the operations of a contract.
 * @param {string | null} [label] that of the contract; by default the first one
 * @returns {Promise<Record<string, any>>} operations by id, each with its method, its path, where it
 *   has its API key, and the JSON body of its request: media type, schema, example, and the property
 *   around the record, if there is one
 */
export async function loadOperations(label) {
  const document = await control(label ? `openapi.json?contract=${encodeURIComponent(label)}` : "openapi.json");
  const base = plainPath(document.servers[0].url.replace(/\/$/, "")); // always a path
  const operations = {};
  for (const [path, referring] of Object.entries(document.paths ?? {})) {
    const item = resolve(referring ?? {}, document);
    for (const method of METHODS.filter((each) => item[each])) {
      const described = item[method];
      const operation = { ...described, method: method.toUpperCase(), path: base + path, key: keyOf(described, document) };
      operations[described.operationId ?? `${operation.method} ${path}`] = {
        ...operation,
        parameters: parametersOf([...(item.parameters ?? []), ...(described.parameters ?? [])], document),
        body: bodyOf(described.requestBody, document),
      };
    }
  }
  return operations;
}

/** Return parameters, of which the last with a name counts; `example` is one of its values, as text. */
function parametersOf(described, document) {
  const all = described.map((each) => {
    const parameter = resolve(each, document);
    const schema = flat(parameter.schema ?? {}, document);
    const example = exampleIn(parameter, document) ?? schema.examples?.[0] ?? schema.default ?? schema.enum?.[0];
    return { ...parameter, schema, example: typeof example === "object" ? undefined : example };
  });
  return [...new Map(all.map((each) => [`${each.in} ${each.name}`, each])).values()];
}

function bodyOf(described, document) {
  const content = described && resolve(described, document).content;
  const type = Object.keys(content ?? {}).find((each) => /^application\/(?:[^;]*\+)?json\b/i.test(each));
  if (!type) return undefined;
  const media = content[type];
  const schema = object(media.schema ?? {}, document);
  const [envelope, ...others] = Object.keys(schema.properties);
  const isWrapped = envelope !== undefined && !others.length && Object.keys(schema.properties[envelope].properties).length > 0;
  return {
    type,
    example: exampleIn(media, document) ?? sample(media.schema ?? {}, document),
    envelope: isWrapped ? envelope : null,
    schema: isWrapped ? object(schema.properties[envelope], document) : schema,
  };
}

/** Return where an operation has its API key: that of the first scheme that a request can name. */
function keyOf(operation, document) {
  const names = (operation.security ?? document.security ?? []).flatMap(Object.keys);
  const schemes = names.map((name) => resolve(document.components?.securitySchemes?.[name] ?? {}, document));
  for (const { type, scheme, in: place, name } of schemes) {
    if (type === "apiKey" && place !== "cookie") return { in: place, name, prefix: "" };
    if (type !== "apiKey" && !/^basic$/i.test(scheme ?? "")) return BEARER;
  }
  return BEARER;
}

// --- Schemas ---

/** Return what a reference points to. */
function at(document, reference) {
  const keys = reference.split("/").slice(1).map((key) => decodeURIComponent(key).replaceAll("~1", "/").replaceAll("~0", "~"));
  return keys.reduce((node, key) => node?.[key], document) ?? {};
}

/** Return a node with what it refers to in place of its reference. */
function resolve({ $ref, ...node }, document, depth = 0) {
  return $ref && depth < DEEPEST ? { ...resolve(at(document, $ref), document, depth + 1), ...node } : node;
}

/** Return a schema without references, `allOf` and null; those of its properties may have them. */
function flat({ allOf = [], ...schema }, document, depth = 0) {
  const { $ref, ...own } = schema;
  const parts = depth === DEEPEST ? [] : [...($ref ? [at(document, $ref)] : []), ...allOf].map((part) => flat(part, document, depth + 1));
  const all = [...parts, own];
  const merged = Object.assign({}, ...all);
  const [type] = all.flatMap((part) => part.type ?? []).filter((each) => each !== "null");
  return {
    ...merged,
    type,
    examples: all.findLast((part) => part.examples)?.examples ?? all.filter((part) => part.example !== undefined).map((part) => part.example),
    properties: Object.assign({}, ...all.map((part) => part.properties)),
    required: [...new Set(all.flatMap((part) => part.required ?? []))],
  };
}

/** Return the schema of an object with those of its properties, without those that only responses have. */
function object(described, document) {
  const schema = flat(described, document);
  const properties = Object.entries(schema.properties).map(([name, property]) => [name, flat(property, document)]);
  return { ...schema, properties: Object.fromEntries(properties.filter(([, { readOnly }]) => !readOnly)) };
}

/** Return the example of a parameter or a body. */
function exampleIn({ example, examples = {} }, document) {
  const [first] = Object.values(examples);
  return example ?? (first && resolve(first, document).value);
}

/** Return a value for a schema. */
function sample(described, document, depth = 0) {
  const schema = flat(described, document);
  const value = schema.examples?.[0] ?? schema.default ?? schema.const ?? schema.enum?.[0];
  const [choice] = schema.oneOf ?? schema.anyOf ?? [];
  if (value !== undefined) return value;
  if (depth === MOST_NESTED) return null;
  if (choice) return sample(choice, document, depth + 1);
  if (schema.type === "array") return schema.items ? [sample(schema.items, document, depth + 1)] : [];
  if (schema.type === "integer" || schema.type === "number") return schema.minimum ?? 1;
  if (schema.type === "boolean") return true;
  if (schema.type === "string") return schema.format === "date-time" ? "2030-01-01T00:00:00Z" : schema.format === "date" ? "2030-01-01" : "text";
  const properties = Object.entries(object(schema, document).properties).filter(([name]) => depth < 2 || schema.required.includes(name));
  return Object.fromEntries(properties.map(([name, property]) => [name, sample(property, document, depth + 1)]));
}
