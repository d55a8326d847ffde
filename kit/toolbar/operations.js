// The section of the operations: those of the last requests, and those with an active state.

import { activeScenarios, add, remove } from "./actions.js";
import { button, h } from "./elements.js";
import { does, refetch, show } from "./loading.js";
import { activeStates, listedStates } from "./operation-states.js";
import { view } from "./view.js";

/**
 * @import { OperationDescription } from "../control.js"
 */

/** Return the section; false without an operation. */
export function operations() {
  const active = activeScenarios();
  const called = view.requests.map(({ operation }) => operation);
  const shown = (view.operations ?? []).filter(
    ({ name }) =>
      called.includes(name) || activeStates(active, name).length > 0,
  );
  if (!shown.length) return false;
  return h(
    "section",
    { key: "operations" },
    h("h2", { class: "soft" }, "States"),
    h(
      "ul",
      {},
      shown.map((operation) =>
        row(operation, activeStates(active, operation.name)),
      ),
    ),
  );
}

/**
 * @param {OperationDescription} operation
 * @param {readonly string[]} chosen
 */
function row({ name, method, path, states, role }, chosen) {
  const hasMore = view.more === name;
  const listed = listedStates(
    { states, isList: role === "list" },
    chosen,
    hasMore ? view.state.faults : undefined,
  );
  const toggleMore = () =>
    show(() => {
      view.more = hasMore ? "" : name;
    });
  return h(
    "li",
    { key: name },
    h(
      "div",
      { class: "line" },
      h("code", { class: "soft" }, method),
      h("code", { class: "path" }, path),
    ),
    h(
      "div",
      { class: "states", role: "group", "aria-label": name },
      listed.map((state) => chip(name, state, chosen.includes(state))),
      button(
        `more-${name}`,
        `${hasMore ? "Fewer" : "More"} states of ${name}`,
        toggleMore,
        "…",
      ),
    ),
  );
}

/**
 * @param {string} operation
 * @param {string} state
 * @param {boolean} isOn
 */
function chip(operation, state, isOn) {
  const name = `${operation}:${state}`;
  return h(
    "button",
    {
      id: name,
      key: state,
      class: isOn ? "primary" : "",
      "aria-pressed": String(isOn),
      onclick: does(() => (isOn ? remove(name) : add(name)), refetch),
    },
    state,
  );
}
