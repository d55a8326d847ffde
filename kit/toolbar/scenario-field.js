// The field that adds a scenario: a combobox with a list of options.

import { activate, add } from "./actions.js";
import { h } from "./elements.js";
import { byId, OWN } from "./host.js";
import { does, refetch } from "./loading.js";
import { render, update, view } from "./view.js";

/**
 * @typedef {object} Option
 * @property {string} name
 * @property {string} description
 */

const NO_MATCH = 3;

/** Return the field, its list and a hint. */
export function scenarioField() {
  const found = view.listed ? options() : [];
  const hint = found.length
    ? "Enter adds it. Ctrl+Enter activates only this one."
    : "No scenarios match.";
  return [
    input(found),
    list(found),
    view.listed && h("p", { key: "hint", class: "soft hint" }, hint),
  ];
}

/** @param {readonly Option[]} found */
function input(found) {
  const selected = found[view.option] && `option-${view.option}`;
  return h("input", {
    id: "add",
    key: "add",
    role: "combobox",
    "aria-label": "Add a scenario",
    placeholder: "Add a scenario",
    autocomplete: "off",
    spellcheck: "false",
    value: view.search,
    "aria-expanded": String(found.length > 0),
    "aria-controls": "options",
    "aria-activedescendant": selected,
    oninput: search,
    onclick: search,
    onkeydown: (event) => onKey(event, found),
    onblur,
  });
}

/** @param {readonly Option[]} found */
function list(found) {
  return h(
    "div",
    {
      key: "options",
      id: "options",
      role: "listbox",
      "aria-label": "Scenarios",
      hidden: !found.length,
    },
    found.map(row),
  );
}

/**
 * @param {Option} option
 * @param {number} index
 */
function row({ name, description }, index) {
  return h(
    "div",
    {
      role: "option",
      id: `option-${index}`,
      key: name,
      "aria-selected": String(index === view.option),
      title: description,
      onmousedown(event) {
        event.preventDefault(); // keeps the focus in the field
        choose(name, event);
      },
    },
    h("b", {}, name),
    h("span", { class: "soft" }, description),
  );
}

// --- The options ---

/** Return the scenarios that match the search and are not active, the best ones first. */
function options() {
  const { active, scenarios } = view.state;
  const text = view.search.toLowerCase();
  return scenarios
    .filter(({ name }) => name !== OWN && !active.includes(name))
    .map(({ name, description, problems }) => {
      // An invalid file has no description.
      const option = { name, description: description ?? problems[0] ?? "" };
      return { option, rank: rank(option, text) };
    })
    .filter((each) => each.rank < NO_MATCH)
    .sort((one, other) => one.rank - other.rank)
    .map((each) => each.option);
}

/**
 * @param {Option} option
 * @param {string} text in lower case
 */
function rank({ name, description }, text) {
  if (name.startsWith(text)) return 0;
  if (name.includes(text)) return 1;
  return description.toLowerCase().includes(text) ? 2 : NO_MATCH;
}

// --- What the user does ---

/** @param {Event} event */
function search({ currentTarget: field }) {
  if (!(field instanceof HTMLInputElement)) return;
  update({ listed: true, option: 0, search: field.value });
  render();
}

/**
 * @param {KeyboardEvent} event
 * @param {readonly Option[]} found
 */
function onKey(event, found) {
  const { key } = event;
  const selected = found[view.option];
  if (key === "ArrowDown") move(1, found.length);
  else if (key === "ArrowUp") move(-1, found.length);
  else if (key === "Enter" && selected) choose(selected.name, event);
  else if (key === "Escape" && view.listed) view.listed = false;
  else return;
  event.preventDefault();
  event.stopPropagation();
  render();
  byId(`option-${view.option}`)?.scrollIntoView({ block: "nearest" });
}

/**
 * Open the list, or select another option.
 * @param {number} step
 * @param {number} count
 */
function move(step, count) {
  if (!view.listed) view.listed = true;
  else if (count) view.option = (view.option + step + count) % count;
}

/**
 * Activate a scenario: on top of the active ones or, with the Ctrl key, alone.
 * @param {string} name
 * @param {KeyboardEvent | MouseEvent} event
 */
function choose(name, { ctrlKey, metaKey }) {
  update({ search: "", listed: false, option: 0 });
  const isOnly = ctrlKey || metaKey;
  void does(() => (isOnly ? activate([name]) : add(name)), refetch)();
}

function onblur() {
  view.listed = false;
  queueMicrotask(render); // later, because `render` may be what removes the field
}
