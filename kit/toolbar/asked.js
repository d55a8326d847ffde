// The section of the request whose response the user chooses.

import { release } from "./actions.js";
import { contractOf, errorReply, faultCalled } from "./active.js";
import { h } from "./elements.js";
import { shownPath } from "./shown.js";
import { does } from "./loading.js";
import { view, waited } from "./view.js";

/**
 * @import { Release, WaitingResponse } from "../control.js"
 */

/**
 * @typedef {object} Choice
 * @property {string} label
 * @property {Omit<Release, "requests">} [instead] what is sent in place of the real response
 * @property {string} [title]
 * @property {boolean} [isDisabled]
 */

/** Return the section; false without such a request. */
export function asked() {
  const [waiting, ...others] = view.asked;
  if (!waiting) return false;
  const { request, method, target } = waiting;
  const choices = choicesFor(waiting);
  return h(
    "section",
    { key: "asked", class: "asked", "aria-label": "Held request" },
    h(
      "div",
      { class: "line" },
      h("b", { class: "held" }, "held"),
      h("code", { class: "soft" }, method),
      h("code", { class: "path" }, shownPath(view.state, target)),
      others.length > 0 &&
        h("span", { key: "more", class: "soft" }, `and ${others.length} more`),
      h("span", { key: "waited", class: "held" }, waited(waiting)),
    ),
    h(
      "div",
      { class: "replies", role: "group", "aria-label": "Respond with" },
      choices.map((choice, index) => button(request, choice, index)),
    ),
  );
}

/**
 * @param {number} request
 * @param {Choice} choice
 * @param {number} index
 */
function button(request, { label, instead, title, isDisabled }, index) {
  return h(
    "button",
    {
      id: `reply-${index}`,
      key: index,
      class: index ? "" : "primary",
      title,
      disabled: isDisabled,
      onclick: does(() => release(request, instead)),
    },
    label,
  );
}

/**
 * Return the responses to choose from.
 * @param {WaitingResponse} waiting
 * @returns {Choice[]}
 */
function choicesFor({ status, path, operation }) {
  const { state } = view;
  const isList = contractOf(state, path)?.collections.some(
    ({ lists }) => operation !== null && lists.includes(operation),
  );
  const failure = (/** @type {number} */ code) => ({
    label: String(code),
    instead: { reply: errorReply(state, path, code) },
  });
  const fault = faultCalled(state, "cut");
  return [
    { label: `Real ${status ?? ""}` },
    ...[401, 404, 500].map(failure),
    { label: "Empty", instead: { reply: { page: [] } }, isDisabled: !isList },
    { label: "Slow", instead: { delay: "3s" }, title: "After 3 s" },
    ...(fault ? [{ label: "Broken", instead: { reply: { fault } } }] : []),
  ];
}
