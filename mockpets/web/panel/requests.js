// The request log: filter, table with waterfall, and the sheet of the open request.

import {
  html,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "./preact.js";
import { Lazy } from "./loading.js";
import {
  act,
  address,
  announce,
  collections,
  contractOf,
  call,
  go,
  harEntries,
  link,
  release,
  releaseAll,
  setParams,
  store,
  toast,
  undoIn,
  update,
  useChange,
  useKeys,
} from "./store.js";
import { duration, waitsFor } from "../../../kit/toolbar/shown.js";
import { filterParts, TokenFilter } from "./filter.js";
import { Button, EmptyState, Segments, StatusText, useRoving } from "./ui.js";
import {
  clock,
  count,
  hasFailed,
  NOTES,
  OUTCOMES,
  shorten,
  shownTarget,
  statusOf,
} from "./values.js";

const MOST_ROWS = 10_000;
const PAGE = 1000; // the most that the server returns
const RUN_GAP_MS = 2000;
const RUN_MOST_MS = 10_000;
const ANNOUNCE_MS = 5000;
const FRESH_MS = 600;

// --- The log: the requests of one session, or of all ---

const log = {
  rows: [],
  sources: new Map(),
  epoch: undefined,
  arrivals: 0,
  bodies: new Map(),
  bodiesTo: new Map(),
};

/** Return the key of a request in the URL: its number, with its session if that is another one. */
const keyOf = (row) =>
  row.session === store.session
    ? String(row.number)
    : `${row.number}@${row.session}`;

async function refresh(everySession) {
  if (log.epoch !== store.changes.all) {
    Object.assign(log, {
      epoch: store.changes.all,
      sources: new Map(),
      bodies: new Map(),
      bodiesTo: new Map(),
    });
  }
  const names = everySession
    ? (await call("GET /sessions")).sessions
        .filter((row) => row.requests || log.sources.has(row.name))
        .map((row) => row.name)
    : [store.session];
  for (const name of log.sources.keys())
    if (!names.includes(name)) log.sources.delete(name);
  await Promise.all(names.map(refreshSource));
  const parts = [...log.sources.values()].map((source) => source.rows);
  log.rows =
    parts.length === 1
      ? parts[0]
      : parts.flat().sort((one, other) => one.start - other.start);
  update({});
}

/** Load the new requests of a session, and those whose response has ended since. */
async function refreshSource(name) {
  if (!log.sources.has(name)) log.sources.set(name, { rows: [], last: 0 });
  const source = log.sources.get(name);
  const get = (query) => call("GET /requests", { query, session: name });
  const changed = new Map();
  let since = source.last;
  const pending = source.rows.filter((row) => row.outcome === "pending");
  if (pending.length) {
    const still = await get({ outcome: "pending", limit: PAGE });
    for (const row of still.requests) changed.set(row.number, row);
    since = Math.min(
      since,
      ...pending
        .filter((row) => !changed.has(row.number))
        .map((row) => row.number - 1),
    );
  }
  const [page, all] = await Promise.all([
    get({ since, limit: PAGE }),
    source.last ? get({ limit: 1 }) : null,
  ]);
  const { last, dropped, total } = all ?? page;
  const cleared = last - dropped - total;
  if (cleared < source.cleared) {
    // an undo brought requests back
    log.sources.delete(name);
    await refreshSource(name);
    return;
  }
  source.cleared = cleared;
  for (const row of page.requests) changed.set(row.number, row);
  const now = performance.now();
  const rows = [];
  for (const row of source.rows) {
    if (row.number <= cleared) continue;
    const next = changed.get(row.number);
    if (next) changed.delete(row.number);
    // A pending one that is in no list was dropped: what became of it is unknown.
    const lost = !next && row.outcome === "pending" && row.number <= since;
    rows.push(
      next
        ? {
            ...next,
            ...waited(next, now),
            start: row.start,
            arrival: row.arrival,
            fresh: row.fresh,
          }
        : lost
          ? { ...row, outcome: "sent" }
          : row,
    );
  }
  for (const row of changed.values())
    rows.push({
      ...row,
      ...waited(row, now),
      start: Date.parse(row.at),
      arrival: ++log.arrivals,
      fresh: source.last ? now : 0,
    });
  if (source.last) unannounced.push(...changed.values());
  source.rows = rows
    .sort((one, other) => one.number - other.number)
    .slice(-MOST_ROWS);
  source.last = Math.max(page.last, source.last);
}

/** Return how long a response has waited, in milliseconds, and when that was read. */
const waited = (row, now) => ({
  seen: now,
  waited:
    row.held_ms === null
      ? Math.max(0, Date.now() - Date.parse(row.at))
      : row.app_ms + row.held_ms,
});

/** Load the bodies of new requests, which only a filter by body needs. */
async function refreshBodies() {
  for (const [name, source] of log.sources) {
    const since = log.bodiesTo.get(name) ?? 0;
    const entries = await harEntries(name, { since, limit: PAGE });
    for (const { _mockpets: row, request, response } of entries) {
      log.bodies.set(
        keyOf({ ...row, session: name }),
        `${request.postData?.text ?? ""}\n${response.content.text ?? ""}`.toLowerCase(),
      );
    }
    log.bodiesTo.set(
      name,
      source.rows.find((row) => row.outcome === "pending")?.number - 1 ||
        source.last,
    );
  }
  update({});
}

/** New requests that screen readers have not heard of. */
const unannounced = [];

setInterval(() => {
  const newest = unannounced.at(-1);
  if (newest && store.route.view === "requests" && !document.hidden) {
    announce(
      `${count(unannounced.length, "new request")}, latest: ${newest.method} ${newest.path} ${statusOf(newest)[0]}`,
    );
  }
  unannounced.length = 0;
}, ANNOUNCE_MS);

// --- The filter: status:5xx stub:retry/* session:* body:Miso "free text" ---

const glob = (pattern) => {
  const parts = pattern
    .split("*")
    .map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`, "is");
};

/** What each key of the filter compares: a function from the value to a test of a row. */
const TOKENS = {
  status: (value) =>
    /^\dxx$/i.test(value)
      ? (row) => Math.floor(row.status / 100) === Number(value[0])
      : (row) => String(row.status) === value || statusOf(row)[0] === value,
  method: (value) => (row) => row.method === value.toUpperCase(),
  path: (value) => {
    const one = glob(value);
    return (row) => one.test(row.path);
  },
  stub: (value) => {
    const one = glob(value);
    return (row) =>
      value === "-"
        ? !row.stubs.length
        : row.stubs.some((stub) => one.test(stub));
  },
  session: (value) => {
    const one = glob(value);
    return (row) => one.test(row.session);
  },
  body: (value) => (row) =>
    log.bodies.get(keyOf(row))?.includes(value.toLowerCase()) ?? false,
  operation: (value) => (row) => row.operation === value,
  note: (value) => (row) => row.notes.some((note) => note.code === value),
  outcome: (value) => (row) => row.outcome === value,
};

/** Return the parts of a filter; see `filterParts`. */
const parseFilter = (text) =>
  filterParts(text, (key) => Object.hasOwn(TOKENS, key));

const FREE = (value) => (row) =>
  `${row.method} ${row.target} ${row.status} ${row.stubs} ${row.session} ${row.fault} ${row.notes.map((note) => note.text)}`
    .toLowerCase()
    .includes(value.toLowerCase());

function filtered(rows, parts) {
  const tests = parts.map(({ key, value }) =>
    key ? TOKENS[key](value) : FREE(value),
  );
  return tests.length
    ? rows.filter((row) => tests.every((test) => test(row)))
    : rows;
}

const ONLY = {
  all: () => true,
  failed: hasFailed,
  held: (row) => waitsFor(row) === "held",
  unmatched: (row) => row.notes.some((note) => note.code === "unmatched"),
};

const seen = (get) =>
  [...new Set(log.rows.slice(-PAGE).flatMap(get))]
    .filter((value) => value !== null)
    .map(String)
    .sort();

const contract = { loaded: undefined, operations: [] };

/** Return the operations of the contracts, which are loaded when the filter first needs them. */
function operations() {
  const current = `${store.changes.all} ${store.changes.files}`;
  if (contract.loaded !== current) {
    contract.loaded = current;
    act(async () => {
      contract.operations = (await call("GET /contract")).contracts.flatMap(
        (each) => each.operations.map(({ name }) => name),
      );
      update({});
    });
  }
  return contract.operations;
}

/** Return what the filter suggests for each key. */
const suggested = () => ({
  status: {
    hint: "503, 5xx or held",
    values: () => ["2xx", "4xx", "5xx", ...seen((row) => row.status)],
  },
  method: { hint: "POST", values: () => seen((row) => row.method) },
  path: {
    hint: [...collections().map(({ path }) => `${path}*`), ...basePaths()][0],
    values: () => [...basePaths(), ...seen((row) => row.path)],
  },
  stub: {
    hint: "retry/*, or - for none",
    values: () => ["-", ...seen((row) => row.stubs)],
  },
  session: {
    hint: "* for all",
    values: () => ["*", ...seen((row) => row.session)],
  },
  body: { hint: "text in a body" },
  operation: {
    hint: collections().flatMap(({ lists }) => lists)[0],
    values: () => [
      ...new Set([...seen((row) => row.operation), ...operations()]),
    ],
  },
  note: { hint: "unmatched", values: () => Object.keys(NOTES), hints: NOTES },
  outcome: { hint: "pending or broken", values: () => Object.keys(OUTCOMES) },
});
const basePaths = () => store.state.contracts.map(({ base }) => `${base}/*`);

// --- The table ---

const HEIGHTS = { row: 28, run: 24, touchRow: 52, touchRun: 28 };

/** Return when the response of a row ended, in milliseconds after its start; a running hold counts nothing. */
const endOf = (row) =>
  row.total_ms ?? row.app_ms + (waitsFor(row) === "held" ? 0 : row.delay_ms);

/**
 * Group rows into runs, and place them: {items, tops, height}. A run begins where no request began
 * for 2 s, or with the requests of another operation.
 */
function placed(rows, touch, isGrouped) {
  const items = [];
  const tops = [];
  let run = null;
  let previous = -Infinity;
  let y = 0;
  const add = (item, height) => {
    items.push(item);
    tops.push(y);
    y += height;
  };
  for (const row of rows) {
    if (
      isGrouped
        ? run?.operation !== row.operation
        : row.start - previous > RUN_GAP_MS
    ) {
      run = {
        start: row.start,
        at: row.at,
        rows: 0,
        ms: 0,
        failed: 0,
        isGrouped,
        operation: row.operation,
      };
      add({ run }, touch ? HEIGHTS.touchRun : HEIGHTS.run);
    }
    previous = row.start;
    run.rows += 1;
    run.failed += Number(hasFailed(row));
    run.ms = Math.min(
      RUN_MOST_MS,
      Math.max(
        run.ms,
        (isGrouped ? 0 : row.start - run.start) + endOf(row),
        50,
      ),
    );
    add({ row, run }, touch ? HEIGHTS.touchRow : HEIGHTS.row);
  }
  return { items, tops, height: y };
}

/** The bars of a row: what a delay or a gate added, then processing, once something was sent, and a fault. */
function Waterfall({ row, run }) {
  const percent = (ms) => Math.min(100, (100 * ms) / run.ms);
  const from = run.isGrouped ? 0 : row.start - run.start;
  const waits = waitsFor(row);
  const end = from + (waits === "held" ? Infinity : endOf(row));
  const bar = (kind, start, stop) => {
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

/** The time until a response was sent; that of a waiting one counts in tenths of a second. */
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

/** Return how long a waiting response has waited, such as "12.4 s". */
const elapsed = (row) =>
  `${((row.waited + performance.now() - row.seen) / 1000).toFixed(1)} s`;

/** A path with its quiet parts: the base path of its contract, and the query. */
function Path({ row, chars }) {
  const shown = shorten(shownTarget(row), chars);
  const base = contractOf(row.path)?.base ?? "";
  const prefix = shown.startsWith(`${base}/`) ? base : "";
  const [, path, query] = /^([^?]*)(.*)$/s.exec(shown.slice(prefix.length));
  return html`<span class="target">
    <span class="soft">${prefix}</span>
    ${path}
    <span class="soft">${query}</span>
  </span>`;
}

function Row({
  item: { row, run },
  top,
  index,
  isSelected,
  isCursor,
  chars,
  touch,
  everySession,
  select,
}) {
  const waits = waitsFor(row) === "held";
  const key = keyOf(row);
  const note = row.notes.some(({ code }) => code === "unmatched");
  const release1 = (event) => {
    event.stopPropagation();
    return release([row.number], {}, row.session);
  };
  const fresh = row.fresh && performance.now() - row.fresh < FRESH_MS;
  return html`<div
    class="row request ${fresh ? "fresh" : ""}"
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
      <${Path} row=${row} chars=${chars - (waits ? (touch ? 7 : 11) : 0)} />
      ${
        waits &&
        html`<${Button}
          kind="held"
          class="small"
          text="Release"
          aria-label=${`Release request ${key}`}
          tabindex=${isCursor ? 0 : -1}
          does=${release1}
        />`
      }
    </span>
    <span
      role="gridcell"
      class="c-stub ${note ? "held" : "soft"}"
      title=${row.stubs.join(", ")}
    >
      ${note ? "unmatched" : row.stubs.join(", ")}
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

const Run = ({ item: { run }, top, index, touch }) => html`<div
  class="row run"
  role="row"
  aria-rowindex=${index + 2}
  style=${{ top: `${top}px` }}
>
  <span role="gridcell">
    ${run.isGrouped ? (run.operation ?? "No operation") : clock(run.at)}${" "}
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

const scale = (ms) =>
  ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;

const canvas = document.createElement("canvas").getContext("2d");

/** Return how many characters of the table's font fit. */
function charsIn(width, touch) {
  canvas.font = `${touch ? 13 : 12}px ${getComputedStyle(document.documentElement).getPropertyValue("--mono")}`;
  return Math.floor(width / canvas.measureText("0").width);
}

const isAtEnd = (node) =>
  node.scrollHeight - node.scrollTop - node.clientHeight < 8;

const OVERSCAN = 8;
const touchQuery = matchMedia("(max-width: 699px), (pointer: coarse)");

function Table({
  rows,
  selected,
  isGrouped,
  everySession,
  select,
  paused,
  reveal: revealed,
}) {
  const scroller = useRef(null);
  const path = useRef(null);
  const [view, setView] = useState({ top: 0, height: 0, chars: 40 });
  const [cursor, setCursor] = useState(null);
  const sticks = useRef(!isGrouped); // whether the list is at its end
  const [seen, setSeen] = useState(log.arrivals); // the newest request that was in view
  const touch = touchQuery.matches;
  const place = useMemo(() => placed(rows, touch, isGrouped), [rows, touch]);
  const { items, tops, height } = place;
  const indexes = useMemo(
    () =>
      new Map(
        items.flatMap((item, index) =>
          item.row ? [[keyOf(item.row), index]] : [],
        ),
      ),
    [items],
  );
  const heights = {
    head: touch ? 0 : 28,
    row: touch ? HEIGHTS.touchRow : HEIGHTS.row,
  };
  const currentKey =
    selected !== null && indexes.has(selected)
      ? selected
      : cursor !== null && indexes.has(cursor)
        ? cursor
        : items.length
          ? keyOf(items.at(-1).row)
          : null;

  // The size of what is in view.
  useLayoutEffect(() => {
    const measure = () => {
      const node = scroller.current;
      if (!node) return;
      setView((old) => ({
        ...old,
        top: node.scrollTop,
        height: node.clientHeight,
        chars: charsIn(
          touchQuery.matches
            ? node.clientWidth - 196
            : path.current.clientWidth,
          touchQuery.matches,
        ),
      }));
      if (sticks.current) node.scrollTop = node.scrollHeight;
    };
    // In the next frame, since what it renders changes sizes again.
    const observer = new ResizeObserver(() => requestAnimationFrame(measure));
    observer.observe(scroller.current);
    observer.observe(path.current);
    measure();
    return () => observer.disconnect();
  }, [touch]);

  // Keep what is in view: the end while the list is there and nothing is open, else the same row.
  const anchor = useRef(null);
  useLayoutEffect(() => {
    const node = scroller.current;
    if (sticks.current && selected === null) node.scrollTop = node.scrollHeight;
    else if (anchor.current && indexes.has(anchor.current.key)) {
      const moved = tops[indexes.get(anchor.current.key)] - anchor.current.top;
      if (moved) node.scrollTop += moved;
    }
    if (selected !== null) sticks.current = !isGrouped && isAtEnd(node);
    remember();
  }, [place]);
  useLayoutEffect(() => {
    if (selected !== null && indexes.has(selected)) reveal(selected);
  }, [selected, indexes.has(selected), view.height]);
  useLayoutEffect(() => {
    revealed.current = { focus, toEnd };
  });

  function remember() {
    const node = scroller.current;
    const first = items[firstAfter(tops, node.scrollTop)];
    const item = first?.row
      ? first
      : items[firstAfter(tops, node.scrollTop) + 1];
    anchor.current = item?.row
      ? { key: keyOf(item.row), top: tops[indexes.get(keyOf(item.row))] }
      : null;
    if (sticks.current) setSeen(log.arrivals);
    setView((old) =>
      old.top === node.scrollTop ? old : { ...old, top: node.scrollTop },
    );
  }

  function scrolled() {
    const node = scroller.current;
    sticks.current = !isGrouped && isAtEnd(node);
    remember();
  }

  /** Scroll so that the row is in view, in the middle if it was far away. */
  function reveal(key) {
    const node = scroller.current;
    const top = tops[indexes.get(key)];
    const bottom = top + heights.row + heights.head;
    if (top >= node.scrollTop && bottom <= node.scrollTop + node.clientHeight)
      return;
    const near =
      Math.abs(top - node.scrollTop) < node.clientHeight + heights.row;
    if (!near) node.scrollTop = top - node.clientHeight / 2;
    else
      node.scrollTop =
        top < node.scrollTop ? top - HEIGHTS.run : bottom - node.clientHeight;
    scrolled();
  }

  function focus(key) {
    setCursor(key);
    reveal(key);
    requestAnimationFrame(() =>
      scroller.current
        ?.querySelector(`[data-key="${CSS.escape(key)}"]`)
        ?.focus(),
    );
  }

  function toEnd() {
    sticks.current = true;
    scroller.current.scrollTop = scroller.current.scrollHeight;
    remember();
    if (items.length) focus(keyOf(items.at(-1).row));
  }

  /** Return the key of the row so many rows from a row. */
  function from(key, rowsAway) {
    const keys = [...indexes.keys()];
    const at = keys.indexOf(key);
    return keys[Math.max(0, Math.min(keys.length - 1, at + rowsAway))] ?? null;
  }

  function move(rowsAway, moveFocus) {
    const key = from(currentKey, rowsAway);
    if (key === null) return;
    if (selected !== null) select(key);
    if (moveFocus) focus(key);
  }
  // The first key only focuses a row. While the sheet has the focus, it keeps it.
  const step = (n) => () => {
    const inList = scroller.current.contains(document.activeElement);
    if (selected === null && !inList && currentKey !== null) focus(currentKey);
    else move(n, inList || selected === null);
  };
  useKeys({ j: step(1), k: step(-1) });

  const keyDown = (event) => {
    const isRow = event.target.getAttribute("role") === "row";
    const rowsAway = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: 20,
      PageUp: -20,
      Home: -Infinity,
      End: Infinity,
    }[event.key];
    if (rowsAway !== undefined) move(rowsAway, true);
    else if (isRow && (event.key === "Enter" || event.key === " "))
      select(currentKey);
    else return;
    event.preventDefault();
  };

  const first = Math.max(0, firstAfter(tops, view.top) - OVERSCAN);
  let last = firstAfter(tops, view.top + view.height) + OVERSCAN;
  last = Math.min(items.length, last);
  const visible = [];
  for (let index = first; index < last; index += 1) visible.push(index);
  const current = indexes.get(currentKey);
  if (current !== undefined && (current < first || current >= last))
    visible.push(current); // keeps its focus
  const fresh =
    isGrouped || (sticks.current && selected === null && !paused)
      ? 0
      : rows.reduce((sum, row) => sum + (row.arrival > seen), 0);
  return html`<div
    class="table ${everySession ? "every" : ""} ${touch ? "touch" : ""}"
  >
    <div
      class="scroller"
      ref=${scroller}
      tabindex="-1"
      role="grid"
      aria-label="Requests"
      aria-rowcount=${items.length + 1}
      onScroll=${scrolled}
      onKeyDown=${keyDown}
    >
      <div class="row head soft" role="row" aria-rowindex="1">
        <span role="columnheader">Status</span>
        <span role="columnheader">Method</span>
        <span role="columnheader" ref=${path}>Path</span>
        <span role="columnheader" class="c-stub">Stub</span>
        ${
          everySession &&
          html`<span role="columnheader" class="c-session">Session</span>`
        }
        <span role="columnheader" class="c-bars">Waterfall</span>
        <span role="columnheader" class="c-time">Sent after</span>
      </div>
      <div class="rows" role="rowgroup" style=${{ height: `${height}px` }}>
        ${visible.map((index) => {
          const item = items[index];
          if (!item.row)
            return html`<${Run}
              key=${`run ${item.run.start} ${item.run.operation}`}
              item=${item}
              top=${tops[index]}
              index=${index}
              touch=${touch}
            />`;
          const key = keyOf(item.row);
          return html`<${Row}
            key=${key}
            item=${item}
            top=${tops[index]}
            index=${index}
            isSelected=${key === selected}
            isCursor=${key === currentKey}
            chars=${view.chars}
            touch=${touch}
            everySession=${everySession}
            select=${select}
          />`;
        })}
      </div>
    </div>
    ${
      fresh > 0 &&
      html`<${Button}
        kind="primary"
        class="pill"
        icon="down"
        text=${count(fresh, "new request")}
        does=${toEnd}
      />`
    }
  </div>`;
}

/** Return the index of the last place at or before a height. */
function firstAfter(tops, y) {
  let low = 0;
  let high = tops.length;
  while (low < high) {
    const mid = (low + high) >> 1;
    if (tops[mid] <= y) low = mid + 1;
    else high = mid;
  }
  return Math.max(0, low - 1);
}

// --- The view ---

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
  const only = Object.hasOwn(ONLY, params.only ?? "") ? params.only : "all";
  const isGrouped = params.by === "operation";
  const parts = useMemo(() => parseFilter(text), [text]);
  const everySession = parts.some((part) => part.key === "session");
  const byBody = parts.some((part) => part.key === "body");
  const [pausedAt, setPausedAt] = useState(null);
  const [filterOpen, setFilterOpen] = useState(text !== "");
  const [tick, setTick] = useState(0);
  const table = useRef(null);
  const toolbar = useRoving();
  store.requestParams = params; // the rail's link keeps the filter
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
    const timer = setInterval(
      () => !document.hidden && setTick((n) => n + 1),
      1000,
    ); // other sessions report no changes here
    return () => clearInterval(timer);
  }, [everySession]);

  const matched = useMemo(
    () => filtered(log.rows, parts),
    [log.rows, parts, byBody && log.bodies.size],
  );
  const counts = Object.fromEntries(
    Object.entries(ONLY).map(([name, test]) => [
      name,
      matched.filter(test).length,
    ]),
  );
  const rows = useMemo(() => {
    const listed = matched.filter(
      (row) =>
        ONLY[only](row) && (pausedAt === null || row.arrival <= pausedAt),
    );
    return isGrouped
      ? [...Map.groupBy(listed, (row) => row.operation).values()].flat()
      : listed;
  }, [matched, only, pausedAt, isGrouped]);
  const hasRows = rows.length > 0;
  useEffect(() => {
    if (hasRows) void sheet(); // one of them may be opened
  }, [hasRows]);
  const waiting =
    pausedAt === null
      ? 0
      : matched.filter((row) => ONLY[only](row)).length - rows.length;
  const select = (key) => go("requests", key, params, id !== null);
  const close = () => {
    go("requests", null, params, true);
    if (rows.some((row) => keyOf(row) === id)) table.current?.focus(id);
  };
  useKeys({ x: clear, Escape: () => id !== null && close() });
  const at = id === null ? -1 : rows.findIndex((row) => keyOf(row) === id);
  const held = store.state.counts.held;

  return html`<div
    class="requests ${id !== null ? "with-sheet" : ""} ${filterOpen ? "filter-open" : ""}"
  >
    <section class="list" aria-label="Requests">
      <div class="toolbar">
        <${TokenFilter}
          placeholder="Filter, e.g. status:5xx"
          keys=${suggested()}
          value=${text}
          change=${(filter) => setParams({ filter })}
        />
        <div class="tools" role="toolbar" aria-label="Requests" ...${toolbar}>
          <${Segments}
            label="Show"
            value=${only}
            choose=${(value) =>
              setParams({ only: value === "all" ? "" : value })}
            options=${[
              ["all", "All"],
              ["failed", "Failed", counts.failed],
              ["held", "Held", counts.held, "held"],
              ["unmatched", "Unmatched", counts.unmatched],
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
            aria-expanded=${String(filterOpen)}
            does=${() => setFilterOpen(!filterOpen)}
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
            icon=${pausedAt === null ? "pause" : "play"}
            label=${pausedAt === null ? "Pause" : "Resume"}
            aria-pressed=${String(pausedAt !== null)}
            does=${() => setPausedAt(pausedAt === null ? log.arrivals : null)}
          />
          <${Button}
            kind="ghost"
            class="wide-only"
            icon="clear"
            label="Clear"
            title="Clear the request log"
            does=${clear}
          />
        </div>
      </div>
      ${
        rows.length > 0 &&
        html`<${Table}
          key=${String(isGrouped)}
          rows=${rows}
          selected=${id}
          isGrouped=${isGrouped}
          everySession=${everySession}
          select=${select}
          paused=${pausedAt !== null}
          reveal=${table}
        />`
      }
      ${
        waiting > 0 &&
        html`<${Button}
          kind="primary"
          class="pill"
          icon="down"
          text=${count(waiting, "new request")}
          does=${() => {
            setPausedAt(log.arrivals);
            setTimeout(() => table.current?.toEnd());
          }}
        />`
      }
      ${
        !rows.length &&
        !waiting &&
        log.epoch !== undefined &&
        html`<${Empty}
          isFiltered=${log.rows.length > 0 || text !== "" || only !== "all"}
        />`
      }
    </section>
    ${
      id !== null &&
      html`<${Lazy}
        module=${sheet}
        name="Entry"
        key="sheet"
        id=${id}
        row=${rows[at] ?? log.rows.find((row) => keyOf(row) === id)}
        rows=${log.rows}
        previous=${at > 0 ? () => select(keyOf(rows[at - 1])) : null}
        next=${
          at >= 0 && at < rows.length - 1
            ? () => select(keyOf(rows[at + 1]))
            : null
        }
        close=${close}
        href=${link("requests", id, params)}
      />`
    }
  </div>`;
}

function Empty({ isFiltered }) {
  if (isFiltered)
    return html`<${EmptyState} title="No requests match the filter.">
      <${Button}
        text="Clear the filter"
        does=${() => setParams({ filter: "", only: "" })}
      />
    <//>`;
  const { settings } = store.state;
  return html`<${EmptyState} title="No requests yet.">
    <p>
      Call <code>${address(settings.base_path)}</code> with the
      key <code>${settings.key}</code>. Each request appears here.
    </p>
    <p>Or send one now: <a href="#try">Try it</a>.</p>
  <//>`;
}
