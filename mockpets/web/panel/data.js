// The view of the records of the active scenarios' own resources: edit them in place, add, delete, replace all.

import { html, useEffect, useState } from "./preact.js";
import { Cell } from "./pets.js";
import { announce, control, download, go, handler, store, toast, update, useChange } from "./store.js";
import { Button, count, EmptyState, Segments } from "./ui.js";

const PAGE = 100;
const MOST_COLUMNS = 12;
const UNDO_RECORDS = 10_000; // of more, the browser keeps no copy

/** Return the name by which the control API knows a resource, whatever others are named. */
const keyOf = ({ scenario, name }) => `${scenario}.${name}`;
const pathOf = (resource, id) => `data/${encodeURIComponent(keyOf(resource))}${id === undefined ? "" : `/${encodeURIComponent(id)}`}`;

/** Load the records of a resource up to a number, or all. */
async function load(resource, limit = Infinity) {
  const records = [];
  let page;
  do {
    page = await control(`${pathOf(resource)}?limit=${Math.min(limit - records.length, 1000)}${page ? `&after=${encodeURIComponent(page.next)}` : ""}`);
    records.push(...page.records);
  } while (page.next !== null && records.length < limit);
  return { records, total: page.total, hasMore: page.next !== null };
}

/** Change records, and offer to put back those of before. */
async function undoably(text, resource, change) {
  const before = JSON.stringify(resource.total <= UNDO_RECORDS ? (await load(resource)).records : null);
  await change();
  const isExact = before !== "null" && !/\d{16}/.test(before); // a larger number would come back as a text
  toast(text, { undo: isExact ? () => control(pathOf(resource), { method: "PUT", body: before }) : null });
}

export default function View() {
  const [resources, setResources] = useState(null);
  const [page, setPage] = useState(null);
  const [limit, setLimit] = useState(PAGE);
  const [open, setOpen] = useState(null); // the open form: "add" or "replace"
  const { id } = store.route;
  useChange(["data", "scenario", "files"], async () => {
    const { data } = await control("data");
    const resource = data.find((each) => keyOf(each) === id) ?? data[0];
    setPage(resource ? { resource, ...(await load(resource, limit)) } : null);
    setResources(data);
    update({ resources: data.length });
  }, [id, limit]);
  useEffect(() => setLimit(PAGE), [id]);
  if (resources === null) return null;
  if (page === null) {
    return html`<${EmptyState} title="No resources"><p>An active scenario with <code>resources</code> serves paths of your own, and remembers what your app sends to them.</p><//>`;
  }
  const { resource, records, total, hasMore } = page;
  const { name, scenario, path, id: key, hidden_by: hiddenBy } = resource;
  const columns = [...new Set(records.flatMap((record) => Object.keys(record)))].filter((each) => each !== key);
  const shown = columns.slice(0, MOST_COLUMNS);
  const toggle = (form) => ({ "aria-expanded": String(open === form), does: () => setOpen(open === form ? null : form) });
  const save = async () => download(`${name}-${store.session}.json`, JSON.stringify((await load(resource)).records, null, 2));
  const remove = (record) => undoably(`Deleted ${record[key]} of ${name}.`, resource, () => control(pathOf(resource, record[key]), { method: "DELETE" }));
  return html`
    <div class="view">
      <div class="toolbar">
        ${resources.length > 1 && html`<${Segments} label="Resource" value=${keyOf(resource)} choose=${(next) => go("data", next, {}, true)} options=${resources.map((each) => [keyOf(each), each.name, each.total])} />`}
        <span class="grow soft" title=${path}>${count(total, "record")}${records.length < total ? `, the first ${records.length.toLocaleString("en")}` : ""} · ${path} · ${scenario}${hiddenBy && `, hidden by ${hiddenBy}`}</span>
        <${Button} text="Replace all" ...${toggle("replace")} />
        <${Button} icon="save" text="Export JSON" does=${save} />
        <${Button} kind="primary" icon="add" text="Add a record" ...${toggle("add")} />
      </div>
      ${open && html`<${Form} key=${open + keyOf(resource)} kind=${open} resource=${resource} columns=${columns} record=${records[0]} />`}
      <div class="scroll">
        ${records.length > 0 ? html`<table class="records data editable" style=${{ minWidth: `${96 + 110 * shown.length}px` }}>
          <thead><tr><th scope="col">${key}</th>${shown.map((each) => html`<th key=${each} scope="col">${each}</th>`)}<td></td></tr></thead>
          <tbody>${records.map((record) => html`
            <tr key=${record[key]}><th scope="row">${record[key]}</th>${shown.map((each) => html`<${Value} key=${each} resource=${resource} record=${record} name=${each} />`)}
              <td class="idle"><${Button} kind="ghost" icon="delete" label=${`Delete ${record[key]}`} does=${() => remove(record)} /></td></tr>`)}</tbody>
        </table>` : html`<p class="empty">No records. Clients get an empty list.</p>`}
        ${columns.length > shown.length && html`<p class="empty">Not shown: ${columns.slice(MOST_COLUMNS).join(", ")}</p>`}
        ${hasMore && html`<${Button} text="Show more" does=${() => setLimit(limit + PAGE)} />`}
      </div>
    </div>`;
}

/** A property of a record: a text as it is, any other value as JSON; an empty one removes the property. */
function Value({ resource, record, name }) {
  const before = record[name];
  const id = record[resource.id];
  const isText = typeof before === "string" && !/^-?\d{16,}$/.test(before); // such numbers are texts here
  const change = async (text) => {
    await control(pathOf(resource, id), { method: "PATCH", body: `{${JSON.stringify(name)}:${text === "" ? "null" : isText ? JSON.stringify(text) : jsonOf(text)}}` });
    announce(text ? `${name} of ${id} is now ${text}` : `${id} now has no ${name}`);
  };
  const value = before === undefined ? "" : typeof before === "string" ? before : JSON.stringify(before);
  return html`<${Cell} name=${`${name} of ${id}`} value=${value} change=${change} />`;
}

/** Return a text as JSON: what is JSON as it is, anything else as a string. */
function jsonOf(text) {
  try {
    JSON.parse(text);
    return text;
  } catch {
    return JSON.stringify(text);
  }
}

/** Add a record, or replace all, as JSON. */
function Form({ kind, resource, columns, record }) {
  const isAdd = kind === "add";
  const example = isAdd ? Object.fromEntries(columns.map((name) => [name, record[name] ?? null])) : [{ ...record }];
  const submit = handler(async (event) => {
    const { value } = event.target.elements.value;
    if (!isAdd) return undoably(`Replaced all records of ${resource.name}.`, resource, () => control(pathOf(resource), { method: "PUT", body: value }));
    const added = await control(pathOf(resource), { method: "POST", body: value });
    return announce(`Added ${added[resource.id]} to ${resource.name}`);
  });
  return html`
    <form class="panel-form" aria-label=${isAdd ? "Add a record" : "Replace all records"} onSubmit=${submit}>
      <label class="grow">JSON <textarea name="value" rows="3" spellcheck=${false} required defaultValue=${isAdd ? JSON.stringify(example) : ""} placeholder=${JSON.stringify(example)}></textarea></label>
      <${Button} kind="primary" type="submit" text=${isAdd ? "Add" : "Replace"} />
    </form>`;
}
