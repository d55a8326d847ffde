// The palette, which finds scenarios, sessions and actions; and the dialog of the sessions.

import { LOG_ACTIONS, opens, shut } from "./actions.js";
import { Dialog, matching, Picker } from "./overlays.js";
import { LISTED } from "./pages.js";
import { html, useEffect, useState } from "./preact.js";
import {
  act,
  activate,
  call,
  go,
  link,
  loadedState,
  panelOf,
  releaseAll,
  resetSession,
  stack,
  store,
  viewKeys,
  waysToName,
} from "./store.js";
import { Kbd } from "./ui.js";
import { count } from "./values.js";

/**
 * @import { ScenarioSummary, SessionSummary } from "../../../kit/control.js"
 * @import { Option } from "./overlays.js"
 */

const REFRESH_MS = 2000;

/** Load the sessions while an overlay is open. */
function useSessions() {
  const [sessions, setSessions] = useState(
    /** @type {SessionSummary[]} */ ([]),
  );
  useEffect(() => {
    const load = () =>
      act(async () => setSessions((await call("GET /sessions")).sessions));
    void load();
    const timer = setInterval(() => void load(), REFRESH_MS);
    return () => clearInterval(timer);
  }, []);
  return sessions;
}

/**
 * @param {SessionSummary} row
 * @returns {Option}
 */
const sessionOption = (row) => ({
  id: `session-${row.name}`,
  group: "Sessions",
  icon: "sessions",
  name: row.name,
  hint: `${row.active.join(", ")} · ${count(row.requests, "request")}`,
  end: html`
    ${row.name === store.session && html`<span class="soft">current</span>`}
    <span
      class="dot ${row.idle_seconds < 5 ? "on" : ""}"
      title=${row.idle_seconds < 5 ? "Receiving requests" : undefined}
    ></span>
  `,
  does: () => {
    location.href = panelOf(row.name) + link(store.route.view);
  },
});

/**
 * @param {ScenarioSummary} scenario
 * @returns {Option}
 */
function scenarioOption({ name, description, group }) {
  const { active } = loadedState();
  const place = active.indexOf(name);
  return {
    id: `scenario-${name}`,
    group: "Scenarios",
    icon: "scenarios",
    name,
    hint: description ?? "",
    tags: group,
    end: place >= 0 && html`<span class="soft">active, ${place + 1}</span>`,
    does: (event) => {
      if (event.altKey) return go("scenarios", name);
      const isStacked = event.ctrlKey || event.metaKey;
      return isStacked ? stack(name) : activate([name]);
    },
  };
}

/** @returns {Option[]} */
function actionOptions() {
  const { counts } = loadedState();
  /** @type {Omit<Option, "id" | "group">[]} */
  const actions = [
    {
      name: "Reset session",
      icon: "reset",
      keys: "r",
      hint: `${store.session}: ${count(counts.requests, "request")}`,
      does: resetSession,
    },
    ...LOG_ACTIONS,
    ...LISTED.map(([id, page]) => ({
      name: `Go to ${page.name}`,
      icon: id,
      keys: `g ${page.key}`,
      does: () => go(id),
    })),
    {
      name: "Go to Reference",
      icon: "reference",
      keys: "g f",
      does: () => {
        location.href = "docs";
      },
    },
    {
      name: "Keyboard shortcuts",
      icon: "keys",
      keys: "?",
      does: opens("keys"),
    },
  ];
  const resend = viewKeys.get("resend");
  if (resend)
    actions.splice(1, 0, {
      name: "Resend the selected request",
      icon: "try",
      does: resend,
    });
  if (counts.held)
    actions.unshift({
      name: "Release all held responses",
      icon: "release",
      hint: count(counts.held, "response"),
      does: () => releaseAll(),
    });
  return actions.map((action) => ({
    id: action.name.replaceAll(" ", "-"),
    group: "Actions",
    ...action,
  }));
}

const MOST = { Scenarios: 5, Sessions: 4, Actions: 5 }; // found of a group, so that all are in view

export function Palette() {
  const sessions = useSessions();
  const groups = {
    Scenarios: loadedState()
      .scenarios.filter(({ description }) => description !== null)
      .map(scenarioOption),
    Sessions: sessions.map(sessionOption),
    Actions: actionOptions(),
  };
  const options = (/** @type {string} */ text) => {
    const searched = text.trim().toLowerCase();
    if (!searched) return Object.values(groups).flat();
    // Groups with a matching name come first: "release all" means the action, not a description.
    const isNamed = (/** @type {keyof typeof groups} */ name) =>
      Number(
        groups[name].some((each) => each.name.toLowerCase().includes(searched)),
      );
    return /** @type {const} */ (["Scenarios", "Sessions", "Actions"])
      .toSorted((one, other) => isNamed(other) - isNamed(one))
      .flatMap((name) => matching(groups[name], text).slice(0, MOST[name]));
  };
  return html`<${Dialog} label="Search" class="palette" close=${shut}>
    <${Picker}
      label="Search scenarios, sessions and actions"
      placeholder="Search scenarios, sessions and actions"
      options=${options}
      close=${shut}
      footer=${html`
        <${Kbd} keys="↑ ↓" /> move <${Kbd} keys="Enter" /> activate only
        this <${Kbd} keys="Ctrl Enter" /> stack on
        top <${Kbd} keys="Alt Enter" /> edit
      `}
    />
  <//>`;
}

/** The dialog that opens, names and creates sessions. */
export function Switcher() {
  const sessions = useSessions();
  const { active } = loadedState();
  const session = { name: store.session, active };
  /** @type {Option[]} */
  const ways = waysToName(session).map(({ what, text, does }) => ({
    id: `copy-${what}`,
    group: `Send requests to ${store.session}`,
    icon: "copy",
    name: `Copy ${what}`,
    hint: text,
    does,
  }));
  const options = (/** @type {string} */ text) => {
    const name = text.trim();
    const found = [
      ...matching(sessions.map(sessionOption), text),
      ...matching(ways, text),
    ];
    if (name && !sessions.some((row) => row.name === name))
      found.push({
        id: "create",
        group: "New",
        icon: "add",
        name: `Create ${name}`,
        does: () => createSession(name),
      });
    return found;
  };
  return html`<${Dialog} label="Sessions" class="switch" close=${shut}>
    <${Picker}
      label="Search sessions, or type a new name"
      placeholder="Search, or type a new name"
      options=${options}
      close=${shut}
    />
  <//>`;
}

/** @param {string} name */
async function createSession(name) {
  const session = await call("PUT /sessions/{name}", {
    path: { name },
    body: {},
  });
  location.href = panelOf(session.name) + link(store.route.view);
}
