// The pets that clients see, and snapshots of them.

import { control } from "./api.js";
import { input, label } from "./contract.js";
import { announce, byId, el, handler, keyed, notice, setText } from "./dom.js";
import { clock, count, parseExact } from "./text.js";

const PAGE = 100;

let state;
let limit = PAGE;
let newPet; // its schema

/** @param {any} schema of NewPet */
export function start(schema) {
  newPet = schema;
  const properties = Object.entries(newPet.properties);
  byId("pet-columns").prepend(el("th", { scope: "col", class: "number" }, "Id"),
    ...properties.map(([name, { type }]) => el("th", { scope: "col", class: type === "integer" && "number" }, label(name))));
  byId("add-pet").querySelector("button").before(...properties.map(([name, property]) => el("label", {}, `${label(name)} `,
    input(name, property, { value: property.examples?.[0], none: !isRequired(name) && "None", inputmode: property.type === "integer" && "numeric" }))));
  byId("add-pet").addEventListener("submit", handler(add));
  byId("snapshot").addEventListener("submit", handler(saveSnapshot));
  byId("pets-more").addEventListener("click", handler(async () => { limit += PAGE; await load(); }));
}

/** @param {Set<string>} kinds of changes */
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
  keyed(byId("pet-rows"), pets, (pet) => pet.id, createRow);
  byId("pets-table").hidden = !pets.length;
  byId("pets-empty").hidden = pets.length > 0;
  setText(byId("pets-empty"), "No pets. Clients get an empty list. Add a pet or activate another scenario.");
  byId("pets-more").hidden = page.next === null;
  const shown = pets.length < page.total ? `, showing the first ${pets.length}` : "";
  setText(byId("pets-summary"), `${count(page.total, "pet")} (${state.active.join(", ")})${shown}.`);
}

function createRow({ id }) {
  const cells = Object.entries(newPet.properties).map(([name, property]) => (property.enum ? createSelect(id, name, property) : createText(name, property)));
  const remove = el("button", { type: "button", class: "quiet", "data-does": "delete", onclick: handler(async () => {
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

function createText(name, { type }) {
  const node = el("td", { class: type === "integer" ? "number" : `text ${name}` });
  return { node, update: (pet) => setText(node, pet[name] ?? "") };
}

/** Create the cell of a property with an enum: a select that changes the pet. */
function createSelect(id, name, property) {
  const select = input(name, property, { none: !isRequired(name) && "None", "data-does": name });
  select.addEventListener("change", handler(async () => {
    await control(`pets/${id}`, { method: "PATCH", body: { [name]: select.value || null } });
    announce(select.value ? `Pet ${id} is now ${select.value}` : `Pet ${id} now has no ${name}`);
  }));
  const update = (pet) => {
    select.value = pet[name] ?? "";
    select.setAttribute("aria-label", `${label(name)} of pet ${id}, ${pet.name}`);
  };
  return { node: el("td", {}, select), update };
}

/** Add a pet as any client would, and show the response. */
async function add() {
  const fields = new FormData(byId("add-pet"));
  const properties = Object.entries(newPet.properties).map(([name, property]) => [name, jsonOf(String(fields.get(name)), name, property)]);
  const result = byId("add-response");
  result.className = "";
  setText(result, "Waiting for the response.");
  let response;
  try {
    response = await fetch("../v1/pets", {
      method: "POST",
      headers: { Authorization: `Bearer ${state.settings.key}`, "Content-Type": "application/json" },
      body: `{${properties.filter(([, json]) => json !== null).map(([name, json]) => `"${name}":${json}`).join(",")}}`,
    });
  } catch {
    result.className = "failed";
    return setText(result, "No response: the connection failed.");
  }
  const text = await response.text();
  result.className = response.ok ? "done" : "failed";
  return setText(result, `${response.status}: ${summary(text)}`);
}

/** Return the JSON of a field, or null to omit the property. */
function jsonOf(text, name, { type }) {
  if (text === "" && (type === "integer" || !isRequired(name))) return null;
  // Send numbers digit for digit, and anything else as a string, so the response shows why it is invalid.
  const isNumber = type === "integer" && /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(text.trim());
  return isNumber ? text.trim() : JSON.stringify(text);
}

function summary(text) {
  try {
    const value = parseExact(text);
    return value.message ?? `Added ${value.name} with id ${value.id}.`;
  } catch {
    return text;
  }
}

// --- Snapshots ---

async function loadSnapshots() {
  const { snapshots } = await control("snapshots");
  keyed(byId("snapshot-rows"), snapshots, (row) => row.name, createSnapshot);
}

function createSnapshot({ name }) {
  const path = `snapshots/${encodeURIComponent(name)}`;
  const details = el("span", { class: "soft" });
  const restore = el("button", { type: "button", "aria-label": `Restore snapshot ${name}`, "data-does": "restore", onclick: handler(async () => {
    const { total } = await control(`${path}/restore`, { method: "POST" });
    notice(`Restored snapshot ${name}: ${count(total, "pet")}.`);
  }) }, "Restore");
  const drop = el("button", { type: "button", class: "quiet", "aria-label": `Delete snapshot ${name}`, "data-does": "drop", onclick: handler(() => control(path, { method: "DELETE" })) }, "Delete");
  const node = el("li", {}, el("span", { class: "grow" }, el("b", {}, name), " ", details), restore, drop);
  return { node, update: (row) => setText(details, `${count(row.pets, "pet")}, ${clock(row.at)}`) };
}

async function saveSnapshot() {
  const field = byId("snapshot").elements.name;
  const { name, pets } = await control(`snapshots/${encodeURIComponent(field.value)}`, { method: "PUT" });
  field.value = "";
  announce(`Saved snapshot ${name}: ${count(pets, "pet")}`);
}
