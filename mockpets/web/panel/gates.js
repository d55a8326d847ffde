// The gates: how many responses each holds, and a button to release them.

import { control } from "./api.js";
import { byId, el, handler, keyed, notice, setText } from "./dom.js";
import { count } from "./text.js";

export function show(state) {
  const rows = Object.entries(state.gates).filter(([, held]) => held > 0);
  keyed(byId("gate-rows"), rows, ([name]) => name, createGate);
  byId("gates-empty").hidden = rows.length > 0;
}

function createGate([name]) {
  const release = el("button", { type: "button", class: "main", "data-does": "release", onclick: handler(async () => {
    const { released } = await control(`gates/${encodeURIComponent(name)}/open`, { method: "POST" });
    notice(`Released ${count(released, "response")}.`);
  }) });
  const node = el("li", {}, el("b", { class: "grow" }, name), release);
  const update = ([, held]) => {
    const label = `Release ${count(held, "held response")}`;
    setText(release, label);
    release.setAttribute("aria-label", `${label} at ${name}`);
  };
  return { node, update };
}
