// The pill, which is always shown.

import { activeScenarios } from "./actions.js";
import { h } from "./elements.js";
import { icon, logo } from "./icons.js";
import { drag, moveByKey, toggle } from "./opening.js";
import { session } from "./server.js";
import { view } from "./view.js";

const TITLE =
  "Alt+M opens and closes. Drag it, or use the arrow keys, to move it to another corner.";

export function pill() {
  const { advice, asked, open } = view;
  const name = session();
  const named = name === "default" ? "" : `${name} · `;
  return h(
    "button",
    {
      id: "pill",
      key: "pill",
      title: TITLE,
      "aria-expanded": String(open),
      "aria-controls": "panel",
      onclick: () => toggle(!open),
      onkeydown: moveByKey,
      onpointerdown: drag,
    },
    logo(),
    h("span", { class: "away" }, "mockpets: "),
    h("span", { class: "path" }, named + activeScenarios().join(" + ")),
    advice && h("b", { key: "unsent", class: "held" }, "not sent"),
    asked.length > 0 &&
      h("b", { key: "held", class: "held" }, `${asked.length} held`),
    icon(open ? "down" : "up"),
  );
}
