// Gates: how many answers each holds, and letting them go.

import { control } from "./api.js";
import { byId, doing, el, keyed, notice, setText } from "./dom.js";
import { count } from "./text.js";

export function show(state) {
  const rows = Object.entries(state.gates).filter(([, held]) => held > 0);
  keyed(byId("gate-rows"), rows, ([name]) => name, makeGate);
  byId("gates-empty").hidden = rows.length > 0;
}

function makeGate([name]) {
  const said = el("span", { class: "soft" });
  const release = el("button", { type: "button", class: "main", "aria-label": `Release ${name}`, "data-does": "release", onclick: doing(async () => {
    const { released } = await control(`gates/${encodeURIComponent(name)}/open`, { method: "POST" });
    notice(`${count(released, "answer")} released.`);
  }) }, "Release");
  const node = el("li", {}, el("span", { class: "grow" }, el("b", {}, name), " ", said), release);
  return { node, update: ([, held]) => setText(said, `holds ${count(held, "answer")}`) };
}
