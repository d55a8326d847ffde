// The pets that a client sees now, and their snapshots.

import { control } from "./api.js";
import { input, label } from "./contract.js";
import { announce, byId, doing, el, keyed, notice, setText } from "./dom.js";
import { clock, count, parseExact } from "./text.js";

const PAGE = 100;

let state;
let limit = PAGE;
let newPet; // the schema

/** @param {any} schema of a NewPet */
export function start(schema) {
  newPet = schema;
  const properties = Object.entries(newPet.properties);
  byId("pet-columns").prepend(el("th", { scope: "col", class: "number" }, "Id"),
    ...properties.map(([name, { type }]) => el("th", { scope: "col", class: type === "integer" && "number" }, label(name))));
  byId("add-pet").querySelector("button").before(...properties.map(([name, looks]) => el("label", {}, `${label(name)} `,
    input(name, looks, { value: looks.example, none: !isRequired(name) && "None", inputmode: looks.type === "integer" && "numeric" }))));
  byId("add-pet").addEventListener("submit", doing(add));
  byId("snapshot").addEventListener("submit", doing(take));
  byId("pets-more").addEventListener("click", doing(async () => { limit += PAGE; await load(); }));
}

/** @param {Set<string>} kinds of what has changed */
export async function show(now, kinds) {
  state = now;
  if (["pets", "scenario", "files"].some((kind) => kinds.has(kind))) await load();
  if (kinds.has("snapshots")) await loadSnapshots();
}

const isRequired = (name) => newPet.required.includes(name);

async function load() {
  const pets = [];
  let page;
  do {
    const after = page ? `&after=${page.next}` : "";
    page = await control(`pets?limit=${Math.min(limit - pets.length, 1000)}${after}`);
    pets.push(...page.pets);
  } while (page.next !== null && pets.length < limit);
  keyed(byId("pet-rows"), pets, (pet) => pet.id, makePet);
  byId("pets-table").hidden = !pets.length;
  byId("pets-empty").hidden = pets.length > 0;
  setText(byId("pets-empty"), "No pets, so a client gets an empty list. Add one with the form, or activate another scenario.");
  byId("pets-more").hidden = page.next === null;
  const shown = pets.length < page.total ? `; the first ${pets.length} are shown` : "";
  setText(byId("pets-said"), `${count(page.total, "pet")} with ${state.active.join(", ")}${shown}.`);
}

function makePet({ id }) {
  const cells = Object.entries(newPet.properties).map(([name, looks]) => (looks.enum ? makeChoice(id, name, looks) : makeText(name, looks)));
  const remove = el("button", { type: "button", class: "quiet", "data-does": "delete", onclick: doing(async () => {
    await control(`pets/${id}`, { method: "DELETE" });
    announce(`Pet ${id} deleted`);
  }) }, "Delete");
  const node = el("tr", {}, el("td", { class: "number" }, String(id)), ...cells.map((cell) => cell.node), el("td", {}, remove));
  const update = (pet) => {
    for (const cell of cells) cell.update(pet);
    remove.setAttribute("aria-label", `Delete pet ${id}, ${pet.name}`);
  };
  return { node, update };
}

function makeText(name, { type }) {
  const node = el("td", { class: type === "integer" ? "number" : `text ${name}` });
  return { node, update: (pet) => setText(node, pet[name] ?? "") };
}

/** The cell of a property whose values the contract lists: a choice that changes it. */
function makeChoice(id, name, looks) {
  const choice = input(name, looks, { none: !isRequired(name) && "none", "data-does": name });
  choice.addEventListener("change", doing(async () => {
    await control(`pets/${id}`, { method: "PATCH", body: { [name]: choice.value || null } });
    announce(`Pet ${id} is ${choice.value || `without a ${name}`} now`);
  }));
  const update = (pet) => {
    choice.value = pet[name] ?? "";
    choice.setAttribute("aria-label", `${label(name)} of pet ${id}, ${pet.name}`);
  };
  return { node: el("td", {}, choice), update };
}

/** Add a pet as any client does, and show the response. */
async function add() {
  const fields = new FormData(byId("add-pet"));
  const properties = Object.entries(newPet.properties).map(([name, looks]) => [name, jsonOf(String(fields.get(name)), name, looks)]);
  const said = byId("add-answer");
  said.className = "";
  setText(said, "Sent; no answer yet.");
  let answer;
  try {
    answer = await fetch("../v1/pets", {
      method: "POST",
      headers: { Authorization: `Bearer ${state.settings.key}`, "Content-Type": "application/json" },
      body: `{${properties.filter(([, json]) => json !== null).map(([name, json]) => `"${name}":${json}`).join(",")}}`,
    });
  } catch {
    said.className = "failed";
    return setText(said, "No answer: the connection was broken.");
  }
  const text = await answer.text();
  said.className = answer.ok ? "done" : "failed";
  return setText(said, `${answer.status}: ${inWords(text)}`);
}

/** What a field holds as JSON; null where it is left out. */
function jsonOf(text, name, { type }) {
  if (text === "" && (type === "integer" || !isRequired(name))) return null;
  // What looks like a number is sent as one, digit for digit; anything else as text, to see it rejected.
  const isNumber = type === "integer" && /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(text.trim());
  return isNumber ? text.trim() : JSON.stringify(text);
}

function inWords(text) {
  try {
    const value = parseExact(text);
    return value.message ?? `${value.name} has the id ${value.id}.`;
  } catch {
    return text;
  }
}

// --- Snapshots ---

async function loadSnapshots() {
  const { snapshots } = await control("snapshots");
  keyed(byId("snapshot-rows"), snapshots, (row) => row.name, makeSnapshot);
}

function makeSnapshot({ name }) {
  const path = `snapshots/${encodeURIComponent(name)}`;
  const said = el("span", { class: "soft" });
  const restore = el("button", { type: "button", "aria-label": `Restore ${name}`, "data-does": "restore", onclick: doing(async () => {
    const { total } = await control(`${path}/restore`, { method: "POST" });
    notice(`${name} restored: ${count(total, "pet")}.`);
  }) }, "Restore");
  const drop = el("button", { type: "button", class: "quiet", "aria-label": `Delete snapshot ${name}`, "data-does": "drop", onclick: doing(() => control(path, { method: "DELETE" })) }, "Delete");
  const node = el("li", {}, el("span", { class: "grow" }, el("b", {}, name), " ", said), restore, drop);
  return { node, update: (row) => setText(said, `${count(row.pets, "pet")}, ${clock(row.at)}`) };
}

async function take() {
  const field = byId("snapshot").elements.name;
  const { name, pets } = await control(`snapshots/${encodeURIComponent(field.value)}`, { method: "PUT" });
  field.value = "";
  announce(`Snapshot ${name} taken, ${count(pets, "pet")}`);
}
