// mockpets 0.1.0: written by "mockpets kit"; run it again instead of editing this file
/* eslint-disable */
// @ts-nocheck: the declarations have the types

// One test for each scenario. The declarations beside this file have the documentation.

import { scenarios } from "./scenarios.js";
import { STATE } from "./shared.js";

export function states({ only, exclude = [], ...unknown } = {}) {
  for (const option of Object.keys(unknown)) throw new TypeError(`unknown option '${option}' of states(); use 'only' or 'exclude'`);
  const names = scenarios.map(({ name }) => name);
  for (const name of [...(only ?? []), ...exclude]) {
    if (names.includes(name)) continue;
    const near = nearest(String(name), names);
    const hint = near ? `did you mean '${near}'?` : "if it is new, write the kit again with 'mockpets kit'";
    throw new TypeError(`unknown scenario '${name}'; ${hint}`);
  }
  return scenarios
    .filter(({ name }) => (only ?? names).includes(name) && !exclude.includes(name))
    .map(({ name, description }) => ({ name, description, details: { annotation: { type: STATE, description: name } } }));
}

/** Return the name with the fewest changes to a word, or undefined if it is another word. */
function nearest(word, names) {
  const changes = (name) => distance(word.toLowerCase(), name);
  const near = names.reduce((best, name) => (changes(name) < changes(best) ? name : best));
  return changes(near) <= Math.max(2, word.length * 0.4) ? near : undefined;
}

/** Return how many letters must be changed, added or removed to get from one word to another (Levenshtein). */
function distance(word, other) {
  let row = [...Array(other.length + 1).keys()];
  for (const [index, letter] of [...word].entries()) {
    const next = [index + 1];
    for (let column = 0; column < other.length; column++) {
      const replaced = row[column] + Number(other[column] !== letter);
      next.push(Math.min(replaced, row[column + 1] + 1, next[column] + 1));
    }
    row = next;
  }
  return row.at(-1);
}
