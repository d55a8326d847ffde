// The list of scenarios: click to activate one, Add to stack it, Details to see what it does.

import { control } from "./api.js";
import { announce, byId, el, handler, keyed, setText } from "./dom.js";

let state;

/** Activate scenarios; the first has precedence. */
export async function activate(names) {
  const { active } = await control("scenario", { method: "PUT", body: { scenario: names } });
  announce(`Active scenarios: ${active.join(", ")}`);
}

/** Return the active scenarios without one of them, or the default scenario if none is left. */
export function without(active, name) {
  const rest = active.filter((other) => other !== name);
  return rest.length ? rest : ["default"];
}


export function start() {
  byId("find").addEventListener("input", () => show(state));
  byId("find").addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !byId("find").value) return;
    const first = matches().find((row) => row.description !== null);
    if (first) handler(() => activate([first.name]))(event);
  });
}

function matches() {
  const words = byId("find").value.toLowerCase().split(/\s+/).filter(Boolean);
  const text = (row) => `${row.name} ${row.description ?? ""}`.toLowerCase();
  const rows = state.scenarios.filter((row) => words.every((word) => text(row).includes(word)));
  const prefix = words.join("-");
  // Matching names come first.
  return rows.sort((a, b) => Number(b.name.startsWith(prefix)) - Number(a.name.startsWith(prefix)));
}

export function show(now) {
  state = now;
  const rows = matches();
  let groups = grouped(rows);
  if (byId("find").value) groups = [{ title: "Results", rows }];
  if (!rows.length) groups = [{ title: "No scenarios match the search", rows }];
  keyed(byId("scenario-groups"), groups, (group) => group.title, createGroup);
  byId("folder-problems").hidden = state.folder_problems.length === 0;
  keyed(byId("folder-problems").querySelector("ul"), state.folder_problems, (problem) => problem, createProblem);
}

const createProblem = (problem) => ({ node: el("li", {}, problem) });

/** Return the groups in the order of the rows, which the server sorts. */
function grouped(rows) {
  const titles = [...new Set(rows.map((row) => row.group))];
  return titles.map((title) => ({ title, rows: rows.filter((row) => row.group === title) }));
}

function createGroup({ title }) {
  const list = el("ul", { class: "scenarios" });
  const node = el("div", { class: "group" }, el("h3", {}, title), list);
  return { node, update: (group) => keyed(list, group.rows, (row) => row.name, createRow) };
}

function createRow({ name }) {
  const badge = el("span", { class: "badge place" });
  const description = el("span", { class: "description" });
  const pick = el("button", { type: "button", class: "pick", "data-does": "pick", onclick: handler(() => activate([name])) },
    el("span", { class: "top" }, el("span", { class: "name" }, name), badge), description);
  const stack = el("button", { type: "button", class: "stack-it", "data-does": "stack", onclick: handler(() => toggle(name)) });
  const facts = el("div", { class: "facts", hidden: true });
  const open = el("button", { type: "button", class: "quiet", "aria-expanded": "false", "aria-label": `Details of ${name}`, "data-does": "open" }, "Details");
  open.addEventListener("click", handler(() => toggleDetails(name, open, facts)));
  const problems = el("ul", { class: "problems" });
  const node = el("li", {}, pick, el("div", { class: "tools" }, stack, open), problems, facts);
  return { node, update: (row) => update(row, { node, pick, badge, description, stack, problems, facts, open }) };
}

function update(row, parts) {
  const position = state.active.indexOf(row.name);
  const active = position >= 0;
  const invalid = row.description === null;
  parts.node.className = active ? "active" : "";
  parts.pick.setAttribute("aria-pressed", String(active));
  parts.pick.disabled = invalid;
  setText(parts.badge, !active ? "" : state.active.length > 1 ? `Active, #${position + 1}` : "Active");
  setText(parts.description, row.description ?? "Invalid file. Fix it to use this scenario.");
  // `default` defines nothing, so adding it would have no effect.
  const useless = row.name === "default" && (!active || state.active.length === 1);
  parts.stack.hidden = invalid || useless;
  setText(parts.stack, active ? "Remove" : "Add");
  parts.stack.setAttribute("aria-label", active ? `Remove ${row.name}` : `Add ${row.name}`);
  keyed(parts.problems, row.problems, (problem) => problem, createProblem);
  // Refresh open details after a change of the file.
  if (!parts.facts.hidden && parts.facts.dataset.of !== version(row)) handler(() => loadDetails(row.name, parts.facts))();
}

const version = (row) => JSON.stringify(row);

function toggle(name) {
  const { active } = state;
  return activate(active.includes(name) ? without(active, name) : [name, ...active]);
}

async function toggleDetails(name, button, facts) {
  const open = facts.hidden;
  if (open) await loadDetails(name, facts);
  facts.hidden = !open;
  button.setAttribute("aria-expanded", String(open));
}

/** Show what a scenario does, as a description and as its source. */
async function loadDetails(name, facts) {
  const row = state.scenarios.find((other) => other.name === name);
  if (row) facts.dataset.of = version(row);
  const scenario = await control(`scenarios/${encodeURIComponent(name)}`);
  const empty = !scenario.stubs.length && !scenario.pets_in_words;
  facts.replaceChildren(...[
    empty && el("p", {}, "No stubs and no pets: all responses follow the contract."),
    scenario.pets_in_words && el("p", {}, `Pets: ${scenario.pets_in_words}`),
    el("ol", { class: "stubs" }, ...scenario.stubs.map((stub) => el("li", {},
      el("code", {}, stub.label), el("p", {}, "For ", stub.when, ": ", el("b", {}, stub.does)),
      stub.limits && el("p", { class: "soft" }, stub.limits)))),
    el("p", { class: "soft" }, [`From ${scenario.source}`, scenario.extends.length && `extends ${scenario.extends.join(", ")}`,
      scenario.replaces.length && `replaces ${scenario.replaces.join(", ")}`].filter(Boolean).join("; ")),
    el("details", {}, el("summary", {}, "Source"), el("pre", { tabindex: "0" }, scenario.text)),
  ].filter(Boolean));
}
