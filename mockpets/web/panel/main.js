// The shell: top bar, rail, the open view, palette, session switcher, keys and menu.

import {
  html,
  render,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "./preact.js";
import Requests from "./requests.js";
import {
  act,
  activate,
  call,
  download,
  go,
  handler,
  link,
  panelOf,
  placeOf,
  releaseAll,
  resetSession,
  stack,
  start,
  store,
  toast,
  update,
  viewKeys,
  waysToName,
} from "./store.js";
import { Dialog, matching, Menu, Picker, Toasts } from "./overlays.js";
import { Button, Chip, CopyButton, EmptyState, Icon, Kbd } from "./ui.js";
import { count } from "./values.js";

/** The views: their name, the key after `g`, and the module. */
const PAGES = {
  requests: {
    name: "Requests",
    key: "r",
    view: Requests,
    count: () => store.state.counts.requests,
  },
  scenarios: {
    name: "Scenarios",
    key: "s",
    load: () => import("./scenarios.js"),
    count: () => store.state.scenarios.length,
  },
  states: { name: "States", key: "a", load: () => import("./states.js") },
  data: {
    name: "Data",
    key: "d",
    load: () => import("./data.js"),
    count: () => store.state.counts.records,
  },
  sessions: {
    name: "Sessions",
    key: "e",
    load: () => import("./sessions.js"),
    count: () => store.state.counts.sessions,
  },
  findings: { name: "Findings", key: "i", load: () => import("./findings.js") },
  contract: { name: "Contract", key: "c", load: () => import("./contract.js") },
  try: { name: "Try it", key: "t", load: () => import("./try.js") },
};

const open = (overlay) => () => update({ overlay });
const shut = open(null);

// --- Top bar ---

const icon = /** @type {HTMLLinkElement} */ (
  document.querySelector("link[rel=icon]")
).href;

function TopBar() {
  const { state, problem, session } = store;
  const connection = problem
    ? "Disconnected"
    : problem === null
      ? "Live"
      : "Connecting";
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
      onClick=${open("sessions")}
    >
      <span class="dot ${problem === null ? "on" : ""}"></span>
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
        title="Clock of the session"
        onClick=${open("clock")}
      >
        <${Icon} name="clock" />
        ${clockText(state.clock)}
      </button>`
    }
    <span class="live ${problem ? "off" : ""}" id="live">
      <span class="dot ${problem === null ? "on" : ""}"></span>
      <span>${connection}</span>
    </span>
    <button
      type="button"
      class="field search-button"
      title="Search scenarios, sessions and actions"
      onClick=${open("palette")}
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

/** Return the time of a session's clock, such as "2030-12-06 09:00, frozen". */
const clockText = ({ now, frozen }) =>
  `${now.slice(0, 16).replace("T", " ")}${frozen ? ", frozen" : ""}`;

/** Return what the menu and the palette offer. */
const logActions = () => [
  { name: "Record from the next request", icon: "try", does: record },
  {
    name: "Save recording as a scenario",
    icon: "scenarios",
    does: saveRecording,
  },
  { name: "Save requests as HAR", icon: "save", does: saveHar },
];

async function record() {
  await call("POST /recording");
  toast("Recording. Use your app, then open the menu and save the recording.");
}

async function saveRecording() {
  const { yaml, requests, stubs, notes } = await call("GET /recording");
  const { editNew } = await import("./scenarios.js");
  editNew("recorded", yaml);
  toast(
    [
      `Recorded ${count(requests, "request")} with ${count(stubs, "stub")}.`,
      ...notes,
    ].join("\n"),
  );
}

function menuItems() {
  const theme = document.documentElement.dataset.theme ?? "auto";
  return [
    ...[
      ["auto", "System theme"],
      ["light", "Light theme"],
      ["dark", "Dark theme"],
    ].map(([value, text]) => ({
      text,
      checked: theme === value,
      does: () => setTheme(value),
    })),
    null,
    { text: "Reset session", icon: "reset", keys: "r", does: resetSession },
    {
      text: "Clock",
      icon: "clock",
      hint: store.state?.clock ? clockText(store.state.clock) : "real time",
      does: open("clock"),
    },
    ...logActions().map(({ name, ...action }) => ({ text: name, ...action })),
    { text: "Keyboard shortcuts", icon: "keys", keys: "?", does: open("keys") },
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
      hint: store.state ? `mockpets ${store.state.version}` : "",
    },
  ];
}

/** Keep a choice of the reader, unless the browser blocks storage. */
function keep(name, value) {
  try {
    localStorage.setItem(`mockpets-${name}`, value);
  } catch {
    // The choice applies to this page only.
  }
}

function setTheme(value) {
  document.documentElement.dataset.theme = value;
  keep("theme", value);
  update({});
}

const isCollapsed = () => document.documentElement.dataset.rail === "collapsed";

function toggleRail() {
  document.documentElement.dataset.rail = isCollapsed() ? "open" : "collapsed";
  keep("rail", document.documentElement.dataset.rail);
  update({});
}

async function saveHar() {
  const har = await call("GET /requests.har", {
    query: { limit: store.state.settings.journal_size },
  });
  download(`mockpets-${store.session}.har`, JSON.stringify(har, null, 1));
}

/** The active scenarios as chips, which the mouse drags and Shift with an arrow key moves. */
function Scenarios({ active }) {
  const list = useRef(null);
  const [moved, setMoved] = useState(null);
  const [dragged, setDragged] = useState(null);
  useLayoutEffect(() => {
    if (moved)
      list.current
        .querySelector(`[data-name="${CSS.escape(moved)}"] .chip-name`)
        ?.focus();
  }, [active.join()]);
  const move = (name, to) => {
    if (to < 0 || to >= active.length) return undefined;
    const rest = active.filter((each) => each !== name);
    setMoved(name);
    return activate([...rest.slice(0, to), name, ...rest.slice(to)]);
  };
  const keyDown = (event, name) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step && event.shiftKey)
      handler(() => move(name, active.indexOf(name) + step))(event);
  };
  const drop = (event, to) =>
    handler(() => dragged && move(dragged, to))(event);
  const chip = (name, index) => html`<li
    key=${name}
    data-name=${name}
    draggable="true"
    onDragStart=${(event) => {
      event.dataTransfer.setData("text/plain", name);
      setDragged(name);
    }}
    onDragEnd=${() => setDragged(null)}
    onDragOver=${(event) => dragged && event.preventDefault()}
    onDrop=${(event) => drop(event, index)}
  >
    <${Chip}
      label=${`Deactivate ${name}`}
      remove=${
        name === "default" && active.length === 1
          ? null
          : () => activate(active.filter((each) => each !== name))
      }
    >
      <button
        type="button"
        class="chip-name"
        title=${
          active.length > 1
            ? `${name}: drag it, or press Shift and an arrow key, to change the order; the first takes precedence`
            : name
        }
        onKeyDown=${(event) => keyDown(event, name)}
        onClick=${() => go(...placeOf(name))}
      >
        ${active.length > 1 && html`<span class="n">${index + 1} </span>`}
        <span class="name">${name}</span>
      </button>
    <//>
  </li>`;
  return html`
    <ul class="chips" id="active" aria-label="Active scenarios" ref=${list}>
      ${active.map(chip)}
    </ul>
    <${Button}
      kind="ghost"
      class="add-scenario"
      icon="add"
      label="Add a scenario"
      does=${open("palette")}
    />
    <button
      type="button"
      class="chip one-chip"
      title="Active scenarios"
      onClick=${open("palette")}
    >
      <span class="name">${active[0]}</span>
      ${active.length > 1 && html`<span class="n">+${active.length - 1}</span>`}
    </button>
  `;
}

// --- Rail, and the tabs of a phone ---

function NavLink({ id, page }) {
  const { state, route } = store;
  const n = id === "findings" ? store.findings : state && page.count?.();
  return html`<a
    href=${link(id, null, id === "requests" ? store.requestParams : {})}
    title=${page.name}
    aria-current=${route.view === id ? "page" : undefined}
  >
    <${Icon} name=${id} />
    <span>${page.name}</span>
    ${
      n !== undefined &&
      n !== null &&
      html`<span class="n">${n.toLocaleString("en")}</span>`
    }
  </a>`;
}

function Rail() {
  const { state } = store;
  const broken = state
    ? state.scenarios.filter((row) => row.problems.length)
    : [];
  const problems = broken.length + (state?.folder_problems.length ?? 0);
  const origins = rejected();
  const phone = ["requests", "scenarios", "data"];
  return html`
    <nav class="rail" aria-label="Views">
      ${Object.entries(PAGES).map(
        ([id, page]) => html`<${NavLink} id=${id} page=${page} key=${id} />`,
      )}
      <a href="docs" title="Reference">
        <${Icon} name="reference" />
        <span>Reference</span>
      </a>
      <span class="grow"></span>
      ${
        origins.length > 0 &&
        html`<button
          type="button"
          class="origins"
          title="Rejected pages"
          onClick=${open("origins")}
        >
          <${Icon} name="alert" />
          <span>${count(origins.length, "rejected page")}</span>
        </button>`
      }
      ${
        problems > 0 &&
        html`<a
          class="problems"
          href=${link("scenarios", broken[0]?.name ?? null)}
          title="Problems in scenario files"
        >
          <${Icon} name="alert" />
          <span>${count(problems, "problem")}</span>
        </a>`
      }
      <p class="rail-foot soft">
        <span>${location.host}</span>
        <span>Version ${state?.version}</span>
      </p>
    </nav>
    <nav class="tabs-bottom" aria-label="Tabs">
      ${phone.map(
        (id) => html`<${NavLink} id=${id} page=${PAGES[id]} key=${id} />`,
      )}
      <button
        type="button"
        aria-haspopup="dialog"
        aria-current=${phone.includes(store.route.view) ? undefined : "page"}
        onClick=${open("more")}
      >
        <${Icon} name="more" />
        <span>More</span>
      </button>
    </nav>
  `;
}

// --- Pages on other origins whose control calls were rejected: their browser shows only a CORS error ---

const dismissed = new Set();
const rejected = () =>
  (store.state?.rejected_origins ?? []).filter(
    (origin) => !dismissed.has(origin),
  );

function Origins() {
  const dismiss = () => {
    for (const origin of rejected()) dismissed.add(origin);
    shut();
  };
  return html`<${Dialog} label="Rejected pages" close=${shut}>
    <h2>Rejected pages</h2>
    <p>
      Pages on other origins called the control API and were rejected; their
      browser reports a CORS error. To allow a page that you trust, restart the
      server with its option:
    </p>
    <ul class="rows">
      ${rejected().map((origin) =>
        origin === "null"
          ? html`<li>
            A page without an origin, such as a local file. Serve it from localhost instead.
          </li>`
          : html`<li>
            <code>--control-origin ${origin}</code>
            <${CopyButton}
              text=${() => `--control-origin ${origin}`}
              label=${`Copy option for ${origin}`}
            />
          </li>`,
      )}
    </ul>
    <div class="line">
      <${Button} text="Dismiss" does=${dismiss} />
      <${Button} text="Close" does=${shut} />
    </div>
  <//>`;
}

// --- Palette and session switcher ---

/** Load the sessions while an overlay is open. */
function useSessions() {
  const [sessions, setSessions] = useState([]);
  useEffect(() => {
    const load = () =>
      act(async () => setSessions((await call("GET /sessions")).sessions));
    load();
    const timer = setInterval(load, 2000);
    return () => clearInterval(timer);
  }, []);
  return sessions;
}

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
      title=${row.idle_seconds < 5 ? "Traffic now" : undefined}
    ></span>
  `,
  does: () => {
    location.href = panelOf(row.name) + link(store.route.view);
  },
});

function Palette() {
  const sessions = useSessions();
  const { state } = store;
  const scenarios = state.scenarios
    .filter((row) => row.description !== null)
    .map((row) => ({
      id: `scenario-${row.name}`,
      group: "Scenarios",
      icon: "scenarios",
      name: row.name,
      hint: row.description,
      tags: [row.group, ...(row.tags ?? [])].join(" "),
      end:
        state.active.includes(row.name) &&
        html`<span class="soft">
          in use, ${state.active.indexOf(row.name) + 1}
        </span>`,
      does: (event) =>
        event.altKey
          ? go("scenarios", row.name)
          : event.ctrlKey || event.metaKey
            ? stack(row.name)
            : activate([row.name]),
    }));
  const actions = [
    state.counts.held > 0 && {
      name: "Release all held responses",
      icon: "release",
      hint: count(state.counts.held, "response"),
      does: () => releaseAll(),
    },
    {
      name: "Reset session",
      icon: "reset",
      keys: "r",
      hint: `${store.session}: ${count(state.counts.requests, "request")}`,
      does: resetSession,
    },
    viewKeys.has("resend") && {
      name: "Resend the selected request",
      icon: "try",
      does: () => viewKeys.get("resend")(),
    },
    ...logActions(),
    ...Object.entries(PAGES).map(([id, page]) => ({
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
    { name: "Keyboard shortcuts", icon: "keys", keys: "?", does: open("keys") },
  ]
    .filter(Boolean)
    .map((action) => ({
      id: action.name.replaceAll(" ", "-"),
      group: "Actions",
      ...action,
    }));
  const most = (text, group) =>
    !text.trim() ? Infinity : group[0]?.group === "Sessions" ? 4 : 5; // so that all groups are in view
  const options = (text) => {
    // Groups with a matching name come first: "release all" means the action, not a description.
    const isNamed = (group) =>
      Number(
        group.some(({ name }) =>
          name.toLowerCase().includes(text.trim().toLowerCase()),
        ),
      );
    const groups = [scenarios, sessions.map(sessionOption), actions].sort(
      (one, other) => isNamed(other) - isNamed(one),
    );
    return groups.flatMap((group) =>
      matching(group, text).slice(0, most(text, group)),
    );
  };
  return html`<${Dialog} label="Search" class="palette" close=${shut}>
    <${Picker}
      label="Search scenarios, sessions and actions"
      placeholder="Search scenarios, sessions and actions"
      options=${options}
      close=${shut}
      footer=${html`
        <${Kbd} keys="↑ ↓" /> move <${Kbd} keys="Enter" /> use only
        this <${Kbd} keys="Ctrl Enter" /> stack on
        top <${Kbd} keys="Alt Enter" /> edit
      `}
    />
  <//>`;
}

function Switcher() {
  const sessions = useSessions();
  const ways = waysToName({
    name: store.session,
    active: store.state.active,
  }).map(({ what, text, does }) => ({
    id: `copy-${what}`,
    group: `Use ${store.session}`,
    icon: "copy",
    name: `Copy ${what}`,
    hint: text,
    does,
  }));
  const options = (text) => {
    const name = text.trim();
    const create = name &&
      !sessions.some((row) => row.name === name) && {
        id: "create",
        group: "New",
        icon: "add",
        name: `Create ${name}`,
        does: () => createSession(name),
      };
    return [
      ...matching(sessions.map(sessionOption), text),
      ...matching(ways, text),
      create,
    ].filter(Boolean);
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

async function createSession(name) {
  const session = await call("PUT /sessions/{name}", {
    path: { name },
    body: {},
  });
  location.href = panelOf(session.name) + link(store.route.view);
}

// --- Keys ---

const KEYS = [
  ["/", "Filter or search"],
  ["j", "Next row"],
  ["k", "Previous row"],
  ["Enter", "Open the row"],
  ["Esc", "Close what is open"],
  ["x", "Clear the request log"],
  ["r", "Reset the session"],
  ["Ctrl K", "Search scenarios, sessions and actions"],
  ...Object.values(PAGES).map((page) => [
    `g ${page.key}`,
    `Go to ${page.name}`,
  ]),
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

function pressKey(event) {
  const inField = event.target.closest?.(
    "input, textarea, select, [contenteditable]",
  );
  if (store.prompt || !store.state) return;
  if (
    (event.ctrlKey || event.metaKey) &&
    !event.altKey &&
    event.key.toLowerCase() === "k"
  ) {
    event.preventDefault();
    update({ overlay: store.overlay === "palette" ? null : "palette" });
    return;
  }
  if (
    inField ||
    store.overlay ||
    event.ctrlKey ||
    event.metaKey ||
    event.altKey ||
    event.target.closest?.("[role=menu], dialog")
  )
    return;
  const does = afterG
    ? goKey(event.key)
    : (shellKeys[event.key] ?? viewKeys.get(event.key));
  afterG = !afterG && event.key === "g";
  if (!does) return;
  event.preventDefault();
  act(() => does(event));
}

function goKey(key) {
  if (key === "f")
    return () => {
      location.href = "docs";
    };
  const id = Object.keys(PAGES).find((each) => PAGES[each].key === key);
  return id && (() => go(id));
}

const shellKeys = {
  "/": () =>
    /** @type {HTMLElement | null} */ (
      document.querySelector("main [data-search]")
    )?.focus(),
  "?": open("keys"),
  r: resetSession,
};

// --- The page ---

function More() {
  const rest = ["states", "sessions", "findings", "contract", "try"];
  return html`<${Dialog} label="More" class="more" close=${shut}>
    <ul>
      ${rest.map(
        (id) => html`<li key=${id} onClick=${shut}>
          <${NavLink} id=${id} page=${PAGES[id]} />
        </li>`,
      )}
      <li>
        <a href="docs">
          <${Icon} name="reference" />
          <span>Reference</span>
        </a>
      </li>
    </ul>
    <p class="live soft">
      <span class="dot on"></span>
      ${location.host}, version ${store.state?.version}
    </p>
    <${Button} text="Close" does=${shut} />
  <//>`;
}

function TokenPrompt({ message, answer }) {
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

/** The dialog of the clock, whose module is loaded the first time. */
function Clock() {
  const [module, setModule] = useState(null);
  useEffect(() => {
    act(async () => setModule(await import("./clock.js")));
  }, []);
  return module && html`<${module.default} close=${shut} />`;
}

const OVERLAYS = {
  clock: Clock,
  palette: Palette,
  sessions: Switcher,
  keys: Shortcuts,
  more: More,
  origins: Origins,
};

let styles = null;

/** Load the styles of the views other than the first. */
function loadStyles() {
  styles ??= document.head.appendChild(
    Object.assign(document.createElement("link"), {
      rel: "stylesheet",
      href: new URL("views.css", import.meta.url).href,
    }),
  );
}

/** The open view; its module is loaded the first time. */
function View() {
  const { view } = store.route;
  const page = PAGES[view];
  const [failed, setFailed] = useState(null);
  useEffect(() => {
    if (page.view || failed === view) return;
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
  const Overlay = state && OVERLAYS[overlay];
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
start(() => render(html`<${App} />`, document.body));
