// The section of the active scenarios, and the reset of the session.

import { activeScenarios, remove, reset, undo } from "./actions.js";
import { button, h } from "./elements.js";
import { icon } from "./icons.js";
import { does, refetch } from "./loading.js";
import { scenarioField } from "./scenario-field.js";
import { view } from "./view.js";

export function scenarios() {
  return h(
    "section",
    { key: "scenarios" },
    h(
      "div",
      { class: "line" },
      h("h2", { class: "soft" }, "Scenarios"),
      view.undo > Date.now() && [
        h("span", { key: "done", class: "soft" }, "Session reset"),
        textButton("undo", "Undo", undo),
      ],
      textButton("reset", "Reset", reset),
    ),
    h(
      "div",
      { class: "stack" },
      h(
        "ol",
        { "aria-label": "Active scenarios" },
        activeScenarios().map(chip),
      ),
      scenarioField(),
    ),
  );
}

/**
 * @param {string} id
 * @param {string} text
 * @param {() => Promise<void>} action
 */
function textButton(id, text, action) {
  const onclick = does(action, refetch);
  return h("button", { id, key: id, class: "text", onclick }, text);
}

/**
 * @param {string} name
 * @param {number} index
 */
function chip(name, index) {
  const onclick = does(() => remove(name), refetch);
  return h(
    "li",
    { key: name },
    h("span", { class: "soft" }, index + 1),
    h("b", {}, name),
    button(`remove-${name}`, `Deactivate ${name}`, onclick, icon("close")),
  );
}
