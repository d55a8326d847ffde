// The operations of the contracts, with their parameters, bodies and credentials, and the schemas of records:
// all from the OpenAPI documents and from what the server has inferred of them.

import { call, plainPath } from "./store.js";

const METHODS = [
  "get",
  "put",
  "post",
  "delete",
  "options",
  "head",
  "patch",
  "trace",
];
const DEEPEST = 16; // references that follow one another, which may be circular
const MOST_NESTED = 5; // in a sample
const BEARER = { in: "header", name: "Authorization", prefix: "Bearer " };

/** What the form for any path sends. */
export const ANY = { parameters: [], bodies: [], key: BEARER };

/** Load the contracts that the server serves, each with its operations and collections; paths include the base path. */
export async function loadContracts() {
  const { contracts } = await call("GET /contract");
  return Promise.all(
    contracts.map(async ({ base, ...contract }) => {
      const { document, byRoute } = await load(contract.label);
      return {
        ...contract,
        base,
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
    }),
  );
}

/**
 * Load a document.
 * @param {string | null} [label] of its contract; by default the first one
 * @returns {Promise<{document: any, byRoute: Map<string, any>}>} operations by method and path,
 *   each with `details`, a function
 */
export async function load(label) {
  const document = await call("GET /openapi.json", {
    query: { contract: label || undefined },
  });
  const base = plainPath(document.servers[0].url.replace(/\/$/, "")); // always a path
  const byRoute = new Map();
  for (const [path, referring] of Object.entries(document.paths ?? {})) {
    const item = resolve(referring ?? {}, document);
    for (const key of METHODS.filter((each) => item[each])) {
      const [method, described] = [key.toUpperCase(), item[key]];
      const { summary = "", deprecated = false, tags = [] } = described;
      // When a form needs them: there may be hundreds of operations.
      const details = () => detailsOf(described, item, document);
      byRoute.set(`${method} ${base}${path}`, {
        method,
        path: base + path,
        summary,
        deprecated,
        tags,
        details,
      });
    }
  }
  return { document, byRoute };
}

/** Return the parameters of an operation, the bodies that it takes, JSON first, and where it has its key. */
const detailsOf = (described, item, document) => ({
  parameters: parametersOf(
    [...(item.parameters ?? []), ...(described.parameters ?? [])],
    document,
  ),
  bodies: bodiesOf(described.requestBody, document),
  key: keyOf(described, document),
});

/** Return parameters, of which the last with a name counts; `example` is one of its values, as text. */
function parametersOf(described, document) {
  const all = described.map((each) => {
    const parameter = resolve(each, document);
    const schema = flat(parameter.schema ?? {}, document);
    const example =
      exampleIn(parameter, document) ??
      schema.examples?.[0] ??
      schema.default ??
      schema.enum?.[0];
    return {
      ...parameter,
      schema,
      example: typeof example === "object" ? undefined : example,
    };
  });
  return [
    ...new Map(all.map((each) => [`${each.in} ${each.name}`, each])).values(),
  ];
}

const JSON_TYPE = /^application\/(?:[^;]*\+)?json\b/i;

/**
 * Return the bodies of a request by media type: each with its schema, an example, and the property
 * around the record, if there is one.
 */
function bodiesOf(described, document) {
  const { content = {}, required = false } = described
    ? resolve(described, document)
    : {};
  const types = Object.keys(content).sort(
    (one, other) => Number(JSON_TYPE.test(other)) - Number(JSON_TYPE.test(one)),
  );
  return types.map((type) => {
    const media = content[type];
    const schema = object(media.schema ?? {}, document);
    const [envelope, ...others] = Object.keys(schema.properties);
    const isWrapped =
      envelope !== undefined &&
      !others.length &&
      Object.keys(schema.properties[envelope].properties).length > 0;
    return {
      type,
      isJson: JSON_TYPE.test(type),
      isForm:
        /^(?:application\/x-www-form-urlencoded|multipart\/form-data)\b/i.test(
          type,
        ),
      isRequired: required,
      example:
        exampleIn(media, document) ?? sample(media.schema ?? {}, document),
      envelope: isWrapped ? envelope : null,
      schema: sendable(
        isWrapped ? object(schema.properties[envelope], document) : schema,
      ),
    };
  });
}

/** Return where an operation has its key: that of the first scheme that a request can name; null without security. */
function keyOf(operation, document) {
  const security = operation.security ?? document.security;
  const names = (security ?? []).flatMap(Object.keys);
  for (const { type, scheme, in: place, name } of names.map((each) =>
    resolve(document.components?.securitySchemes?.[each] ?? {}, document),
  )) {
    if (type === "apiKey" && place !== "cookie")
      return { in: place, name, prefix: "" };
    if (/^basic$/i.test(scheme ?? "")) return { ...BEARER, prefix: "Basic " };
    if (type && type !== "apiKey" && type !== "mutualTLS") return BEARER;
  }
  return names.length ? BEARER : null;
}

// --- Schemas ---

/** Return what a reference points to. */
function at(document, reference) {
  const keys = reference
    .split("/")
    .slice(1)
    .map((key) =>
      decodeURIComponent(key).replaceAll("~1", "/").replaceAll("~0", "~"),
    );
  return keys.reduce((node, key) => node?.[key], document) ?? {};
}

/** Return a node with what it refers to in place of its reference. */
function resolve({ $ref, ...node }, document, depth = 0) {
  return $ref && depth < DEEPEST
    ? { ...resolve(at(document, $ref), document, depth + 1), ...node }
    : node;
}

/** Return a schema without references, `allOf` and null; those of its properties may have them. */
function flat({ allOf = [], ...schema }, document, depth = 0) {
  const { $ref, ...own } = schema;
  const parts =
    depth === DEEPEST
      ? []
      : [...($ref ? [at(document, $ref)] : []), ...allOf].map((part) =>
          flat(part, document, depth + 1),
        );
  const all = [...parts, own];
  const merged = Object.assign({}, ...all);
  const [type] = all
    .flatMap((part) => part.type ?? [])
    .filter((each) => each !== "null");
  return {
    ...merged,
    type,
    examples:
      all.findLast((part) => part.examples)?.examples ??
      all
        .filter((part) => part.example !== undefined)
        .map((part) => part.example),
    properties: Object.assign({}, ...all.map((part) => part.properties)),
    required: [...new Set(all.flatMap((part) => part.required ?? []))],
  };
}

/** Return the schema of an object with those of its properties, each with a sample of a nested value. */
function object(described, document) {
  const schema = flat(described, document);
  const properties = Object.entries(schema.properties).map(
    ([name, property]) => {
      const { items, ...rest } = flat(property, document);
      const isNested =
        rest.type === "object" ||
        rest.type === "array" ||
        Object.keys(rest.properties).length > 0;
      return [
        name,
        {
          ...rest,
          ...(items && { items: flat(items, document) }),
          sample: isNested ? sample(property, document, 1) : undefined,
        },
      ];
    },
  );
  return { ...schema, properties: Object.fromEntries(properties) };
}

/** Return the schema of an object without what only responses have. */
export const sendable = (schema) => ({
  ...schema,
  properties: Object.fromEntries(
    Object.entries(schema.properties).filter(([, { readOnly }]) => !readOnly),
  ),
});

/** Return the example of a parameter or a body. */
function exampleIn({ example, examples = {} }, document) {
  const [first] = Object.values(examples);
  return example ?? (first && resolve(first, document).value);
}

/** Return a value for a schema. */
function sample(described, document, depth = 0) {
  const schema = flat(described, document);
  const value =
    schema.examples?.[0] ?? schema.default ?? schema.const ?? schema.enum?.[0];
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
