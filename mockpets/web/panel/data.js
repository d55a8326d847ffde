// The view of the records of every collection: a tab for each, to filter, edit in place, add,
// delete and replace.

import { Add, AddJson } from "./adding.js";
import {
  columnOf,
  exampleOf,
  filterKeys,
  isProperty,
  propertiesOf,
} from "./columns.js";
import { inContract, isHidden } from "./described.js";
import { filterParts, TokenFilter } from "./filter.js";
import { members } from "./json.js";
import { loadContracts } from "./openapi.js";
import { html, useState } from "./preact.js";
import { NoRecords, Table } from "./record-table.js";
import { addGenerated, loadList, loadRecords, nameOf } from "./records.js";
import { Replace } from "./replacing.js";
import {
  call,
  download,
  go,
  isRejected,
  setParams,
  store,
  useChange,
} from "./store.js";
import { Button, EmptyState, Tabs } from "./ui.js";
import { count, indent } from "./values.js";

/**
 * @import { CollectionSummary } from "../../../kit/control.js"
 * @import { Described } from "./described.js"
 * @import { Properties } from "./json.js"
 * @import { LoadedContract, Schema } from "./openapi.js"
 * @import { Content } from "./preact.js"
 * @import { Filter } from "./records.js"
 */

/** @typedef {{ records: Properties[], total: number, hasMore: boolean }} Page */

/**
 * The open collection.
 * @typedef {object} OpenCollection
 * @property {CollectionSummary} collection
 * @property {Filter[]} filters
 * @property {boolean} isPartial whether the filter has parts without a property
 * @property {string} error why the server rejects the filter, such as an unknown property
 * @property {Page} page
 */

/** @typedef {"add" | "replace"} Form */
/** @typedef {OpenCollection & { data: CollectionSummary[] }} Shown with all collections */

const PAGE = 100;
const MOST_COLUMNS = 12;

export default function View() {
  const {
    id,
    params: { filter = "" },
  } = store.route;
  const [shown, setShown] = useState(/** @type {Shown | null} */ (null));
  const [isEmpty, setEmpty] = useState(false);
  const [contracts, setContracts] = useState(
    /** @type {LoadedContract[] | null} */ (null),
  );
  const [more, setMore] = useState({ place: "", limit: PAGE });
  const place = `${id}?${filter}`;
  const limit = more.place === place ? more.limit : PAGE;
  useChange(["files"], async () => setContracts(await loadContracts()));
  useChange(
    ["data", "scenario", "files"],
    async () => {
      const { data } = await call("GET /data");
      const collection = data.find((each) => nameOf(each) === id) ?? data[0];
      setEmpty(!collection);
      if (collection)
        setShown({ data, ...(await load(collection, filter, limit)) });
    },
    [place, limit],
  );
  if (isEmpty) return html`<${NoCollections} />`;
  if (shown === null || contracts === null) return null;
  const { data, collection } = shown;
  const isKnown = data.some((each) => nameOf(each) === id);
  return html`<div class="data">
    <${Tabs}
      label="Collections"
      tabs=${data.map(tabOf)}
      open=${isKnown ? id : nameOf(collection)}
      choose=${(/** @type {string} */ next) => go("data", next, {}, true)}
    >
      <${Records}
        key=${nameOf(collection)}
        ...${shown}
        ...${inContract(contracts, collection)}
        filter=${filter}
        showMore=${() => setMore({ place, limit: limit + PAGE })}
      >
        ${
          data.every(({ scenario }) => scenario === null) &&
          html`<p class="soft hint">
            An active scenario with <code>resources</code> adds collections of your own.
          </p>`
        }
      <//>
    <//>
  </div>`;
}

const NoCollections = () => html`<${EmptyState} title="No collections.">
  <p>
    The contract has no operations on records. An active scenario
    with <code>resources</code> adds collections of your own.
  </p>
<//>`;

/** @param {CollectionSummary} collection */
const tabOf = (collection) => [
  nameOf(collection),
  html`
    ${collection.name}${" "}
    <span class="n">
      ${collection.total.toLocaleString("en")}${collection.hidden_by && ", hidden"}
    </span>
  `,
];

/**
 * Load the records of a collection that a filter selects, up to a number.
 * @param {CollectionSummary} collection
 * @param {string} filter
 * @param {number} limit
 * @returns {Promise<OpenCollection>}
 */
async function load(collection, filter, limit) {
  const wanted = filterParts(filter, isProperty);
  /** @type {Filter[]} */
  const filters = wanted.flatMap(({ key, value }) =>
    key === null ? [] : [[key, value]],
  );
  const isPartial = wanted.length > filters.length;
  try {
    const page = await loadRecords(collection, filters, limit);
    const records = page.records.map(members);
    return {
      collection,
      filters,
      isPartial,
      error: "",
      page: { ...page, records },
    };
  } catch (error) {
    const isInvalid = isRejected(error) && error.status === 400;
    if (!isInvalid || !filters.length) throw error;
    const page = { records: [], total: 0, hasMore: false };
    return { collection, filters, isPartial, error: error.message, page };
  }
}

/**
 * The records of a collection.
 * @param {OpenCollection & Described & {
 *   filter: string,
 *   showMore: () => void,
 *   children: Content,
 * }} properties
 */
function Records({
  schema,
  create,
  parent,
  filter,
  showMore,
  children,
  ...open
}) {
  const { collection, page, filters } = open;
  const { records } = page;
  const [form, setForm] = useState(/** @type {Form | null} */ (null));
  const names = propertiesOf(collection, records, schema, parent);
  const columns = names
    .slice(0, MOST_COLUMNS)
    .map((name) => columnOf(name, records, schema, parent));
  return html`<div class="view">
    <div class="toolbar">
      <${FilterField}
        ...${open}
        names=${names}
        schema=${schema}
        filter=${filter}
      />
      <${Actions}
        collection=${collection}
        filters=${filters}
        form=${form}
        setForm=${setForm}
      />
    </div>
    <div class="above">
      <${HiddenNote} collection=${collection} />
      <${OpenForm}
        form=${form}
        collection=${collection}
        names=${names}
        first=${records[0]}
        schema=${schema}
        create=${create}
        parent=${parent}
      />
    </div>
    <div class="scroll">
      ${
        records.length > 0
          ? html`<${Table}
            collection=${collection}
            records=${records}
            columns=${columns}
            schema=${schema}
          />`
          : html`<${NoRecords} isFiltered=${filters.length > 0} />`
      }
      ${
        names.length > columns.length &&
        html`<p class="hint soft">
          Not shown: ${names.slice(MOST_COLUMNS).join(", ")}
        </p>`
      }
      ${page.hasMore && html`<${Button} text="Show more" does=${showMore} />`}
      ${children}
    </div>
  </div>`;
}

/**
 * The filter, and what it selects or why it does not.
 * @param {OpenCollection & { names: string[], schema?: Schema, filter: string }} properties
 */
function FilterField({ names, schema, filter, ...open }) {
  const { collection, page, isPartial, error } = open;
  const keys = filterKeys(
    [collection.id, ...names].filter((each) => !isHidden(each)),
    page.records,
    schema,
  );
  const example = exampleOf(keys, names, schema);
  const problem =
    error ||
    (isPartial
      ? `Filter by a property and its value${example && `, such as ${example}`}.`
      : "");
  const words = problem || wordsOf(open);
  return html`
    <${TokenFilter}
      value=${filter}
      change=${(/** @type {string} */ next) => setParams({ filter: next })}
      isKey=${isProperty}
      placeholder=${example ? `Filter, e.g. ${example}` : "Filter"}
      keys=${keys}
    />
    <span
      class="grow words ${error ? "failure" : "soft"}"
      role=${filter ? "status" : null}
      title=${words}
    >
      ${words}
    </span>
  `;
}

/**
 * Return how many records are shown, their path, and whose they are.
 * @param {OpenCollection} open
 */
function wordsOf({ collection, page, filters }) {
  const { total, hasMore, records } = page;
  const amount = filters.length
    ? `${total.toLocaleString("en")} of ${count(collection.total, "record")}`
    : count(total, "record");
  const more = hasMore
    ? `, first ${records.length.toLocaleString("en")} shown`
    : "";
  const whose =
    collection.content_of === null
      ? "session records"
      : `records from scenario ${collection.content_of}`;
  return `${amount}${more} · ${collection.path} · ${whose}`;
}

/**
 * @param {{
 *   collection: CollectionSummary,
 *   filters: Filter[],
 *   form: Form | null,
 *   setForm: (form: Form | null) => void,
 * }} properties
 */
function Actions({ collection, filters, form, setForm }) {
  const toggle = (/** @type {Form} */ kind) => ({
    "aria-expanded": String(form === kind),
    does: () => setForm(form === kind ? null : kind),
  });
  const save = async () => {
    const list = await loadList(collection, filters);
    download(`${collection.name}-${store.session}.json`, indent(list) ?? list);
  };
  return html`
    <${Button} text="Replace all" ...${toggle("replace")} />
    <${Button} icon="save" text="Export JSON" does=${save} />
    ${
      collection.scenario === null &&
      html`<${Button}
        icon="add"
        text="Add a generated record"
        does=${() => addGenerated(collection)}
      />`
    }
    <${Button}
      kind="primary"
      icon="add"
      text="Add a record"
      ...${toggle("add")}
    />
  `;
}

/**
 * @param {Described & {
 *   form: Form | null,
 *   collection: CollectionSummary,
 *   names: string[],
 *   first?: Properties,
 * }} properties
 */
function OpenForm({ form, collection, names, first, schema, create, parent }) {
  if (form === null) return null;
  if (form === "replace")
    return html`<${Replace} collection=${collection} first=${first} />`;
  return schema
    ? html`<${Add}
      collection=${collection}
      schema=${schema}
      create=${create}
      parent=${parent}
    />`
    : html`<${AddJson} collection=${collection} names=${names} first=${first} />`;
}

/** @param {{ collection: CollectionSummary }} properties */
const HiddenNote = ({ collection: { hidden_by: hiding, scenario, path } }) =>
  hiding &&
  html`<p>
    Requests do not reach these records: scenario ${hiding} comes
    before ${scenario} and also defines <code>${path}</code>.
  </p>`;
