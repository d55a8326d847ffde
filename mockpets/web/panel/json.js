// JSON texts: values are changed as texts, so that an edit or Undo changes no digit of the others.

const STRING = '"[^"\\\\]*(?:\\\\.[^"\\\\]*)*"';
const MARK = new RegExp(`${STRING}|[[\\]{},]`, "g");
const MEMBER = new RegExp(`^(${STRING})\\s*:(.*)$`, "s");

/** @typedef {Map<string, string>} Properties of an object by name, as JSON */

/**
 * Return the values of a JSON array, or the properties of an object, as JSON.
 * @param {string} json
 */
export function parts(json) {
  /** @type {string[]} */
  const found = [];
  let depth = 0;
  let start = 0;
  for (const { 0: mark, index } of json.matchAll(MARK)) {
    const closes = mark === "]" || mark === "}";
    if (depth === 1 && (closes || mark === ",")) {
      const part = json.slice(start, index).trim();
      if (part) found.push(part);
      start = index + 1;
    }
    if (closes) depth -= 1;
    else if (mark === "[" || mark === "{") {
      if (depth === 0) start = index + 1;
      depth += 1;
    }
  }
  return found;
}

/**
 * Return the properties of a JSON object.
 * @param {string} json
 * @returns {Properties}
 */
export const members = (json) =>
  new Map(
    parts(json).map((part) => {
      const [, name = "", value = ""] = MEMBER.exec(part) ?? [];
      return [parseText(name), value.trim()];
    }),
  );

/** @param {Iterable<[name: string, json: string]>} properties */
export const toObject = (properties) =>
  `{${[...properties].map(([name, value]) => `${JSON.stringify(name)}: ${value}`).join(", ")}}`;

export const isObject = (json = "") => /^\s*\{/.test(json);
export const isNested = (json = "") => /^\s*[[{]/.test(json);
export const isText = (json = "") => json.startsWith('"');

/** @param {string} json of a text */
const parseText = (json) => String(JSON.parse(json));

/**
 * Whether a text is a JSON object.
 * @param {string} text
 */
export function isValidObject(text) {
  try {
    JSON.parse(text);
    return isObject(text);
  } catch {
    return false;
  }
}

/** Return how a value is shown and entered: a text as it is, any other value as JSON. */
export const textOf = (json = "") => (isText(json) ? parseText(json) : json);

/**
 * Return what the user entered, as JSON. If it should be a number or another value, but is not valid
 * JSON, it stays a text, so that the response shows why it is invalid.
 * @param {string} text
 * @param {boolean} asText
 */
export function jsonOf(text, asText) {
  if (asText) return JSON.stringify(text);
  try {
    JSON.parse(text);
    return text;
  } catch {
    return JSON.stringify(text);
  }
}

/**
 * Return the JSON merge patch that makes one value another.
 * @param {string | undefined} before
 * @param {string} after
 * @returns {string}
 */
export function patch(before, after) {
  if (before === undefined || !isObject(before) || !isObject(after))
    return after;
  const [old, now] = [members(before), members(after)];
  /** @type {Properties} */
  const changes = new Map();
  for (const [name, value] of now)
    changes.set(name, patch(old.get(name), value));
  for (const name of old.keys()) if (!now.has(name)) changes.set(name, "null");
  return toObject(changes);
}

/**
 * Return JSON without space between its values.
 * @param {string} json
 */
export const compact = (json) => json.replace(/("(?:[^"\\]|\\.)*")|\s+/g, "$1");

const SHORT = 3; // names of properties in a summary

/**
 * Return a nested value in few words: `{city, floors}` or `3 items`.
 * @param {string} json
 */
export function summary(json) {
  if (!isObject(json)) {
    const n = parts(json).length;
    return n === 1 ? "1 item" : `${n} items`;
  }
  const names = [...members(json).keys()];
  return `{${names.slice(0, SHORT).join(", ")}${names.length > SHORT ? ", …" : ""}}`;
}
