// Sessions: list them with the ways to select each, create and delete them.

import { address, control, inSession } from "./api.js";
import { byId, copyButton, el, handler, keyed, notice, setText } from "./dom.js";
import { count } from "./text.js";

let state;

export function start() {
  byId("create-session").addEventListener("submit", handler(create));
}

export async function show(now) {
  state = now;
  const usable = state.scenarios.filter((row) => row.description !== null);
  keyed(byId("create-scenario"), [{ name: "" }, ...usable], (row) => row.name, ({ name }) => ({
    node: el("option", { value: name }, name || "Server default"),
  }));
  const { sessions } = await control("sessions");
  keyed(byId("session-rows"), sessions, (row) => row.name, createCard);
}

function createCard({ name, base_path }) {
  const current = name === state.session;
  const url = address(base_path);
  const details = el("p", { class: "soft" });
  const ways = [
    ["Base URL", () => url],
    ["Header", () => `Mockpets-Session: ${name}`],
    ["Key", () => (name === "default" ? state.settings.key : `${state.settings.key}~${name}`)],
  ];
  const node = el("li", { class: `card${current ? " mine" : ""}` },
    el("div", { class: "line" },
      el("h3", {}, name),
      current ? el("span", { class: "badge" }, "Current") : el("a", { class: "button", href: address(inSession(name, "/__mockpets/")), "data-does": "pick", "aria-label": `Open panel of ${name}` }, "Open panel"),
      name !== "default" && !current && el("button", { type: "button", class: "quiet", "data-does": "drop", "aria-label": `Delete session ${name}`, onclick: handler(() => remove(name)) }, "Delete")),
    details,
    el("dl", { class: "ways" }, ...ways.map(([label, text]) => el("div", {}, el("dt", {}, label),
      el("dd", {}, el("code", {}, text()), copyButton(text, `Copy ${label[0].toLowerCase()}${label.slice(1)} of ${name}`))))));
  return { node, update: (row) => setText(details, summary(row)) };
}

function summary({ active, pets, requests, held, seed }) {
  const counts = [
    pets !== null && count(pets, "pet"), // null: the first request generates them
    count(requests, "request"),
    held > 0 && `${held} held`,
  ].filter(Boolean);
  return `${active.join(", ")}; ${counts.join(", ")}; seed ${seed}`;
}

async function create() {
  const form = byId("create-session");
  const { name, scenario } = Object.fromEntries(new FormData(form));
  const body = scenario ? { scenario } : {};
  const session = await control(`sessions/${encodeURIComponent(name.trim())}`, { method: "PUT", body });
  form.reset();
  notice(`Created session ${session.name}: ${address(session.base_path)}`);
}

async function remove(name) {
  await control(`sessions/${encodeURIComponent(name)}`, { method: "DELETE" });
  // The name stays open: a person deletes a session to start again with the same name.
  notice(`Deleted session ${name}. The next request that names it creates it again.`);
}
