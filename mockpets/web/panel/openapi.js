// The operations of the contracts, with their parameters, bodies and credentials, and the schemas
// of records: all from the OpenAPI documents and from what the server has inferred of them.

import { call, plainPath } from "./store.js";

/**
 * @import {
 *   CollectionDescription, ContractDescription, OperationDescription,
 * } from "../../../kit/control.js"
 */

// --- Documents, as far as the panel reads them. The server has validated them. ---

const METHODS = /** @type {const} */ ([
  "get",
  "put",
  "post",
  "delete",
  "options",
  "head",
  "patch",
  "trace",
]);

/**
 * @typedef {object} OpenApi
 * @property {[{ url: string }]} servers this server
 * @property {Record<string, PathItem | null>} [paths]
 * @property {Record<string, string[]>[]} [security]
 * @property {{ securitySchemes?: Record<string, SecurityScheme> }} [components]
 */

/** @typedef {Partial<Record<typeof METHODS[number], OperationSource>>} ItemOperations */
/** @typedef {ItemOperations & { $ref?: string, parameters?: ParameterSource[] }} PathItem */

/**
 * @typedef {object} OperationSource
 * @property {string} [summary]
 * @property {boolean} [deprecated]
 * @property {string[]} [tags]
 * @property {ParameterSource[]} [parameters]
 * @property {{ $ref?: string, content?: Record<string, MediaType> }} [requestBody]
 * @property {Record<string, string[]>[]} [security]
 */

/** @typedef {{ $ref?: string, value?: unknown }} Example */

/**
 * @typedef {object} MediaType
 * @property {SchemaSource} [schema]
 * @property {unknown} [example]
 * @property {Record<string, Example>} [examples]
 */

/**
 * @typedef {object} NamedParameter
 * @property {string} in
 * @property {string} name
 * @property {boolean} [required]
 * @property {string} [description]
 * @property {boolean} [explode]
 */

/** @typedef {NamedParameter & MediaType & { $ref?: string }} ParameterSource */

/**
 * @typedef {object} SecurityScheme
 * @property {string} [$ref]
 * @property {string} [type]
 * @property {string} [scheme]
 * @property {string} [in]
 * @property {string} [name]
 */

/**
 * @typedef {object} SchemaSource
 * @property {string} [$ref]
 * @property {SchemaSource[]} [allOf]
 * @property {SchemaSource[]} [oneOf]
 * @property {SchemaSource[]} [anyOf]
 * @property {string | string[] | undefined} [type]
 * @property {string} [format]
 * @property {string} [description]
 * @property {unknown[]} [enum]
 * @property {unknown} [const]
 * @property {unknown} [default]
 * @property {unknown} [example]
 * @property {unknown[]} [examples]
 * @property {number} [minimum]
 * @property {number} [maximum]
 * @property {boolean} [readOnly]
 * @property {SchemaSource} [items]
 * @property {Record<string, SchemaSource>} [properties]
 * @property {string[]} [required]
 */

// --- What the panel makes of them ---

/**
 * @typedef {object} FlatParts
 * @property {string | undefined} type
 * @property {unknown[]} examples
 * @property {Record<string, SchemaSource>} properties
 * @property {string[]} required
 */

/**
 * A schema without references, `allOf` and null; those of its properties and items may have them.
 * @typedef {Omit<SchemaSource, "$ref" | "allOf" | keyof FlatParts> & FlatParts} FlatSchema
 */

/** @typedef {Partial<FlatSchema>} ValueSchema what a control needs to know of a value */

/**
 * The schema of a property. `sample` is the example of a nested value, undefined for any other one;
 * `label` is shown in place of the name.
 * @typedef {ValueSchema & { items?: FlatSchema, sample?: unknown, label?: string }} Property
 */

/**
 * The schema of an object.
 * @typedef {Omit<FlatSchema, "properties"> & { properties: Record<string, Property> }} Schema
 */

/** @typedef {string | number | boolean} Scalar */
/** @typedef {NamedParameter & { schema: FlatSchema, example: Scalar | undefined }} Parameter */

/**
 * A body of one media type. `schema` is that of the record; with an `envelope`, the body is an
 * object whose only property has this name and the record.
 * @typedef {object} Body
 * @property {string} type
 * @property {boolean} isJson
 * @property {boolean} isForm
 * @property {unknown} example
 * @property {string | null} envelope
 * @property {Schema} schema
 */

/**
 * Where a request has its key.
 * @typedef {object} Key
 * @property {"header" | "query"} in
 * @property {string} name
 * @property {"" | "Bearer " | "Basic "} prefix
 */

/**
 * What a form for an operation needs. Bodies in JSON come first.
 * @typedef {{ parameters: Parameter[], bodies: Body[], key: Key | null }} Details
 */

/**
 * An operation of a document; `path` includes the base path.
 * @typedef {object} Operation
 * @property {string} method
 * @property {string} path
 * @property {string} summary
 * @property {boolean} deprecated
 * @property {string[]} tags
 * @property {() => Details} details
 */

/**
 * An operation of a contract, which the document may lack.
 * @typedef {OperationDescription & Partial<Operation>} ContractOperation
 */

/** @typedef {Omit<CollectionDescription, "schema"> & { schema: Schema }} Collection */
/** @typedef {{ operations: ContractOperation[], collections: Collection[] }} LoadedParts */
/** @typedef {Omit<ContractDescription, keyof LoadedParts> & LoadedParts} LoadedContract */

/** @type {Key} */
const BEARER = { in: "header", name: "Authorization", prefix: "Bearer " };

/**
 * What the form for any path sends.
 * @satisfies {Details}
 */
export const ANY = { parameters: [], bodies: [], key: BEARER };

/**
 * Load the contracts that the server serves.
 * @returns {Promise<LoadedContract[]>}
 */
export async function loadContracts() {
  const { contracts } = await call("GET /contract");
  return Promise.all(contracts.map(withDocument));
}

/**
 * @param {ContractDescription} contract
 * @returns {Promise<LoadedContract>}
 */
async function withDocument(contract) {
  const { label, base } = contract;
  const { document, byRoute } = await load(label);
  return {
    ...contract,
    operations: contract.operations.map((each) => ({
      ...each,
      ...byRoute.get(`${each.method} ${base}${each.path}`),
      path: base + each.path,
    })),
    collections: contract.collections.map((each) => ({
      ...each,
      schema: object(each.schema, document),
    })),
  };
}

/**
 * Load a document, with its operations by method and path.
 * @param {string | null} [label] of its contract; by default the first one
 * @returns {Promise<{ document: OpenApi, byRoute: Map<string, Operation> }>}
 */
export async function load(label) {
  const query = label ? { contract: label } : {};
  const document = /** @type {OpenApi} */ (
    await call("GET /openapi.json", { query })
  );
  const base = plainPath(document.servers[0].url.replace(/\/$/, "")); // always a path
  /** @type {Map<string, Operation>} */
  const byRoute = new Map();
  for (const [path, referring] of Object.entries(document.paths ?? {})) {
    const item = resolve(referring ?? {}, document);
    for (const operation of operationsOf(item, base + path, document))
      byRoute.set(`${operation.method} ${operation.path}`, operation);
  }
  return { document, byRoute };
}

/**
 * @param {PathItem} item
 * @param {string} path
 * @param {OpenApi} document
 * @returns {Operation[]}
 */
function operationsOf(item, path, document) {
  return METHODS.flatMap((method) => {
    const described = item[method];
    if (!described) return [];
    const { summary = "", deprecated = false, tags = [] } = described;
    // When a form needs them: there may be hundreds of operations.
    const details = () => detailsOf(described, item, document);
    return [
      {
        method: method.toUpperCase(),
        path,
        summary,
        deprecated,
        tags,
        details,
      },
    ];
  });
}

/**
 * @param {OperationSource} described
 * @param {PathItem} item
 * @param {OpenApi} document
 * @returns {Details}
 */
const detailsOf = (described, item, document) => ({
  parameters: parametersOf(
    [...(item.parameters ?? []), ...(described.parameters ?? [])],
    document,
  ),
  bodies: bodiesOf(described.requestBody, document),
  key: keyOf(described, document),
});

/**
 * Return parameters; the last of a name counts.
 * @param {ParameterSource[]} described
 * @param {OpenApi} document
 * @returns {Parameter[]}
 */
function parametersOf(described, document) {
  const all = described.map((each) => {
    const parameter = resolve(each, document);
    const schema = withFlatItems(parameter.schema ?? {}, document);
    const example =
      exampleIn(parameter, document) ??
      schema.examples[0] ??
      schema.default ??
      schema.enum?.[0];
    return {
      ...parameter,
      schema,
      example: isScalar(example) ? example : undefined,
    };
  });
  return [
    ...new Map(all.map((each) => [`${each.in} ${each.name}`, each])).values(),
  ];
}

/**
 * @param {unknown} value
 * @returns {value is Scalar}
 */
const isScalar = (value) =>
  ["string", "number", "boolean"].includes(typeof value);

const JSON_TYPE = /^application\/(?:[^;]*\+)?json\b/i;
const FORM_TYPE =
  /^(?:application\/x-www-form-urlencoded|multipart\/form-data)\b/i;

/**
 * Return the bodies of a request.
 * @param {OperationSource["requestBody"]} described
 * @param {OpenApi} document
 * @returns {Body[]}
 */
function bodiesOf(described, document) {
  const { content = {} } = resolve(described ?? {}, document);
  const jsonFirst = Object.entries(content).sort(
    ([one], [other]) =>
      Number(JSON_TYPE.test(other)) - Number(JSON_TYPE.test(one)),
  );
  return jsonFirst.map(([type, media]) => {
    const schema = object(media.schema ?? {}, document);
    const wrapped = wrappedIn(schema);
    return {
      type,
      isJson: JSON_TYPE.test(type),
      isForm: FORM_TYPE.test(type),
      example:
        exampleIn(media, document) ?? sample(media.schema ?? {}, document),
      envelope: wrapped && wrapped.name,
      schema: sendable(wrapped ? object(wrapped.property, document) : schema),
    };
  });
}

/**
 * Return the only property of a schema, if it is an object.
 * @param {Schema} schema
 */
function wrappedIn({ properties }) {
  const [first, ...others] = Object.entries(properties);
  if (!first || others.length) return null;
  const [name, property] = first;
  return Object.keys(property.properties ?? {}).length > 0
    ? { name, property }
    : null;
}

/**
 * Return where an operation has its key: that of the first scheme that a request can name; null
 * without security.
 * @param {OperationSource} operation
 * @param {OpenApi} document
 * @returns {Key | null}
 */
function keyOf(operation, document) {
  const security = operation.security ?? document.security;
  const names = (security ?? []).flatMap(Object.keys);
  for (const each of names) {
    const { type, scheme, ...key } = resolve(
      document.components?.securitySchemes?.[each] ?? {},
      document,
    );
    if (type === "apiKey" && (key.in === "header" || key.in === "query"))
      return { in: key.in, name: key.name ?? "", prefix: "" };
    if (/^basic$/i.test(scheme ?? "")) return { ...BEARER, prefix: "Basic " };
    if (type && type !== "apiKey" && type !== "mutualTLS") return BEARER;
  }
  return names.length ? BEARER : null;
}

// --- References and schemas ---

const DEEPEST = 16; // references that follow one another, which may be circular
const MOST_NESTED = 5; // in a sample

/**
 * Return what a reference points to: something of the kind that may stand in its place.
 * @template {object} T
 * @param {OpenApi} document
 * @param {string} reference
 */
function at(document, reference) {
  const keys = reference
    .split("/")
    .slice(1)
    .map((key) =>
      decodeURIComponent(key).replaceAll("~1", "/").replaceAll("~0", "~"),
    );
  /** @type {unknown} */
  let node = document;
  for (const key of keys)
    node = /** @type {Record<string, unknown> | undefined} */ (node)?.[key];
  return /** @type {T} */ (node ?? {});
}

/**
 * Return a node with what it refers to in place of its reference.
 * @template {{ $ref?: string }} T
 * @param {T} referring
 * @param {OpenApi} document
 * @returns {Omit<T, "$ref">}
 */
function resolve({ $ref, ...node }, document, depth = 0) {
  if (!$ref || depth === DEEPEST) return node;
  /** @type {T} */
  const target = at(document, $ref);
  return { ...resolve(target, document, depth + 1), ...node };
}

/**
 * @param {SchemaSource} described
 * @param {OpenApi} document
 * @returns {FlatSchema}
 */
function flat({ $ref, allOf = [], ...own }, document, depth = 0) {
  /** @type {SchemaSource[]} */
  const referred = $ref ? [at(document, $ref)] : [];
  const parts =
    depth === DEEPEST
      ? []
      : [...referred, ...allOf].map((part) => flat(part, document, depth + 1));
  /** @type {SchemaSource[]} */
  const all = [...parts, own];
  const [type] = all
    .flatMap((part) => part.type ?? [])
    .filter((each) => each !== "null");
  const examples = all.findLast((part) => part.examples)?.examples;
  return {
    ...all.reduce((merged, part) => ({ ...merged, ...part })),
    type,
    examples:
      examples ??
      all.map((part) => part.example).filter((each) => each !== undefined),
    properties: Object.fromEntries(
      all.flatMap((part) => Object.entries(part.properties ?? {})),
    ),
    required: [...new Set(all.flatMap((part) => part.required ?? []))],
  };
}

/**
 * Return the schema of an object with those of its properties.
 * @param {SchemaSource} described
 * @param {OpenApi} document
 * @returns {Schema}
 */
function object(described, document) {
  const schema = flat(described, document);
  return {
    ...schema,
    properties: Object.fromEntries(
      Object.entries(schema.properties).map(([name, property]) => [
        name,
        propertyOf(property, document),
      ]),
    ),
  };
}

/**
 * @param {SchemaSource} described
 * @param {OpenApi} document
 * @returns {Property}
 */
function propertyOf(described, document) {
  const schema = withFlatItems(described, document);
  const isNested =
    schema.type === "object" ||
    schema.type === "array" ||
    Object.keys(schema.properties).length > 0;
  return {
    ...schema,
    sample: isNested ? sample(described, document, 1) : undefined,
  };
}

/**
 * @param {SchemaSource} described
 * @param {OpenApi} document
 */
function withFlatItems(described, document) {
  const { items, ...schema } = flat(described, document);
  return { ...schema, ...(items && { items: flat(items, document) }) };
}

/**
 * Return the schema of an object without what only responses have.
 * @param {Schema} schema
 * @returns {Schema}
 */
export const sendable = (schema) => ({
  ...schema,
  properties: Object.fromEntries(
    Object.entries(schema.properties).filter(([, { readOnly }]) => !readOnly),
  ),
});

/**
 * Return the example of a parameter or a body.
 * @param {MediaType} described
 * @param {OpenApi} document
 */
function exampleIn({ example, examples = {} }, document) {
  const [first] = Object.values(examples);
  return example ?? (first && resolve(first, document).value);
}

/**
 * Return a value for a schema.
 * @param {SchemaSource} described
 * @param {OpenApi} document
 * @returns {unknown}
 */
function sample(described, document, depth = 0) {
  const schema = flat(described, document);
  const value =
    schema.examples[0] ?? schema.default ?? schema.const ?? schema.enum?.[0];
  const [choice] = schema.oneOf ?? schema.anyOf ?? [];
  if (value !== undefined) return value;
  if (depth === MOST_NESTED) return null;
  if (choice) return sample(choice, document, depth + 1);
  if (schema.type === "array")
    return schema.items ? [sample(schema.items, document, depth + 1)] : [];
  if (schema.type === "integer" || schema.type === "number")
    return schema.minimum ?? 1;
  if (schema.type === "boolean") return true;
  if (schema.type === "string")
    return schema.format === "date-time"
      ? "2030-01-01T00:00:00Z"
      : schema.format === "date"
        ? "2030-01-01"
        : "text";
  const properties = Object.entries(schema.properties).filter(
    ([name, property]) =>
      (depth < 2 || schema.required.includes(name)) &&
      !flat(property, document).readOnly,
  );
  return Object.fromEntries(
    properties.map(([name, property]) => [
      name,
      sample(property, document, depth + 1),
    ]),
  );
}
