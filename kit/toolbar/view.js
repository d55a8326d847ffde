// What the toolbar shows, and what of that it remembers.

import { parseObject } from "../connection.js";
import { OWN } from "./host.js";

/**
 * @import { OperationDescription, RequestSummary, State, WaitingResponse } from "../control.js"
 */

/**
 * @typedef {object} View
 * @property {boolean} open whether the panel is open
 * @property {string} corner such as `bottom right`
 * @property {string} focus the control to focus on after the page is loaded again; empty for none
 * @property {number} undo the time until which a reset can be undone
 *
 * @property {string} search the text in the field for scenarios
 * @property {boolean} listed whether the field shows its options
 * @property {number} option the position of the selected option
 * @property {string} more the operation with all its states
 * @property {{ number: number, text: string } | undefined} why the explanation of a request
 *
 * @property {string} problem why the last action failed
 * @property {string} advice why a link has no effect
 * @property {string} note what the last action did
 * @property {string} news what screen readers announce
 *
 * @property {Pick<State, "active" | "contracts" | "faults" | "scenarios">} state
 * @property {OperationDescription[] | undefined} operations those of all contracts, once they are needed
 * @property {WaitingResponse[]} held
 * @property {WaitingResponse[]} asked those of them whose response the user chooses
 * @property {RequestSummary[]} requests the last ones, the newest first
 * @property {number} loaded when these were loaded, as `performance.now()`
 * @property {boolean} ask whether the toolbar holds each response
 * @property {string} delay the delay of each response, such as `300ms`; empty for none
 */

const { open, focus, undo } = stored("sessionStorage");
const { corner } = stored("localStorage");

/** @type {View} */
export const view = {
  open: open === true,
  corner: typeof corner === "string" ? corner : "bottom right",
  focus: typeof focus === "string" ? focus : "",
  undo: typeof undo === "number" ? undo : 0,
  search: "",
  listed: false,
  option: 0,
  more: "",
  why: undefined,
  problem: "",
  advice: "",
  note: "",
  news: "",
  state: { active: [], contracts: [], faults: {}, scenarios: [] },
  operations: undefined,
  held: [],
  asked: [],
  requests: [],
  loaded: 0,
  ask: false,
  delay: "",
};

/** @param {Partial<View>} values */
export function update(values) {
  Object.assign(view, values);
}

/**
 * Change what the toolbar remembers: its corner forever, the rest until the tab is closed.
 * @param {Partial<Pick<View, "open" | "corner" | "focus" | "undo">>} values
 */
export function keep(values) {
  update(values);
  const { open, undo, focus, corner } = view;
  try {
    sessionStorage.setItem(OWN, JSON.stringify({ open, undo, focus }));
    localStorage.setItem(OWN, JSON.stringify({ corner }));
  } catch {
    // The browser blocks storage: nothing is remembered.
  }
}

/**
 * @param {"localStorage" | "sessionStorage"} storage
 * @returns {Record<string, unknown>}
 */
function stored(storage) {
  try {
    return { ...parseObject(window[storage].getItem(OWN) ?? "") };
  } catch {
    return {}; // the browser blocks storage
  }
}

/**
 * Return how long a response has waited, such as "1.2 s".
 * @param {WaitingResponse} waiting
 */
export function waited({ waited_ms }) {
  const ms = waited_ms + performance.now() - view.loaded;
  return `${(ms / 1000).toFixed(1)} s`;
}

// --- Show ---

let show = () => {};

/** Show the view as it is now. */
export function render() {
  show();
}

/**
 * Set what shows the view. It imports the controls, which import this module.
 * @param {() => void} shows
 */
export function renderWith(shows) {
  show = shows;
}
