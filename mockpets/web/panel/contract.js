// The view of the contracts: what the server has inferred of each operation, as `mockpets contract`
// prints it.

import { html, useState } from "./preact.js";
import { call, link, setParams, store, useChange } from "./store.js";
import { kindOf } from "../../../kit/toolbar/shown.js";
import { matching } from "./overlays.js";
import { Button, EmptyState, SearchField, Segments } from "./ui.js";
import { count } from "./values.js";

/**
 * @import {
 *   ContractDescription, ContractNote, OperationDescription,
 * } from "../../../kit/control.js"
 */

/**
 * A collection with its operations, or the other operations of a kind.
 * @typedef {object} Group
 * @property {string} key
 * @property {string} title
 * @property {string} about
 * @property {string} [data] the collection in the view of the data
 * @property {OperationDescription[]} operations
 */

/** @typedef {ContractDescription & { groups: Group[] }} GroupedContract */

/** @typedef {OperationDescription["state"]} Kind */

/** @type {[Kind, string][]} */
const KINDS = [
  ["state", "With state"],
  ["example", "Without state"],
  ["not_served", "Not served"],
];

/**
 * Return a contract with its groups as the command has them: collections, then what has none.
 * @param {ContractDescription} contract
 * @returns {GroupedContract}
 */
function grouped(contract) {
  const { label, operations, collections } = contract;
  const own = collections.map(({ name, about, shows }) => ({
    key: `${label} ${name}`,
    title: name,
    about,
    data: shows ?? name,
    operations: operations.filter(({ collection }) => collection === name),
  }));
  const rest = KINDS.filter(([kind]) => kind !== "state").map(
    ([kind, title]) => ({
      key: `${label} ${kind}`,
      title,
      about: "",
      operations: operations.filter(
        ({ state, collection }) => state === kind && !collection,
      ),
    }),
  );
  return { ...contract, groups: [...own, ...rest] };
}

/**
 * Return the operations of a group that match a search; `only` is their kind, or "all".
 * @param {Group} group
 * @param {string} text
 * @param {string} only
 */
function searched({ operations, title }, text, only) {
  const options = operations.map((operation) => ({
    name: operation.name,
    hint: `${operation.method} ${operation.path}`,
    tags: `${title} ${operation.does.join(" ")}`,
    operation,
  }));
  return matching(options, text)
    .map(({ operation }) => operation)
    .filter(({ state }) => only === "all" || state === only);
}

export default function View() {
  const [contracts, setContracts] = useState(
    /** @type {GroupedContract[] | null} */ (null),
  );
  const { filter: text = "", only = "all" } = store.route.params;
  useChange(["files"], async () => {
    const loaded = await call("GET /contract");
    setContracts(loaded.contracts.map(grouped));
  });
  if (contracts === null) return null;
  const shown = contracts.map((contract) => ({
    ...contract,
    groups: contract.groups
      .map((group) => ({ ...group, operations: searched(group, text, only) }))
      .filter(({ operations }) => operations.length),
  }));
  return html`<section class="grouped contract" aria-label="Contract">
    <${Toolbar} contracts=${contracts} text=${text} only=${only} />
    <div class="scroll">
      ${shown.map(
        (contract) => html`<${Contract}
          key=${contract.label}
          contract=${contract}
          isSearched=${text.trim() !== "" || only !== "all"}
        />`,
      )}
      ${
        shown.every(({ groups }) => !groups.length) &&
        html`<${EmptyState} title="No operations match the search.">
          <${Button}
            text="Clear the search"
            does=${() => setParams({ filter: "", only: "" })}
          />
        <//>`
      }
    </div>
  </section>`;
}

/** @param {{ contracts: GroupedContract[], text: string, only: string }} properties */
function Toolbar({ contracts, text, only }) {
  const all = contracts.flatMap(({ operations }) => operations);
  const kinds = KINDS.map(([kind, name]) => [
    kind,
    name,
    all.filter(({ state }) => state === kind).length,
  ]);
  const segments = [["all", "All", all.length], ...kinds];
  return html`<div class="toolbar">
    <${SearchField}
      label="Search operations"
      placeholder=${`Search ${count(all.length, "operation")}`}
      value=${text}
      onInput=${(/** @type {string} */ filter) => setParams({ filter })}
    />
    <${Segments}
      label="Show"
      value=${only}
      options=${segments.filter(([, , n]) => n)}
      choose=${(/** @type {string} */ kind) =>
        setParams({ only: kind === "all" ? "" : kind })}
    />
  </div>`;
}

/** @param {{ contract: GroupedContract, isSearched: boolean }} properties */
function Contract({ contract, isSearched }) {
  const { file, title, version, label, base, groups, operations } = contract;
  const notes = contract.notes.filter(({ kind }) => kind !== "operation");
  if (isSearched && !groups.length) return null;
  return html`<article aria-label=${title}>
    <header class="contract-head">
      <h2>${title} ${version}</h2>
      <p class="soft">
        ${count(operations.length, "operation")} below${" "}
        <code>${base || "/"}</code>, from <code>${file}</code> ·${" "}
        <a href=${`docs?contract=${encodeURIComponent(label)}`}>Reference</a>
      </p>
    </header>
    <table class="records operations">
      <thead>
        <tr>
          <th scope="col">Operation</th>
          <th scope="col">Request</th>
          <th scope="col">Role</th>
          <th scope="col">Details</th>
          <th scope="col">States</th>
        </tr>
      </thead>
      ${groups.map(
        (group) => html`<${GroupRows} key=${group.key} group=${group} />`,
      )}
    </table>
    ${
      notes.length > 0 &&
      !isSearched &&
      html`<${Notes} notes=${notes} file=${file} />`
    }
  </article>`;
}

/** @param {{ group: Group }} properties */
const GroupRows = ({ group }) => html`<tbody>
  <tr class="head">
    <th scope="rowgroup" colspan="5">
      <b>${group.title}</b> <span class="soft">${group.about}</span>
      ${
        group.data &&
        html`
          ${" "}
          <a
            href=${link("data", group.data)}
            aria-label=${`Records of ${group.data}`}
          >
            Records
          </a>
        `
      }
    </th>
  </tr>
  ${group.operations.map(
    (each) => html`<${Row} key=${each.name} operation=${each} />`,
  )}
</tbody>`;

/** @param {{ notes: ContractNote[], file: string }} properties */
const Notes = ({ notes, file }) => html`<section
  class="contract-notes"
  aria-label="Notes"
>
  <h3>Not served, not enforced, or likely mistakes</h3>
  <ul>
    ${notes.map(
      ({ what, file: where, line }) => html`<li key=${`${line} ${what}`}>
        <span class="soft">
          ${where === file ? "line " : `${where}:`}${line}
        </span>${" "}
        ${what}
      </li>`,
    )}
  </ul>
</section>`;

/**
 * An operation: its name leads to Try it, its statuses to the states.
 * @param {{ operation: OperationDescription }} properties
 */
function Row({ operation }) {
  const { name, method, path, state, role, does, states } = operation;
  const [first = "", ...details] = does;
  return html`<tr>
    <th scope="row">
      <a href=${link("try", name)} title=${`Try ${name}`}>${name}</a>
    </th>
    <td class="mono"><span class="soft">${method}</span> ${path}</td>
    <td>
      ${
        state === "not_served"
          ? html`<span class="note client">not served</span>`
          : html`
            ${role} <span class="soft">${first.slice(role.length).trim()}</span>
          `
      }
    </td>
    <td class="soft">
      ${(state === "not_served" ? does : details).join("; ")}
    </td>
    <td>
      ${
        states.length > 0 &&
        html`<a
          class="statuses"
          href=${link("states", null, { filter: name })}
          aria-label=${`States of ${name}`}
        >
          ${states.map(
            (status) => html`<span key=${status} class=${kindOf(status)}>
              ${status}
            </span>`,
          )}
        </a>`
      }
    </td>
  </tr>`;
}
