// The states of an operation, as toolbar and panel list them.

/**
 * @import { State } from "../control.js"
 */

const MORE = ["429", "503"];

/**
 * Return the states that are active for an operation, such as `404` for `getPet:404`.
 * @param {readonly string[]} active
 * @param {string} operation
 */
export function activeStates(active, operation) {
  return active
    .filter((name) => name.startsWith(`${operation}:`))
    .map((name) => name.slice(operation.length + 1));
}

/**
 * Return the states to choose from, in the order in which they are shown.
 * @param {object} operation
 * @param {readonly string[]} operation.states those of the contract
 * @param {boolean} operation.isList
 * @param {readonly string[]} chosen those that are active
 * @param {State["faults"] | undefined} faults to list all states
 */
export function listedStates({ states, isList }, chosen, faults) {
  const listed = new Set([
    ...states,
    "500",
    ...(isList ? ["empty"] : []),
    ...["3s", "hold", "offline"],
    ...(faults ? [...MORE, ...Object.keys(faults)] : []),
    ...chosen,
  ]);
  return [...listed].sort((one, other) => place(one) - place(other));
}

/**
 * Return the place of a state: the statuses come first, in their order.
 * @param {string} state
 */
function place(state) {
  return /^\d{3}(?!\w)/.test(state) ? Number(state.slice(0, 3)) : 600;
}
