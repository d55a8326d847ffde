// The table of the records of a collection.

import { Value } from "./cells.js";
import { isNumeric } from "./columns.js";
import { isHidden, labelOf } from "./described.js";
import { isText, textOf } from "./json.js";
import { html } from "./preact.js";
import { removeRecord } from "./records.js";
import { setParams } from "./store.js";
import { Button, EmptyState } from "./ui.js";

/**
 * @import { CollectionSummary } from "../../../kit/control.js"
 * @import { Column } from "./columns.js"
 * @import { Properties } from "./json.js"
 * @import { Schema } from "./openapi.js"
 */

/**
 * @param {{
 *   collection: CollectionSummary,
 *   records: Properties[],
 *   columns: Column[],
 *   schema?: Schema,
 * }} properties
 */
export function Table({ collection, records, columns, schema }) {
  const key = collection.id;
  const keyClass = isNumeric(key, records) ? "key number" : "key";
  const width = (/** @type {number} */ least) =>
    `${least * (columns.length + 1)}px`;
  return html`<table
    class="records editable"
    style=${{ minWidth: width(96), maxWidth: width(240) }}
  >
    <thead>
      <tr>
        <th scope="col" class=${keyClass}>${isHidden(key) ? "record" : key}</th>
        ${columns.map(
          ({ name, head, isNumber, isChoice }) => html`<th
            key=${name}
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
      ${records.map((record) => {
        const id = textOf(record.get(key));
        return html`<${Row}
          key=${id}
          id=${id}
          collection=${collection}
          record=${record}
          columns=${columns}
          keyClass=${keyClass}
          schema=${schema}
        />`;
      })}
    </tbody>
  </table>`;
}

/**
 * @param {{
 *   id: string,
 *   collection: CollectionSummary,
 *   record: Properties,
 *   columns: Column[],
 *   keyClass: string,
 *   schema?: Schema,
 * }} properties
 */
function Row({ id, collection, record, columns, keyClass, schema }) {
  const label = labelOf(schema);
  const title =
    isText(record.get(label)) && collection.id !== label
      ? `${id}, ${textOf(record.get(label))}`
      : id;
  return html`<tr>
    <th scope="row" class=${keyClass} title=${id}>${id}</th>
    ${columns.map(
      (column) => html`<${Value}
        key=${column.name}
        collection=${collection}
        id=${id}
        title=${title}
        column=${column}
        json=${record.get(column.name)}
        schema=${schema}
      />`,
    )}
    <td class="idle">
      <${Button}
        kind="ghost"
        icon="delete"
        label=${`Delete record ${title}`}
        does=${() => removeRecord(collection, id, title)}
      />
    </td>
  </tr>`;
}

/** @param {{ isFiltered: boolean }} properties */
export const NoRecords = ({ isFiltered }) =>
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
