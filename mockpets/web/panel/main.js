// The panel: load the state, pass it to the views, and repeat after each change.

import { address, control, storeUrlToken } from "./api.js";
import { loadContract } from "./contract.js";
import { announce, byId, copyButton, el, handler, keyed, notice, setText } from "./dom.js";
import * as entry from "./entry.js";
import * as gates from "./gates.js";
import * as origins from "./origins.js";
import { watch } from "./live.js";
import * as pets from "./pets.js";
import * as requests from "./requests.js";
import * as scenarios from "./scenarios.js";
import * as sessions from "./sessions.js";
import * as tryit from "./tryit.js";

const VIEWS = ["scenarios", "requests", "pets", "try", "gates", "sessions"];
const wide = matchMedia("(min-width: 1100px)");

const EVERYTHING = new Set(["requests", "scenario", "pets", "snapshots", "gates", "sessions", "files", "origins"]);

let contract = null;
let state = null;
let open = null; // the open view

// --- The open view, from the URL ---

function route() {
  const [name, number] = location.hash.slice(1).split("/");
  const view = VIEWS.includes(name) ? name : wide.matches ? "requests" : "scenarios";
  // Wide windows always show the scenarios beside the other view.
  return { view: wide.matches && view === "scenarios" ? "requests" : view, number: /^\d+$/.test(number) ? Number(number) : null };
}

async function showView() {
  const { view, number } = route();
  for (const name of VIEWS) byId(`view-${name}`).hidden = name !== view;
  for (const link of document.querySelectorAll("nav a")) {
    if (link.getAttribute("href") === `#${view}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  if (state === null) return;
  if (view !== open) await refresh(view, EVERYTHING);
  open = view;
  requests.mark(number);
  await entry.open(view === "requests" ? number : null, state.settings);
}

async function refresh(view, kinds) {
  if (view === "requests") await requests.show(state, kinds);
  else if (view === "pets") await pets.show(state, kinds);
  else if (view === "sessions") await sessions.show(state);
}

// --- The server's state ---

/** @param {Set<string> | null} kinds of changes; null: anything may have changed */
async function changed(kinds) {
  if (contract === null) {
    contract = await loadContract();
    pets.start(contract.newPet);
  }
  const first = state === null;
  state = await control("state");
  if (kinds === null) requests.reset();
  document.querySelector("main").inert = false; // inert until now: no action works without a state
  showHeader();
  scenarios.show(state);
  gates.show(state);
  origins.show(state);
  tryit.show(byId("try-body"), state, contract.operations);
  await (first ? showView() : refresh(route().view, kinds ?? EVERYTHING));
}

function showHeader() {
  const { settings, counts, active } = state;
  document.title = state.session === "default" ? "mockpets" : `${state.session} - mockpets`;
  setText(byId("version"), state.version);
  setText(byId("base-url"), address(settings.base_path));
  setText(byId("key"), settings.key);
  setText(byId("key-name"), settings.any_key ? "Key (any key works)" : "Key");
  setText(byId("session"), state.session);
  setText(byId("count-requests"), counts.requests.toLocaleString("en"));
  setText(byId("count-pets"), counts.pets?.toLocaleString("en") ?? "");
  setText(byId("count-sessions"), counts.sessions.toLocaleString("en"));
  setText(byId("count-held"), counts.held ? `${counts.held} held` : "");
  byId("count-held").classList.toggle("strong", counts.held > 0);
  keyed(byId("active"), active, (name) => name, createActive);
  setText(byId("precedence"), active.length > 1 ? "The first has precedence." : "");
}

function createActive(name) {
  const stop = el("button", { type: "button", class: "quiet", "aria-label": `Deactivate ${name}`, "data-does": "stop", onclick: handler(() => scenarios.activate(scenarios.without(state.active, name))) }, "×");
  const node = el("li", {}, el("b", {}, name), stop);
  return { node, update: () => { stop.hidden = state.active.length === 1 && name === "default"; } };
}

function showConnection(problem) {
  const node = byId("link");
  const status = problem ? "off" : "on";
  if (node.dataset.is === status) return;
  node.dataset.is = status;
  setText(node.querySelector("b"), problem ? "Disconnected" : "Live");
  if (problem?.status) notice(problem.message, "failed");
  else if (problem) notice("Cannot reach the server. Is it still running? Retrying.", "failed");
  else byId("alerts").replaceChildren();
}

async function reset() {
  await control("reset", { method: "POST" });
  notice("Session reset: initial pets restored, counters reset, request log cleared.");
}

storeUrlToken();
byId("base-url").after(copyButton(() => byId("base-url").textContent, "Copy base URL"));
byId("key").after(copyButton(() => byId("key").textContent, "Copy key"));
byId("reset").addEventListener("click", handler(reset));
byId("skip").addEventListener("click", handler(async () => {
  location.hash = "#requests";
  await showView();
  byId("view-requests").focus();
}));
origins.start();
scenarios.start();
requests.start();
sessions.start();
addEventListener("hashchange", handler(showView));
wide.addEventListener("change", handler(showView));
handler(showView)();
watch(changed, showConnection);
announce("");
