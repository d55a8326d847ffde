// The bar at the top: session, active scenarios, clock, search and menu.

import { LOG_ACTIONS, opens } from "./actions.js";
import { Menu } from "./overlays.js";
import { html, useLayoutEffect, useRef, useState } from "./preact.js";
import {
  activate,
  go,
  handler,
  placeOf,
  resetSession,
  store,
  update,
} from "./store.js";
import { Button, Chip, Icon, Kbd, STEPS } from "./ui.js";

/**
 * @import { ClockState } from "../../../kit/control.js"
 * @import { Item } from "./overlays.js"
 * @import { Ref } from "./preact.js"
 */

const icon = /** @type {HTMLLinkElement} */ (
  document.querySelector("link[rel=icon]")
).href;

export function TopBar() {
  const { state, problem, session } = store;
  const isLive = problem === null;
  const connection = isLive ? "Live" : problem ? "Disconnected" : "Connecting";
  return html`<header class="bar">
    <a class="logo" href="#requests" aria-label="mockpets">
      <img src=${icon} alt="" width="24" height="24" />
      <span>mockpets</span>
    </a>
    <button
      type="button"
      class="button ghost switcher"
      aria-haspopup="dialog"
      title="Switch session"
      onClick=${opens("sessions")}
    >
      <span class="dot ${isLive ? "on" : ""}"></span>
      <span class="name" id="session">${session}</span>
      <${Icon} name="down" />
    </button>
    ${state && html`<${Scenarios} active=${state.active} />`}
    <span class="grow"></span>
    ${
      state?.clock &&
      html`<button
        type="button"
        class="chip"
        title="Session clock"
        onClick=${opens("clock")}
      >
        <${Icon} name="clock" />
        ${clockText(state.clock)}
      </button>`
    }
    <span class="live ${problem ? "off" : ""}" id="live">
      <span class="dot ${isLive ? "on" : ""}"></span>
      <span>${connection}</span>
    </span>
    <button
      type="button"
      class="field search-button"
      title="Search scenarios, sessions and actions"
      onClick=${opens("palette")}
    >
      <${Icon} name="search" />
      <span>Search</span>
      <${Kbd} keys="Ctrl K" />
    </button>
    <${Menu}
      kind="ghost"
      icon="more"
      label="Menu"
      align="right"
      items=${menuItems()}
    />
  </header>`;
}

/**
 * Return the time of a session's clock, such as "2030-12-06 09:00, frozen".
 * @param {ClockState} clock
 */
const clockText = ({ now, frozen }) =>
  `${now.slice(0, 16).replace("T", " ")}${frozen ? ", frozen" : ""}`;

/** @returns {(Item | null)[]} */
function menuItems() {
  const { state } = store;
  const theme = document.documentElement.dataset.theme ?? "auto";
  const choice = (/** @type {string} */ value, /** @type {string} */ text) => ({
    text,
    checked: theme === value,
    does: () => setTheme(value),
  });
  return [
    choice("auto", "System theme"),
    choice("light", "Light theme"),
    choice("dark", "Dark theme"),
    null,
    { text: "Reset session", icon: "reset", keys: "r", does: resetSession },
    {
      text: "Clock",
      icon: "clock",
      hint: state?.clock ? clockText(state.clock) : "real time",
      does: opens("clock"),
    },
    ...LOG_ACTIONS.map(({ name, ...action }) => ({ text: name, ...action })),
    {
      text: "Keyboard shortcuts",
      icon: "keys",
      keys: "?",
      does: opens("keys"),
    },
    {
      text: isCollapsed() ? "Expand the sidebar" : "Collapse the sidebar",
      icon: "rail",
      does: toggleRail,
    },
    null,
    {
      text: "Reference",
      icon: "reference",
      href: "docs",
      hint: state ? `mockpets ${state.version}` : "",
    },
  ];
}

/**
 * Keep a choice of the reader, unless the browser blocks storage.
 * @param {string} name
 * @param {string} value
 */
function keep(name, value) {
  try {
    localStorage.setItem(`mockpets-${name}`, value);
  } catch {
    // The choice applies to this page only.
  }
}

/** @param {string} value */
function setTheme(value) {
  document.documentElement.dataset.theme = value;
  keep("theme", value);
  update({});
}

const isCollapsed = () => document.documentElement.dataset.rail === "collapsed";

function toggleRail() {
  const rail = isCollapsed() ? "open" : "collapsed";
  document.documentElement.dataset.rail = rail;
  keep("rail", rail);
  update({});
}

/**
 * The active scenarios as chips, which the mouse drags and Shift with an arrow key moves.
 * @param {{ active: string[] }} properties
 */
function Scenarios({ active }) {
  /** @type {Ref<HTMLElement>} */
  const list = useRef(null);
  const [moved, setMoved] = useState("");
  const [dragged, setDragged] = useState("");
  useLayoutEffect(() => {
    if (!moved) return;
    const name = `[data-name="${CSS.escape(moved)}"] .chip-name`;
    /** @type {HTMLElement | null} */
    const button = list.current.querySelector(name);
    button?.focus();
  }, [active.join()]);
  const move = (/** @type {string} */ name, /** @type {number} */ to) => {
    if (to < 0 || to >= active.length) return undefined;
    const rest = active.filter((each) => each !== name);
    setMoved(name);
    return activate([...rest.slice(0, to), name, ...rest.slice(to)]);
  };
  const chip = (/** @type {string} */ name, /** @type {number} */ index) =>
    html`<${ActiveScenario}
      key=${name}
      name=${name}
      index=${index}
      active=${active}
      move=${move}
      dragged=${dragged}
      drag=${setDragged}
    />`;
  return html`
    <ul class="chips" id="active" aria-label="Active scenarios" ref=${list}>
      ${active.map(chip)}
    </ul>
    <${Button}
      kind="ghost"
      class="add-scenario"
      icon="add"
      label="Add a scenario"
      does=${opens("palette")}
    />
    <button
      type="button"
      class="chip one-chip"
      title="Active scenarios"
      onClick=${opens("palette")}
    >
      <span class="name">${active[0]}</span>
      ${active.length > 1 && html`<span class="n">+${active.length - 1}</span>`}
    </button>
  `;
}

/**
 * @param {{
 *   name: string,
 *   index: number,
 *   active: string[],
 *   move: (name: string, to: number) => unknown,
 *   dragged: string,
 *   drag: (name: string) => void,
 * }} properties
 */
function ActiveScenario({ name, index, active, move, dragged, drag }) {
  const isOnly = active.length === 1;
  const remove = () => activate(active.filter((each) => each !== name));
  const dragStart = (/** @type {DragEvent} */ event) => {
    event.dataTransfer?.setData("text/plain", name);
    drag(name);
  };
  const dragOver = (/** @type {Event} */ event) => {
    if (dragged) event.preventDefault(); // so that it can be dropped here
  };
  const keyDown = (/** @type {KeyboardEvent} */ event) => {
    const step = STEPS[event.key];
    if (step !== undefined && event.shiftKey)
      void handler(() => move(name, index + step))(event);
  };
  const hint = `${name}: drag, or press Shift and an arrow key, to reorder; the first match wins`;
  return html`<li
    data-name=${name}
    draggable="true"
    onDragStart=${dragStart}
    onDragEnd=${() => drag("")}
    onDragOver=${dragOver}
    onDrop=${handler(() => dragged && move(dragged, index))}
  >
    <${Chip}
      label=${`Deactivate ${name}`}
      remove=${isOnly && name === "default" ? null : remove}
    >
      <button
        type="button"
        class="chip-name"
        title=${isOnly ? name : hint}
        onKeyDown=${keyDown}
        onClick=${() => go(...placeOf(name))}
      >
        ${!isOnly && html`<span class="n">${index + 1} </span>`}
        <span class="name">${name}</span>
      </button>
    <//>
  </li>`;
}
