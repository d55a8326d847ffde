// The list of scenarios: one click activates, Add stacks, and each tells what it does.

import { control } from "./api.js";
import { announce, byId, doing, el, keyed, setText } from "./dom.js";

let state;

/** Activate these, the first with precedence. */
export async function activate(names) {
  const { active } = await control("scenario", { method: "PUT", body: { scenario: names } });
  announce(`Active now: ${active.join(", ")}`);
}

/** What is active without one of them; something always is. */
export function without(active, name) {
  const rest = active.filter((other) => other !== name);
  return rest.length ? rest : ["default"];
}

const NTH = ["1st", "2nd", "3rd"];

const GROUPS = [
  ["Files with problems", (row) => row.problems.length > 0],
  ["As the contract says", (row) => row.name === "default"],
  ["Other pets", (row) => row.brings_pets],
  ["Other behaviour", () => true],
];

export function start() {
  byId("find").addEventListener("input", () => show(state));
  byId("find").addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !byId("find").value) return;
    const first = found().find((row) => row.description !== null);
    if (first) doing(() => activate([first.name]))(event);
  });
}

function found() {
  const words = byId("find").value.toLowerCase().split(/\s+/).filter(Boolean);
  const text = (row) => `${row.name} ${row.description ?? ""}`.toLowerCase();
  const rows = state.scenarios.filter((row) => words.every((word) => text(row).includes(word)));
  const named = words.join("-");
  // The name counts more than what a description mentions.
  return rows.sort((a, b) => Number(b.name.startsWith(named)) - Number(a.name.startsWith(named)));
}

export function show(now) {
  state = now;
  const rows = found();
  let groups = grouped(rows);
  if (byId("find").value) groups = [{ title: "Found", rows }];
  if (!rows.length) groups = [{ title: "No scenario has these words", rows }];
  keyed(byId("scenario-groups"), groups, (group) => group.title, makeGroup);
}

/** Put each row into the first group that it belongs to. */
function grouped(rows) {
  const groups = GROUPS.map(([title, belongs]) => ({ title, belongs, rows: [] }));
  for (const row of rows) groups.find((group) => group.belongs(row)).rows.push(row);
  return groups.filter((group) => group.rows.length);
}

function makeGroup({ title }) {
  const list = el("ul", { class: "scenarios" });
  const node = el("div", { class: "group" }, el("h3", {}, title), list);
  return { node, update: (group) => keyed(list, group.rows, (row) => row.name, makeRow) };
}

function makeRow({ name }) {
  const place = el("span", { class: "badge place" });
  const description = el("span", { class: "description" });
  const pick = el("button", { type: "button", class: "pick", "data-does": "pick", onclick: doing(() => activate([name])) },
    el("span", { class: "top" }, el("span", { class: "name" }, name), place), description);
  const stack = el("button", { type: "button", class: "stack-it", "data-does": "stack", onclick: doing(() => toggle(name)) });
  const facts = el("div", { class: "facts", hidden: true });
  const open = el("button", { type: "button", class: "quiet", "aria-expanded": "false", "aria-label": `Details of ${name}`, "data-does": "open" }, "Details");
  open.addEventListener("click", doing(() => disclose(name, open, facts)));
  const problems = el("ul", { class: "problems" });
  const node = el("li", {}, pick, el("div", { class: "tools" }, stack, open), problems, facts);
  return { node, update: (row) => update(row, { node, pick, place, description, stack, problems, facts, open }) };
}

function update(row, parts) {
  const at = state.active.indexOf(row.name);
  const broken = row.description === null;
  parts.node.className = at >= 0 ? "active" : "";
  parts.pick.setAttribute("aria-pressed", String(at >= 0));
  parts.pick.disabled = broken;
  setText(parts.place, at < 0 ? "" : state.active.length > 1 ? `Active ${NTH[at] ?? `${at + 1}th`}` : "Active");
  setText(parts.description, row.description ?? "Cannot be used until its file is mended.");
  // `default` brings nothing, so adding it would do nothing.
  const useless = row.name === "default" && (at < 0 || state.active.length === 1);
  parts.stack.hidden = broken || useless;
  setText(parts.stack, at < 0 ? "Add" : "Remove");
  parts.stack.setAttribute("aria-label", at < 0 ? `Add ${row.name}` : `Remove ${row.name}`);
  keyed(parts.problems, row.problems, (problem) => problem, (problem) => ({ node: el("li", {}, problem) }));
  // An open one shows what its file says now.
  if (!parts.facts.hidden && parts.facts.dataset.of !== version(row)) doing(() => tell(row.name, parts.facts))();
}

const version = (row) => JSON.stringify(row);

function toggle(name) {
  const { active } = state;
  return activate(active.includes(name) ? without(active, name) : [name, ...active]);
}

async function disclose(name, button, facts) {
  const open = facts.hidden;
  if (open) await tell(name, facts);
  facts.hidden = !open;
  button.setAttribute("aria-expanded", String(open));
}

/** Say what a scenario does, in words and as its file has it. */
async function tell(name, facts) {
  const row = state.scenarios.find((other) => other.name === name);
  if (row) facts.dataset.of = version(row);
  const whole = await control(`scenarios/${encodeURIComponent(name)}`);
  const nothing = !whole.stubs.length && !whole.pets_in_words;
  facts.replaceChildren(...[
    nothing && el("p", {}, "Nothing of its own: the service answers as the contract says."),
    whole.pets_in_words && el("p", {}, `Pets: ${whole.pets_in_words}`),
    el("ol", { class: "stubs" }, ...whole.stubs.map((stub) => el("li", {},
      el("code", {}, stub.label), el("p", {}, "For ", stub.when, ": ", el("b", {}, stub.does)),
      stub.limits && el("p", { class: "soft" }, stub.limits)))),
    el("p", { class: "soft" }, [`From ${whole.source}`, whole.extends.length && `extends ${whole.extends.join(", ")}`,
      whole.replaces.length && `replaces ${whole.replaces.join(", ")}`].filter(Boolean).join("; ")),
    el("details", {}, el("summary", {}, "Source"), el("pre", { tabindex: "0" }, whole.text)),
  ].filter(Boolean));
}
