// The view of the request log: filter, table with waterfall, and the sheet of the open request.

import { Lazy } from "./loading.js";
import { TokenFilter } from "./filter.js";
import { keyOf, log, refresh, refreshBodies } from "./log.js";
import { filtered, ONLY, parseFilter, suggested } from "./log-filter.js";
import { html, useEffect, useMemo, useRef, useState } from "./preact.js";
import {
  address,
  call,
  go,
  link,
  loadedState,
  releaseAll,
  setParams,
  store,
  toast,
  undoIn,
  useChange,
  useKeys,
} from "./store.js";
import { Table } from "./table.js";
import { Button, EmptyState, Segments, useRoving } from "./ui.js";
import { count } from "./values.js";

/**
 * @import { Part } from "./filter.js"
 * @import { Row } from "./log.js"
 * @import { Ref } from "./preact.js"
 * @import { Handle } from "./table.js"
 */

/** @typedef {keyof typeof ONLY} Only */

const OTHER_SESSIONS_MS = 1000; // they report no changes here

const sheet = () => import("./entry.js");

async function clear() {
  const { cleared } = await call("DELETE /requests");
  if (store.route.id !== null) go("requests", null, store.route.params, true);
  toast(`Cleared ${count(cleared, "request")}.`, {
    undo: undoIn(store.session),
  });
}

export default function Requests() {
  const { params, id } = store.route;
  const text = params.filter ?? "";
  const only = isOnly(params.only) ? params.only : "all";
  const isGrouped = params.by === "operation";
  const parts = useMemo(() => parseFilter(text), [text]);
  const everySession = parts.some((part) => part.key === "session");
  const [pausedAt, setPausedAt] = useState(/** @type {number | null} */ (null));
  const [filterOpen, setFilterOpen] = useState(text !== "");
  /** @type {Ref<Handle | null>} */
  const table = useRef(null);
  store.requestParams = params; // the rail's link keeps the filter
  const matched = useLog(parts, everySession);
  const listed = useMemo(() => matched.filter(ONLY[only]), [matched, only]);
  const rows = useMemo(() => {
    const seen = listed.filter(
      ({ arrival }) => pausedAt === null || arrival <= pausedAt,
    );
    return isGrouped
      ? [...Map.groupBy(seen, (row) => row.operation).values()].flat()
      : seen;
  }, [listed, pausedAt, isGrouped]);
  const waiting = listed.length - rows.length;
  const hasRows = rows.length > 0;
  useEffect(() => {
    // One of them may be opened, which loads it again if this fails.
    if (hasRows) sheet().catch(() => undefined);
  }, [hasRows]);
  const select = (/** @type {string} */ key) =>
    go("requests", key, params, id !== null);
  const close = () => {
    go("requests", null, params, true);
    if (id !== null && rows.some((row) => keyOf(row) === id))
      table.current?.focus(id);
  };
  useKeys({ x: clear, Escape: () => id !== null && close() });
  const showWaiting = () => {
    setPausedAt(log.arrivals);
    setTimeout(() => table.current?.toEnd());
  };

  return html`<div
    class="requests ${id !== null ? "with-sheet" : ""} ${filterOpen ? "filter-open" : ""}"
  >
    <section class="list" aria-label="Requests">
      <div class="toolbar">
        <${TokenFilter}
          placeholder="Filter, e.g. status:5xx"
          keys=${suggested()}
          value=${text}
          change=${(/** @type {string} */ filter) => setParams({ filter })}
        />
        <${Tools}
          only=${only}
          matched=${matched}
          isGrouped=${isGrouped}
          isPaused=${pausedAt !== null}
          pause=${() => setPausedAt(pausedAt === null ? log.arrivals : null)}
          filterOpen=${filterOpen}
          toggleFilter=${() => setFilterOpen(!filterOpen)}
        />
      </div>
      ${
        hasRows &&
        html`<${Table}
          key=${String(isGrouped)}
          rows=${rows}
          selected=${id}
          isGrouped=${isGrouped}
          everySession=${everySession}
          select=${select}
          paused=${pausedAt !== null}
          handle=${table}
        />`
      }
      ${
        waiting > 0 &&
        html`<${Button}
          kind="primary"
          class="pill"
          icon="down"
          text=${count(waiting, "new request")}
          does=${showWaiting}
        />`
      }
      ${
        !hasRows &&
        !waiting &&
        log.epoch !== undefined &&
        html`<${Empty}
          isFiltered=${log.rows.length > 0 || text !== "" || only !== "all"}
        />`
      }
    </section>
    ${
      id !== null &&
      html`<${Sheet} id=${id} rows=${rows} select=${select} close=${close} />`
    }
  </div>`;
}

/**
 * @param {string | undefined} name
 * @returns {name is Only}
 */
const isOnly = (name) => Object.hasOwn(ONLY, name ?? "");

/**
 * Keep the log current; return the rows that meet the filter.
 * @param {Part[]} parts
 * @param {boolean} everySession
 */
function useLog(parts, everySession) {
  const byBody = parts.some((part) => part.key === "body");
  const [tick, setTick] = useState(0);
  useChange(
    ["requests", "gates"],
    async () => {
      await refresh(everySession);
      if (byBody) await refreshBodies();
    },
    [everySession, byBody, tick],
  );
  useEffect(() => {
    if (!everySession) return undefined;
    const again = () => !document.hidden && setTick((n) => n + 1);
    const timer = setInterval(again, OTHER_SESSIONS_MS);
    return () => clearInterval(timer);
  }, [everySession]);
  return useMemo(
    () => filtered(log.rows, parts),
    [log.rows, parts, byBody && log.bodies.size],
  );
}

/**
 * @param {{
 *   only: Only,
 *   matched: Row[],
 *   isGrouped: boolean,
 *   isPaused: boolean,
 *   pause: () => void,
 *   filterOpen: boolean,
 *   toggleFilter: () => void,
 * }} properties
 */
function Tools({ only, matched, isGrouped, isPaused, pause, ...filter }) {
  const toolbar = useRoving();
  const { held } = loadedState().counts;
  const amount = (/** @type {Only} */ name) =>
    matched.filter(ONLY[name]).length;
  return html`<div
    class="tools"
    role="toolbar"
    aria-label="Requests"
    ...${toolbar}
  >
    <${Segments}
      label="Show"
      value=${only}
      choose=${(/** @type {Only} */ value) =>
        setParams({ only: value === "all" ? "" : value })}
      options=${[
        ["all", "All"],
        ["failed", "Failed", amount("failed")],
        ["held", "Held", amount("held"), "held"],
        ["unmatched", "Unmatched", amount("unmatched")],
      ]}
    />
    ${
      held > 0 &&
      html`<${Button}
        kind="held"
        class="release-all"
        text=${`Release ${held}`}
        title="Release every held response"
        does=${() => releaseAll()}
      />`
    }
    <${Button}
      kind="ghost"
      class="filter-button"
      icon="filter"
      label="Filter"
      aria-expanded=${String(filter.filterOpen)}
      does=${filter.toggleFilter}
    />
    <${Button}
      kind="ghost"
      icon="group"
      label="Group by operation"
      aria-pressed=${String(isGrouped)}
      does=${() => setParams({ by: isGrouped ? "" : "operation" })}
    />
    <${Button}
      kind="ghost"
      class="wide-only"
      icon=${isPaused ? "play" : "pause"}
      label=${isPaused ? "Resume" : "Pause"}
      aria-pressed=${String(isPaused)}
      does=${pause}
    />
    <${Button}
      kind="ghost"
      class="wide-only"
      icon="clear"
      label="Clear"
      title="Clear the request log"
      does=${clear}
    />
  </div>`;
}

/**
 * The open request.
 * @param {{ id: string, rows: Row[], select: (key: string) => void, close: () => void }} properties
 */
function Sheet({ id, rows, select, close }) {
  const at = rows.findIndex((row) => keyOf(row) === id);
  const [before, after] = at < 0 ? [] : [rows[at - 1], rows[at + 1]];
  return html`<${Lazy}
    module=${sheet}
    name="Entry"
    key="sheet"
    id=${id}
    row=${rows[at] ?? log.rows.find((row) => keyOf(row) === id)}
    rows=${log.rows}
    previous=${before ? () => select(keyOf(before)) : null}
    next=${after ? () => select(keyOf(after)) : null}
    close=${close}
    href=${link("requests", id, store.route.params)}
  />`;
}

/** @param {{ isFiltered: boolean }} properties */
function Empty({ isFiltered }) {
  if (isFiltered)
    return html`<${EmptyState} title="No requests match the filter.">
      <${Button}
        text="Clear the filter"
        does=${() => setParams({ filter: "", only: "" })}
      />
    <//>`;
  const { settings } = loadedState();
  return html`<${EmptyState} title="No requests yet.">
    <p>
      Send requests to <code>${address(settings.base_path)}</code> with the
      API key <code>${settings.key}</code>, and watch them here.
    </p>
    <p>Or send one with <a href="#try">Try it</a>.</p>
  <//>`;
}
