// The live list: newest first, at most 300 rows, and new ones wait while someone reads.

import { control } from "./api.js";
import { announce, byId, doing, el, keyed, notice, setText } from "./dom.js";
import * as entry from "./entry.js";
import { clock, count, duration, kindOf, NOTES } from "./text.js";

const MOST = 300;
const SAY_MS = 5000; // how often a screen reader hears of new requests

let state;
let rows = []; // shown, newest first
let waiting = []; // not shown yet, newest first
let last = 0; // the highest number asked for so far
let asked = 0; // how often all was asked for anew
let paused = false;
let atTop = true;
let news = 0;

export function start() {
  for (const [code, words] of Object.entries(NOTES)) byId("filter-note").append(el("option", { value: code }, words));
  byId("pause").addEventListener("click", pause);
  byId("clear").addEventListener("click", doing(clear));
  byId("har").addEventListener("click", doing(save));
  byId("more").addEventListener("click", showNew);
  byId("show-filter").addEventListener("click", () => {
    byId("show-filter").setAttribute("aria-expanded", String(byId("filter").classList.toggle("open")));
  });
  byId("filter").addEventListener("submit", (event) => event.preventDefault());
  byId("filter").addEventListener("input", doing(reload));
  byId("filter").addEventListener("reset", () => setTimeout(doing(reload)));
  byId("request-list").addEventListener("keydown", walk);
  new IntersectionObserver(([top]) => {
    atTop = top.isIntersecting;
    if (atTop && !paused && waiting.length) takeUp();
  }).observe(byId("request-top"));
  setInterval(sayNews, SAY_MS);
  entry.start((number) => focusRow(rows.findIndex((row) => row.number === number)));
}

/** Forget what was shown: it is another journal now, in which the same numbers mean others. */
export function anew() {
  restart();
  byId("request-list").replaceChildren();
}

function restart() {
  asked += 1;
  rows = [];
  waiting = [];
  last = 0;
}

/** @param {Set<string>} kinds of what has changed */
export async function show(now, kinds) {
  state = now;
  if (kinds.has("requests")) await fetchNew();
}

function query(more) {
  const fields = new FormData(byId("filter"));
  const parts = [...fields].filter(([, value]) => value !== "");
  return new URLSearchParams([...parts, ...Object.entries(more)].map(([name, value]) => [name, String(value)]));
}

function reload() {
  restart();
  return fetchNew();
}

async function fetchNew() {
  const mine = asked;
  const first = last === 0;
  const [answer, all] = await Promise.all([
    control(`requests?${query({ since: last, limit: MOST })}`),
    control("requests?limit=1"),
  ]);
  if (mine !== asked) return; // the filter changed meanwhile
  ({ last } = answer);
  forget(all.last - all.dropped - all.total);
  waiting = [...answer.requests.reverse(), ...waiting].slice(0, MOST);
  if (!first) news += answer.requests.length;
  if (first || (!paused && atTop)) takeUp();
  else paint();
}

/** Take away what someone has cleared: the numbers up to this one. */
function forget(cleared) {
  rows = rows.filter((row) => row.number > cleared);
  waiting = waiting.filter((row) => row.number > cleared);
}

function takeUp() {
  rows = [...waiting, ...rows].slice(0, MOST);
  waiting = [];
  paint();
}

function showNew() {
  takeUp();
  byId("request-scroll").scrollTop = 0; // where the list scrolls
  byId("request-top").scrollIntoView(); // where the page does
  focusRow(0);
}

function paint() {
  keyed(byId("request-list"), rows, (row) => row.number, makeRow);
  byId("request-list").hidden = !rows.length;
  const more = byId("more");
  more.hidden = !waiting.length;
  setText(more, `Show ${waiting.length === MOST ? `${MOST} or more` : waiting.length} new`);
  const current = byId("request-list").querySelector("[tabindex='0']");
  if (!current) byId("request-list").querySelector("button")?.setAttribute("tabindex", "0");
  byId("request-empty").hidden = rows.length + waiting.length > 0;
  if (!rows.length) sayEmpty();
}

function sayEmpty() {
  const filtered = query({}).size > 0;
  const url = byId("base-url").textContent;
  byId("request-empty").replaceChildren(...(filtered
    ? [el("p", {}, "Nothing in the journal passes the filter.")]
    : [el("p", {}, el("b", {}, "No requests yet.")),
      el("p", {}, "Have your front end call ", el("code", {}, url), " with the key ", el("code", {}, state.settings.key), "; each request appears here."),
      el("p", {}, "Or make one now: ", el("a", { href: "#try" }, "Try it"), ".")]));
}

function makeRow(row) {
  const late = row.delay_ms > 0 && el("span", { class: "late" }, el("span", { class: "away" }, " plus"), ` +${duration(row.delay_ms)}`);
  const odd = row.fault ?? (row.hold && `held: ${row.hold}`);
  const button = el("button", { type: "button", class: `request ${oddity(row)}`, tabindex: "-1", "data-does": "open", onclick: () => { location.hash = `#requests/${row.number}`; } },
    el("span", { class: "no" }, String(row.number)),
    el("span", { class: "time" }, clock(row.at)),
    el("span", { class: "what" }, el("b", {}, row.method), " ", row.target),
    el("span", { class: `status ${kindOf(row.status)}` }, row.status === null ? "broken" : String(row.status)),
    el("span", { class: "took" }, duration(row.app_ms), late),
    el("span", { class: "stub" }, row.stubs.join(", ")),
    el("span", { class: "notes" }, odd && el("span", { class: "note odd" }, odd), ...row.notes.map((note) =>
      el("span", { class: `note ${note.code}`, title: note.text }, NOTES[note.code] ?? note.code))));
  return { node: el("li", {}, button) };
}

/** What makes a row stand out. */
function oddity(row) {
  if (row.notes.some((note) => note.code === "unmatched")) return "unmatched";
  return row.off_contract === null ? "" : "off-contract";
}

/** Mark the row whose request is open. */
export function mark(number) {
  for (const row of byId("request-list").children) {
    const button = row.querySelector("button");
    if (row.dataset.key === String(number)) button.setAttribute("aria-current", "true");
    else button.removeAttribute("aria-current");
  }
}

/** Up and down go from row to row; Tab leaves the list. */
function walk(event) {
  const step = { ArrowDown: 1, ArrowUp: -1, Home: -Infinity, End: Infinity }[event.key];
  if (step === undefined) return;
  event.preventDefault();
  const buttons = [...byId("request-list").querySelectorAll("button")];
  const at = buttons.indexOf(document.activeElement);
  focusRow(Math.max(0, Math.min(buttons.length - 1, at + step)));
}

function focusRow(place) {
  const list = byId("request-list");
  const button = list.children[place]?.querySelector("button");
  if (!button) return byId("view-requests").focus();
  list.querySelector("[tabindex='0']")?.setAttribute("tabindex", "-1");
  button.setAttribute("tabindex", "0");
  return button.focus();
}

function pause() {
  paused = !paused;
  byId("pause").setAttribute("aria-pressed", String(paused));
  setText(byId("pause"), paused ? "Resume" : "Pause");
  if (!paused && atTop) takeUp();
}

async function clear() {
  const { cleared } = await control("requests", { method: "DELETE" });
  if (entry.number() !== null) location.hash = "#requests";
  await reload();
  notice(`${count(cleared, "request")} cleared.`);
}

async function save() {
  const har = await control(`requests.har?${query({ limit: state.settings.journal_size })}`);
  const url = URL.createObjectURL(new Blob([JSON.stringify(har, null, 1)], { type: "application/json" }));
  el("a", { href: url, download: `mockpets-${state.session}.har` }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

function sayNews() {
  if (news && !paused && !byId("view-requests").hidden && !document.hidden) {
    const newest = waiting[0] ?? rows[0];
    announce(`${count(news, "new request")}${newest ? `; the last: ${newest.method} ${newest.path} ${newest.status ?? "broken"}` : ""}`);
  }
  news = 0;
}
