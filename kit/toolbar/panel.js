// The panel of the toolbar: its head, messages and sections.

import { copyLink } from "./actions.js";
import { asked } from "./asked.js";
import { button, h } from "./elements.js";
import { icon, logo } from "./icons.js";
import { show } from "./loading.js";
import { toggle } from "./opening.js";
import { operations } from "./operations.js";
import { requests } from "./requests.js";
import { scenarios } from "./scenarios.js";
import { panelUrl, session } from "./server.js";
import { switches } from "./switches.js";
import { view } from "./view.js";

export function panel() {
  const { advice, note, problem } = view;
  return h(
    "div",
    { key: "panel", id: "panel", role: "dialog", "aria-label": "mockpets" },
    head(),
    problem &&
      h(
        "p",
        { key: "problem", class: "server problem", role: "alert" },
        problem,
      ),
    advice && h("p", { key: "advice", class: "held problem" }, advice),
    note && h("p", { key: "note", class: "soft problem" }, note),
    scenarios(),
    switches(),
    asked(),
    operations(),
    requests(),
  );
}

function head() {
  return h(
    "div",
    { class: "line head" },
    logo(),
    h("b", {}, session()),
    h("i", { class: "live", role: "img", "aria-label": "Live" }),
    button("link", "Copy link", () => show(copyLink), icon("link")),
    panelLink(),
    button("close", "Close", () => toggle(false), icon("close")),
  );
}

function panelLink() {
  const label = "Open panel";
  return h(
    "a",
    {
      id: "open",
      href: panelUrl(),
      target: "_blank",
      rel: "noopener",
      "aria-label": label,
      title: label,
    },
    icon("open"),
  );
}
