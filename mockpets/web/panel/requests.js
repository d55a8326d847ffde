// The live list of requests: newest first, at most 300 rows. New rows wait while the user reads.

import { control } from "./api.js";
import { announce, byId, el, handler, keyed, notice, setText } from "./dom.js";
import * as entry from "./entry.js";
import { addedMs, clock, count, duration, kindOf, NOTES, OUTCOMES, statusText } from "./text.js";

const MAX_ROWS = 300;
const ANNOUNCE_MS = 5000; // interval of announcements to screen readers

let state;
let rows = []; // shown, newest first
let waiting = []; // not shown yet, newest first
let last = 0; // the highest number loaded so far
let generation = 0; // increases when the list is loaded from the start
let paused = false;
let atTop = true;
let unannounced = 0;

export function start() {
  for (const [code, label] of Object.entries(NOTES)) byId("filter-note").append(el("option", { value: code }, label));
  for (const [code, label] of Object.entries(OUTCOMES)) byId("filter-outcome").append(el("option", { value: code }, label));
  byId("pause").addEventListener("click", pause);
  byId("clear").addEventListener("click", handler(clear));
  byId("har").addEventListener("click", handler(save));
  byId("more").addEventListener("click", showNew);
  byId("show-filter").addEventListener("click", () => {
    byId("show-filter").setAttribute("aria-expanded", String(byId("filter").classList.toggle("open")));
  });
  byId("filter").addEventListener("submit", (event) => event.preventDefault());
  byId("filter").addEventListener("input", handler(reload));
  byId("filter").addEventListener("reset", () => setTimeout(handler(reload)));
  byId("request-list").addEventListener("keydown", moveFocus);
  new IntersectionObserver(([top]) => {
    atTop = top.isIntersecting;
    if (atTop && !paused && waiting.length) addWaiting();
  }).observe(byId("request-top"));
  setInterval(announceNew, ANNOUNCE_MS);
  entry.start((number) => focusRow(rows.findIndex((row) => row.number === number)));
}

/** Remove all rows: the request log restarted, and its numbers now belong to other requests. */
export function reset() {
  restart();
  byId("request-list").replaceChildren();
}

function restart() {
  generation += 1;
  rows = [];
  waiting = [];
  last = 0;
}

/** @param {Set<string>} kinds of changes */
export async function show(now, kinds) {
  state = now;
  if (kinds.has("requests")) await fetchNew();
}

/** Return the query of the filter plus extra parameters. */
function query(extra) {
  const fields = new FormData(byId("filter"));
  const parts = [...fields].filter(([, value]) => value !== "");
  return new URLSearchParams([...parts, ...Object.entries(extra)].map(([name, value]) => [name, String(value)]));
}

function reload() {
  restart();
  return fetchNew();
}

async function fetchNew() {
  const current = generation;
  const first = last === 0;
  const since = await firstChanged();
  const [page, all] = await Promise.all([
    control(`requests?${query({ since, limit: limit() })}`),
    control("requests?limit=1"),
  ]);
  if (current !== generation) return; // the filter changed meanwhile
  const known = new Set([...rows, ...waiting].map((row) => row.number));
  const fresh = page.requests.filter((row) => !known.has(row.number) && (row.number > last || byResponse()));
  ({ last } = page);
  removeCleared(all.last - all.dropped - all.total);
  const opened = rows.find((row) => row.number === entry.number());
  updateKnown(page.requests, since);
  waiting = [...fresh, ...waiting].sort(newestFirst).slice(0, MAX_ROWS);
  if (!first) unannounced += fresh.length;
  if (first || (!paused && atTop)) addWaiting();
  else render();
  if (opened && rows.some((row) => row.number === opened.number && row.outcome !== opened.outcome)) await entry.reload();
}

const limit = () => Math.max(1, Math.min(MAX_ROWS, state.settings.journal_size));
const byResponse = () => byId("filter-outcome").value !== "" || byId("filter-status").value !== "";
const newestFirst = (one, other) => other.number - one.number;

/** Return the number after which requests are new, or have an outcome since the last time. */
async function firstChanged() {
  if (byResponse()) return 0; // any request may have begun or ceased to match
  const pending = [...rows, ...waiting].filter((row) => row.outcome === "pending");
  if (!pending.length) return last;
  const page = await control(`requests?${query({ outcome: "pending", limit: limit() })}`);
  const still = new Set(page.requests.map((row) => row.number));
  return Math.min(last, ...pending.filter((row) => !still.has(row.number)).map((row) => row.number - 1));
}

/** Update the known requests above `since`, and remove those that no longer match the filter. */
function updateKnown(loaded, since) {
  const now = new Map(loaded.map((row) => [row.number, row]));
  const oldest = loaded.length < limit() ? since + 1 : loaded[0].number;
  const isCurrent = (row) => row.number < oldest || now.has(row.number);
  [rows, waiting] = [rows, waiting].map((list) => list.filter(isCurrent).map((row) => now.get(row.number) ?? row));
}

/** Remove the requests that any client cleared: all up to this number. */
function removeCleared(cleared) {
  rows = rows.filter((row) => row.number > cleared);
  waiting = waiting.filter((row) => row.number > cleared);
}

function addWaiting() {
  rows = [...waiting, ...rows].sort(newestFirst).slice(0, MAX_ROWS);
  waiting = [];
  render();
}

function showNew() {
  addWaiting();
  byId("request-scroll").scrollTop = 0; // in wide windows the list scrolls
  byId("request-top").scrollIntoView(); // in narrow ones the page scrolls
  focusRow(0);
}

function render() {
  keyed(byId("request-list"), rows, (row) => row.number, createRow);
  byId("request-list").hidden = !rows.length;
  const more = byId("more");
  more.hidden = !waiting.length;
  setText(more, `Show ${waiting.length === MAX_ROWS ? `${MAX_ROWS}+ new requests` : count(waiting.length, "new request")}`);
  const current = byId("request-list").querySelector("[tabindex='0']");
  if (!current) byId("request-list").querySelector("button")?.setAttribute("tabindex", "0");
  byId("request-empty").hidden = rows.length + waiting.length > 0;
  if (!rows.length) renderEmpty();
}

function renderEmpty() {
  const filtered = query({}).size > 0;
  const url = byId("base-url").textContent;
  byId("request-empty").replaceChildren(...(filtered
    ? [el("p", {}, "No requests match the filter.")]
    : [el("p", {}, el("b", {}, "No requests yet.")),
      el("p", {}, "Call ", el("code", {}, url), " with the key ", el("code", {}, state.settings.key), ". Each request appears here."),
      el("p", {}, "Or send one now: ", el("a", { href: "#try" }, "Try it"), ".")]));
}

function createRow(row) {
  const button = el("button", { type: "button", tabindex: "-1", "data-does": "open", onclick: () => { location.hash = `#requests/${row.number}`; } });
  let shown = "";
  const update = (now) => {
    if (now.outcome === shown) return;
    shown = now.outcome;
    button.className = `request ${highlight(now)}`;
    button.replaceChildren(...cells(now));
  };
  return { node: el("li", {}, button), update };
}

function cells(row) {
  const added = row.outcome === "pending" ? row.delay_ms : addedMs(row);
  const delay = added > 0 && el("span", { class: "delay" }, el("span", { class: "away" }, " plus"), ` +${duration(added)}`);
  const effect = row.fault ?? (row.hold && `held: ${row.hold}`);
  const outcome = row.outcome !== "sent" && OUTCOMES[row.outcome] !== statusText(row) && OUTCOMES[row.outcome];
  return [
    el("span", { class: "no" }, String(row.number)),
    el("span", { class: "time" }, clock(row.at)),
    el("span", { class: "what" }, el("b", {}, row.method), " ", row.target),
    el("span", { class: `status ${kindOf(row)}` }, statusText(row)),
    el("span", { class: "duration" }, duration(row.app_ms), delay),
    el("span", { class: "stub" }, row.stubs.join(", ")),
    el("span", { class: "notes" }, outcome && el("span", { class: "note odd" }, outcome), effect && el("span", { class: "note odd" }, effect), ...row.notes.map((note) =>
      el("span", { class: `note ${note.code}`, title: note.text }, NOTES[note.code] ?? note.code))),
  ];
}

/** Return the class that highlights a row. */
function highlight(row) {
  if (row.notes.some((note) => note.code === "unmatched")) return "unmatched";
  return row.off_contract === null ? "" : "off-contract";
}

/** Mark the row of the open request. */
export function mark(number) {
  for (const row of byId("request-list").children) {
    const button = row.querySelector("button");
    if (row.dataset.key === String(number)) button.setAttribute("aria-current", "true");
    else button.removeAttribute("aria-current");
  }
}

/** Move between rows with the arrow keys; Tab leaves the list. */
function moveFocus(event) {
  const step = { ArrowDown: 1, ArrowUp: -1, Home: -Infinity, End: Infinity }[event.key];
  if (step === undefined) return;
  event.preventDefault();
  const buttons = [...byId("request-list").querySelectorAll("button")];
  const position = buttons.indexOf(document.activeElement);
  focusRow(Math.max(0, Math.min(buttons.length - 1, position + step)));
}

function focusRow(position) {
  const list = byId("request-list");
  const button = list.children[position]?.querySelector("button");
  if (!button) return byId("view-requests").focus();
  list.querySelector("[tabindex='0']")?.setAttribute("tabindex", "-1");
  button.setAttribute("tabindex", "0");
  return button.focus();
}

function pause() {
  paused = !paused;
  byId("pause").setAttribute("aria-pressed", String(paused));
  setText(byId("pause"), paused ? "Resume" : "Pause");
  if (!paused && atTop) addWaiting();
}

async function clear() {
  const { cleared } = await control("requests", { method: "DELETE" });
  if (entry.number() !== null) location.hash = "#requests";
  await reload();
  notice(`Cleared ${count(cleared, "request")}.`);
}

async function save() {
  const har = await control(`requests.har?${query({ limit: state.settings.journal_size })}`);
  const url = URL.createObjectURL(new Blob([JSON.stringify(har, null, 1)], { type: "application/json" }));
  el("a", { href: url, download: `mockpets-${state.session}.har` }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

function announceNew() {
  if (unannounced && !paused && !byId("view-requests").hidden && !document.hidden) {
    const newest = waiting[0] ?? rows[0];
    announce(`${count(unannounced, "new request")}${newest ? `, latest: ${newest.method} ${newest.path} ${statusText(newest)}` : ""}`);
  }
  unannounced = 0;
}
