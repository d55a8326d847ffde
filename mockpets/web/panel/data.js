// The view of the records of every collection: a tab for each, to filter, edit in place, add, delete and replace.
// Records stay JSON texts until they are shown, so that an edit or Undo changes no digit of the others.

import { loadContracts } from "./contract.js";
import { html, useEffect, useRef, useState } from "./preact.js";
import { act, announce, control, download, go, handler, setParams, store, toast, useChange } from "./store.js";
import { Button, count, EmptyState, filterParts, indent, Tabs, TokenFilter } from "./ui.js";

const PAGE = 100;
const MOST_PAGE = 1000; // the most that the server returns
const MOST_COLUMNS = 12;
const MOST_UNDO = 10_000; // of more records, the browser keeps no copy

// --- JSON texts ---

const STRING = '"[^"\\\\]*(?:\\\\.[^"\\\\]*)*"';
const MARK = new RegExp(`${STRING}|[[\\]{},]`, "g");
const MEMBER = new RegExp(`^(${STRING})\\s*:(.*)$`, "s");

/** Return the values of a JSON array, or the properties of an object, as JSON. */
function parts(json) {
  const found = [];
  let depth = 0;
  let start = 0;
  for (const { 0: mark, index } of json.matchAll(MARK)) {
    const closes = mark === "]" || mark === "}";
    if (depth === 1 && (closes || mark === ",")) {
      const part = json.slice(start, index).trim();
      if (part) found.push(part);
      start = index + 1;
    }
    if (closes) depth -= 1;
    else if (mark === "[" || mark === "{") {
      if (depth === 0) start = index + 1;
      depth += 1;
    }
  }
  return found;
}

/** Return the properties of a JSON object by name, as JSON. */
const members = (json) => new Map(parts(json).map((part) => {
  const [, name, value] = MEMBER.exec(part);
  return [JSON.parse(name), value.trim()];
}));

const toObject = (properties) => `{${[...properties].map(([name, value]) => `${JSON.stringify(name)}: ${value}`).join(", ")}}`;
const isObject = (json) => /^\s*\{/.test(json ?? "");
const isText = (json) => json?.startsWith('"') ?? false;

/** Return how a value is shown and entered: a text as it is, any other value as JSON. */
const textOf = (json) => (isText(json) ? JSON.parse(json) : json ?? "");

/** Return a text that the user entered as JSON; what must be no text but is none of JSON's values stays a text, so that the response shows why it is invalid. */
function jsonOf(text, asText) {
  if (asText) return JSON.stringify(text);
  try {
    JSON.parse(text);
    return text;
  } catch {
    return JSON.stringify(text);
  }
}

/** Whether no response shows a property, such as the key of a single object. */
const isHidden = (name) => name.startsWith("~");

/** Return a value of the schema as a text, as `textOf` does. */
const textIn = (value) => (typeof value === "string" || value === undefined ? value : JSON.stringify(value));

/** Return the values to choose from, as texts; undefined for any other property. */
const optionsOf = ({ type, enum: values } = {}) => (values ?? (type === "boolean" ? [true, false] : undefined))?.filter((each) => each !== null).map(textIn);

/** Return the JSON merge patch that makes one value another. */
function patch(before, after) {
  if (!isObject(before) || !isObject(after)) return after;
  const [old, now] = [members(before), members(after)];
  const removed = [...old.keys()].filter((name) => !now.has(name)).map((name) => [name, "null"]);
  return toObject([...[...now].map(([name, value]) => [name, patch(old.get(name), value)]), ...removed]);
}

// --- Collections ---

/** Return the name by which the control API knows a collection, whatever others are named. */
const keyOf = ({ scenario, name }) => (scenario === null ? name : `${scenario}.${name}`);
const pathOf = (collection, key) => `data/${encodeURIComponent(keyOf(collection))}${key === undefined ? "" : `/${encodeURIComponent(key)}`}`;

/** Load records up to a number, as JSON. */
async function load(collection, filters = [], limit = Infinity) {
  const records = [];
  for (let next = null; ;) {
    const size = Math.min(limit - records.length, MOST_PAGE);
    const query = new URLSearchParams([...filters, ["limit", size], ...(next === null ? [] : [["after", next]])].map(([name, value]) => [name, String(value)]));
    let page;
    try {
      page = members(await control(`${pathOf(collection)}?${query}`, { raw: true }));
    } catch (error) {
      if (next === null || error.status !== 404) throw error;
      return load(collection, filters, limit); // the record before this page was deleted meanwhile
    }
    records.push(...parts(page.get("records")));
    next = JSON.parse(page.get("next"));
    if (next === null || records.length >= limit) return { records, total: Number(page.get("total")), hasMore: next !== null };
  }
}

const listOf = ({ records }) => `[${records.join(",")}]`;

/** Change records, and offer to put back those of before. */
async function undoably(text, collection, change) {
  const before = collection.total <= MOST_UNDO ? listOf(await load(collection)) : null;
  await change();
  toast(text, { undo: before === null ? null : () => control(pathOf(collection), { method: "PUT", body: before }) });
}

// --- The filter: status:sold petId:3 ---

const isProperty = (name) => name !== "limit" && name !== "after"; // these parameters page

/** Return what the filter suggests: properties, and the values that the schema and the shown records have. */
function suggested(names, records, schema) {
  const usable = names.filter((name) => isProperty(name) && /^[^\s":]+$/.test(name));
  return Object.fromEntries(usable.map((name) => {
    const seen = records.map((record) => record.get(name)).filter((json) => json !== undefined && !/^[[{]/.test(json)).map(textOf);
    const values = [...new Set([...(optionsOf(schema?.properties[name]) ?? []), ...seen])].filter((value) => value && !value.includes('"'));
    return [name, { hint: values.slice(0, 3).join(", "), values: () => values }];
  }));
}

/** Return a filter that selects something, such as `status:sold`; empty without one. */
function exampleOf(keys, names, schema) {
  const short = (name) => keys[name]?.values().find((value) => /^\S{1,20}$/.test(value));
  const usable = names.filter(short);
  const name = usable.find((each) => schema?.properties[each]?.enum) ?? usable[0];
  return name === undefined ? "" : `${name}:${short(name)}`;
}

// --- The view ---

export default function View() {
  const { id, params: { filter = "" } } = store.route;
  const [shown, setShown] = useState(null);
  const [operations, setOperations] = useState(null);
  const [more, setMore] = useState({ place: "", limit: PAGE });
  const place = `${id}?${filter}`;
  const limit = more.place === place ? more.limit : PAGE;
  useEffect(() => { act(async () => setOperations((await loadContracts()).flatMap((each) => Object.values(each.operations)))); }, []);
  useChange(["data", "scenario", "files"], async () => {
    const { data } = await control("data");
    const collection = data.find((each) => keyOf(each) === id) ?? data[0];
    const wanted = filterParts(filter, isProperty);
    const filters = wanted.filter(({ key }) => key !== null).map(({ key, value }) => [key, value]);
    let page = { records: [], total: 0, hasMore: false };
    let error = "";
    try {
      page = await load(collection, filters, limit);
    } catch (rejected) {
      if (rejected.status !== 400 || !filters.length) throw rejected;
      error = rejected.message; // such as an unknown property
    }
    setShown({ data, collection, filters, isPartial: wanted.length > filters.length, error, page: { ...page, records: page.records.map(members) } });
  }, [place, limit]);
  if (shown === null || operations === null) return null;
  const { data, collection } = shown;
  const tabs = data.map((each) => [keyOf(each), html`${each.name} <span class="n">${each.total.toLocaleString("en")}${each.hidden_by && ", hidden"}</span>`]);
  const open = data.some((each) => keyOf(each) === id) ? id : keyOf(collection);
  const create = collection.scenario === null ? operations.find(({ method, path, body }) => method === "POST" && path === collection.path && !path.includes("{") && body) : undefined;
  const ownOnly = data.every(({ scenario }) => scenario === null);
  return html`<div class="data"><${Tabs} label="Collections" tabs=${tabs} open=${open} choose=${(next) => go("data", next, {}, true)}>
    <${Records} key=${keyOf(collection)} ...${shown} create=${create} filter=${filter} showMore=${() => setMore({ place, limit: limit + PAGE })}>
      ${ownOnly && html`<p class="soft hint">An active scenario with <code>resources</code> adds collections of your own.</p>`}<//><//></div>`;
}

/** The records of a collection. */
function Records({ collection, page, filters, isPartial, error, create, filter, showMore, children }) {
  const schema = create?.body.schema;
  const [form, setForm] = useState(null); // the open form: "add" or "replace"
  const { name, path, id: key, scenario, content_of: giver, hidden_by: hiding } = collection;
  const { total, hasMore } = page;
  const known = [...new Set([...Object.keys(schema?.properties ?? {}), ...page.records.flatMap((record) => [...record.keys()])])].filter((each) => each !== key && !isHidden(each));
  const shown = known.slice(0, MOST_COLUMNS).map((column) => ({ column, isNumber: isNumeric(column, page.records, schema), isChoice: Boolean(optionsOf(schema?.properties[column])) }));
  const toggle = (kind) => ({ "aria-expanded": String(form === kind), does: () => setForm(form === kind ? null : kind) });
  const save = async () => download(`${name}-${store.session}.json`, indent(listOf(await load(collection, filters))));
  const remove = (record, title) => undoably(`Deleted record ${title}.`, collection, () => control(pathOf(collection, textOf(record.get(key))), { method: "DELETE" }));
  const amount = filters.length ? `${total.toLocaleString("en")} of ${count(collection.total, "record")}` : count(total, "record");
  const keys = suggested([key, ...known].filter((each) => !isHidden(each)), page.records, schema);
  const example = exampleOf(keys, known, schema);
  const problem = error || (isPartial ? `Filter by a property and its value${example && `, such as ${example}`}.` : "");
  const words = `${amount}${hasMore ? `, the first ${page.records.length.toLocaleString("en")}` : ""} · ${path} · ${giver === null ? "the session's own records" : `content of the scenario ${giver}`}`;
  const width = (least) => `${least * (shown.length + 1)}px`;
  const keyIsNumber = isNumeric(key, page.records);
  const label = labelOf(schema);
  return html`
    <div class="view">
      <div class="toolbar">
        <${TokenFilter} value=${filter} change=${(next) => setParams({ filter: next })} isKey=${isProperty} placeholder=${example ? `Filter, e.g. ${example}` : "Filter"} keys=${keys} />
        <span class="grow words ${error ? "failure" : "soft"}" role=${filter ? "status" : null} title=${problem || words}>${problem || words}</span>
        <${Button} text="Replace all" ...${toggle("replace")} />
        <${Button} icon="save" text="Export JSON" does=${save} />
        <${Button} kind="primary" icon="add" text="Add a record" ...${toggle("add")} />
      </div>
      <div class="above">
        ${hiding && html`<p>Requests do not reach these records: the scenario ${hiding} precedes ${scenario}, and defines <code>${path}</code> too.</p>`}
        ${form === "add" && (schema ? html`<${Add} collection=${collection} create=${create} />` : html`<${AddJson} collection=${collection} columns=${known} first=${page.records[0]} />`)}
        ${form === "replace" && html`<${Replace} collection=${collection} first=${page.records[0]} />`}
      </div>
      <div class="scroll">
        ${page.records.length > 0 ? html`<table class="records editable" style=${{ minWidth: width(96), maxWidth: width(240) }}>
          <thead><tr><th scope="col" class=${keyIsNumber ? "key number" : "key"}>${isHidden(key) ? "record" : key}</th>${shown.map(({ column, isNumber, isChoice }) => html`<th key=${column} scope="col" class=${isNumber ? "number" : isChoice ? "choice" : ""} title=${column}>${column}</th>`)}<td></td></tr></thead>
          <tbody>${page.records.map((record) => {
            const id = textOf(record.get(key));
            const title = isText(record.get(label)) && key !== label ? `${id}, ${textOf(record.get(label))}` : id;
            return html`<tr key=${id}><th scope="row" class=${keyIsNumber ? "key number" : "key"} title=${id}>${id}</th>
              ${shown.map(({ column, isNumber }) => html`<${Value} key=${column} collection=${collection} id=${id} title=${title} name=${column} json=${record.get(column)} isNumber=${isNumber} schema=${schema} />`)}
              <td class="idle"><${Button} kind="ghost" icon="delete" label=${`Delete record ${title}`} does=${() => remove(record, title)} /></td></tr>`;
          })}</tbody>
        </table>` : html`<${None} isFiltered=${filters.length > 0} />`}
        ${known.length > shown.length && html`<p class="hint soft">Not shown: ${known.slice(MOST_COLUMNS).join(", ")}</p>`}
        ${hasMore && html`<${Button} text="Show more" does=${showMore} />`}
        ${children}
      </div>
    </div>`;
}

/** Return the property that names a record to people: the first text that it must have. */
function labelOf(schema) {
  const isLabel = ([name, { type, enum: options }]) => type === "string" && !options && schema.required.includes(name);
  return Object.entries(schema?.properties ?? {}).find(isLabel)?.[0] ?? "name";
}

/** Whether a column has numbers only. */
function isNumeric(name, records, schema) {
  const type = schema?.properties[name]?.type;
  if (type) return type === "integer" || type === "number";
  const values = records.map((record) => record.get(name)).filter((json) => json !== undefined);
  return values.length > 0 && values.every((json) => /^-?\d/.test(json));
}

const None = ({ isFiltered }) => (isFiltered
  ? html`<${EmptyState} title="No records match the filter."><${Button} text="Clear the filter" does=${() => setParams({ filter: "" })} /><//>`
  : html`<${EmptyState} title="No records."><p>Clients get an empty list. Add a record, or activate another scenario.</p><//>`);

/** A property of a record; an empty one removes the property. */
function Value({ collection, id, title, name, json, isNumber, schema }) {
  const property = schema?.properties[name] ?? {};
  const isRequired = schema?.required.includes(name) ?? false;
  const change = async (text) => {
    const value = text === "" && !isRequired ? "null" : jsonOf(text, property.type ? property.type === "string" : isText(json));
    await control(pathOf(collection, id), { method: "PATCH", body: toObject([[name, patch(json, value)]]) });
    announce(text ? `${name} of record ${id} is now ${text}` : `Record ${id} now has no ${name}`);
  };
  return html`<${Cell} name=${`${name} of record ${title}`} value=${textOf(json)} options=${optionsOf(property)} isRequired=${isRequired} isNumber=${isNumber} change=${change} />`;
}

/**
 * A value that is changed in place: with Enter or by leaving the field; Escape restores it.
 * @param {{name: string, value: string, options?: string[], isRequired: boolean, isNumber: boolean, change: (text: string) => Promise<void>}} properties
 */
function Cell({ name, value, options, isRequired, isNumber, change }) {
  const [draft, setDraft] = useState(null); // what the user enters, until it is saved
  const [problem, setProblem] = useState("");
  const saved = useRef(null);
  const restore = () => {
    setDraft(null);
    setProblem("");
  };
  useEffect(() => setDraft((now) => (now === saved.current ? null : now)), [value]); // not what was entered since
  const save = async (text) => {
    if (text === value) return restore();
    saved.current = text;
    try {
      await change(text);
      setProblem("");
    } catch (error) {
      saved.current = null;
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
  const onInput = options ? undefined : set;
  const onChange = options ? (event) => { set(event); return act(() => save(event.target.value)); } : undefined;
  const onBlur = options ? undefined : () => draft !== null && act(() => save(draft));
  const common = { "aria-label": name, "aria-invalid": problem ? "true" : null, title: problem || null, value: draft ?? value, onInput, onChange, onBlur, onKeyDown };
  return html`<td class=${isNumber ? "number" : ""}>${options
    ? html`<select ...${common}><${Options} options=${options} chosen=${draft ?? value} isRequired=${isRequired} /></select>`
    : html`<input ...${common} autocomplete="off" inputmode=${isNumber ? "numeric" : null} />`}</td>`;
}

const Options = ({ options, chosen, isRequired }) => html`${!isRequired && html`<option value="">None</option>`}${(!chosen || options.includes(chosen) ? options : [chosen, ...options]).map((each) => html`<option key=${each} value=${each} selected=${each === chosen}>${each}</option>`)}`;

/** Add a record as any client would, and show the response. */
function Add({ collection, create }) {
  const { key, body: { schema, envelope, type: mediaType, example } } = create;
  const [response, setResponse] = useState({ text: "", isError: false });
  const properties = Object.entries(schema.properties);
  const add = async (event) => {
    event.preventDefault();
    const fields = new FormData(event.target);
    const record = toObject(properties.map(([name, { type }]) => [name, type === "string", String(fields.get(name))])
      .filter(([name, asText, text]) => text !== "" || (asText && schema.required.includes(name)))
      .map(([name, asText, text]) => [name, jsonOf(text, asText)]));
    setResponse({ text: "Waiting for the response.", isError: false });
    try {
      const value = key.prefix + store.state.settings.key;
      const headers = { "Content-Type": mediaType, ...(key.in === "header" && { [key.name]: value }) };
      const query = key.in === "query" ? `?${new URLSearchParams({ [key.name]: value })}` : "";
      const body = envelope === null ? record : toObject([[envelope, record]]);
      const sent = await fetch(`..${collection.path}${query}`, { method: "POST", credentials: "omit", headers, body });
      const text = await sent.text();
      setResponse({ text: `${sent.status}: ${sent.ok ? added(text, create, collection) : problemIn(text)}`, isError: !sent.ok });
    } catch {
      setResponse({ text: "No response: the connection failed.", isError: true });
    }
  };
  return html`
    <form class="panel-form" aria-label="Add a record" onSubmit=${add}>
      ${properties.map(([name, property]) => {
        const [given] = property.examples ?? [];
        const options = optionsOf(property);
        const nested = (envelope === null ? example : example?.[envelope])?.[name];
        return html`<label key=${name}>${name} ${options
          ? html`<select name=${name}><${Options} options=${options} chosen=${textIn(given)} isRequired=${schema.required.includes(name)} /></select>`
          : html`<input name=${name} autocomplete="off" inputmode=${property.type === "integer" ? "numeric" : null} defaultValue=${textIn(given)} placeholder=${typeof nested === "object" ? JSON.stringify(nested) : null} />`}</label>`;
      })}
      <${Button} kind="primary" type="submit" text="Add" />
      <p role="status" class=${response.isError ? "failure" : "soft"}>${response.text || html`Sends <code>POST ${collection.path}</code>; active scenarios apply.`}</p>
    </form>`;
}

/** Return the message in the body of an error, or the body. */
function problemIn(text) {
  try {
    const properties = members(text);
    return textOf(["message", "detail"].map((name) => properties.get(name)).find(isText)) || text;
  } catch {
    return text;
  }
}

/** Return what a response says about the record that was added. */
function added(text, { body: { schema } }, { id: key }) {
  try {
    const whole = members(text);
    const value = [whole, ...[...whole.values()].filter(isObject).map(members)].find((each) => each.has(key)) ?? whole; // it may be in an envelope
    const names = [...new Set([key, labelOf(schema)])].map((each) => textOf(value.get(each))).filter(Boolean);
    return names.length ? `Added record ${names.join(", ")}.` : "Added a record.";
  } catch {
    return text;
  }
}

/** Add a record as JSON. */
function AddJson({ collection, columns, first }) {
  const example = toObject(columns.map((name) => [name, first?.get(name) ?? "null"]));
  const add = handler(async (event) => {
    const added = members(await control(pathOf(collection), { method: "POST", body: event.target.elements.value.value, raw: true }));
    announce(`Added record ${textOf(added.get(collection.id))} to ${collection.name}`);
  });
  return html`
    <form class="panel-form" aria-label="Add a record" onSubmit=${add}>
      <label class="grow">JSON <textarea name="value" rows="3" spellcheck=${false} required defaultValue=${example}></textarea></label>
      <${Button} kind="primary" type="submit" text="Add" />
    </form>`;
}

/** Replace all records with generated ones, a fixture, pasted JSON, or nothing. */
function Replace({ collection, first }) {
  const choices = { ...(collection.scenario === null && { generate: "Generated records" }), paste: "JSON", fixture: "A fixture", clear: "Nothing" };
  const [kind, setKind] = useState(Object.keys(choices)[0]);
  const replace = handler(async (event) => {
    const value = event.target.elements.value?.value;
    const body = { generate: () => `{"count":${jsonOf(value, false)}}`, fixture: () => JSON.stringify(value.trim()), paste: () => value, clear: () => "[]" }[kind]();
    await undoably(`${kind === "clear" ? "Deleted" : "Replaced"} all records of ${collection.name}.`, collection, () => control(pathOf(collection), { method: "PUT", body }));
  });
  return html`
    <form class="panel-form" aria-label="Replace all records" onSubmit=${replace}>
      <label>With <select value=${kind} onChange=${(event) => setKind(event.target.value)}>${Object.entries(choices).map(([value, text]) => html`<option key=${value} value=${value}>${text}</option>`)}</select></label>
      ${kind === "generate" && html`<label key="generate">Number <input name="value" inputmode="numeric" autocomplete="off" required defaultValue="100" /></label>`}
      ${kind === "fixture" && html`<label key="fixture">Name <input name="value" autocomplete="off" required /></label>`}
      ${kind === "paste" && html`<label key="paste" class="grow">Records <textarea name="value" rows="3" spellcheck=${false} required placeholder=${`[${first ? toObject(first) : `{"${collection.id}": 1}`}]`}></textarea></label>`}
      <${Button} kind="primary" type="submit" text=${kind === "clear" ? "Delete all" : "Replace"} />
    </form>`;
}
