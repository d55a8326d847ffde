// Sessions: what there is, how to get into each, making and dropping them.

import { address, control, inSession } from "./api.js";
import { byId, copyButton, doing, el, keyed, notice, setText } from "./dom.js";
import { count } from "./text.js";

let state;

export function start() {
  byId("make-session").addEventListener("submit", doing(make));
}

export async function show(now) {
  state = now;
  const usable = state.scenarios.filter((row) => row.description !== null);
  keyed(byId("make-scenario"), [{ name: "" }, ...usable], (row) => row.name, ({ name }) => ({
    node: el("option", { value: name }, name || "As the server was started"),
  }));
  const { sessions } = await control("sessions");
  keyed(byId("session-rows"), sessions, (row) => row.name, makeSession);
}

function makeSession({ name, base_path }) {
  const mine = name === state.session;
  const url = address(base_path);
  const said = el("p", { class: "soft" });
  const ways = [
    ["Base URL", () => url],
    ["Header", () => `Mockpets-Session: ${name}`],
    ["Key", () => (name === "default" ? state.settings.key : `${state.settings.key}~${name}`)],
  ];
  const node = el("li", { class: `card${mine ? " mine" : ""}` },
    el("div", { class: "line" },
      el("h3", {}, name),
      mine ? el("span", { class: "badge" }, "This panel") : el("a", { class: "button", href: address(inSession(name, "/__mockpets/")), "data-does": "pick", "aria-label": `Open the panel of ${name}` }, "Open its panel"),
      name !== "default" && !mine && el("button", { type: "button", class: "quiet", "data-does": "drop", "aria-label": `Drop ${name}`, onclick: doing(() => drop(name)) }, "Drop")),
    said,
    el("dl", { class: "ways" }, ...ways.map(([label, text]) => el("div", {}, el("dt", {}, label),
      el("dd", {}, el("code", {}, text()), copyButton(text, `Copy the ${label.toLowerCase()} of ${name}`))))));
  return { node, update: (row) => setText(said, inWords(row)) };
}

function inWords({ active, pets, requests, held, seed }) {
  const counts = [
    pets !== null && count(pets, "pet"), // null: they are made when the first request asks
    count(requests, "request"),
    held > 0 && `${held} held`,
  ].filter(Boolean);
  return `${active.join(", ")}; ${counts.join(", ")}; seed ${seed}`;
}

async function make() {
  const form = byId("make-session");
  const { name, scenario } = Object.fromEntries(new FormData(form));
  const body = scenario ? { scenario } : {};
  const made = await control(`sessions/${encodeURIComponent(name.trim())}`, { method: "PUT", body });
  form.reset();
  notice(`Session ${made.name}: ${address(made.base_path)}`);
}

async function drop(name) {
  await control(`sessions/${encodeURIComponent(name)}`, { method: "DELETE" });
  notice(`Session ${name} dropped.`);
}
