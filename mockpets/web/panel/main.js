// The panel: asks for `state`, hands it to the parts that show it, and does so again at each change.

import { address, control, takeToken } from "./api.js";
import { loadContract } from "./contract.js";
import { announce, byId, copyButton, doing, el, keyed, notice, setText } from "./dom.js";
import * as entry from "./entry.js";
import * as gates from "./gates.js";
import { watch } from "./live.js";
import * as pets from "./pets.js";
import * as requests from "./requests.js";
import * as scenarios from "./scenarios.js";
import * as sessions from "./sessions.js";
import * as tryit from "./tryit.js";

const VIEWS = ["scenarios", "requests", "pets", "try", "gates", "sessions"];
const wide = matchMedia("(min-width: 1100px)");

const EVERYTHING = new Set(["requests", "scenario", "pets", "snapshots", "gates", "sessions", "files"]);

let contract = null;
let state = null;
let open = null; // the view that is open

// --- Which view is open: the address says it ---

function place() {
  const [view, number] = location.hash.slice(1).split("/");
  const known = VIEWS.includes(view) ? view : wide.matches ? "requests" : "scenarios";
  // Where there is room the scenarios stand beside the others, always.
  return { view: wide.matches && known === "scenarios" ? "requests" : known, number: /^\d+$/.test(number) ? Number(number) : null };
}

async function showView() {
  const { view, number } = place();
  for (const name of VIEWS) byId(`view-${name}`).hidden = name !== view;
  for (const link of document.querySelectorAll("nav a")) {
    if (link.getAttribute("href") === `#${view}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  if (state === null) return;
  if (view !== open) await showIn(view, EVERYTHING);
  open = view;
  requests.mark(number);
  await entry.open(view === "requests" ? number : null, state.settings);
}

async function showIn(view, kinds) {
  if (view === "requests") await requests.show(state, kinds);
  else if (view === "pets") await pets.show(state, kinds);
  else if (view === "sessions") await sessions.show(state);
}

// --- What the server has ---

/** @param {Set<string> | null} kinds null: all of it may be other than it was */
async function changed(kinds) {
  if (contract === null) {
    contract = await loadContract();
    pets.start(contract.newPet);
  }
  const first = state === null;
  state = await control("state");
  if (kinds === null) requests.anew();
  document.querySelector("main").inert = false; // what could be done without a state would fail
  showHeader();
  scenarios.show(state);
  gates.show(state);
  tryit.show(byId("try-body"), state, contract.operations);
  await (first ? showView() : showIn(place().view, kinds ?? EVERYTHING));
}

function showHeader() {
  const { settings, counts, active } = state;
  document.title = state.session === "default" ? "mockpets" : `${state.session} - mockpets`;
  setText(byId("version"), state.version);
  setText(byId("base-url"), address(settings.base_path));
  setText(byId("key"), settings.key);
  setText(byId("key-name"), settings.any_key ? "Key (any will do)" : "Key");
  setText(byId("session"), state.session);
  setText(byId("count-requests"), counts.requests.toLocaleString("en"));
  setText(byId("count-pets"), counts.pets?.toLocaleString("en") ?? "");
  setText(byId("count-sessions"), counts.sessions.toLocaleString("en"));
  setText(byId("count-held"), counts.held ? `${counts.held} held` : "");
  byId("count-held").classList.toggle("strong", counts.held > 0);
  keyed(byId("active"), active, (name) => name, makeActive);
  setText(byId("precedence"), active.length > 1 ? "The first has precedence." : "");
}

function makeActive(name) {
  const stop = el("button", { type: "button", class: "quiet", "aria-label": `Stop ${name}`, "data-does": "stop", onclick: doing(() => scenarios.activate(scenarios.without(state.active, name))) }, "×");
  const node = el("li", {}, el("b", {}, name), stop);
  return { node, update: () => { stop.hidden = state.active.length === 1 && name === "default"; } };
}

function link(problem) {
  const node = byId("link");
  const is = problem ? "off" : "on";
  if (node.dataset.is === is) return;
  node.dataset.is = is;
  setText(node.querySelector("b"), problem ? "No answer" : "Live");
  if (problem?.status) notice(problem.message, "failed");
  else if (problem) notice("The server does not answer. Is it still running? Trying again.", "failed");
  else byId("alerts").replaceChildren();
}

async function reset() {
  await control("reset", { method: "POST" });
  notice("Reset: pets, counters and the journal are as at the start.");
}

takeToken();
byId("base-url").after(copyButton(() => byId("base-url").textContent, "Copy the base URL"));
byId("key").after(copyButton(() => byId("key").textContent, "Copy the key"));
byId("reset").addEventListener("click", doing(reset));
byId("skip").addEventListener("click", doing(async () => {
  location.hash = "#requests";
  await showView();
  byId("view-requests").focus();
}));
scenarios.start();
requests.start();
sessions.start();
addEventListener("hashchange", doing(showView));
wide.addEventListener("change", doing(showView));
doing(showView)();
watch(changed, link);
announce("");
