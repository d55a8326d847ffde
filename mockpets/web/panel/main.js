// The shell: the bar, the rail, the open view, overlays and keys.

import { opens, shut } from "./actions.js";
import { Lazy } from "./loading.js";
import { Dialog, Toasts } from "./overlays.js";
import { LISTED, PAGES } from "./pages.js";
import { Palette, Switcher } from "./palette.js";
import { html, render, useEffect, useRef, useState } from "./preact.js";
import { More, Origins, Rail } from "./rail.js";
import {
  act,
  go,
  handler,
  resetSession,
  start,
  store,
  update,
  viewKeys,
} from "./store.js";
import { TopBar } from "./top-bar.js";
import { Button, EmptyState, Kbd } from "./ui.js";

/**
 * @import { Ref } from "./preact.js"
 * @import { Store } from "./store.js"
 */

// --- Keys ---

/**
 * @param {string} key
 * @param {string} name
 * @returns {[keys: string, does: string]}
 */
const viewKey = (key, name) => [`g ${key}`, `Go to ${name}`];

/** @type {[keys: string, does: string][]} */
const KEYS = [
  ["/", "Filter or search"],
  ["j", "Next row"],
  ["k", "Previous row"],
  ["Enter", "Open the row"],
  ["Esc", "Close what is open"],
  ["x", "Clear the request log"],
  ["r", "Reset the session"],
  ["Ctrl K", "Search scenarios, sessions and actions"],
  ...Object.values(PAGES).map(({ key, name }) => viewKey(key, name)),
  ["g f", "Go to Reference"],
  ["?", "Keyboard shortcuts"],
];

const Shortcuts =
  () => html`<${Dialog} label="Keyboard shortcuts" close=${shut}>
    <h2>Keyboard shortcuts</h2>
    <dl class="facts">
      ${KEYS.map(
        ([keys, text]) => html`<div>
          <dt>
            <${Kbd} keys=${keys} />
            <span class="away">${keys}</span>
          </dt>
          <dd>${text}</dd>
        </div>`,
      )}
    </dl>
    <${Button} text="Close" does=${shut} />
  <//>`;

let afterG = false; // whether the last key was g

const FIELDS = "input, textarea, select, [contenteditable]";

/** @param {KeyboardEvent} event */
function pressKey(event) {
  if (store.prompt || !store.state) return;
  const target = event.target instanceof Element ? event.target : document.body;
  const { key, ctrlKey, metaKey, altKey } = event;
  if ((ctrlKey || metaKey) && !altKey && key.toLowerCase() === "k") {
    event.preventDefault();
    update({ overlay: store.overlay === "palette" ? null : "palette" });
    return;
  }
  const isTaken = target.closest(`${FIELDS}, [role=menu], dialog`);
  if (isTaken || store.overlay || ctrlKey || metaKey || altKey) return;
  const does = afterG ? goKey(key) : (shellKeys[key] ?? viewKeys.get(key));
  afterG = !afterG && key === "g";
  if (!does) return;
  event.preventDefault();
  void act(does);
}

/**
 * Return what a key after `g` does.
 * @param {string} key
 */
function goKey(key) {
  if (key === "f")
    return () => {
      location.href = "docs";
    };
  const [id] = LISTED.find(([, each]) => each.key === key) ?? [];
  return id && (() => go(id));
}

/** @type {Partial<Record<string, () => unknown>>} */
const shellKeys = {
  "/": () => {
    /** @type {HTMLElement | null} */
    const field = document.querySelector("main [data-search]");
    field?.focus();
  },
  "?": opens("keys"),
  r: resetSession,
};

// --- The page ---

/** @param {NonNullable<Store["prompt"]>} properties */
function TokenPrompt({ message, answer }) {
  /** @type {Ref<HTMLInputElement>} */
  const field = useRef(null);
  return html`<${Dialog} label="Control token">
    <form onSubmit=${handler(() => answer(field.current.value))}>
      <h2>Control token</h2>
      <p>${message}</p>
      <label>
        Token${" "}
        <input
          ref=${field}
          id="token"
          type="password"
          autocomplete="off"
          required
          autofocus
        />
      </label>
      <p class="soft">Stored in this tab only.</p>
      <button class="button primary">Continue</button>
    </form>
  <//>`;
}

const clockModule = () => import("./clock.js");

const Clock = () =>
  html`<${Lazy} module=${clockModule} name="default" close=${shut} />`;

const OVERLAYS = {
  clock: Clock,
  palette: Palette,
  sessions: Switcher,
  keys: Shortcuts,
  more: More,
  origins: Origins,
};

let hasStyles = false;

/** Load the styles of the views other than the first. */
function loadStyles() {
  if (hasStyles) return;
  hasStyles = true;
  const { href } = new URL("views.css", import.meta.url);
  const link = document.createElement("link");
  document.head.append(Object.assign(link, { rel: "stylesheet", href }));
}

/** The open view; its module is loaded the first time. */
function View() {
  const { view } = store.route;
  const page = PAGES[view];
  const [failed, setFailed] = useState("");
  useEffect(() => {
    if (page.view || !page.load || failed === view) return;
    loadStyles();
    page.load().then(
      (module) => {
        page.view = module.default;
        update({});
      },
      () => setFailed(view),
    );
  }, [view]);
  if (failed === view) {
    return html`<${EmptyState} title="This view could not be loaded">
      <p>The server may have been updated or stopped.</p>
      <${Button} text="Reload the page" does=${() => location.reload()} />
    <//>`;
  }
  return store.state && page.view
    ? html`<${page.view} store=${store} key=${view} />`
    : null;
}

function App() {
  const { state, route, overlay, prompt } = store;
  document.title =
    store.session === "default" ? "mockpets" : `${store.session} - mockpets`;
  const Overlay = state && overlay && OVERLAYS[overlay];
  return html`
    <div class="app">
      <main id="view-${route.view}">
        <h1 class="away">${PAGES[route.view].name}</h1>
        <${View} />
      </main>
      <${TopBar} />
      <${Rail} />
    </div>
    <p id="news" class="away" role="status">${store.news}</p>
    <${Toasts} />
    ${Overlay && html`<${Overlay} />`}
    ${prompt && html`<${TokenPrompt} ...${prompt} />`}
  `;
}

try {
  document.documentElement.dataset.rail =
    localStorage.getItem("mockpets-rail") ?? "open";
} catch {
  // The browser blocks storage.
}
addEventListener("keydown", pressKey);
void start(() => render(html`<${App} />`, document.body));
