// The pets that a client sees now, and their snapshots.

import { control } from "./api.js";
import { announce, byId, doing, el, keyed, notice, setText } from "./dom.js";
import { clock, count, parseExact } from "./text.js";

const PAGE = 100;
const STATUSES = ["available", "pending", "sold"];

let state;
let limit = PAGE;

export function start() {
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
  const name = el("td", { class: "name" });
  const category = el("td", { class: "number" });
  const status = el("select", { "data-does": "status" }, el("option", { value: "" }, "none"), ...STATUSES.map((word) => el("option", {}, word)));
  status.addEventListener("change", doing(async () => {
    await control(`pets/${id}`, { method: "PATCH", body: { status: status.value || null } });
    announce(`Pet ${id} is ${status.value || "without a status"} now`);
  }));
  const remove = el("button", { type: "button", class: "quiet", "data-does": "delete", onclick: doing(async () => {
    await control(`pets/${id}`, { method: "DELETE" });
    announce(`Pet ${id} deleted`);
  }) }, "Delete");
  const node = el("tr", {}, el("td", { class: "number" }, String(id)), name, category, el("td", {}, status), el("td", {}, remove));
  const update = (pet) => {
    setText(name, pet.name);
    setText(category, pet.categoryId);
    status.value = pet.status ?? "";
    status.setAttribute("aria-label", `Status of pet ${id}, ${pet.name}`);
    remove.setAttribute("aria-label", `Delete pet ${id}, ${pet.name}`);
  };
  return { node, update };
}

/** Add a pet as any client does, and show what the service says to it. */
async function add() {
  const { name, categoryId, status } = Object.fromEntries(new FormData(byId("add-pet")));
  // What looks like a number is sent as one, digit for digit; anything else as text, to see it refused.
  const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(categoryId.trim()) ? categoryId.trim() : JSON.stringify(categoryId);
  const members = [`"name":${JSON.stringify(name)}`, categoryId === "" ? null : `"categoryId":${number}`, status && `"status":${JSON.stringify(status)}`];
  const said = byId("add-answer");
  said.className = "";
  setText(said, "Sent; no answer yet.");
  let answer;
  try {
    answer = await fetch("../v1/pets", {
      method: "POST",
      headers: { Authorization: `Bearer ${state.settings.key}`, "Content-Type": "application/json" },
      body: `{${members.filter(Boolean).join(",")}}`,
    });
  } catch {
    said.className = "failed";
    return setText(said, "No answer: the connection was broken.");
  }
  const text = await answer.text();
  said.className = answer.ok ? "done" : "failed";
  return setText(said, `${answer.status}: ${inWords(text)}`);
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
