// Compare the texts of pages: which come from which response, and which parts of an address are data.

/** @import { HarEntry, Snapshot, Visit } from "./types.d.ts" */

const BODY_MS = 1_000; // Playwright never ends a response whose body the page ignores
const SHORTEST = 4; // characters: shorter texts are on every page by chance
const LONG = 20; // characters of a line that may be the beginning of a longer text
export const ELLIPSIS = /(?:\.\.\.|…)$/;
const IS_KEY = /^(?:\d+|[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{24})$/i;

/** Return the lines of a snapshot with equal digits: counts and times are no difference. @param {Snapshot} snapshot */
export function normalLines({ lines }) {
  return new Set(lines.map(({ text }) => normal(text)));
}

/** @param {string} text */
export function normal(text) {
  return text.replace(/\d+([.,:]\d+)*/g, "0");
}

/** Return all texts and numbers in a value of JSON, as texts. @param {unknown} value @returns {string[]} */
export function valuesIn(value) {
  if (typeof value === "string" || typeof value === "number")
    return [String(value)];
  return value instanceof Object ? Object.values(value).flatMap(valuesIn) : [];
}

/**
 * Return the texts and numbers in the responses of a visit by operation, also of those that the app's own server got.
 * @param {Visit} visit
 */
export async function textsByOperation({ mock, bodies }) {
  /** @type {Map<string, string[]>} */
  const texts = new Map();
  const add = (/** @type {string} */ operation, /** @type {string} */ body) =>
    texts.set(operation, [
      ...(texts.get(operation) ?? []),
      ...valuesInText(body),
    ]);
  for (const { operation, text } of bodies)
    add(operation, (await within(BODY_MS, text)) ?? "");
  for (const { operation, body } of await loggedBodies(mock))
    if (!texts.has(operation)) add(operation, body);
  return texts;
}

/** Return the bodies of the request log, of which the server keeps the beginning. @param {Visit["mock"]} mock */
async function loggedBodies(mock) {
  const { log } = await mock.har({ limit: 200 });
  /** @type {unknown} */
  const documented = log.entries; // the contract of the control API calls them objects
  const entries = /** @type {HarEntry[]} */ (documented);
  return entries.flatMap(({ response, _mockpets: { operation } }) =>
    operation ? [{ operation, body: response.content.text ?? "" }] : [],
  );
}

/** Return the bodies of an operation's responses that are JSON. @param {Visit} visit @param {string} operation */
export async function jsonOf({ mock }, operation) {
  const texts = (await loggedBodies(mock))
    .filter((each) => each.operation === operation)
    .map(({ body }) => parsed(body));
  return texts.filter((body) => body !== undefined);
}

/** Return all texts and numbers of JSON, also if its end is missing. @param {string} text */
function valuesInText(text) {
  const value = parsed(text);
  if (value !== undefined) return valuesIn(value);
  return [...text.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([all]) =>
    String(parsed(all)),
  );
}

/**
 * Return what a promise resolves to, or undefined if that takes too long.
 * @template T
 * @param {number} milliseconds
 * @param {Promise<T>} promise
 */
function within(milliseconds, promise) {
  return Promise.race([
    promise,
    new Promise((/** @type {(value: undefined) => void} */ done) =>
      setTimeout(done, milliseconds, undefined),
    ),
  ]);
}

/** @param {string} text @returns {unknown} */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Return which operations a line of a page can come from: those with a response that has a text of the line.
 * @param {Iterable<string>} lines as the page shows them
 * @param {Map<string, string[]>} responses the texts of the responses by operation
 * @returns {Map<string, Set<string>>} by normalized line
 */
export function textsOf(lines, responses) {
  const known = [...responses].map(([operation, values]) => {
    const texts = values
      .flatMap((value) => value.split("\n"))
      .map((text) => text.replace(/\s+/g, " ").trim());
    return { operation, texts: [...new Set(texts)].filter(isTelling) };
  });
  /** @type {Map<string, Set<string>>} */
  const result = new Map();
  for (const line of lines) {
    const beginning =
      line.length > LONG ? line.replace(ELLIPSIS, "") : undefined;
    const isIn = (/** @type {string} */ text) =>
      hasWords(line, text) ||
      (beginning !== undefined && text.startsWith(beginning));
    const operations = known
      .filter(({ texts }) => texts.some(isIn))
      .map(({ operation }) => operation);
    if (operations.length) result.set(normal(line), new Set(operations));
  }
  return result;
}

/**
 * Return whether a text on a page is hardly there by chance; without letters, as of a price, it must be longer.
 * @param {string} text
 */
function isTelling(text) {
  return text.length >= SHORTEST + Number(!/\p{L}/u.test(text));
}

/**
 * Return whether a line has a text that does not begin or end inside of a word.
 * @param {string} line
 * @param {string} text
 */
function hasWords(line, text) {
  const isLetter = (/** @type {string} */ character) =>
    /[\p{L}\d]/u.test(character);
  for (
    let start = line.indexOf(text);
    start !== -1;
    start = line.indexOf(text, start + 1)
  ) {
    const end = start + text.length;
    if (!isLetter(line.charAt(start - 1)) && !isLetter(line.charAt(end)))
      return true;
  }
  return false;
}

/**
 * Return the shape of an address: `/article/{}` for `/article/how-to`, if `how-to` is in a response.
 * @param {string} url
 * @param {Set<string>} values
 */
export function shapeOf(url, values) {
  const { pathname, search, hash } = new URL(url);
  const isRoute = /^#!?\//.test(hash);
  const [route, query = ""] = isRoute ? hash.split(/\?(.*)/s) : [];
  return (
    shapeOfPath(pathname, values) +
    shapeOfQuery(search, values) +
    (route ? shapeOfPath(route, values) + shapeOfQuery(query, values) : "")
  );
}

/** @param {string} path @param {Set<string>} values */
function shapeOfPath(path, values) {
  return path
    .split("/")
    .map((part) => {
      const [, sign, rest] = /^([@~:]?)(.*)$/.exec(decoded(part)) ?? [
        "",
        "",
        part,
      ];
      return rest && (IS_KEY.test(rest) || values.has(rest))
        ? `${sign}{}`
        : part;
    })
    .join("/");
}

/** @param {string} query @param {Set<string>} values */
function shapeOfQuery(query, values) {
  const pairs = [...new URLSearchParams(query)].map(
    ([name, value]) =>
      `${name}=${IS_KEY.test(value) || values.has(value) ? "{}" : value}`,
  );
  return pairs.length ? `?${pairs.sort().join("&")}` : "";
}

/** @param {string} part */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
