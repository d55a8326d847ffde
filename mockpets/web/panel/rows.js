// The rows of the request log: requests with their waterfall, and the runs that they belong to.

import { duration, waitsFor } from "../../../kit/toolbar/shown.js";
import { elapsed, keyOf } from "./log.js";
import { html, useEffect, useState } from "./preact.js";
import { contractServing, release } from "./store.js";
import { Button, StatusText } from "./ui.js";
import { clock, count, hasFailed, shorten, shownTarget } from "./values.js";

/** @import { Row } from "./log.js" */

const RUN_GAP_MS = 2000;
const RUN_MOST_MS = 10_000;
const FRESH_MS = 600;

/** Heights of rows, in pixels. */
export const HEIGHTS = { row: 28, run: 24, touchRow: 52, touchRun: 28 };

/**
 * Requests that belong together, with one scale of their waterfall.
 * @typedef {object} Run
 * @property {number} start in milliseconds since the epoch
 * @property {string} at
 * @property {number} rows
 * @property {number} ms what the waterfall shows
 * @property {number} failed
 * @property {boolean} isGrouped by operation; else by time
 * @property {string | null} operation
 */

/**
 * Where the rows are: runs, each followed by its requests.
 * @typedef {object} Place
 * @property {{ run: Run, row: Row | null }[]} items
 * @property {number[]} tops
 * @property {number} height
 * @property {Map<string, number>} indexes of the items of requests, by their keys
 */

/**
 * Group rows into runs, and place them. A run begins where no request began for 2 s, or with the
 * requests of another operation.
 * @param {Row[]} rows
 * @param {boolean} touch
 * @param {boolean} isGrouped
 * @returns {Place}
 */
export function placed(rows, touch, isGrouped) {
  /** @type {Place} */
  const place = { items: [], tops: [], height: 0, indexes: new Map() };
  const add = (/** @type {Place["items"][number]} */ item) => {
    place.items.push(item);
    place.tops.push(place.height);
    if (item.row) place.height += touch ? HEIGHTS.touchRow : HEIGHTS.row;
    else place.height += touch ? HEIGHTS.touchRun : HEIGHTS.run;
  };
  /** @type {Run | null} */
  let run = null;
  let previous = -Infinity;
  for (const row of rows) {
    const begins = isGrouped
      ? run?.operation !== row.operation
      : row.start - previous > RUN_GAP_MS;
    if (run === null || begins) {
      const { start, at, operation } = row;
      run = { start, at, rows: 0, ms: 0, failed: 0, isGrouped, operation };
      add({ run, row: null });
    }
    previous = row.start;
    run.rows += 1;
    run.failed += Number(hasFailed(row));
    const end = (isGrouped ? 0 : row.start - run.start) + endOf(row);
    run.ms = Math.min(RUN_MOST_MS, Math.max(run.ms, end, 50));
    place.indexes.set(keyOf(row), place.items.length);
    add({ run, row });
  }
  return place;
}

/**
 * Return when the response of a row ended, in milliseconds after its start; a running hold counts nothing.
 * @param {Row} row
 */
const endOf = (row) =>
  row.total_ms ?? row.app_ms + (waitsFor(row) === "held" ? 0 : row.delay_ms);

/**
 * The bars of a row: what a delay or a gate added, then processing, once something was sent, and a fault.
 * @param {{ row: Row, run: Run }} properties
 */
function Waterfall({ row, run }) {
  const percent = (/** @type {number} */ ms) =>
    Math.min(100, (100 * ms) / run.ms);
  const from = run.isGrouped ? 0 : row.start - run.start;
  const waits = waitsFor(row);
  const end = from + (waits === "held" ? Infinity : endOf(row));
  const bar = (
    /** @type {string} */ kind,
    /** @type {number} */ start,
    /** @type {number} */ stop,
  ) => {
    const left = percent(start);
    return html`<i
      class="${kind} ${stop > run.ms ? "cut" : ""}"
      style=${{
        left: `min(${left}%, 100% - 3px)`,
        width: `${percent(stop) - left}%`,
      }}
    ></i>`;
  };
  const isSent = !waits && row.outcome !== "client_left";
  const processed = isSent ? Math.max(from, end - row.app_ms) : end;
  const fault = row.outcome === "broken" || (row.fault && row.status === null);
  return html`<span class="bars" aria-hidden="true">
    ${processed - from > 1 && bar(row.hold ? "hold" : "delay", from, processed)}
    ${
      isSent &&
      bar(fault && row.status === null ? "fault" : "app", processed, end)
    }
    ${fault && row.status !== null && bar("fault", end, end)}
  </span>`;
}

/**
 * The time until a response was sent; that of a waiting one counts in tenths of a second.
 * @param {{ row: Row }} properties
 */
function SentAfter({ row }) {
  const waits = waitsFor(row);
  const [, setTick] = useState(0);
  useEffect(() => {
    if (!waits) return undefined;
    const timer = setInterval(() => setTick(performance.now()), 100);
    return () => clearInterval(timer);
  }, [Boolean(waits)]);
  if (!waits)
    return html`<span class="sent-after">
      ${duration(row.total_ms ?? row.app_ms + row.delay_ms)}
    </span>`;
  return html`<span class="sent-after ${waits === "held" ? "held" : ""}">
    ${elapsed(row)}
  </span>`;
}

/**
 * A path with its quiet parts: the base path of its contract, and the query.
 * @param {{ row: Row, chars: number }} properties
 */
function Path({ row, chars }) {
  const shown = shorten(shownTarget(row), chars);
  const base = contractServing(row.path)?.base ?? "";
  const prefix = shown.startsWith(`${base}/`) ? base : "";
  const [path = ""] = shown.slice(prefix.length).split("?");
  const query = shown.slice(prefix.length + path.length);
  return html`<span class="target">
    <span class="soft">${prefix}</span>
    ${path}
    <span class="soft">${query}</span>
  </span>`;
}

/**
 * @param {{
 *   row: Row,
 *   run: Run,
 *   top: number,
 *   index: number,
 *   isSelected: boolean,
 *   isCursor: boolean,
 *   chars: number,
 *   touch: boolean,
 *   everySession: boolean,
 *   select: (key: string) => void,
 * }} properties `chars` is how many characters of the path fit
 */
export function RequestRow({ row, run, top, index, ...shown }) {
  const { isSelected, isCursor, chars, touch, everySession, select } = shown;
  const isHeld = waitsFor(row) === "held";
  const key = keyOf(row);
  const isUnmatched = row.notes.some(({ code }) => code === "unmatched");
  const isFresh = row.fresh && performance.now() - row.fresh < FRESH_MS;
  return html`<div
    class="row request ${isFresh ? "fresh" : ""}"
    role="row"
    data-key=${key}
    aria-rowindex=${index + 2}
    aria-selected=${String(isSelected)}
    tabindex=${isCursor ? 0 : -1}
    style=${{ top: `${top}px` }}
    onClick=${() => select(key)}
  >
    <span role="gridcell" class="c-status"><${StatusText} row=${row} /></span>
    <span
      role="gridcell"
      class="c-method ${row.method === "GET" ? "soft" : "strong"}"
    >
      ${row.method}
    </span>
    <span role="gridcell" class="c-path" title=${`${row.method} ${row.target}`}>
      <${Path} row=${row} chars=${chars - (isHeld ? (touch ? 7 : 11) : 0)} />
      ${isHeld && html`<${ReleaseButton} row=${row} isCursor=${isCursor} />`}
    </span>
    <span
      role="gridcell"
      class="c-stub ${isUnmatched ? "held" : "soft"}"
      title=${row.stubs.join(", ")}
    >
      ${isUnmatched ? "unmatched" : row.stubs.join(", ")}
    </span>
    ${
      everySession &&
      html`<span role="gridcell" class="c-session soft" title=${row.session}>
        ${row.session}
      </span>`
    }
    <span role="gridcell" class="c-bars">
      <${Waterfall} row=${row} run=${run} />
    </span>
    <span role="gridcell" class="c-time"><${SentAfter} row=${row} /></span>
  </div>`;
}

/** @param {{ row: Row, isCursor: boolean }} properties */
function ReleaseButton({ row, isCursor }) {
  const does = (/** @type {Event} */ event) => {
    event.stopPropagation(); // or it opens the row
    return release([row.number], {}, row.session);
  };
  return html`<${Button}
    kind="held"
    class="small"
    text="Release"
    aria-label=${`Release request ${keyOf(row)}`}
    tabindex=${isCursor ? 0 : -1}
    does=${does}
  />`;
}

/** @param {{ run: Run, top: number, index: number, touch: boolean }} properties */
export const RunRow = ({ run, top, index, touch }) => html`<div
  class="row run"
  role="row"
  aria-rowindex=${index + 2}
  style=${{ top: `${top}px` }}
>
  <span role="gridcell">
    ${run.isGrouped ? (run.operation ?? "Not in the contract") : clock(run.at)}${" "}
    <span class="soft">
      ${count(run.rows, "request")}
      ${
        run.isGrouped
          ? run.failed > 0 && `, ${run.failed} failed`
          : touch
            ? ` in ${scale(run.ms)}`
            : ""
      }
    </span>
  </span>
  <span role="gridcell" class="run-scale soft">
    <span>0</span>
    <span>${scale(run.ms)}</span>
  </span>
</div>`;

/** @param {number} ms */
const scale = (ms) =>
  ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
