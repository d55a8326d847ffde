// The view of the sessions: a table to filter, select from and delete, and a form to create one.

import { html, useEffect, useRef, useState } from "./preact.js";
import {
  act,
  address,
  call,
  handler,
  link,
  loadedState,
  panelOf,
  recordsWord,
  setParams,
  store,
  toast,
  undoIn,
  useChange,
  waysToName,
} from "./store.js";
import { Menu } from "./overlays.js";
import { Button, SearchField } from "./ui.js";
import { ago, count, shownTarget } from "./values.js";

/**
 * @import { SessionSummary } from "../../../kit/control.js"
 * @import { Ref } from "./preact.js"
 */

const IDLE_SECONDS = 600; // without a request for so long, a session counts as idle
const REFRESH_MS = 5_000; // requests of other sessions are no change of this one

export default function View() {
  const { filter: text = "" } = store.route.params;
  const { sessions, load } = useSessions();
  const [selected, setSelected] = useState(
    /** @type {Set<string>} */ (new Set()),
  );
  const [isCreating, setCreating] = useState(false);
  if (sessions === null) return null;

  const rows = search(sessions, text);
  const chosen = rows.filter((row) => selected.has(row.name) && canDelete(row));
  const remove = async (/** @type {SessionSummary[]} */ doomed) => {
    for (const { name } of doomed)
      await call("DELETE /sessions/{name}", { path: { name } });
    setSelected(new Set());
    await load();
    toast(`Deleted ${describe(doomed)}.`, {
      undo: async () => {
        for (const { name } of doomed) await undoIn(name)();
        await load();
      },
    });
  };
  return html`<div class="view sessions">
    <${Toolbar}
      text=${text}
      chosen=${chosen}
      idle=${sessions.filter(isIdle)}
      remove=${remove}
      isCreating=${isCreating}
      setCreating=${setCreating}
    />
    ${
      isCreating &&
      html`<${Create}
        onDone=${() => {
          setCreating(false);
          return load();
        }}
      />`
    }
    <div class="scroll">
      <${Table}
        rows=${rows}
        selected=${selected}
        setSelected=${setSelected}
        remove=${remove}
      />
      ${
        rows.length === 0 &&
        html`<p class="empty">No sessions match the filter.</p>`
      }
    </div>
  </div>`;
}

/** Load the sessions, and again from time to time; they are null at first. */
function useSessions() {
  const [sessions, setSessions] = useState(
    /** @type {SessionSummary[] | null} */ (null),
  );
  const load = async () => setSessions((await call("GET /sessions")).sessions);
  useChange(["sessions", "requests", "data", "scenario", "gates"], load);
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden && !store.problem) void act(load);
    }, REFRESH_MS);
    return () => clearInterval(timer);
  }, []);
  return { sessions, load };
}

/**
 * Return the sessions that have each word in their name or active scenarios.
 * @param {SessionSummary[]} sessions
 * @param {string} text
 */
function search(sessions, text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return sessions.filter(({ name, active }) => {
    const searched = `${name} ${active.join(" ")}`.toLowerCase();
    return words.every((word) => searched.includes(word));
  });
}

/** @param {SessionSummary} session */
const canDelete = ({ name }) => name !== "default" && name !== store.session;

/** @param {SessionSummary} session */
const isIdle = (session) =>
  canDelete(session) &&
  session.idle_seconds >= IDLE_SECONDS &&
  session.held === 0;

/** @param {SessionSummary[]} sessions */
function describe(sessions) {
  const [one, ...others] = sessions;
  const requests = sessions.reduce((sum, each) => sum + each.requests, 0);
  const what =
    one && !others.length ? one.name : count(sessions.length, "session");
  return `${what} and ${count(requests, "request")}`;
}

/**
 * @param {object} properties
 * @param {string} properties.text the filter
 * @param {SessionSummary[]} properties.chosen
 * @param {SessionSummary[]} properties.idle
 * @param {(doomed: SessionSummary[]) => Promise<void>} properties.remove
 * @param {boolean} properties.isCreating
 * @param {(isCreating: boolean) => void} properties.setCreating
 */
const Toolbar = ({
  text,
  chosen,
  idle,
  remove,
  isCreating,
  setCreating,
}) => html`<div class="toolbar">
  <${SearchField}
    label="Filter sessions"
    placeholder="Filter sessions"
    value=${text}
    onInput=${(/** @type {string} */ filter) => setParams({ filter })}
  />
  <span class="grow"></span>
  ${
    chosen.length > 0 &&
    html`
      <span class="soft">${chosen.length} selected</span>
      <${Button} icon="delete" text="Delete" does=${() => remove(chosen)} />
    `
  }
  ${
    idle.length > 0 &&
    html`<${Button}
      text=${`Delete ${idle.length} idle`}
      title="Delete sessions without requests for 10 minutes and without held responses"
      does=${() => remove(idle)}
    />`
  }
  <${Button}
    kind="primary"
    icon="add"
    aria-label="New session"
    aria-expanded=${String(isCreating)}
    does=${() => setCreating(!isCreating)}
  >
    <span>New<span class="wide-only"> session</span></span>
  <//>
</div>`;

/**
 * @param {object} properties
 * @param {SessionSummary[]} properties.rows
 * @param {Set<string>} properties.selected names
 * @param {(selected: Set<string>) => void} properties.setSelected
 * @param {(doomed: SessionSummary[]) => Promise<void>} properties.remove
 */
function Table({ rows, selected, setSelected, remove }) {
  const possible = rows.filter(canDelete);
  const isAll =
    possible.length > 0 && possible.every(({ name }) => selected.has(name));
  const selectAll = () =>
    setSelected(new Set(isAll ? [] : possible.map(({ name }) => name)));
  const toggle = (/** @type {string} */ name) => {
    const now = new Set(selected);
    if (!now.delete(name)) now.add(name);
    setSelected(now);
  };
  return html`<table class="records">
    <thead>
      <tr>
        <th scope="col" class="box">
          <input
            type="checkbox"
            aria-label="Select all"
            checked=${isAll}
            disabled=${!possible.length}
            onChange=${selectAll}
          />
        </th>
        <th scope="col">Name</th>
        <th scope="col">Scenarios</th>
        <th scope="col" class="number">
          ${recordsWord().replace(/^./, (letter) => letter.toUpperCase())}
        </th>
        <th scope="col" class="number">Requests</th>
        <th scope="col" class="number">Failed</th>
        <th scope="col" class="number">Held</th>
        <th scope="col">Last request</th>
        <th scope="col" class="number">Idle</th>
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        (row) => html`<${Row}
          key=${row.name}
          row=${row}
          isSelected=${selected.has(row.name)}
          onSelect=${() => toggle(row.name)}
          onDelete=${() => remove([row])}
        />`,
      )}
    </tbody>
  </table>`;
}

/**
 * @param {object} properties
 * @param {SessionSummary} properties.row
 * @param {boolean} properties.isSelected
 * @param {() => void} properties.onSelect
 * @param {() => Promise<void>} properties.onDelete
 */
function Row({ row, isSelected, onSelect, onDelete }) {
  const {
    name,
    active,
    records,
    requests,
    failed,
    held,
    idle_seconds: seconds,
    last_request: last,
  } = row;
  const isCurrent = name === store.session;
  const [method = "", target = ""] = last?.split(" ") ?? [];
  const shown = shownTarget({ target });
  return html`<tr class=${isSelected ? "selected" : ""}>
    <td class="box">
      <input
        type="checkbox"
        aria-label=${`Select ${name}`}
        checked=${isSelected}
        disabled=${!canDelete(row)}
        onChange=${onSelect}
      />
    </td>
    <th scope="row">
      <span class=${`dot ${seconds < 10 ? "on" : ""}`} aria-hidden="true"></span>
      <a
        href=${panelOf(name) + link("sessions")}
        title=${name}
        aria-current=${isCurrent ? "true" : null}
      >
        ${name}
      </a>
      ${isCurrent && html` <span class="soft">current</span>`}
    </th>
    <td title=${active.join(", ")}>
      <${Chips} names=${active} />
    </td>
    <td class="number">
      ${records === null ? "" : records.toLocaleString("en")}
    </td>
    <td class="number">${requests.toLocaleString("en")}</td>
    <td class="number ${failed ? "" : "soft"}">
      ${failed.toLocaleString("en")}
    </td>
    <td class="number ${held ? "held" : "soft"}">${held}</td>
    <td class="mono" title=${shown}>
      <span class="soft">${method}</span> ${shown}
    </td>
    <td class="idle">
      <span class="soft">${ago(seconds)}</span>
      <${Actions} row=${row} onDelete=${onDelete} />
    </td>
  </tr>`;
}

/** @param {{ names: string[] }} properties */
function Chips({ names }) {
  const places = names.length > 3 ? 2 : 3;
  return html`
    ${names
      .slice(0, places)
      .map((name) => html`<span class="chip">${name}</span>`)}
    ${
      names.length > places &&
      html`<span class="chip">+${names.length - places}</span>`
    }
  `;
}

/** @param {{ row: SessionSummary, onDelete: () => Promise<void> }} properties */
const Actions = ({ row, onDelete }) => html`<span class="actions">
  <${Menu}
    kind="ghost"
    icon="copy"
    label=${`Copy URL, header, key or link of ${row.name}`}
    align="right"
    items=${waysToName(row).map(({ what, text, does }) => ({
      text: `Copy ${what}`,
      hint: text,
      does,
    }))}
  />
  ${
    canDelete(row) &&
    html`<${Button}
      kind="ghost"
      icon="delete"
      label=${`Delete session ${row.name}`}
      does=${onDelete}
    />`
  }
</span>`;

/** @param {{ onDone: () => Promise<void> }} properties */
function Create({ onDone }) {
  /** @type {Ref<HTMLInputElement>} */
  const name = useRef(null);
  /** @type {Ref<HTMLSelectElement>} */
  const scenario = useRef(null);
  const usable = loadedState().scenarios.filter(
    ({ description }) => description !== null,
  );
  useEffect(() => name.current.focus(), []);
  const create = handler(async () => {
    const session = await call("PUT /sessions/{name}", {
      path: { name: name.current.value.trim().toLowerCase() },
      body: { scenario: scenario.current.value || undefined },
    });
    toast(`Created session ${session.name}: ${address(session.base_path)}`);
    await onDone();
  });
  return html`<form
    class="panel-form"
    aria-label="New session"
    onSubmit=${create}
  >
    <label>
      Name${" "}
      <input
        ref=${name}
        name="name"
        autocomplete="off"
        placeholder="worker-3"
        required
      />
    </label>
    <label>
      Scenario${" "}
      <select ref=${scenario} name="scenario">
        <option value="">Server default</option>
        ${usable.map(
          (row) =>
            html`<option key=${row.name} value=${row.name}>
              ${row.name}
            </option>`,
        )}
      </select>
    </label>
    <${Button} kind="primary" type="submit" text="Create session" />
  </form>`;
}
