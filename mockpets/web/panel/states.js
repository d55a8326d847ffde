// The view of the states: the operations, each with the responses, delays and faults that a click sets for the session.

import { html, useState } from "./preact.js";
import {
  call,
  handler,
  releaseAll,
  setParams,
  stack,
  store,
  useChange,
} from "./store.js";
import { kindOf } from "../../../kit/toolbar/shown.js";
import { matching } from "./overlays.js";
import { Button, Group, SearchField, useRoving } from "./ui.js";
import { count } from "./values.js";

const FEW = 20; // operations that are shown without a click
const ALL = {
  name: "all",
  title: "every operation",
  states: ["401"],
  isList: true,
};
const OTHERS = "Other operations";

/** Return the operations of a contract, with what the view shows of them. */
const operationsOf = ({ base, title, operations }, _, { length }) =>
  operations.map(({ name, method, path, states, role, collection }) => ({
    name,
    title: `${method} ${base}${path}`,
    states,
    isList: role === "list",
    group: collection ?? (length > 1 ? `${OTHERS} of ${title}` : OTHERS),
  }));

export default function View() {
  const { active } = store.state;
  const { filter: text = "" } = store.route.params;
  const [operations, setOperations] = useState(null);
  const [toggled, setToggled] = useState({});
  useChange(["files"], async () =>
    setOperations(
      (await call("GET /contract")).contracts.flatMap(operationsOf),
    ),
  );
  if (operations === null) return null;
  const searched = text.trim() !== "";
  const rows = matching(
    [ALL, ...operations].map((row) => ({
      name: row.name,
      hint: row.title,
      tags: row.group,
      row,
    })),
    text,
  ).map(({ row }) => row);
  const groups = [...new Set(operations.map(({ group }) => group))]
    .map((title) => [title, rows.filter(({ group }) => group === title)])
    .filter(([, members]) => members.length);
  const isOn = ({ name }) => active.some((each) => each.startsWith(`${name}:`));
  const isOpen = (title, members) =>
    searched ||
    (toggled[title] ?? (operations.length <= FEW || members.some(isOn)));
  return html`<section class="grouped" aria-label="Operations">
    <div class="toolbar">
      <${SearchField}
        label="Search operations"
        placeholder=${`Search ${count(operations.length, "operation")}`}
        value=${text}
        onInput=${(filter) => setParams({ filter })}
      />
    </div>
    <div class="scroll">
      ${rows.includes(ALL) && html`<ul><${Row} operation=${ALL} /></ul>`}
      ${groups.map(
        ([title, members]) => html`<${Group}
          key=${title}
          title=${title}
          n=${members.length}
          isOpen=${isOpen(title, members)}
          disabled=${searched}
          toggle=${() =>
            setToggled({ ...toggled, [title]: !isOpen(title, members) })}
        >
          <ul>
            ${members.map(
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

/** Return the place of a state in a row: the statuses come first, in their order. */
const rank = (state) =>
  /^\d{3}(?!\w)/.test(state) ? Number(state.slice(0, 3)) : 600;

/** An operation with its states; the keys move between these. */
function Row({ operation: { name, title, states, isList } }) {
  const [hasMore, setHasMore] = useState(false);
  const roving = useRoving();
  const { active, faults, gates } = store.state;
  const own = active
    .filter((each) => each.startsWith(`${name}:`))
    .map((each) => each.slice(name.length + 1));
  const more = hasMore ? ["429", "503", ...Object.keys(faults)] : [];
  const shown = new Set([
    ...states,
    "500",
    ...(isList ? ["empty"] : []),
    "3s",
    "hold",
    "offline",
    ...more,
    ...own,
  ]);
  const sorted = [...shown].sort((one, other) => rank(one) - rank(other));
  const chip = (state) => html`<button
    type="button"
    key=${state}
    class="chip ${kindOf(state)}"
    title=${`${name}:${state}`}
    aria-pressed=${String(own.includes(state))}
    onClick=${handler(() => stack(`${name}:${state}`))}
  >
    ${state}
  </button>`;
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
      ${sorted.map(chip)}
      <${Button}
        kind="ghost"
        icon="more"
        label=${`${hasMore ? "Fewer" : "More"} states of ${name}`}
        aria-expanded=${String(hasMore)}
        does=${() => setHasMore(!hasMore)}
      />
      ${
        gates[name] > 0 &&
        html`<${Button}
          kind="held"
          class="small"
          text=${`Release ${gates[name]}`}
          title=${`Release what is held at the gate ${name}`}
          does=${() => releaseAll(name)}
        />`
      }
    </div>
  </li>`;
}
