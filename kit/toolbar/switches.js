// The section of what the toolbar adds to every response: a delay, and the question before it.

import { activate, activeScenarios } from "./actions.js";
import { h } from "./elements.js";
import { does } from "./loading.js";
import { view } from "./view.js";

const DELAYS = { Off: "", "300 ms": "300ms", "1 s": "1s", "3 s": "3s" };

export function switches() {
  return h(
    "section",
    { key: "switches" },
    h(
      "div",
      { class: "line" },
      h("h2", { id: "delays" }, "Delay for all"),
      h(
        "div",
        { role: "group", class: "segments", "aria-labelledby": "delays" },
        Object.entries(DELAYS).map(segment),
      ),
    ),
    h("div", { class: "line" }, askLabel(), askSwitch()),
  );
}

/** @param {[label: string, delay: string]} delay */
function segment([label, delay]) {
  return h(
    "button",
    {
      id: `delay-${delay}`,
      key: delay,
      "aria-pressed": String(delay === view.delay),
      onclick: change({ delay }),
    },
    label,
  );
}

function askLabel() {
  const text = "Ask before each response";
  return h("h2", {}, h("label", { id: "asks", for: "ask" }, text));
}

function askSwitch() {
  return h("button", {
    id: "ask",
    role: "switch",
    "aria-checked": String(view.ask),
    "aria-labelledby": "asks",
    onclick: change({ ask: !view.ask }),
  });
}

/** @param {{ delay?: string, ask?: boolean }} adds */
function change(adds) {
  return does(() => activate(activeScenarios(), adds));
}
