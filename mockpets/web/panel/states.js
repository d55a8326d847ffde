// The view of the states: the operations, each with the responses, delays and faults that a click
// sets for the session.

import { html, useState } from "./preact.js";
import {
  call,
  handler,
  loadedState,
  releaseAll,
  setParams,
  stack,
  store,
  useChange,
} from "./store.js";
import {
  activeStates,
  listedStates,
} from "../../../kit/toolbar/operation-states.js";
import { kindOf } from "../../../kit/toolbar/shown.js";
import { matching } from "./overlays.js";
import { Button, Group, SearchField, useRoving } from "./ui.js";
import { count } from "./values.js";

/** @import { ContractDescription } from "../../../kit/control.js" */

/**
 * @typedef {object} Operation
 * @property {string} name
 * @property {string} title
 * @property {string[]} states
 * @property {boolean} isList
 * @property {string} group
 */
/** @typedef {{ title: string, members: Operation[] }} OperationGroup */

const FEW = 20; // operations that are shown without a click
/** @type {Operation} */
const ALL = {
  name: "all",
  title: "every operation",
  states: ["401"],
  isList: true,
  group: "",
};
const OTHERS = "Other operations";

/**
 * Return the operations of the contracts, with what the view shows of them.
 * @param {ContractDescription[]} contracts
 * @returns {Operation[]}
 */
const operationsOf = (contracts) =>
  contracts.flatMap(({ base, title, operations }) =>
    operations.map(({ name, method, path, states, role, collection }) => ({
      name,
      title: `${method} ${base}${path}`,
      states,
      isList: role === "list",
      group:
        collection ?? (contracts.length > 1 ? `${OTHERS} of ${title}` : OTHERS),
    })),
  );

/**
 * Return the operations that match a search.
 * @param {Operation[]} operations
 * @param {string} text
 * @returns {Operation[]}
 */
const search = (operations, text) =>
  matching(
    operations.map((row) => ({
      name: row.name,
      hint: row.title,
      tags: row.group,
      row,
    })),
    text,
  ).map(({ row }) => row);

/**
 * Return the groups of all operations, each with those to show.
 * @param {Operation[]} operations
 * @param {Operation[]} shown
 * @returns {OperationGroup[]}
 */
const groupsOf = (operations, shown) =>
  [...new Set(operations.map(({ group }) => group))]
    .map((title) => ({
      title,
      members: shown.filter(({ group }) => group === title),
    }))
    .filter(({ members }) => members.length);

/** @param {string} operation */
const activeOf = (operation) => activeStates(loadedState().active, operation);

/** @param {Operation} operation */
const hasActiveState = ({ name }) => activeOf(name).length > 0;

export default function View() {
  const { filter: text = "" } = store.route.params;
  const [operations, setOperations] = useState(
    /** @type {Operation[] | null} */ (null),
  );
  const [toggled, setToggled] = useState(
    /** @type {Record<string, boolean>} */ ({}),
  );
  useChange(["files"], async () => {
    const { contracts } = await call("GET /contract");
    setOperations(operationsOf(contracts));
  });
  if (operations === null) return null;
  const isSearch = text.trim() !== "";
  const rows = search([ALL, ...operations], text);
  const groups = groupsOf(operations, rows);
  const isOpen = (/** @type {OperationGroup} */ { title, members }) =>
    isSearch ||
    (toggled[title] ??
      (operations.length <= FEW || members.some(hasActiveState)));
  return html`<section class="grouped" aria-label="Operations">
    <div class="toolbar">
      <${SearchField}
        label="Search operations"
        placeholder=${`Search ${count(operations.length, "operation")}`}
        value=${text}
        onInput=${(/** @type {string} */ filter) => setParams({ filter })}
      />
    </div>
    <div class="scroll">
      ${rows.includes(ALL) && html`<ul><${Row} operation=${ALL} /></ul>`}
      ${groups.map(
        (group) => html`<${Group}
          key=${group.title}
          title=${group.title}
          n=${group.members.length}
          isOpen=${isOpen(group)}
          disabled=${isSearch}
          toggle=${() =>
            setToggled({ ...toggled, [group.title]: !isOpen(group) })}
        >
          <ul>
            ${group.members.map(
              (operation) =>
                html`<${Row} key=${operation.name} operation=${operation} />`,
            )}
          </ul>
        <//>`,
      )}
      ${
        rows.length === 0 &&
        html`<p class="empty">No operations match the search.</p>`
      }
    </div>
  </section>`;
}

/**
 * An operation with its states; the keys move between these.
 * @param {{ operation: Operation }} properties
 */
function Row({ operation }) {
  const { name, title } = operation;
  const [hasMore, setHasMore] = useState(false);
  const roving = useRoving();
  const active = activeOf(name);
  const faults = hasMore ? loadedState().faults : undefined;
  const held = loadedState().gates[name] ?? 0;
  return html`<li class="operation">
    <p title=${`${name}: ${title}`}>
      <b>${name}</b> <span class="mono soft">${title}</span>
    </p>
    <div
      class="states"
      role="group"
      aria-label=${name}
      ref=${roving.ref}
      onKeyDown=${roving.onKeyDown}
    >
      ${listedStates(operation, active, faults).map(
        (state) => html`<button
          type="button"
          key=${state}
          class="chip ${kindOf(state)}"
          title=${`${name}:${state}`}
          aria-pressed=${String(active.includes(state))}
          onClick=${handler(() => stack(`${name}:${state}`))}
        >
          ${state}
        </button>`,
      )}
      <${Button}
        kind="ghost"
        icon="more"
        label=${`${hasMore ? "Fewer" : "More"} states of ${name}`}
        aria-expanded=${String(hasMore)}
        does=${() => setHasMore(!hasMore)}
      />
      ${
        held > 0 &&
        html`<${Button}
          kind="held"
          class="small"
          text=${`Release ${held}`}
          title=${`Release the responses held at gate ${name}`}
          does=${() => releaseAll(name)}
        />`
      }
    </div>
  </li>`;
}
