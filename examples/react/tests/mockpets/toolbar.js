// mockpets 0.2.0: written by "mockpets kit"; run it again, do not edit; agents: mockpets skill
/* eslint-disable */
// @ts-nocheck: the declarations have the types

// A toolbar in your own app: it shows and switches the scenarios of the app's session and the states of its operations, delays its
// responses, asks for each one, and opens links that carry a state. The declarations have the documentation.
// It needs no other file, not even the client, so that it is small. Everything is in a shadow root, and nothing is global.

const NAME = "mockpets"; // of the cookie, of the parameter in links, and of the event after a switch
const OWN = "mockpets-toolbar"; // the element, and the scenario of this session that delays and holds
const GATE = "toolbar";
const REQUESTS = 10;
const CHECKED = 50; // last requests, to find one of the page
const DEFAULT_URL = "http://localhost:7387";
const PROTOCOL = 2; // of the server, as in the client
const UNDO_MS = 8_000;
const NOTE_MS = 4_000;
const TICK_MS = 100;
const WAIT_SECONDS = 25;
const PAUSE_MS = 100; // minimum time between two polls
const RETRY_MS = 500;
const FAILURES = 3; // polls in a row that may fail while the server restarts
const DELAYS = [["Off", ""], ["300 ms", "300ms"], ["1 s", "1s"], ["3 s", "3s"]];
const LOGO = "M3.2 9.4a1.5 1.5 0 1 0 0-3 1.500 1.500 0 0 0 0 3ZM6.200 6.100a1.600 1.600 0 1 0 0-3.200 1.600 1.600 0 0 0 0 3.200ZM9.800 6.100a1.600 1.600 0 1 0 0-3.200 1.600 1.600 0 0 0 0 3.200ZM12.800 9.400a1.500 1.500 0 1 0 0-3 1.500 1.500 0 0 0 0 3ZM8 7.500c-2 0-3.700 1.900-3.700 3.600 0 1.300.9 1.900 1.900 1.900h3.600c1 0 1.900-.6 1.900-1.900 0-1.700-1.700-3.600-3.700-3.600Z";
const ICONS = {
  link: "M6.700 9.300a3 3 0 0 0 4.300 0l2-2a3 3 0 0 0-4.300-4.300l-1 1M9.300 6.700a3 3 0 0 0-4.300 0l-2 2a3 3 0 0 0 4.300 4.300l1-1",
  open: "M9 2.500h4.500V7M13.500 2.500 7.500 8.500M11.500 9.500v4h-9v-9h4",
  close: "M3.500 3.500l9 9M12.500 3.500l-9 9",
  down: "M3.500 6 8 10.500 12.500 6",
  up: "M3.500 10 8 5.500l4.500 4.500",
};

// --- The session of the app: in a link, or in the cookie ---

/** Return a session, which may be empty, and its scenarios. */
const split = (text) => text.split(/[+ ]/).filter((name, index) => name || !index);

function cookie() {
  const value = /(?:^|;\s*)mockpets=([^;]*)/.exec(document.cookie)?.[1] ?? "";
  try {
    return decodeURIComponent(value);
  } catch {
    return value; // for the server to reject
  }
}

function setCookie(names) {
  const value = encodeURIComponent(names.join("+"));
  document.cookie = `${NAME}=${value}; Path=/; SameSite=Lax${value ? "" : "; Max-Age=0"}`;
}

let linked = 0; // when the cookie got its state: earlier requests of the page were sent without it

/** Move the state from the page's address to the cookie; return its names, and whether the page has requested data before. */
function followLink() {
  const url = new URL(location.href);
  const before = cookie();
  const names = split(url.searchParams.get(NAME) ?? before);
  if (url.searchParams.has(NAME)) {
    url.searchParams.delete(NAME);
    history.replaceState(history.state, "", url);
    setCookie(names);
    if (cookie() !== before) linked = performance.now();
  }
  const hasRequested = performance.getEntriesByType("resource").some(({ initiatorType }) => ["fetch", "xmlhttprequest"].includes(initiatorType));
  return { names, isLate: cookie() !== before && (hasRequested || document.readyState === "complete") };
}

/** Return the page's address with the session and its scenarios. */
function link() {
  const url = new URL(location.href);
  url.searchParams.set(NAME, [session(), ...stack()].join("+"));
  return url.href;
}

// --- The server ---

const source = new URL(import.meta.url);
const given = document.documentElement.dataset.mockpetsUrl; // of <html>, which no text of a visitor can change
const loaded = given === undefined ? source.origin + source.pathname : `${httpUrl(given)}/__mockpets/toolbar.js`;
const [, server = DEFAULT_URL, servedFor] = /^(.+?)(?:\/~([^/+]+)[^/]*)?\/__mockpets\/toolbar\.js$/.exec(loaded) ?? [];
const session = () => split(cookie())[0] || servedFor || "default";

/** Return an absolute HTTP URL without its last slash; empty if the text is not one, or has a user name or password. */
function httpUrl(text) {
  try {
    const { href, protocol, username, password } = new URL(text, location.href);
    return /^https?:$/.test(protocol) && !username && !password ? href.replace(/\/$/, "") : "";
  } catch {
    return "";
  }
}

/** Call the server. The error of a rejected call has its `status`. */
async function call(method, path, body, signal) {
  const headers = { "Mockpets-Session": encodeURIComponent(session()), ...(body && { "Content-Type": "application/json" }) };
  const response = await fetch(`${server}/__mockpets/${path}`, { method, headers, body: JSON.stringify(body), credentials: "omit", signal });
  const value = await response.json();
  if (!response.ok) throw Object.assign(new Error(value.message), { status: response.status });
  return value;
}

let polling = new AbortController();

const sleep = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });

/** Wait for changes and show them. Hidden pages do not, since a browser opens few connections to a server. */
async function listen() {
  polling.abort();
  if (document.hidden || !host.isConnected) return;
  polling = new AbortController();
  const { signal } = polling;
  let since, failures = 0;
  while (!signal.aborted) {
    try {
      const { change, changed } = await call("GET", since === undefined ? "events" : `events?since=${since}&wait=${WAIT_SECONDS}`, undefined, signal);
      const matters = since === undefined || change < since || changed.some((kind) => view.open || kind !== "requests");
      since = change;
      if (changed.includes("files")) view.operations = undefined;
      failures = 0;
      if (matters) {
        await load();
        render();
      }
      await sleep(PAUSE_MS);
    } catch (error) {
      if (signal.aborted) return;
      if (++failures > FAILURES) leave(error.status ? error.message : `${server} no longer responds`);
      await sleep(RETRY_MS);
    }
  }
}

async function load() {
  const get = (path) => call("GET", path);
  const [state, { held }, { requests }] = await Promise.all([get("state"), get("held"), view.open ? get(`requests?limit=${REQUESTS}`) : { requests: [] }]);
  if (state.protocol !== PROTOCOL) throw new Error(`${server} is mockpets ${state.version}, and this toolbar is for another version; update the older one`);
  view.state = state;
  if (view.open) view.operations ??= (await get("contract")).contracts.flatMap(({ operations }) => operations);
  const { text } = state.active.includes(OWN) ? await get(`scenarios/${OWN}`) : { text: "" }; // as `activate` sends it
  const asked = held.filter(({ gate, waits }) => gate === GATE && waits === "held");
  if (asked.length > view.asked.length) view.news = `Choose the response to ${asked[0].method} ${shownPath(asked[0].target)}`;
  const added = { ask: text.includes('"hold"'), delay: /"delay":"(\w+)"/.exec(text)?.[1] ?? "" };
  Object.assign(view, { state, held, asked, requests: requests.reverse(), loaded: performance.now(), ...added });
}

/** Run something, then show the result or its error. */
async function show(action) {
  view.problem = view.note = "";
  try {
    await action();
  } catch (error) {
    if (error.name !== "AbortError") view.problem = error.status ? error.message : `Cannot reach ${server}. Is it still running?`;
  }
  render();
}

/** Return an event handler for an action. It stops the poll, whose connection the action may need, and starts it again. */
const does = (action, refetches) => () => show(async () => {
  polling.abort();
  try {
    await action();
    await load();
    if (refetches) refetch();
  } finally {
    listen();
  }
});

/** Tell the app that its data has changed; reload the page unless the app loads the data itself. */
function refetch() {
  if (!dispatchEvent(new CustomEvent(NAME, { cancelable: true }))) return;
  keep({ focus: root.activeElement?.id });
  location.reload();
}

// --- Actions ---

/** The active scenarios. Those in the cookie take precedence over the session's. */
const stack = () => {
  const [, ...named] = split(cookie());
  return named.length ? named : view.state.active.filter((name) => name !== OWN);
};

/** Return what activates a scenario. A document that was sent to the session is active only once, so send it again. */
async function again(name) {
  if (!view.state.scenarios.some((each) => each.name === name && each.inline)) return name;
  const { override, text } = await call("GET", `scenarios/${name}`);
  return override ? name : JSON.parse(text);
}

/** Activate scenarios with what the toolbar adds. The cookie then names only the session. */
async function activate(names, { delay = view.delay, ask = view.ask } = {}) {
  const stubs = [...(ask ? [{ name: "ask", hold: GATE }] : []), ...(delay ? [{ name: "delay", delay }] : [])];
  const own = stubs.length > 0;
  if (own) await call("PUT", `overrides/${OWN}`, { description: "What the toolbar in the app adds.", stubs });
  const wanted = [...(own ? [OWN] : []), ...(names.length || own ? names : ["default"])];
  if (wanted.join() !== view.state.active.join()) await call("PUT", "scenario", { scenario: await Promise.all(wanted.map(again)) });
  if (!own && view.state.active.includes(OWN)) await call("DELETE", `overrides/${OWN}`);
  if (!ask && view.ask) await call("POST", `gates/${GATE}/open`);
  if (cookie()) setCookie([session()]);
  if (session() === "default") view.advice = ""; // requests without a cookie are in this session too
}

/** Return what of an operation an expression sets, such as `getPet:response` for `getPet:404`; of a scenario, its name. */
const aspect = (name) => name.replace(/:[\d.]+[ms]+$/, ":delay").replace(/:(?!(?:delay|hold)$).*/, ":response");

const add = (name, only) => activate(only ? [name] : [name, ...stack().filter((each) => aspect(each) !== aspect(name) && each !== "default")]);
const remove = (name) => activate(stack().filter((each) => each !== name));

async function reset() {
  await call("POST", "reset");
  keep({ undo: Date.now() + UNDO_MS });
}

async function undo() {
  await call("POST", `sessions/${session()}/undo`);
  keep({ undo: 0 });
}

let noted; // the timer that removes the note

async function copyLink() {
  const href = link();
  clearTimeout(noted);
  try {
    await navigator.clipboard.writeText(href);
    view.note = "Link copied";
    noted = setTimeout(() => {
      view.note = view.news = "";
      render();
    }, NOTE_MS);
  } catch {
    view.note = `Copy this link: ${href}`; // the page may not write to the clipboard
  }
  view.news = view.note;
}

const release = (number, instead) => call("POST", "held/release", { requests: [number], ...instead });

async function explain(number) {
  view.why = view.why?.number === number ? null : { number, text: (await call("GET", `requests/${number}/explain`)).summary };
}

/** Return the responses to choose from: label, reply or delay, and whether the request cannot get it. */
function replies({ status, path, operation }) {
  const { faults } = view.state;
  const { collections, errors } = contractOf(path) ?? { collections: [], errors: {} };
  const failure = (code) => ({ reply: errors[code] ? { error: errors[code] } : { status: code } });
  return [
    [`Real ${status ?? ""}`, {}],
    ["401", failure(401)],
    ["404", failure(404)],
    ["500", failure(500)],
    ["Empty", { reply: { page: [] } }, collections.every(({ lists }) => !lists.includes(operation))],
    ["Slow", { delay: "3s" }],
    ["Broken", { reply: { fault: Object.keys(faults).find((kind) => faults[kind] === "cut") } }],
  ];
}

// --- What is shown ---

/** Return the contract to which a path without a session belongs, if any. */
function contractOf(path) {
  const found = view.state.contracts.filter(({ base }) => `${path}/`.startsWith(`${base}/`));
  return found.sort((one, other) => other.base.length - one.base.length)[0];
}

/** Return a path and query without the session and the base path. */
function shownPath(target) {
  const path = target.replace(/^\/~[^/]*/, "");
  const base = contractOf(path.split("?")[0])?.base ?? "";
  return path.startsWith(`${base}/`) ? path.slice(base.length) : path;
}

const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`;
const waited = (row) => seconds(row.waited_ms + performance.now() - view.loaded);

function duration(ms) {
  if (ms < 9.95) return `${ms.toFixed(1)} ms`;
  return ms < 999.5 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(2)} s`;
}

/** Return the status of a request: text, class, and a second, quieter text. */
function statusOf({ status, outcome, fault, waits }) {
  if (outcome === "pending") return [{ held: "held", throttled: "sending" }[waits] ?? "delayed", waits === "held" ? "held" : "soft", status ?? ""];
  if (outcome === "client_left") return ["left", "soft", status ?? ""];
  const word = fault ? view.state.faults[fault] : "";
  if (status === null) return [word || "none", "server", ""];
  return [status, ["", "", "ok", "", "client", "server"][Math.floor(status / 100)], word];
}

const view = { open: false, search: "", listed: false, option: 0, corner: "bottom right", news: "", note: "", problem: "", undo: 0, asked: [], ...stored(sessionStorage), ...stored(localStorage) };

function stored(storage) {
  try {
    return JSON.parse(storage.getItem(OWN)) ?? {};
  } catch {
    return {}; // the browser blocks storage
  }
}

/** Change what the toolbar remembers: its corner forever, the rest until the tab is closed. */
function keep(values) {
  Object.assign(view, values);
  const { open, undo: until, focus, corner } = view;
  try {
    sessionStorage.setItem(OWN, JSON.stringify({ open, undo: until, focus }));
    localStorage.setItem(OWN, JSON.stringify({ corner }));
  } catch {
    // It remembers nothing.
  }
}

const host = document.createElement(OWN);
const root = host.attachShadow({ mode: "closed" }); // the locators of the app's tests must not find our controls
const byId = (id) => root.getElementById(id);

/** An element of the toolbar. Any other object, such as one that a server sends in place of a text, is shown as text. */
class Wanted {
  constructor(tag, properties, children) {
    Object.assign(this, { tag, properties, children });
  }
}

const h = (tag, properties, ...children) => new Wanted(tag, properties ?? {}, children.flat().filter((child) => child || child === 0));

/** Make the children of an element those that are wanted; elements with the same tag and key stay, with their focus. */
function patch(parent, wanted) {
  let next = parent.firstChild;
  for (const each of wanted) {
    const { tag = "#text", properties = {}, children = [] } = each instanceof Wanted ? each : {};
    const fits = (node) => node?.nodeName.toLowerCase() === tag && node.key === properties.key;
    let node = next;
    while (node && !fits(node)) node = properties.key === undefined ? null : node.nextSibling;
    if (!node) {
      const isSvg = tag === "svg" || tag === "path";
      node = tag === "#text" ? new Text() : isSvg ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
      node.key = properties.key;
    }
    if (node === next) next = next.nextSibling;
    else parent.insertBefore(node, next);
    if (tag !== "#text") {
      for (const name of Object.keys({ ...node.given, ...properties })) set(node, name, properties[name]);
      node.given = properties;
      patch(node, children);
    } else if (node.data !== String(each)) node.data = String(each);
  }
  while (next) [next] = [next.nextSibling, next.remove()];
}

function set(node, name, value) {
  if (name.startsWith("on") || name === "value") node[name] = value ?? null;
  else if (value === undefined || value === false) node.removeAttribute(name);
  else if (name !== "key" && node.getAttribute(name) !== String(value)) node.setAttribute(name, value);
}

const icon = (name) => h("svg", { viewBox: "0 0 16 16", width: 16, height: 16, "aria-hidden": "true" }, h("path", { d: ICONS[name] }));
const logo = () => h("svg", { class: "logo", viewBox: "-2 -2 20 20", "aria-hidden": "true" }, h("path", { d: LOGO }));
const button = (id, label, onclick, ...children) => h("button", { id, key: id, "aria-label": label, title: label, onclick }, ...children);

function options() {
  const { active, scenarios } = view.state;
  const words = view.search.toLowerCase();
  const rank = ({ name, description }) => (name.startsWith(words) ? 0 : name.includes(words) ? 1 : description.toLowerCase().includes(words) ? 2 : 3);
  // An invalid file has no description.
  const described = scenarios.map(({ name, description, problems }) => ({ name, description: description ?? problems[0] ?? "" }));
  return described.filter((each) => rank(each) < 3 && each.name !== OWN && !active.includes(each.name)).sort((one, other) => rank(one) - rank(other));
}

function scenarioField() {
  const found = view.listed ? options() : [];
  const choose = (name, only) => {
    Object.assign(view, { search: "", listed: false, option: 0 });
    does(() => add(name, only), true)();
  };
  const onkeydown = (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && view.listed && found.length) view.option = (view.option + step + found.length) % found.length;
    else if (step) view.listed = true;
    else if (event.key === "Enter" && found[view.option]) choose(found[view.option].name, event.ctrlKey || event.metaKey);
    else if (event.key === "Escape" && view.listed) view.listed = false;
    else return;
    event.preventDefault();
    event.stopPropagation();
    render();
    byId(`option-${view.option}`)?.scrollIntoView({ block: "nearest" });
  };
  const show = (event) => {
    Object.assign(view, { listed: true, option: 0, search: event.target.value });
    render();
  };
  const onblur = () => {
    view.listed = false;
    queueMicrotask(render); // later, because `render` may be what removes the field
  };
  const row = ({ name, description }, index) => h("div", {
    role: "option", id: `option-${index}`, key: name, "aria-selected": String(index === view.option), title: description,
    onmousedown(event) {
      event.preventDefault(); // keeps the focus in the field
      choose(name, event.ctrlKey || event.metaKey);
    },
  }, h("b", null, name), h("span", { class: "soft" }, description));
  return [
    h("input", {
      id: "add", key: "add", role: "combobox", "aria-label": "Add a scenario", placeholder: "Add a scenario", autocomplete: "off", spellcheck: "false", value: view.search,
      "aria-expanded": String(found.length > 0), "aria-controls": "options", "aria-activedescendant": found[view.option] && `option-${view.option}`, oninput: show, onclick: show, onkeydown, onblur,
    }),
    h("div", { key: "options", id: "options", role: "listbox", "aria-label": "Scenarios", hidden: !found.length }, found.map(row)),
    view.listed && h("p", { key: "hint", class: "soft hint" }, found.length ? "Enter adds it. Ctrl+Enter uses only this one." : "No scenario matches."),
  ];
}

function scenarios() {
  const names = stack();
  const chip = (name, index) => h("li", { key: name }, h("span", { class: "soft" }, index + 1), h("b", null, name),
    button(`remove-${name}`, `Remove ${name}`, does(() => remove(name), true), icon("close")));
  return h("section", { key: "scenarios" },
    h("div", { class: "line" }, h("h2", { class: "soft" }, "Scenarios"),
      view.undo > Date.now() && [h("span", { key: "done", class: "soft" }, "Session reset"), h("button", { id: "undo", key: "undo", class: "text", onclick: does(undo, true) }, "Undo")],
      h("button", { id: "reset", key: "reset", class: "text", onclick: does(reset, true) }, "Reset")),
    h("div", { class: "stack" }, h("ol", { "aria-label": "Active scenarios" }, names.map(chip)), scenarioField()));
}

function switches() {
  const change = (values) => does(() => activate(stack(), values));
  return h("section", { key: "switches" },
    h("div", { class: "line" }, h("h2", { id: "delays" }, "Delay for all"), h("div", { role: "group", class: "segments", "aria-labelledby": "delays" }, DELAYS.map(([label, delay]) =>
      h("button", { id: `delay-${delay}`, key: delay, "aria-pressed": String(delay === view.delay), onclick: change({ delay }) }, label)))),
    h("div", { class: "line" }, h("h2", null, h("label", { id: "asks", for: "ask" }, "Ask before each response")),
      h("button", { id: "ask", role: "switch", "aria-checked": String(view.ask), "aria-labelledby": "asks", onclick: change({ ask: !view.ask }) })));
}

function asking([row, ...others]) {
  const reply = ([label, instead, isDisabled = false], index) => h("button", {
    id: `reply-${index}`, key: index, class: index ? "" : "primary", title: instead.delay && "After 3 s",
    disabled: isDisabled, onclick: does(() => release(row.request, instead)),
  }, label);
  return h("section", { key: "asked", class: "asked", "aria-label": "Held request" },
    h("div", { class: "line" }, h("b", { class: "held" }, "held"), h("code", { class: "soft" }, row.method), h("code", { class: "path" }, shownPath(row.target)),
      others.length > 0 && h("span", { key: "more", class: "soft" }, `and ${others.length} more`), h("span", { key: "waited", class: "held" }, waited(row))),
    h("div", { class: "replies", role: "group", "aria-label": "Respond with" }, replies(row).map(reply)));
}

/** Return the place of a state in a row: the statuses come first, in their order. */
const rank = (state) => (/^\d{3}(?!\w)/.test(state) ? Number(state.slice(0, 3)) : 600);

/** Return the operations of the last requests, and those with a state, with their states. */
function operations() {
  const active = stack();
  const ownOf = (name) => active.filter((each) => each.startsWith(`${name}:`)).map((each) => each.slice(name.length + 1));
  const shown = view.operations?.filter(({ name }) => ownOf(name).length || view.requests.some(({ operation }) => operation === name)) ?? [];
  const row = ({ name, method, path, states, role }) => {
    const own = ownOf(name);
    const more = view.more === name ? ["429", "503", ...Object.keys(view.state.faults)] : [];
    const all = new Set([...states, "500", ...(role === "list" ? ["empty"] : []), "3s", "hold", "offline", ...more, ...own]);
    const chip = (state) => h("button", {
      id: `${name}:${state}`, key: state, class: own.includes(state) ? "primary" : "", "aria-pressed": String(own.includes(state)),
      onclick: does(() => (own.includes(state) ? remove : add)(`${name}:${state}`), true),
    }, state);
    return h("li", { key: name }, h("div", { class: "line" }, h("code", { class: "soft" }, method), h("code", { class: "path" }, path)),
      h("div", { class: "states", role: "group", "aria-label": name }, [...all].sort((one, other) => rank(one) - rank(other)).map(chip), button(`more-${name}`, `More states of ${name}`, () => show(() => { view.more = view.more === name ? "" : name; }), "…")));
  };
  return shown.length > 0 && h("section", { key: "operations" }, h("h2", { class: "soft" }, "States"), h("ul", null, shown.map(row)));
}

function requestRow(row) {
  const { number, notes, stubs } = row;
  const [text, kind, more] = statusOf(row);
  const wait = view.held.find(({ request }) => request === number);
  const unmatched = notes.some(({ code }) => code === "unmatched");
  const stub = stubs.filter((label) => !label.startsWith(`${OWN}/`)).at(-1)?.replace(/^.*?\//, "") ?? "";
  const time = wait ? waited(wait) : duration(row.total_ms ?? row.app_ms + row.delay_ms);
  const isHeld = wait?.waits === "held";
  return h("li", { key: number, class: isHeld ? "waits" : "" },
    h("button", { id: `request-${number}`, class: "request", "aria-expanded": String(view.why?.number === number), title: `${row.method} ${row.target}`, onclick: () => show(() => explain(number)) },
      h("span", null, h("b", { class: kind }, text), more !== "" && h("small", { class: "soft" }, more)), h("code", { class: "soft" }, row.method), h("code", { class: "path" }, shownPath(row.target)),
      h("span", { class: unmatched ? "stub held" : "stub soft" }, unmatched ? "unmatched" : stub), !isHeld && h("span", { key: "time", class: "soft time" }, time)),
    isHeld && h("button", { id: `release-${number}`, key: "release", class: "held", "aria-label": `Release request ${number}`, onclick: does(() => release(number)) }, "Release"),
    view.why?.number === number && h("p", { key: "why", class: "why" }, `${view.why.text}. `, h("a", { href: `${panelUrl()}#requests/${number}`, target: "_blank", rel: "noopener" }, "Open in the panel")));
}

function requests() {
  const rows = view.requests.filter(({ number }) => !view.asked.some(({ request }) => request === number));
  return h("section", { key: "requests" }, h("h2", { class: "soft" }, "Last requests"),
    rows.length ? h("ul", { key: "rows", class: "rows" }, rows.map(requestRow)) : h("p", { key: "none", class: "soft" }, "None yet."));
}

const panelUrl = () => `${server}${session() === "default" ? "" : `/~${session()}`}/__mockpets/`;

function panel() {
  return h("div", { key: "panel", id: "panel", role: "dialog", "aria-label": "mockpets" },
    h("div", { class: "line head" }, logo(), h("b", null, session()), h("i", { class: "live", role: "img", "aria-label": "Connected" }),
      button("link", "Copy link", () => show(copyLink), icon("link")),
      h("a", { id: "open", href: panelUrl(), target: "_blank", rel: "noopener", "aria-label": "Open panel", title: "Open panel" }, icon("open")),
      button("close", "Close", () => toggle(false), icon("close"))),
    view.problem && h("p", { key: "problem", class: "server problem", role: "alert" }, view.problem),
    view.advice && h("p", { key: "advice", class: "held problem" }, view.advice),
    view.note && h("p", { key: "note", class: "soft problem" }, view.note),
    scenarios(), switches(), view.asked.length > 0 && asking(view.asked), operations(), requests());
}

function pill() {
  const { asked, open } = view;
  const named = session() === "default" ? "" : `${session()} · `;
  return h("button", { id: "pill", key: "pill", title: "Alt+M opens and closes. Drag it, or use the arrow keys, to move it to another corner.", "aria-expanded": String(open), "aria-controls": "panel", onclick: () => toggle(!open), onkeydown: moveByKey, onpointerdown: drag },
    logo(), h("span", { class: "away" }, "mockpets: "), h("span", { class: "path" }, named + stack().join(" + ")), view.advice && h("b", { key: "unsent", class: "held" }, "not sent"), asked.length > 0 && h("b", { key: "held", class: "held" }, `${asked.length} held`), icon(open ? "down" : "up"));
}

/** Focus on a control, or on what is left near it. */
const focusOn = (id) => (byId(id) ?? byId(id.startsWith("reply") ? "ask" : "add") ?? byId("pill")).focus();

let timer = null;

function render() {
  if (!view.state || !host.isConnected) return;
  const { id } = root.activeElement ?? {};
  root.firstElementChild.className = view.corner;
  patch(root.firstElementChild, [pill(), view.open && panel(), h("p", { key: "news", class: "news", role: "status" }, view.news)].filter(Boolean));
  if (id && !root.activeElement) focusOn(id);
  const ticks = view.open && (view.held.length > 0 || view.undo > Date.now());
  if (ticks && !timer) timer = setInterval(render, TICK_MS);
  if (!ticks && timer) timer = clearInterval(timer) ?? null;
}

// --- Opening, moving, leaving ---

let focused = null; // before the toolbar was opened

function toggle(open) {
  if (open) focused = document.activeElement;
  keep({ open });
  Object.assign(view, { search: "", listed: false, why: null });
  listen();
  show(load).then(() => {
    if (open) byId("add")?.focus();
    else if (focused?.isConnected && focused !== document.body && focused !== host) focused.focus();
    else byId("pill").focus();
  });
}

function moveTo(vertical, horizontal) {
  keep({ corner: `${vertical} ${horizontal}` });
  render();
}

function moveByKey({ key }) {
  const [vertical, horizontal] = view.corner.split(" ");
  if (key === "ArrowUp" || key === "ArrowDown") moveTo(key === "ArrowUp" ? "top" : "bottom", horizontal);
  if (key === "ArrowLeft" || key === "ArrowRight") moveTo(vertical, key.slice(5).toLowerCase());
}

function drag({ currentTarget: target, pointerId, clientX, clientY }) {
  target.setPointerCapture(pointerId);
  target.onpointerup = (event) => {
    if (Math.hypot(event.clientX - clientX, event.clientY - clientY) < 16) return;
    target.addEventListener("click", (click) => click.stopImmediatePropagation(), { once: true, capture: true });
    moveTo(event.clientY < innerHeight / 2 ? "top" : "bottom", event.clientX < innerWidth / 2 ? "left" : "right");
  };
}

function onKey(event) {
  if (event.code !== "KeyM" || !event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  event.stopPropagation();
  toggle(!view.open);
}

let blocked = "";

function onPolicy({ effectiveDirective, blockedURI }) {
  if (effectiveDirective === "connect-src" && blockedURI.startsWith(new URL(server).origin)) blocked = effectiveDirective;
}

/** Remove the toolbar, and report why in one line. */
function leave(reason) {
  host.remove();
  polling.abort();
  clearInterval(timer);
  removeEventListener("keydown", onKey, true);
  document.removeEventListener("visibilitychange", listen);
  console.warn(`mockpets: the toolbar is off: ${reason}`);
}

/** Report why a link has no effect: a browser sends the cookie to another origin only with credentials. */
function checkCookie() {
  if (!cookie() || new URL(server).origin === location.origin) return;
  // Without a response, as of a request that the page aborts, `responseStart` is 0.
  const isCall = (path) => !/^\/(?:~|__mockpets\/)/.test(path) && contractOf(path) !== undefined;
  const counts = ({ name, startTime, responseStart }) => name.startsWith(`${server}/`) && isCall(name.slice(server.length).split("?")[0]) && startTime >= linked && responseStart > 0;
  const observer = new PerformanceObserver(async (entries) => {
    const sent = entries.getEntries().find(counts);
    if (!sent) return;
    observer.disconnect();
    const log = await call("GET", `requests?limit=${CHECKED}`).catch(() => null);
    if (!log) return;
    const { pathname } = new URL(sent.name);
    const last = log.requests.findLast(({ path, outcome }) => outcome !== "pending" && pathname.endsWith(path));
    const [, ...named] = split(cookie());
    if (last && (!named.length || String(last.scenarios).toLowerCase() === String(named).toLowerCase())) return;
    view.news = view.advice = 'The link has no effect: the requests of this page do not send its state. Add this to their options: credentials: "include" (axios: withCredentials: true)';
    console.warn(`mockpets: ${view.advice}`);
    render();
  });
  observer.observe({ type: "resource", buffered: true });
}

const CSS = `
:host { display: contents !important }
[role=region] { all: initial; color-scheme: light dark; --ground: light-dark(#fff, #15181b); --line: light-dark(#e6e8eb, #24282d); --text: light-dark(#16181d, #eceef0); --soft: light-dark(#60656f, #9ba1aa);
  --accent: light-dark(#0b6659, #4cc9b4); --on-accent: light-dark(#fff, #06211d); --ok: light-dark(#157040, #5ccb8a); --client: light-dark(#9a5005, #e8a854); --server: light-dark(#c4281c, #ff8a80);
  --held: light-dark(#6e43b8, #b79cf0); --edge: light-dark(#7c828c, #7a818c); --hover: light-dark(#f6f7f8, #1b1f23); --selected: light-dark(#e4f1ee, #12302c); --chip: light-dark(#eff1f3, #22272c);
  --raised: light-dark(#fff, #1a1e22); --on: light-dark(#fff, #353b43); --held-ground: light-dark(#f4effc, #221b33); --shadow: 0 8px 24px rgb(0 0 0 / .18);
  position: fixed; z-index: 2147483647; display: flex; flex-direction: column-reverse; align-items: end; gap: 8px; max-width: calc(100vw - 32px); font: 13px/20px system-ui, sans-serif; color: var(--text) }
* { margin: 0; padding: 0 } *, ::before { box-sizing: border-box }
[hidden] { display: none !important }
.bottom { bottom: 16px } .top { top: 16px; flex-direction: column } .right { right: 16px } .left { left: 16px; align-items: start }
ul, ol { list-style: none }
h2 { font: inherit; flex: 1 } b { font-weight: 600 } small { font-size: 12px; margin-left: 4px }
code { font: 12px/20px ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace }
a { color: var(--accent) }
.soft { color: var(--soft) } .ok { color: var(--ok) } .client { color: var(--client) } .server { color: var(--server) } .held { color: var(--held) }
.away, .news { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap }
.line { display: flex; align-items: center; gap: 8px; min-height: 24px }
.path { overflow: hidden; text-overflow: ellipsis; white-space: nowrap }
svg { flex: none; fill: none; stroke: currentcolor; stroke-width: 1.5; stroke-linecap: round; stroke-linejoin: round }
.logo { width: 20px; height: 20px; border-radius: 5px; background: #0b6659; fill: #fff; stroke: none }
button, input { font: inherit; color: inherit; border: 1px solid var(--line); border-radius: 6px; background: var(--raised); min-height: 24px; padding: 1px 8px; text-align: inherit }
button { cursor: pointer; font-weight: 500; white-space: nowrap } button:hover { background: var(--hover) } button:disabled { color: var(--soft); opacity: .6; cursor: not-allowed }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px }
#pill { display: flex; align-items: center; gap: 8px; height: 36px; padding: 0 12px 0 8px; border-radius: 18px; background: var(--ground); box-shadow: var(--shadow); max-width: 100%; touch-action: none; user-select: none }
p#pill { height: auto; padding: 8px 12px 8px 8px; overflow-wrap: anywhere }
#pill > svg:last-child { width: 12px; height: 12px; color: var(--soft) }
#panel { width: 400px; max-width: 100%; max-height: calc(100vh - 76px); overflow: auto; border: 1px solid var(--line); border-radius: 10px; background: var(--ground); box-shadow: var(--shadow); scrollbar-width: thin }
.head { height: 44px; padding: 0 6px 0 12px }
.head b { overflow: hidden; text-overflow: ellipsis; white-space: nowrap }
.live { flex: none; width: 8px; height: 8px; margin-right: auto; border-radius: 50%; background: var(--ok) }
.head :is(button, a) { display: grid; place-items: center; width: 28px; height: 28px; min-height: 0; padding: 0; border: 0; border-radius: 6px; background: none; color: var(--soft) }
.head :is(button, a):hover { background: var(--chip) }
section, .problem { padding: 10px 12px; border-top: 1px solid var(--line) }
.problem { white-space: pre-line; overflow-wrap: anywhere }
.text { border: 0; background: none; padding: 0 2px }
.text:hover { text-decoration: underline }
#undo { color: var(--accent) }
.stack { display: flex; flex-wrap: wrap; gap: 6px; margin-top: 4px }
ol { display: contents }
ol li { display: flex; align-items: center; gap: 5px; max-width: 100%; padding-left: 8px; border-radius: 6px; background: var(--chip) }
ol li b { font-weight: 500; overflow: hidden; text-overflow: ellipsis }
ol button { display: grid; width: 24px; padding: 0; place-items: center; border: 0; background: none } ol svg { width: 11px; height: 11px; color: var(--soft) }
#add { flex: 1; min-width: 140px }
#add::placeholder { color: var(--soft); opacity: 1 }
#options { flex-basis: 100%; max-height: 224px; overflow: auto; scrollbar-width: thin }
[role=option] { display: flex; gap: 8px; padding: 4px 8px; border-radius: 6px; cursor: pointer; white-space: nowrap; overflow: hidden }
[role=option] b { font-weight: 500 } [role=option] span { overflow: hidden; text-overflow: ellipsis }
[role=option]:hover { background: var(--hover) } [role=option][aria-selected=true] { background: var(--selected) }
.hint { flex-basis: 100%; font-size: 12px; line-height: 16px }
.segments { display: flex; padding: 2px; border-radius: 6px; background: var(--chip) }
.segments button { border: 1px solid transparent; border-radius: 4px; background: none; color: var(--soft) }
.segments [aria-pressed=true] { background: var(--on); color: var(--text); border-color: var(--line) }
[role=switch] { width: 32px; height: 18px; min-height: 0; padding: 2px; border: 0; border-radius: 9px; background: var(--edge) }
[role=switch]::before { content: ""; display: block; width: 14px; height: 14px; border-radius: 50%; background: #fff }
[role=switch][aria-checked=true] { background: var(--accent) } [role=switch][aria-checked=true]::before { margin-left: auto; background: var(--on-accent) }
section > .line + .line { margin-top: 8px }
.asked { background: var(--held-ground) } .asked .path { flex: 1 }
.replies { display: flex; flex-wrap: wrap; gap: 4px; margin-top: 6px }
.replies button { flex: auto; padding: 1px 4px; font-size: 12px; text-align: center }
.states { display: flex; flex-wrap: wrap; gap: 4px }
.states button { padding: 1px 6px; font-size: 12px; text-align: center }
.primary { background: var(--accent) !important; color: var(--on-accent); border-color: transparent }
.rows { margin: 2px -6px 0 }
.rows li { display: flex; flex-wrap: wrap; align-items: center }
.request { flex: 1; min-width: 0; display: grid; grid-template-columns: 68px auto minmax(0, 1fr) minmax(0, 84px) 56px; gap: 8px; align-items: center; padding: 4px 6px; border: 0; background: none; font-weight: 400 }
.waits .request { grid-template-columns: 68px auto minmax(0, 1fr) minmax(0, 84px) }
.rows .held:is(button) { margin-right: 6px; border-color: var(--held) }
.stub { overflow: hidden; text-overflow: ellipsis; font-size: 12px } .time { text-align: right; font-size: 12px; font-variant-numeric: tabular-nums }
.why { flex-basis: 100%; padding: 0 6px 6px; overflow-wrap: anywhere }
@media (pointer: coarse) { button, input { min-height: 32px } [role=switch] { min-height: 18px } }
`;

function mount() {
  const style = new CSSStyleSheet(); // a Content-Security-Policy allows it
  style.replaceSync(CSS);
  root.adoptedStyleSheets = [style];
  const frame = document.createElement("div");
  frame.role = "region";
  frame.ariaLabel = "mockpets";
  root.append(frame);
}

/** Return the server's option that lets this page call it; empty if the error has another reason. */
async function missingOption({ status }) {
  if (status === 401) return "--control open";
  if (status !== undefined || blocked) return "";
  const hasResponse = await fetch(`${server}/__mockpets/health`, { mode: "no-cors", credentials: "omit" }).then(() => true, () => false);
  return hasResponse ? `--control-origin ${location.origin}` : "";
}

/** Show only why the toolbar is off, since the page may show another state than its link asks for. */
function warn(option) {
  mount();
  const reason = `The state may be wrong: ${server} rejects this page. Start it with ${option}`;
  root.firstElementChild.className = view.corner;
  patch(root.firstElementChild, [h("p", { id: "pill", role: "alert" }, logo(), h("span", { class: "held" }, reason))]);
  console.warn(`mockpets: ${reason}`);
}

async function start() {
  const { names, isLate } = followLink();
  if (document.querySelector(OWN)) return; // loaded twice
  if (loaded.startsWith("/")) return leave("data-mockpets-url of <html> must be an http or https URL without a user name, such as http://localhost:8080");
  document.addEventListener("securitypolicyviolation", onPolicy);
  document.body.append(host);
  try {
    await load();
  } catch (error) {
    if (error.status === 422) setCookie([]); // it names an invalid session
    await sleep(TICK_MS); // the browser reports a violation later
    const policy = `${blocked} of the page's Content-Security-Policy lacks ${new URL(server).origin}; add it, or forward /__mockpets`;
    const option = await missingOption(error);
    if (option) return warn(option);
    const silence = `cannot connect to ${server}; is mockpets running there, and does it allow ${location.origin} (--control-origin)?`;
    return leave(blocked ? policy : error instanceof TypeError ? silence : error.message);
  }
  mount();
  host.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && view.open) toggle(false);
    event.stopPropagation(); // the keys of the app
  });
  addEventListener("keydown", onKey, true);
  document.addEventListener("visibilitychange", listen);
  const unlisted = names.slice(1).filter((name) => !view.state.scenarios.some((each) => each.name === name));
  // An expression is known, although it is not listed; the error of an unknown name has the nearest one.
  await show(() => Promise.all(unlisted.map((name) => call("GET", `scenarios/${encodeURIComponent(name)}`))));
  if (view.problem) {
    setCookie(names.slice(0, 1));
    keep({ open: true });
  } else if (isLate) refetch();
  render();
  listen();
  if (view.focus) focusOn(view.focus);
  keep({ focus: undefined });
  checkCookie();
}

start();
