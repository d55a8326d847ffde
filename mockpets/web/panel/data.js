// The view of the records of every collection: a tab for each, to filter, edit in place, add, delete and replace.
// Records stay JSON texts until they are shown.

import { Control, Fields, isNumber, optionsOf, textIn } from "./fields.js";
import {
  isNested,
  isObject,
  isText,
  jsonOf,
  members,
  parts,
  patch,
  summary,
  textOf,
  toObject,
} from "./json.js";
import { loadContracts, sendable } from "./openapi.js";
import { html, useEffect, useRef, useState } from "./preact.js";
import { requestOf } from "./sending.js";
import {
  act,
  announce,
  asJson,
  call,
  callText,
  describeError,
  isRejected,
  download,
  go,
  handler,
  setParams,
  store,
  toast,
  useChange,
} from "./store.js";
import { filterParts, TokenFilter } from "./filter.js";
import { Dialog } from "./overlays.js";
import { Button, EmptyState, Tabs } from "./ui.js";
import { count, indent } from "./values.js";

const PAGE = 100;
const MOST_PAGE = 1000; // the most that the server returns
const MOST_COLUMNS = 12;
const MOST_UNDO = 10_000; // of more records, the browser keeps no copy

/** Whether no response shows a property, such as the key of a single object. */
const isHidden = (name) => name.startsWith("~");

// --- Collections ---

/** Return the name by which the control API knows a collection, whatever others are named. */
const keyOf = ({ scenario, name }) =>
  scenario === null ? name : `${scenario}.${name}`;
const pathOf = (collection) => ({ path: { name: keyOf(collection) } });
const recordIn = (collection, record) => ({
  path: { name: keyOf(collection), record },
});

/** Load records up to a number, as JSON. */
async function load(collection, filters = [], limit = Infinity) {
  const records = [];
  for (let next = null; ;) {
    const size = Math.min(limit - records.length, MOST_PAGE);
    const query = {
      ...Object.fromEntries(filters),
      limit: size,
      after: next ?? undefined,
    };
    let page;
    try {
      page = members(
        await callText("GET /data/{name}", { ...pathOf(collection), query }),
      );
    } catch (error) {
      if (next === null || error.status !== 404) throw error;
      return load(collection, filters, limit); // the record before this page was deleted meanwhile
    }
    records.push(...parts(page.get("records")));
    next = JSON.parse(page.get("next"));
    if (next === null || records.length >= limit)
      return {
        records,
        total: Number(page.get("total")),
        hasMore: next !== null,
      };
  }
}

const listOf = ({ records }) => `[${records.join(",")}]`;

/** Change records, and offer to put back those of before. */
async function undoably(text, collection, change) {
  const before =
    collection.total <= MOST_UNDO ? listOf(await load(collection)) : null;
  await change();
  toast(text, {
    undo:
      before === null
        ? null
        : () =>
            call("PUT /data/{name}", {
              ...pathOf(collection),
              ...asJson(before),
            }),
  });
}

// --- The filter: status:sold petId:3 ---

const isProperty = (name) => name !== "limit" && name !== "after"; // these parameters page

/** Return what the filter suggests: properties, and the values that the schema and the shown records have. */
function suggested(names, records, schema) {
  const usable = names.filter(
    (name) => isProperty(name) && /^[^\s":]+$/.test(name),
  );
  return Object.fromEntries(
    usable.map((name) => {
      const seen = records
        .map((record) => record.get(name))
        .filter((json) => json !== undefined && !/^[[{]/.test(json))
        .map(textOf);
      const values = [
        ...new Set([...(optionsOf(schema?.properties[name]) ?? []), ...seen]),
      ].filter((value) => value && !value.includes('"'));
      return [
        name,
        { hint: values.slice(0, 3).join(", "), values: () => values },
      ];
    }),
  );
}

/** Return a filter that selects something, such as `status:sold`; empty without one. */
function exampleOf(keys, names, schema) {
  const short = (name) =>
    keys[name]?.values().find((value) => /^\S{1,20}$/.test(value));
  const usable = names.filter(short);
  const name =
    usable.find((each) => schema?.properties[each]?.enum) ?? usable[0];
  return name === undefined ? "" : `${name}:${short(name)}`;
}

// --- The view ---

export default function View() {
  const {
    id,
    params: { filter = "" },
  } = store.route;
  const [shown, setShown] = useState(null);
  const [contracts, setContracts] = useState(null);
  const [more, setMore] = useState({ place: "", limit: PAGE });
  const place = `${id}?${filter}`;
  const limit = more.place === place ? more.limit : PAGE;
  useChange(["files"], async () => setContracts(await loadContracts()));
  useChange(
    ["data", "scenario", "files"],
    async () => {
      const { data } = await call("GET /data");
      const collection = data.find((each) => keyOf(each) === id) ?? data[0];
      const wanted = filterParts(filter, isProperty);
      const filters = wanted
        .filter(({ key }) => key !== null)
        .map(({ key, value }) => [key, value]);
      let page = { records: [], total: 0, hasMore: false };
      let error = "";
      try {
        page = await load(collection, filters, limit);
      } catch (rejected) {
        if (rejected.status !== 400 || !filters.length) throw rejected;
        error = rejected.message; // such as an unknown property
      }
      setShown({
        data,
        collection,
        filters,
        isPartial: wanted.length > filters.length,
        error,
        page: { ...page, records: page.records.map(members) },
      });
    },
    [place, limit],
  );
  if (shown === null || contracts === null) return null;
  const { data, collection } = shown;
  const tabs = data.map((each) => [
    keyOf(each),
    html`
      ${each.name}${" "}
      <span class="n">
        ${each.total.toLocaleString("en")}${each.hidden_by && ", hidden"}
      </span>
    `,
  ]);
  const open = data.some((each) => keyOf(each) === id) ? id : keyOf(collection);
  const ownOnly = data.every(({ scenario }) => scenario === null);
  return html`<div class="data">
    <${Tabs}
      label="Collections"
      tabs=${tabs}
      open=${open}
      choose=${(next) => go("data", next, {}, true)}
    >
      <${Records}
        key=${keyOf(collection)}
        ...${shown}
        ...${inContract(contracts, collection)}
        filter=${filter}
        showMore=${() => setMore({ place, limit: limit + PAGE })}
      >
        ${
          ownOnly &&
          html`<p class="soft hint">
            An active scenario with <code>resources</code> adds collections of your own.
          </p>`
        }
      <//>
    <//>
  </div>`;
}

/**
 * Return what the contracts say of a collection: its schema, the operation that adds a record, and
 * the property with the key of its parent.
 */
function inContract(contracts, { scenario, name, path }) {
  if (scenario !== null) return {};
  const contract = contracts.find(({ collections }) =>
    collections.some((each) => each.name === name),
  );
  const { schema, parent, link } =
    contract?.collections.find((each) => each.name === name) ?? {};
  const create = contract?.operations.find(
    (each) =>
      each.method === "POST" &&
      each.path === path &&
      !path.includes("{") &&
      each.details?.().bodies[0]?.isJson,
  );
  return {
    schema,
    create,
    parent:
      parent && !link?.includes(".")
        ? { name: parent, column: link ?? `~${parent}` }
        : undefined,
  };
}

/** The records of a collection. */
function Records({
  collection,
  page,
  filters,
  isPartial,
  error,
  schema,
  create,
  parent,
  filter,
  showMore,
  children,
}) {
  const [form, setForm] = useState(null); // the open form: "add" or "replace"
  const {
    name,
    path,
    id: key,
    scenario,
    content_of: giver,
    hidden_by: hiding,
  } = collection;
  const { total, hasMore } = page;
  const isShown = (each) =>
    each !== key && (!isHidden(each) || each === parent?.column);
  const known = [
    ...new Set([
      ...(parent && isHidden(parent.column) ? [parent.column] : []),
      ...Object.keys(schema?.properties ?? {}),
      ...page.records.flatMap((record) => [...record.keys()]),
    ]),
  ].filter(isShown);
  const shown = known.slice(0, MOST_COLUMNS).map((column) => ({
    column,
    head: isHidden(column) ? `of ${parent.name}` : column,
    isNumber: isNumeric(column, page.records, schema),
    isChoice: Boolean(optionsOf(schema?.properties[column])),
  }));
  const toggle = (kind) => ({
    "aria-expanded": String(form === kind),
    does: () => setForm(form === kind ? null : kind),
  });
  const save = async () =>
    download(
      `${name}-${store.session}.json`,
      indent(listOf(await load(collection, filters))),
    );
  const remove = (record, title) =>
    undoably(`Deleted record ${title}.`, collection, () =>
      call(
        "DELETE /data/{name}/{record}",
        recordIn(collection, textOf(record.get(key))),
      ),
    );
  const generate = async () => {
    const added = textOf(
      members(await callText("POST /data/{name}", pathOf(collection))).get(key),
    );
    toast(`Added the generated record ${added}.`, {
      undo: () =>
        call("DELETE /data/{name}/{record}", recordIn(collection, added)),
    });
  };
  const amount = filters.length
    ? `${total.toLocaleString("en")} of ${count(collection.total, "record")}`
    : count(total, "record");
  const keys = suggested(
    [key, ...known].filter((each) => !isHidden(each)),
    page.records,
    schema,
  );
  const example = exampleOf(keys, known, schema);
  const problem =
    error ||
    (isPartial
      ? `Filter by a property and its value${example && `, such as ${example}`}.`
      : "");
  const more = hasMore
    ? `, the first ${page.records.length.toLocaleString("en")}`
    : "";
  const whose =
    giver === null
      ? "the session's own records"
      : `content of the scenario ${giver}`;
  const words = `${amount}${more} · ${path} · ${whose}`;
  const width = (least) => `${least * (shown.length + 1)}px`;
  const keyIsNumber = isNumeric(key, page.records);
  const label = labelOf(schema);
  return html`<div class="view">
    <div class="toolbar">
      <${TokenFilter}
        value=${filter}
        change=${(next) => setParams({ filter: next })}
        isKey=${isProperty}
        placeholder=${example ? `Filter, e.g. ${example}` : "Filter"}
        keys=${keys}
      />
      <span
        class="grow words ${error ? "failure" : "soft"}"
        role=${filter ? "status" : null}
        title=${problem || words}
      >
        ${problem || words}
      </span>
      <${Button} text="Replace all" ...${toggle("replace")} />
      <${Button} icon="save" text="Export JSON" does=${save} />
      ${
        scenario === null &&
        html`<${Button}
          icon="add"
          text="Add a generated record"
          does=${generate}
        />`
      }
      <${Button}
        kind="primary"
        icon="add"
        text="Add a record"
        ...${toggle("add")}
      />
    </div>
    <div class="above">
      ${
        hiding &&
        html`<p>
          Requests do not reach these records: the
          scenario ${hiding} precedes ${scenario}, and
          defines <code>${path}</code> too.
        </p>`
      }
      ${
        form === "add" &&
        (schema
          ? html`<${Add}
            collection=${collection}
            schema=${schema}
            create=${create}
            parent=${parent}
          />`
          : html`<${AddJson}
            collection=${collection}
            columns=${known}
            first=${page.records[0]}
          />`)
      }
      ${
        form === "replace" &&
        html`<${Replace} collection=${collection} first=${page.records[0]} />`
      }
    </div>
    <div class="scroll">
      ${
        page.records.length > 0
          ? html`<table
            class="records editable"
            style=${{ minWidth: width(96), maxWidth: width(240) }}
          >
            <thead>
              <tr>
                <th scope="col" class=${keyIsNumber ? "key number" : "key"}>
                  ${isHidden(key) ? "record" : key}
                </th>
                ${shown.map(
                  ({ column, head, isNumber, isChoice }) => html`<th
                    key=${column}
                    scope="col"
                    class=${isNumber ? "number" : isChoice ? "choice" : ""}
                    title=${head}
                  >
                    ${head}
                  </th>`,
                )}
                <td></td>
              </tr>
            </thead>
            <tbody>
              ${page.records.map((record) => {
                const id = textOf(record.get(key));
                const title =
                  isText(record.get(label)) && key !== label
                    ? `${id}, ${textOf(record.get(label))}`
                    : id;
                return html`<tr key=${id}>
                  <th
                    scope="row"
                    class=${keyIsNumber ? "key number" : "key"}
                    title=${id}
                  >
                    ${id}
                  </th>
                  ${shown.map(
                    ({ column, head, isNumber }) => html`<${Value}
                      key=${column}
                      collection=${collection}
                      id=${id}
                      title=${title}
                      name=${column}
                      head=${head}
                      json=${record.get(column)}
                      isNumber=${isNumber}
                      schema=${schema}
                    />`,
                  )}
                  <td class="idle">
                    <${Button}
                      kind="ghost"
                      icon="delete"
                      label=${`Delete record ${title}`}
                      does=${() => remove(record, title)}
                    />
                  </td>
                </tr>`;
              })}
            </tbody>
          </table>`
          : html`<${None} isFiltered=${filters.length > 0} />`
      }
      ${
        known.length > shown.length &&
        html`<p class="hint soft">
          Not shown: ${known.slice(MOST_COLUMNS).join(", ")}
        </p>`
      }
      ${hasMore && html`<${Button} text="Show more" does=${showMore} />`}
      ${children}
    </div>
  </div>`;
}

/** Return the property that names a record to people: the first text that it must have. */
function labelOf(schema) {
  const isLabel = ([name, { type, enum: options }]) =>
    type === "string" && !options && schema.required.includes(name);
  return Object.entries(schema?.properties ?? {}).find(isLabel)?.[0] ?? "name";
}

/** Whether a column has numbers only. */
function isNumeric(name, records, schema) {
  const property = schema?.properties[name];
  if (property?.type) return isNumber(property);
  const values = records
    .map((record) => record.get(name))
    .filter((json) => json !== undefined);
  return values.length > 0 && values.every((json) => /^-?\d/.test(json));
}

const None = ({ isFiltered }) =>
  isFiltered
    ? html`<${EmptyState} title="No records match the filter.">
      <${Button}
        text="Clear the filter"
        does=${() => setParams({ filter: "" })}
      />
    <//>`
    : html`<${EmptyState} title="No records.">
      <p>
        Clients get an empty list. Add a record, or activate another scenario.
      </p>
    <//>`;

/** A property of a record; an empty one removes the property. */
function Value({
  collection,
  id,
  title,
  name,
  head,
  json,
  isNumber: isRight,
  schema,
}) {
  const property = schema?.properties[name] ?? {};
  const isRequired = schema?.required.includes(name) ?? false;
  const change = async (text) => {
    const value =
      text === "" && !isRequired
        ? "null"
        : jsonOf(
            text,
            property.type ? property.type === "string" : isText(json),
          );
    await call("PATCH /data/{name}/{record}", {
      ...recordIn(collection, id),
      ...asJson(toObject([[name, patch(json, value)]])),
    });
    announce(
      text
        ? `${head} of record ${id} is now ${text}`
        : `Record ${id} now has no ${head}`,
    );
  };
  const common = { name: `${head} of record ${title}`, change };
  return isNested(json) || (json === undefined && property.sample !== undefined)
    ? html`<${Folded} ...${common} json=${json} sample=${property.sample} />`
    : html`<${Cell}
      ...${common}
      value=${textOf(json)}
      schema=${property}
      isRequired=${isRequired}
      isNumber=${isRight}
    />`;
}

/** A nested value in few words, which opens as JSON. */
function Folded({ name, json, sample, change }) {
  const [draft, setDraft] = useState(null); // what the user enters while it is open
  const [problem, setProblem] = useState("");
  const open = () => {
    setProblem("");
    setDraft(json === undefined ? "" : indent(json));
  };
  const save = handler(async () => {
    try {
      await change(draft.trim());
      setDraft(null);
    } catch (error) {
      if (!isRejected(error)) throw error;
      setProblem(error.message);
    }
  });
  return html`<td>
    <button
      type="button"
      class="folded ${json === undefined ? "soft" : ""}"
      aria-label=${name}
      aria-haspopup="dialog"
      title=${json}
      onClick=${open}
    >
      ${json === undefined ? "None" : summary(json)}
    </button>
    ${
      draft !== null &&
      html`<${Dialog}
        label=${`Edit ${name}`}
        class="nested-value"
        close=${() => setDraft(null)}
      >
        <form onSubmit=${save}>
          <h2>${name}</h2>
          <textarea
            aria-label="JSON"
            rows="14"
            spellcheck=${false}
            autofocus
            value=${draft}
            placeholder=${
              sample === undefined ? null : JSON.stringify(sample, null, 2)
            }
            aria-invalid=${problem ? "true" : null}
            onInput=${(event) => setDraft(event.target.value)}
          ></textarea>
          ${problem && html`<p class="failure" role="alert">${problem}</p>`}
          <div class="line">
            <${Button} kind="primary" type="submit" text="Save" />
            <${Button} text="Cancel" does=${() => setDraft(null)} />
          </div>
        </form>
      <//>`
    }
  </td>`;
}

/**
 * A value that is changed in place: with Enter or by leaving the field; Escape restores it.
 * @param {{name: string, value: string, schema: any, isRequired: boolean, isNumber: boolean,
 *   change: (text: string) => Promise<void>}} properties
 */
function Cell({ name, value, schema, isRequired, isNumber: isRight, change }) {
  const [draft, setDraft] = useState(null); // what the user enters, until it is saved
  const [problem, setProblem] = useState("");
  const saved = useRef(null);
  const restore = () => {
    setDraft(null);
    setProblem("");
  };
  useEffect(
    () => setDraft((now) => (now === saved.current ? null : now)),
    [value],
  ); // not what was entered since
  const save = async (text) => {
    if (text === value) return restore();
    saved.current = text;
    try {
      await change(text);
      setProblem("");
    } catch (error) {
      saved.current = null;
      if (!isRejected(error)) throw error;
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
  const isChoice = Boolean(optionsOf(schema));
  const onInput = isChoice ? undefined : set;
  const onChange = isChoice
    ? (event) => {
        set(event);
        return act(() => save(event.target.value));
      }
    : undefined;
  const onBlur = isChoice
    ? undefined
    : () => draft !== null && act(() => save(draft));
  return html`<td class=${isRight ? "number" : ""}>
    <${Control}
      schema=${schema}
      value=${draft ?? value}
      none=${!isRequired && "None"}
      aria-label=${name}
      aria-invalid=${problem ? "true" : null}
      title=${problem || null}
      onInput=${onInput}
      onChange=${onChange}
      onBlur=${onBlur}
      onKeyDown=${onKeyDown}
    />
  </td>`;
}

/** Add a record: by the operation of the contract as any client would, if there is one; and show the response. */
function Add({ collection, schema: whole, create, parent }) {
  const operation = create && { ...create, ...create.details() };
  const [body] = operation?.bodies ?? [];
  const schema =
    body?.schema ?? withParent(sendable(whole), collection, parent);
  const [record, setRecord] = useState(() =>
    operation ? initial(schema) : "{}",
  );
  const [response, setResponse] = useState({ text: "", isError: false });
  const send = async () => {
    if (!operation)
      return addedTo(
        collection,
        await callText("POST /data/{name}", {
          ...pathOf(collection),
          ...asJson(record),
        }),
      );
    const json =
      body.envelope === null ? record : toObject([[body.envelope, record]]);
    const { method, path, headers } = requestOf(operation, {
      key: store.state.settings.key,
      body: json,
    });
    const sent = await fetch(`..${path}`, {
      method,
      credentials: "omit",
      headers,
      body: json,
    });
    const text = await sent.text();
    if (!sent.ok) throw new Error(`${sent.status}: ${problemIn(text)}`);
    return `${sent.status}: ${added(text, schema, collection)}`;
  };
  const add = async (event) => {
    event.preventDefault();
    setResponse({ text: "Waiting for the response.", isError: false });
    try {
      setResponse({ text: await send(), isError: false });
    } catch (error) {
      setResponse({
        text:
          error instanceof TypeError
            ? "No response: the connection failed."
            : describeError(error),
        isError: true,
      });
    }
  };
  return html`<form
    class="panel-form"
    aria-label="Add a record"
    noValidate
    onSubmit=${add}
  >
    <div class="fields">
      <${Fields} schema=${schema} json=${record} change=${setRecord} />
    </div>
    <${Button} kind="primary" type="submit" text="Add" />
    <p role="status" class=${response.isError ? "failure" : "soft"}>
      ${
        response.text ||
        (create
          ? html`
            Sends <code>POST ${collection.path}</code>; active scenarios apply.
          `
          : "Adds it directly. What is left out is generated.")
      }
    </p>
  </form>`;
}

/** Return the properties that have an example, as JSON. */
const initial = ({ properties }) =>
  toObject(
    Object.entries(properties)
      .filter(
        ([, { examples, sample }]) => examples?.length && sample === undefined,
      )
      .map(([name, property]) => [
        name,
        jsonOf(textIn(property.examples[0]), property.type === "string"),
      ]),
  );

/** Return the schema of a record without a key that no response shows, and with the key of its parent. */
function withParent({ properties, ...schema }, { id }, parent) {
  const own = Object.entries(properties).filter(
    ([name]) => name !== parent?.column && !(name === id && isHidden(id)),
  );
  const link = parent
    ? [
        [
          parent.column,
          properties[parent.column] ?? { label: `of ${parent.name}` },
        ],
      ]
    : [];
  return {
    ...schema,
    required: [],
    properties: Object.fromEntries([...link, ...own]),
  };
}

const addedTo = ({ id, name }, text) => {
  const key = textOf(members(text).get(id));
  announce(`Added record ${key} to ${name}`);
  return `Added record ${key}.`;
};

/** Return the message in the body of an error, or the body. */
function problemIn(text) {
  try {
    const properties = members(text);
    return (
      textOf(
        ["message", "detail"].map((name) => properties.get(name)).find(isText),
      ) || text
    );
  } catch {
    return text;
  }
}

/** Return what a response says about the record that was added. */
function added(text, schema, { id: key }) {
  try {
    const whole = members(text);
    const value =
      [whole, ...[...whole.values()].filter(isObject).map(members)].find(
        (each) => each.has(key),
      ) ?? whole; // it may be in an envelope
    const names = [...new Set([key, labelOf(schema)])]
      .map((each) => textOf(value.get(each)))
      .filter(Boolean);
    return names.length
      ? `Added record ${names.join(", ")}.`
      : "Added a record.";
  } catch {
    return text;
  }
}

/** Add a record as JSON. */
function AddJson({ collection, columns, first }) {
  const example = toObject(
    columns.map((name) => [name, first?.get(name) ?? "null"]),
  );
  const add = handler(async (event) => {
    addedTo(
      collection,
      await callText("POST /data/{name}", {
        ...pathOf(collection),
        ...asJson(event.target.elements.value.value),
      }),
    );
  });
  return html`<form
    class="panel-form"
    aria-label="Add a record"
    onSubmit=${add}
  >
    <label class="grow">
      JSON${" "}
      <textarea
        name="value"
        rows="3"
        spellcheck=${false}
        required
        defaultValue=${example}
      ></textarea>
    </label>
    <${Button} kind="primary" type="submit" text="Add" />
  </form>`;
}

/** Replace all records with generated ones, a fixture, pasted JSON, or nothing. */
function Replace({ collection, first }) {
  const choices = {
    ...(collection.scenario === null && { generate: "Generated records" }),
    paste: "JSON",
    fixture: "A fixture",
    clear: "Nothing",
  };
  const [kind, setKind] = useState(Object.keys(choices)[0]);
  const replace = handler(async (event) => {
    const value = event.target.elements.value?.value;
    const body = {
      generate: () => `{"count":${jsonOf(value, false)}}`,
      fixture: () => JSON.stringify(value.trim()),
      paste: () => value,
      clear: () => "[]",
    }[kind]();
    await undoably(
      `${kind === "clear" ? "Deleted" : "Replaced"} all records of ${collection.name}.`,
      collection,
      () =>
        call("PUT /data/{name}", { ...pathOf(collection), ...asJson(body) }),
    );
  });
  return html`<form
    class="panel-form"
    aria-label="Replace all records"
    onSubmit=${replace}
  >
    <label>
      With${" "}
      <select value=${kind} onChange=${(event) => setKind(event.target.value)}>
        ${Object.entries(choices).map(
          ([value, text]) =>
            html`<option key=${value} value=${value}>${text}</option>`,
        )}
      </select>
    </label>
    ${
      kind === "generate" &&
      html`<label key="generate">
        Number${" "}
        <input
          name="value"
          inputmode="numeric"
          autocomplete="off"
          required
          defaultValue="100"
        />
      </label>`
    }
    ${
      kind === "fixture" &&
      html`<label key="fixture">
        Name <input name="value" autocomplete="off" required />
      </label>`
    }
    ${
      kind === "paste" &&
      html`<label key="paste" class="grow">
        Records${" "}
        <textarea
          name="value"
          rows="3"
          spellcheck=${false}
          required
          placeholder=${`[${first ? toObject(first) : `{"${collection.id}": 1}`}]`}
        ></textarea>
      </label>`
    }
    <${Button}
      kind="primary"
      type="submit"
      text=${kind === "clear" ? "Delete all" : "Replace"}
    />
  </form>`;
}
