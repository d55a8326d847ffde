// JSON texts: values are changed as texts, so that an edit or Undo changes no digit of the others.

const STRING = '"[^"\\\\]*(?:\\\\.[^"\\\\]*)*"';
const MARK = new RegExp(`${STRING}|[[\\]{},]`, "g");
const MEMBER = new RegExp(`^(${STRING})\\s*:(.*)$`, "s");

/** Return the values of a JSON array, or the properties of an object, as JSON. */
export function parts(json) {
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

/** Return the properties of a JSON object by name, as JSON. */
export const members = (json) =>
  new Map(
    parts(json).map((part) => {
      const [, name, value] = MEMBER.exec(part);
      return [JSON.parse(name), value.trim()];
    }),
  );

export const toObject = (properties) =>
  `{${[...properties].map(([name, value]) => `${JSON.stringify(name)}: ${value}`).join(", ")}}`;
export const isObject = (json) => /^\s*\{/.test(json ?? "");
export const isNested = (json) => /^\s*[[{]/.test(json ?? "");
export const isText = (json) => json?.startsWith('"') ?? false;

/** Whether a text is a JSON object. */
export function isValidObject(text) {
  try {
    JSON.parse(text);
    return isObject(text);
  } catch {
    return false;
  }
}

/** Return how a value is shown and entered: a text as it is, any other value as JSON. */
export const textOf = (json) =>
  isText(json) ? JSON.parse(json) : (json ?? "");

/**
 * Return a text that the user entered as JSON; what must be no text but is none of JSON's values
 * stays a text, so that the response shows why it is invalid.
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

/** Return the JSON merge patch that makes one value another. */
export function patch(before, after) {
  if (!isObject(before) || !isObject(after)) return after;
  const [old, now] = [members(before), members(after)];
  const removed = [...old.keys()]
    .filter((name) => !now.has(name))
    .map((name) => [name, "null"]);
  return toObject([
    ...[...now].map(([name, value]) => [name, patch(old.get(name), value)]),
    ...removed,
  ]);
}

/** Return JSON without space between its values. */
export const compact = (json) => json.replace(/("(?:[^"\\]|\\.)*")|\s+/g, "$1");

const SHORT = 3; // names of properties in a summary

/** Return a nested value in few words: `{city, floors}` or `3 items`. */
export function summary(json) {
  if (!isObject(json)) {
    const n = parts(json).length;
    return n === 1 ? "1 item" : `${n} items`;
  }
  const names = [...members(json).keys()];
  return `{${names.slice(0, SHORT).join(", ")}${names.length > SHORT ? ", …" : ""}}`;
}
