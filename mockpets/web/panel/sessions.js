// The view of the sessions: a table to filter, select from and delete, and a form to create one.

import { html, useEffect, useRef, useState } from "./preact.js";
import {
  act,
  address,
  call,
  handler,
  link,
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

const IDLE_SECONDS = 600; // without a request for so long, a session counts as idle
const REFRESH_MS = 5_000; // requests of other sessions are no change of this one

export default function View() {
  const [sessions, setSessions] = useState(null);
  const { filter: text = "" } = store.route.params;
  const [selected, setSelected] = useState(new Set());
  const [isCreating, setCreating] = useState(false);
  const load = async () => setSessions((await call("GET /sessions")).sessions);
  useChange(["sessions", "requests", "data", "scenario", "gates"], load);
  useEffect(() => {
    const timer = setInterval(
      () => !document.hidden && !store.problem && act(load),
      REFRESH_MS,
    );
    return () => clearInterval(timer);
  }, []);
  if (sessions === null) return null;

  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const rows = sessions.filter(({ name, active }) =>
    words.every((word) =>
      `${name} ${active.join(" ")}`.toLowerCase().includes(word),
    ),
  );
  const chosen = rows.filter((row) => selected.has(row.name) && canDelete(row));
  const idleRows = sessions.filter(
    (row) =>
      canDelete(row) && row.idle_seconds >= IDLE_SECONDS && row.held === 0,
  );
  const remove = async (doomed) => {
    for (const { name } of doomed)
      await call("DELETE /sessions/{name}", { path: { name } });
    setSelected(new Set());
    await load();
    const requests = doomed.reduce((sum, row) => sum + row.requests, 0);
    const what =
      doomed.length === 1 ? doomed[0].name : count(doomed.length, "session");
    toast(`Deleted ${what} and ${count(requests, "request")}.`, {
      undo: async () => {
        for (const { name } of doomed) await undoIn(name)();
        await load();
      },
    });
  };
  const select = (name) => {
    const now = new Set(selected);
    if (!now.delete(name)) now.add(name);
    setSelected(now);
  };
  const possible = rows.filter(canDelete);
  const isAll = possible.length > 0 && chosen.length === possible.length;
  return html`<div class="view sessions">
    <div class="toolbar">
      <${SearchField}
        label="Filter sessions"
        placeholder="Filter sessions"
        value=${text}
        onInput=${(filter) => setParams({ filter })}
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
        idleRows.length > 0 &&
        html`<${Button}
          text=${`Drop ${idleRows.length} idle`}
          title="Sessions without a request for 10 minutes and with nothing held"
          does=${() => remove(idleRows)}
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
    </div>
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
      <table class="records">
        <thead>
          <tr>
            <th scope="col" class="box">
              <input
                type="checkbox"
                aria-label="Select all"
                checked=${isAll}
                disabled=${!possible.length}
                onChange=${() =>
                  setSelected(
                    new Set(isAll ? [] : possible.map((row) => row.name)),
                  )}
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
              onSelect=${select}
              onDelete=${() => remove([row])}
            />`,
          )}
        </tbody>
      </table>
      ${
        rows.length === 0 &&
        html`<p class="empty">No sessions match the filter.</p>`
      }
    </div>
  </div>`;
}

const canDelete = ({ name }) => name !== "default" && name !== store.session;

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
  const [method, target = ""] = last ? last.split(" ") : [""];
  const shown = shownTarget({ target });
  const places = active.length > 3 ? 2 : 3;
  return html`<tr class=${isSelected ? "selected" : ""}>
    <td class="box">
      <input
        type="checkbox"
        aria-label=${`Select ${name}`}
        checked=${isSelected}
        disabled=${!canDelete(row)}
        onChange=${() => onSelect(name)}
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
      ${active
        .slice(0, places)
        .map((each) => html`<span class="chip">${each}</span>`)}
      ${
        active.length > places &&
        html`<span class="chip">+${active.length - places}</span>`
      }
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
      <span class="actions">
        <${Menu}
          kind="ghost"
          icon="copy"
          label=${`Copy from ${name}`}
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
            label=${`Delete session ${name}`}
            does=${onDelete}
          />`
        }
      </span>
    </td>
  </tr>`;
}

function Create({ onDone }) {
  const field = useRef(null);
  const usable = store.state.scenarios.filter(
    (row) => row.description !== null,
  );
  useEffect(() => field.current.focus(), []);
  const create = handler(async (event) => {
    const { name, scenario } = Object.fromEntries(new FormData(event.target));
    const body = scenario ? { scenario } : {};
    const session = await call("PUT /sessions/{name}", {
      path: { name: name.trim().toLowerCase() },
      body,
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
        ref=${field}
        name="name"
        autocomplete="off"
        placeholder="worker-3"
        required
      />
    </label>
    <label>
      Scenario${" "}
      <select name="scenario">
        <option value="">Server default</option>
        ${usable.map(
          ({ name }) =>
            html`<option key=${name} value=${name}>${name}</option>`,
        )}
      </select>
    </label>
    <${Button} kind="primary" type="submit" text="Create session" />
  </form>`;
}
