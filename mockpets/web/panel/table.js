// The table of the request log: a list of which only what is in view is rendered.

import { keyOf, log } from "./log.js";
import { html, useLayoutEffect, useMemo, useRef, useState } from "./preact.js";
import { HEIGHTS, placed, RequestRow, RunRow } from "./rows.js";
import { useKeys } from "./store.js";
import { Button } from "./ui.js";
import { count } from "./values.js";

/**
 * @import { Row } from "./log.js"
 * @import { On, Ref } from "./preact.js"
 * @import { Place } from "./rows.js"
 */

const OVERSCAN = 8;
const NEAR_END = 8; // pixels
const SHEET_OF_TOUCH = 196; // pixels of a row beside its path
const touchQuery = matchMedia("(max-width: 699px), (pointer: coarse)");

/**
 * What a parent can do with the table.
 * @typedef {{ focus: (key: string) => void, toEnd: () => void }} Handle
 */

/**
 * @param {{
 *   rows: Row[],
 *   selected: string | null,
 *   isGrouped: boolean,
 *   everySession: boolean,
 *   select: (key: string) => void,
 *   paused: boolean,
 *   handle: Ref<Handle | null>,
 * }} properties
 */
export function Table({
  rows,
  selected,
  isGrouped,
  everySession,
  select,
  paused,
  handle,
}) {
  const touch = touchQuery.matches;
  const place = useMemo(
    () => placed(rows, touch, isGrouped),
    [rows, touch, isGrouped],
  );
  const list = useScroller(place, { selected, isGrouped, touch });
  const { scroller, path, sticks } = list;
  const cursor = useCursor(place, list, { selected, select });
  useLayoutEffect(() => {
    handle.current = cursor;
  });
  const followsEnd = sticks.current && selected === null && !paused;
  const fresh =
    isGrouped || followsEnd
      ? 0
      : rows.filter(({ arrival }) => arrival > list.seen).length;
  const shown = { touch, everySession, select, chars: list.view.chars };
  const item = (/** @type {number} */ index) => {
    const { run, row } = place.items[index] ?? {};
    const common = { run, index, top: place.tops[index] };
    if (!row) {
      const key = `run ${run?.start} ${run?.operation}`;
      return html`<${RunRow} key=${key} ...${common} touch=${touch} />`;
    }
    const key = keyOf(row);
    return html`<${RequestRow}
      key=${key}
      row=${row}
      ...${common}
      ...${shown}
      isSelected=${key === selected}
      isCursor=${key === cursor.key}
    />`;
  };
  return html`<div
    class="table ${everySession ? "every" : ""} ${touch ? "touch" : ""}"
  >
    <div
      class="scroller"
      ref=${scroller}
      tabindex="-1"
      role="grid"
      aria-label="Requests"
      aria-rowcount=${place.items.length + 1}
      onScroll=${list.scrolled}
      onKeyDown=${cursor.keyDown}
    >
      <${Head} path=${path} everySession=${everySession} />
      <div class="rows" role="rowgroup" style=${{ height: `${place.height}px` }}>
        ${inView(place, list.view, cursor.key).map(item)}
      </div>
    </div>
    ${
      fresh > 0 &&
      html`<${Button}
        kind="primary"
        class="pill"
        icon="down"
        text=${count(fresh, "new request")}
        does=${cursor.toEnd}
      />`
    }
  </div>`;
}

/** @param {{ path: Ref<HTMLElement>, everySession: boolean }} properties */
const Head = ({ path, everySession }) => html`<div
  class="row head soft"
  role="row"
  aria-rowindex="1"
>
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
</div>`;

/**
 * Return the indexes of the items to render: those in view, and the one that has the focus.
 * @param {Place} place
 * @param {{ top: number, height: number }} view
 * @param {string | null} focused
 */
function inView({ items, tops, indexes }, { top, height }, focused) {
  const first = Math.max(0, firstAfter(tops, top) - OVERSCAN);
  const end = Math.min(items.length, firstAfter(tops, top + height) + OVERSCAN);
  const visible = [];
  for (let index = first; index < end; index += 1) visible.push(index);
  const current = focused === null ? undefined : indexes.get(focused);
  if (current !== undefined && (current < first || current >= end))
    visible.push(current);
  return visible;
}

/**
 * Return the index of the last place at or before a height.
 * @param {number[]} tops
 * @param {number} y
 */
function firstAfter(tops, y) {
  let low = 0;
  let high = tops.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((tops[middle] ?? Infinity) <= y) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}

// --- Scrolling ---

/** @param {HTMLElement} node */
const isAtEnd = (node) =>
  node.scrollHeight - node.scrollTop - node.clientHeight < NEAR_END;

const canvas = document.createElement("canvas").getContext("2d");

/**
 * Return how many characters of the table's font fit.
 * @param {number} width
 */
function charsIn(width) {
  if (!canvas) return 0;
  const style = getComputedStyle(document.documentElement);
  const pixels = touchQuery.matches ? 13 : 12;
  canvas.font = `${pixels}px ${style.getPropertyValue("--mono")}`;
  return Math.floor(width / canvas.measureText("0").width);
}

/**
 * Scroll a list: it stays at its end while it is there and nothing is open, else at the same row.
 * @param {Place} place
 * @param {{ selected: string | null, isGrouped: boolean, touch: boolean }} options
 */
function useScroller(place, { selected, isGrouped, touch }) {
  const { items, tops, indexes } = place;
  /** @type {Ref<HTMLElement>} */
  const scroller = useRef(null);
  /** @type {Ref<HTMLElement>} */
  const path = useRef(null);
  const [view, setView] = useState({ top: 0, height: 0, chars: 40 });
  const sticks = useRef(!isGrouped); // whether the list is at its end
  const [seen, setSeen] = useState(log.arrivals); // the newest request that was in view
  /** @type {Ref<{ key: string, top: number } | null>} */
  const anchor = useRef(null); // a row in view, and where it is

  function remember() {
    const { scrollTop: top } = scroller.current;
    const first = firstAfter(tops, top);
    const row = items[first]?.row ?? items[first + 1]?.row;
    anchor.current = row ? { key: keyOf(row), top: topOf(keyOf(row)) } : null;
    if (sticks.current) setSeen(log.arrivals);
    setView((old) => (old.top === top ? old : { ...old, top }));
  }

  function scrolled() {
    sticks.current = !isGrouped && isAtEnd(scroller.current);
    remember();
  }

  /** @param {string} key */
  const topOf = (key) => tops[indexes.get(key) ?? -1] ?? 0;

  /**
   * Scroll so that a row is in view, in the middle if it was far away.
   * @param {string} key
   */
  function reveal(key) {
    const node = scroller.current;
    const { scrollTop, clientHeight } = node;
    const height = touch ? HEIGHTS.touchRow : HEIGHTS.row;
    const top = topOf(key);
    const bottom = top + height + (touch ? 0 : HEIGHTS.row); // below the head
    if (top >= scrollTop && bottom <= scrollTop + clientHeight) return;
    const isNear = Math.abs(top - scrollTop) < clientHeight + height;
    if (!isNear) node.scrollTop = top - clientHeight / 2;
    else if (top < scrollTop) node.scrollTop = top - HEIGHTS.run;
    else node.scrollTop = bottom - clientHeight;
    scrolled();
  }

  function toEnd() {
    sticks.current = true;
    scroller.current.scrollTop = scroller.current.scrollHeight;
    remember();
  }

  // The size of what is in view.
  useLayoutEffect(() => {
    const measure = () => {
      const node = /** @type {HTMLElement | null} */ (scroller.current);
      if (!node) return; // removed meanwhile
      const { scrollTop: top, clientHeight: height, clientWidth } = node;
      const width = touchQuery.matches
        ? clientWidth - SHEET_OF_TOUCH
        : path.current.clientWidth;
      setView({ top, height, chars: charsIn(width) });
      if (sticks.current) node.scrollTop = node.scrollHeight;
    };
    // In the next frame, since what it renders changes sizes again.
    const observer = new ResizeObserver(() => requestAnimationFrame(measure));
    observer.observe(scroller.current);
    observer.observe(path.current);
    measure();
    return () => observer.disconnect();
  }, [touch]);

  useLayoutEffect(() => {
    const node = scroller.current;
    const { current: kept } = anchor;
    if (sticks.current && selected === null) node.scrollTop = node.scrollHeight;
    else if (kept && indexes.has(kept.key))
      node.scrollTop += topOf(kept.key) - kept.top;
    if (selected !== null) sticks.current = !isGrouped && isAtEnd(node);
    remember();
  }, [place]);

  const isListed = selected !== null && indexes.has(selected);
  useLayoutEffect(() => {
    if (isListed) reveal(selected);
  }, [selected, isListed, view.height]);

  return { scroller, path, sticks, view, seen, scrolled, reveal, toEnd };
}

// --- The row with the focus ---

/** @type {Record<string, number>} */
const ROWS_AWAY = {
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: 20,
  PageUp: -20,
  Home: -Infinity,
  End: Infinity,
};

/**
 * Move among the rows with keys.
 * @param {Place} place
 * @param {ReturnType<typeof useScroller>} list
 * @param {{ selected: string | null, select: (key: string) => void }} options
 */
function useCursor({ items, indexes }, { scroller, reveal, toEnd }, options) {
  const { selected, select } = options;
  const [cursor, setCursor] = useState(/** @type {string | null} */ (null));
  const newest = items.at(-1)?.row;
  const key =
    [selected, cursor].find((each) => each !== null && indexes.has(each)) ??
    (newest ? keyOf(newest) : null);

  /** @param {string} to */
  function focus(to) {
    setCursor(to);
    reveal(to);
    requestAnimationFrame(() => {
      const node = /** @type {HTMLElement | null} */ (scroller.current);
      /** @type {HTMLElement | null | undefined} */
      const row = node?.querySelector(`[data-key="${CSS.escape(to)}"]`);
      row?.focus();
    });
  }

  /**
   * @param {number} rowsAway
   * @param {boolean} movesFocus
   */
  function move(rowsAway, movesFocus) {
    const keys = [...indexes.keys()];
    const at = keys.indexOf(key ?? "") + rowsAway;
    const to = keys[Math.max(0, Math.min(keys.length - 1, at))];
    if (to === undefined) return;
    if (selected !== null) select(to);
    if (movesFocus) focus(to);
  }

  // The first key only focuses a row. While the sheet has the focus, it keeps it.
  const step = (/** @type {number} */ rowsAway) => () => {
    const inList = scroller.current.contains(document.activeElement);
    if (selected === null && !inList && key !== null) focus(key);
    else move(rowsAway, inList || selected === null);
  };
  useKeys({ j: step(1), k: step(-1) });

  const keyDown = (/** @type {On<HTMLElement, KeyboardEvent>} */ event) => {
    const rowsAway = ROWS_AWAY[event.key];
    const isRow = event.target.getAttribute("role") === "row";
    const opens = isRow && (event.key === "Enter" || event.key === " ");
    if (rowsAway !== undefined) move(rowsAway, true);
    else if (opens && key !== null) select(key);
    else return;
    event.preventDefault();
  };

  const focusEnd = () => {
    toEnd();
    if (newest) focus(keyOf(newest));
  };
  return { key, keyDown, focus, toEnd: focusEnd };
}
