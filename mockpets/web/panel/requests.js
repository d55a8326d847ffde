// The live list of requests: newest first, at most 300 rows. New rows wait while the user reads.

import { control } from "./api.js";
import { announce, byId, el, handler, keyed, notice, setText } from "./dom.js";
import * as entry from "./entry.js";
import { clock, count, duration, kindOf, NOTES } from "./text.js";

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
  const [page, all] = await Promise.all([
    control(`requests?${query({ since: last, limit: MAX_ROWS })}`),
    control("requests?limit=1"),
  ]);
  if (current !== generation) return; // the filter changed meanwhile
  ({ last } = page);
  removeCleared(all.last - all.dropped - all.total);
  waiting = [...page.requests.reverse(), ...waiting].slice(0, MAX_ROWS);
  if (!first) unannounced += page.requests.length;
  if (first || (!paused && atTop)) addWaiting();
  else render();
}

/** Remove the requests that any client cleared: all up to this number. */
function removeCleared(cleared) {
  rows = rows.filter((row) => row.number > cleared);
  waiting = waiting.filter((row) => row.number > cleared);
}

function addWaiting() {
  rows = [...waiting, ...rows].slice(0, MAX_ROWS);
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
  const delay = row.delay_ms > 0 && el("span", { class: "delay" }, el("span", { class: "away" }, " plus"), ` +${duration(row.delay_ms)}`);
  const effect = row.fault ?? (row.hold && `held: ${row.hold}`);
  const button = el("button", { type: "button", class: `request ${highlight(row)}`, tabindex: "-1", "data-does": "open", onclick: () => { location.hash = `#requests/${row.number}`; } },
    el("span", { class: "no" }, String(row.number)),
    el("span", { class: "time" }, clock(row.at)),
    el("span", { class: "what" }, el("b", {}, row.method), " ", row.target),
    el("span", { class: `status ${kindOf(row.status)}` }, row.status === null ? "broken" : String(row.status)),
    el("span", { class: "duration" }, duration(row.app_ms), delay),
    el("span", { class: "stub" }, row.stubs.join(", ")),
    el("span", { class: "notes" }, effect && el("span", { class: "note odd" }, effect), ...row.notes.map((note) =>
      el("span", { class: `note ${note.code}`, title: note.text }, NOTES[note.code] ?? note.code))));
  return { node: el("li", {}, button) };
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
    announce(`${count(unannounced, "new request")}${newest ? `, latest: ${newest.method} ${newest.path} ${newest.status ?? "broken"}` : ""}`);
  }
  unannounced = 0;
}
