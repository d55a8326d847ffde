// mockpets 0.2.0: written by "mockpets kit"; run it again, do not edit; agents: mockpets skill
/* eslint-disable */
// @ts-nocheck: the declarations have the types

// Which orders of responses `interleavings()` tries, without a browser. It is not an interface of the kit.

import { nearest } from "./shared.js";

/**
 * @typedef {object} Held a held request
 * @property {string} name
 * @property {string} method
 * @property {boolean} isAnswered whether the server has responded to it
 */

/**
 * @template {Held} Request
 * @typedef {object} Choice
 * @property {Kind} kind
 * @property {Request} one
 * @property {string} token the choice as one word
 */

/**
 * @typedef {object} Order
 * @property {string[]} choices the first choices of the order; the others are natural
 * @property {number} changes how many of them are not natural
 */

/**
 * @typedef {object} Made
 * @property {string} choice
 * @property {string[]} others the other choices at that point
 */

/** @typedef {"deliver" | "later" | "lose" | "fail"} Kind */

/**
 * What can happen to a held request, and how a report says it.
 * @satisfies {Record<Kind, (name: string, isAnswered: boolean) => string>}
 */
export const KINDS = {
  deliver: (name, isAnswered) =>
    isAnswered
      ? `the response to ${name} arrives`
      : `the server responds to ${name}, and the response arrives`,
  later: (name) =>
    `the server responds to ${name}, but the response arrives later`,
  lose: (name) => `the server responds to ${name}, but the response is lost`,
  fail: (name) => `${name} fails before the server sees it`,
};
const SAFE = ["GET", "HEAD", "OPTIONS"];
/** The part of the orders that is chosen by their number of changes; a sample follows. */
const SYSTEMATIC = 0.75;

/**
 * Return the choices for held requests, oldest first; the first choice is the natural one.
 * @template {Held} Request
 * @param {Request[]} held
 * @param {object} [options]
 * @param {string} [options.previous] the token of the choice before
 * @param {Kind[]} [options.kinds] which of `lose` and `fail` can happen
 * @returns {Choice<Request>[]}
 */
export function choicesOf(held, { previous, kinds = [] } = {}) {
  const waiting = held.filter(({ isAnswered }) => !isAnswered);
  // To deliver a response right after the choice to deliver it later would only repeat another order.
  const answered = held.filter(
    (one) =>
      one.isAnswered && (held.length === 1 || previous !== token("later", one)),
  );
  const canWait = (/** @type {Held} */ one) =>
    waiting.some(
      (other) =>
        other !== one &&
        [one, other].some(({ method }) => !SAFE.includes(method)),
    );
  /** @type {Partial<Record<Kind, Request[]>>} */
  const all = {
    deliver: [...waiting, ...answered],
    later: waiting.filter(canWait),
    ...Object.fromEntries(kinds.map((kind) => [kind, waiting])),
  };
  const entries = /** @type {[Kind, Request[]][]} */ (Object.entries(all));
  return entries.flatMap(([kind, ones]) =>
    ones.map((one) => ({ kind, one, token: token(kind, one) })),
  );
}

/**
 * Return a choice as one word, such as `deliver:GET:/v1/pets#2`.
 * @param {Kind} kind
 * @param {Held} held
 */
function token(kind, { name }) {
  return `${kind}:${name.replace(" ", ":").replaceAll("'", "%27")}`;
}

/**
 * Start a search for orders. `next()` returns the first choices of an order that was not tried, or
 * undefined. `add()` takes all choices that were made in it. `left()` counts the orders that are known and were not tried.
 * @param {object} options
 * @param {number} options.orders the most orders to try
 * @param {number} options.seed
 */
export function search({ orders, seed }) {
  /** @type {Order[]} */
  const known = [{ choices: [], changes: 0 }];
  const random = randomNumbers(seed);
  let tried = 0;
  return {
    left: () => known.length,
    next() {
      if (tried === orders) return undefined;
      known.sort((one, other) => one.changes - other.changes); // stable: of equal ones, the first found
      const index =
        tried++ < orders * SYSTEMATIC ? 0 : Math.floor(random() * known.length);
      return known.splice(index, 1)[0];
    },
    /**
     * @param {Order} order
     * @param {Made[]} made
     */
    add({ choices, changes }, made) {
      for (const [index, { others }] of made.entries()) {
        if (index < choices.length) continue; // their others are known
        const before = made.slice(0, index).map(({ choice }) => choice);
        known.push(
          ...others.map((other) => ({
            choices: [...before, other],
            changes: changes + 1,
          })),
        );
      }
    },
  };
}

/**
 * Return the choices in the variable `MOCKPETS_ORDER`; throw TypeError if it is invalid.
 * @param {string} text
 */
export function parseOrder(text) {
  const words = text.trim().split(/\s+/);
  if (words.join() === "natural") return [];
  for (const word of words) {
    const [, kind = "", , target = ""] =
      /^([^:]*):?([A-Z]*):?(.*)$/.exec(word) ?? [];
    const near = nearest(kind, Object.keys(KINDS));
    const hint =
      Object.hasOwn(KINDS, kind) || !near
        ? "copy the value from the failed test"
        : `did you mean '${near}'?`;
    if (!Object.hasOwn(KINDS, kind) || !target.startsWith("/")) {
      throw new TypeError(
        `invalid MOCKPETS_ORDER: '${word}' is not a choice such as 'deliver:GET:/v1/pets'; ${hint}`,
      );
    }
  }
  return words;
}

/**
 * Return the value of `MOCKPETS_ORDER` for choices.
 * @param {string[]} choices
 */
export function formatOrder(choices) {
  return choices.join(" ") || "natural";
}

/**
 * Return a function for random numbers below 1, which are the same for the same seed (mulberry32).
 * @param {number} seed
 */
function randomNumbers(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
