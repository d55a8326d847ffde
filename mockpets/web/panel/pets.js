// The view of the pets that clients see: edit them in place, or replace them all.

import { label, loadContract } from "./contract.js";
import { html, useEffect, useState } from "./preact.js";
import { act, announce, control, download, handler, parseExact, store, toast, useChange } from "./store.js";
import { Button, count } from "./ui.js";

const PAGE = 100;
const UNDO_PETS = 10_000; // of more pets, the browser keeps no copy

/** Load pets up to a number, or all. */
async function load(limit = Infinity) {
  const pets = [];
  let page;
  do {
    page = await control(`pets?limit=${Math.min(limit - pets.length, 1000)}${page ? `&after=${page.next}` : ""}`);
    pets.push(...page.pets);
  } while (page.next !== null && pets.length < limit);
  return { pets, total: page.total, hasMore: page.next !== null };
}

/** Return pets as JSON, with the large ids that are strings here as numbers again. */
const toJson = (pets, space) => JSON.stringify(pets, null, space).replace(/("(?:id|categoryId)": ?)"(-?\d+)"/g, "$1$2");

/** Change the pets, and offer to put back those of before. */
async function undoably(text, total, change) {
  const before = total <= UNDO_PETS ? (await load()).pets : null;
  await change();
  toast(text, { undo: before && (() => control("pets", { method: "PUT", body: toJson(before) })) });
}

export default function View() {
  const [limit, setLimit] = useState(PAGE);
  const [list, setList] = useState(null);
  const [schema, setSchema] = useState(null);
  const [open, setOpen] = useState(null); // the open form: "add" or "replace"
  useEffect(() => { act(async () => setSchema((await loadContract()).newPet)); }, []);
  useChange(["pets", "scenario", "files"], async () => setList(await load(limit)), [limit]);
  if (list === null || schema === null) return null;
  const { pets, total, hasMore } = list;
  const properties = Object.entries(schema.properties);
  const toggle = (name) => ({ "aria-expanded": String(open === name), does: () => setOpen(open === name ? null : name) });
  const save = async () => download(`pets-${store.session}.json`, toJson((await load()).pets, 2));
  const remove = (pet) => undoably(`Deleted pet ${pet.id}, ${pet.name}.`, total, () => control(`pets/${pet.id}`, { method: "DELETE" }));
  return html`
    <div class="view">
      <div class="toolbar">
        <span class="grow soft">${count(total, "pet")}${pets.length < total ? `, the first ${pets.length.toLocaleString("en")}` : ""} · ${store.state.active.join(", ")}</span>
        <${Button} text="Replace all" ...${toggle("replace")} />
        <${Button} icon="save" text="Export JSON" does=${save} />
        <${Button} kind="primary" icon="add" text="Add a pet" ...${toggle("add")} />
      </div>
      ${open === "add" && html`<${Add} schema=${schema} />`}
      ${open === "replace" && html`<${Replace} total=${total} />`}
      <div class="scroll">
        ${pets.length > 0 ? html`<table class="records pets editable">
          <thead><tr><th scope="col" class="number">Id</th>${properties.map(([name, { type }]) => html`<th key=${name} scope="col" class=${type === "integer" ? "number" : ""}>${label(name)}</th>`)}
            <td></td></tr></thead>
          <tbody>${pets.map((pet) => html`
            <tr key=${pet.id}><th scope="row" class="number">${pet.id}</th>
              ${properties.map(([name, property]) => html`<${Property} key=${name} pet=${pet} name=${name} property=${property} isRequired=${schema.required.includes(name)} />`)}
              <td class="idle"><${Button} kind="ghost" icon="delete" label=${`Delete pet ${pet.id}, ${pet.name}`} does=${() => remove(pet)} /></td></tr>`)}</tbody>
        </table>` : html`<p class="empty">No pets. Clients get an empty list. Add a pet or activate another scenario.</p>`}
        ${hasMore && html`<${Button} text="Show more" does=${() => setLimit(limit + PAGE)} />`}
      </div>
    </div>`;
}

/** A pet's property. */
function Property({ pet, name, property, isRequired }) {
  const change = async (text) => {
    const json = text === "" && !isRequired ? "null" : jsonOf(text, property);
    await control(`pets/${pet.id}`, { method: "PATCH", body: `{${JSON.stringify(name)}:${json}}` });
    announce(text ? `${label(name)} of pet ${pet.id} is now ${text}` : `Pet ${pet.id} now has no ${name}`);
  };
  return html`<${Cell} name=${`${label(name)} of pet ${pet.id}, ${pet.name}`} value=${pet[name] ?? ""} property=${property} isRequired=${isRequired} change=${change} />`;
}

/**
 * A value that is changed in place: with Enter or by leaving the field; Escape restores it.
 * @param {{name: string, value: any, property?: any, isRequired?: boolean, change: (text: string) => Promise<void>}} properties
 */
export function Cell({ name, value, property = {}, isRequired, change }) {
  const [draft, setDraft] = useState(null); // what the user enters, until it is saved
  const [problem, setProblem] = useState("");
  const restore = () => {
    setDraft(null);
    setProblem("");
  };
  useEffect(restore, [value]);
  const save = async (text) => {
    if (text === String(value)) return restore();
    try {
      await change(text);
    } catch (error) {
      if (!error.body) throw error;
      setProblem(error.message);
      toast(error.message, { failed: true });
    }
    return undefined;
  };
  const onKeyDown = (event) => {
    if (event.key === "Enter") event.target.blur();
    if (event.key !== "Escape") return;
    restore();
    event.stopPropagation();
  };
  const set = (event) => setDraft(event.target.value);
  const onInput = property.enum ? undefined : set;
  const onChange = property.enum ? (event) => { set(event); return act(() => save(event.target.value)); } : undefined;
  const onBlur = property.enum ? undefined : () => draft !== null && act(() => save(draft));
  const common = { "aria-label": name, "aria-invalid": problem ? "true" : null, title: problem || null, value: draft ?? String(value), onInput, onChange, onBlur, onKeyDown };
  return html`<td class=${property.type === "integer" ? "number" : ""}>${property.enum
    ? html`<select ...${common}>${!isRequired && html`<option value="">None</option>`}${property.enum.map((each) => html`<option key=${each} value=${each} selected=${each === (draft ?? value)}>${each}</option>`)}</select>`
    : html`<input ...${common} autocomplete="off" inputmode=${property.type === "integer" ? "numeric" : null} />`}</td>`;
}

/** Return a text as JSON. Send numbers digit for digit, and anything else as a string, so the response shows why it is invalid. */
function jsonOf(text, { type }) {
  const isNumber = type === "integer" && /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(text.trim());
  return isNumber ? text.trim() : JSON.stringify(text);
}

/** Add a pet as any client would, and show the response. */
function Add({ schema }) {
  const [response, setResponse] = useState({ text: "", isError: false });
  const properties = Object.entries(schema.properties);
  const add = async (event) => {
    event.preventDefault();
    const fields = new FormData(event.target);
    const parts = properties.map(([name, property]) => [name, property, String(fields.get(name))])
      .filter(([name, { type }, text]) => text !== "" || (type !== "integer" && schema.required.includes(name)))
      .map(([name, property, text]) => `${JSON.stringify(name)}:${jsonOf(text, property)}`);
    setResponse({ text: "Waiting for the response.", isError: false });
    try {
      const headers = { Authorization: `Bearer ${store.state.settings.key}`, "Content-Type": "application/json" };
      const sent = await fetch("../v1/pets", { method: "POST", credentials: "omit", headers, body: `{${parts.join(",")}}` });
      setResponse({ text: `${sent.status}: ${summary(await sent.text())}`, isError: !sent.ok });
    } catch {
      setResponse({ text: "No response: the connection failed.", isError: true });
    }
  };
  return html`
    <form class="panel-form" aria-label="Add a pet" onSubmit=${add}>
      ${properties.map(([name, property]) => html`<label key=${name}>${label(name)} ${property.enum
        ? html`<select name=${name}>${!schema.required.includes(name) && html`<option value="">None</option>`}${property.enum.map((each) => html`<option key=${each} value=${each} selected=${each === property.examples?.[0]}>${each}</option>`)}</select>`
        : html`<input name=${name} autocomplete="off" inputmode=${property.type === "integer" ? "numeric" : null} defaultValue=${property.examples?.[0]} />`}</label>`)}
      <${Button} kind="primary" type="submit" text="Add" />
      <p role="status" class=${response.isError ? "wrong" : "soft"}>${response.text || html`Sends <code>POST /v1/pets</code>; active scenarios apply.`}</p>
    </form>`;
}

function summary(text) {
  try {
    const value = parseExact(text);
    return value.message ?? `Added ${value.name} with id ${value.id}.`;
  } catch {
    return text;
  }
}

/** Replace all pets with generated ones, a fixture, or pasted JSON. */
function Replace({ total }) {
  const [kind, setKind] = useState("generate");
  const replace = handler(async (event) => {
    const { value } = event.target.elements.value;
    const body = { generate: () => `{"count":${jsonOf(value, { type: "integer" })}}`, fixture: () => JSON.stringify(value.trim()), paste: () => value }[kind]();
    await undoably("Replaced all pets.", total, () => control("pets", { method: "PUT", body }));
  });
  const choices = { generate: "Generate", fixture: "Load a fixture", paste: "Paste JSON" };
  return html`
    <form class="panel-form" aria-label="Replace all pets" onSubmit=${replace}>
      <label>From <select value=${kind} onChange=${(event) => setKind(event.target.value)}>${Object.entries(choices).map(([value, text]) => html`<option key=${value} value=${value}>${text}</option>`)}</select></label>
      ${kind === "generate" && html`<label key="generate">Number <input name="value" inputmode="numeric" autocomplete="off" required defaultValue="100" /></label>`}
      ${kind === "fixture" && html`<label key="fixture">Name <input name="value" autocomplete="off" required /></label>`}
      ${kind === "paste" && html`<label key="paste" class="grow">Pets <textarea name="value" rows="3" spellcheck=${false} required placeholder='[{"id": 1, "name": "Miso", "categoryId": 2}]'></textarea></label>`}
      <${Button} kind="primary" type="submit" text="Replace" />
    </form>`;
}
