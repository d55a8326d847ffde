// The panel's components, and how values are shown. Texts of the server become text nodes or
// attributes, never markup, so a record cannot inject a script.

import {
  html,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "./preact.js";
import { copy, dismiss, handler, store } from "./store.js";

export { html };

// --- How values are shown ---

/** @param {number} n */
export const count = (n, one, more = `${one}s`) =>
  `${n.toLocaleString("en")} ${n === 1 ? one : more}`;

/** @param {number} bytes */
export const size = (bytes) =>
  bytes < 1024 ? `${bytes} B` : `${(bytes / 1024).toFixed(1)} KiB`;

/** Return milliseconds as "0.7 ms", "421 ms" or "1.20 s". */
export function duration(ms) {
  if (ms < 9.95) return `${ms.toFixed(1)} ms`;
  return ms < 999.5 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(2)} s`;
}

/** Return the local time of day of an ISO 8601 time, with milliseconds. */
export function clock(time) {
  const at = new Date(time);
  const two = (n) => String(n).padStart(2, "0");
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}.${String(at.getMilliseconds()).padStart(3, "0")}`;
}

/** Return how long ago something was: "now", "12 s", "6 min" or "3 h". */
export function ago(seconds) {
  if (seconds < 3) return "now";
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  return seconds < 3600
    ? `${Math.floor(seconds / 60)} min`
    : `${Math.floor(seconds / 3600)} h`;
}

/** Return a path and query with at most this many characters: the middle of the query goes first. */
export function shorten(target, most) {
  if (target.length <= most) return target;
  const start = target.indexOf("?") + 1;
  const rest = most - start;
  if (start && rest >= 5)
    return target.slice(0, start) + middle(target.slice(start), rest);
  return start && start + 1 <= most
    ? `${target.slice(0, start)}…`
    : middle(target, Math.max(5, most));
}

/** Return the path and query of a request without the session's prefix. */
export const shownTarget = (row) => row.target.replace(/^\/~[^/]*/, "");

function middle(text, most) {
  const end = Math.floor((most - 1) / 2);
  return `${text.slice(0, most - 1 - end)}…${text.slice(text.length - end)}`;
}

/** Labels of the notes of requests. */
export const NOTES = {
  off_contract: "off contract",
  unmatched: "unmatched",
  key_missing: "missing key",
  key_invalid: "invalid key",
  limit_out_of_range: "limit out of range",
  server_limit: "server limit",
  ignored_query: "query ignored",
  ignored_cookie: "cookie ignored",
  ignored_headers: "header ignored",
  ignored_members: "properties ignored",
  deprecated: "deprecated",
  released: "released",
  references: "values repeated",
  reference_missing: "value missing",
  repeated: "response repeated",
  clock: "clock set",
  resource: "resource",
};

/** Labels of the outcomes of requests. */
export const OUTCOMES = {
  pending: "pending",
  sent: "sent",
  client_left: "client left",
  broken: "broken",
};

/** Short texts of what waits. */
const WAITS = { held: "held", delayed: "delayed", throttled: "sending" };

/** Return what a request waits for: "held", "delayed" or "throttled"; null if it does not wait. */
export const waitsFor = ({ outcome, waits, hold }) =>
  outcome === "pending" ? (waits ?? (hold ? "held" : "delayed")) : null;

/** Return the class of a status; of another text, none. */
export const kindOf = (status) =>
  ({ 2: "ok", 4: "client", 5: "server" })[Math.floor(status / 100)] ?? "";

/** Return the parts of a request's status: the text, its class, and a second, quieter text. */
export function statusParts(row) {
  const { status, outcome, fault } = row;
  const waits = waitsFor(row);
  if (waits)
    return [
      WAITS[waits],
      waits === "held" ? "held" : "soft",
      status ?? "",
      "soft",
    ];
  if (outcome === "client_left") return ["left", "soft", status ?? "", "soft"];
  if (status === null)
    return [
      store.state.faults[fault] ?? OUTCOMES[outcome] ?? "none",
      "server",
      "",
      "",
    ];
  return [
    String(status),
    kindOf(status),
    fault ? (store.state.faults[fault] ?? fault) : "",
    "server",
  ];
}

/** Whether a request failed: an error status, a broken connection, or a client that left. */
export const hasFailed = ({ outcome, status }) =>
  outcome === "broken" ||
  outcome === "client_left" ||
  (outcome !== "pending" && status >= 400);

/** Indent JSON without changing digits or escapes; return null if the text is not valid JSON. */
export function indent(text) {
  try {
    JSON.parse(text);
  } catch {
    return null;
  }
  let depth = 0;
  const line = () => `\n${"  ".repeat(depth)}`;
  return text
    .replace(/"(?:[^"\\]|\\.)*"|[[{]\s*[\]}]|[[\]{},:]|\s+/g, (part) => {
      if (part[0] === '"') return part;
      if (/^\s/.test(part)) return "";
      if (/^[[{]\s*[\]}]$/.test(part)) return part[0] + part.at(-1);
      if (part === "{" || part === "[") {
        depth += 1;
        return part + line();
      }
      if (part === "}" || part === "]") {
        depth -= 1;
        return line() + part;
      }
      return part === "," ? part + line() : ": ";
    })
    .trim();
}

// --- Icons: paths of 16 x 16 with a stroke of 1.5 ---

const ICONS = {
  requests: "M2 4h12M2 8h9M2 12h6",
  scenarios: "M8 2 14 5 8 8 2 5ZM2 8l6 3 6-3M2 11l6 3 6-3",
  sessions:
    "M5 2.500h7a2 2 0 0 1 2 2v5M2 6.500a1 1 0 0 1 1-1h7a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1H3a1 1 0 0 1-1-1Z",
  findings: "M3 14V2.500h9.500l-2 3.250 2 3.250H3",
  states: "M2 5.500h7M13 5.500h1M9 3.500v4h4v-4ZM2 11h1M7 11h7M3 9v4h4V9Z",
  contract: "M4 1.500h6l3 3v10H4ZM9.500 1.500v3.500H13M6.500 8h4M6.500 11h4",
  try: "M14 2 7 9M14 2 9.500 14 7 9 2 6.500Z",
  reference:
    "M8 4C6.500 2.700 4.500 2.500 2 2.500v10c2.500 0 4.500.2 6 1.500 1.500-1.300 3.500-1.500 6-1.500v-10c-2.500 0-4.500.2-6 1.500ZV14",
  search:
    "M7 2.500a4.500 4.500 0 1 0 0 9 4.500 4.500 0 0 0 0-9ZM10.300 10.300 14 14",
  filter: "M2 4h12M4.500 8h7M6.500 12h3",
  group: "M2 3.500h12M5 6.500h9M2 9.500h12M5 12.500h9",
  pause: "M5.500 3v10M10.500 3v10",
  play: "M4.500 3v10l8-5Z",
  clear: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2ZM3.800 3.800l8.400 8.400",
  up: "M3.500 10 8 5.500l4.500 4.500",
  down: "M3.500 6 8 10.500 12.500 6",
  right: "M6 3.500 10.500 8 6 12.500",
  back: "M10 3.500 5.500 8l4.500 4.500",
  close: "M3.500 3.500l9 9M12.500 3.500l-9 9",
  link: "M6.700 9.300a3 3 0 0 0 4.300 0l2-2a3 3 0 0 0-4.300-4.300l-1 1M9.300 6.700a3 3 0 0 0-4.300 0l-2 2a3 3 0 0 0 4.300 4.300l1-1",
  copy: "M5.500 5.500h8v8h-8ZM10.500 5.500v-3h-8v8h3",
  more: "M3 8h.01M8 8h.01M13 8h.01",
  add: "M8 3v10M3 8h10",
  check: "M3 8.500 6.500 12 13 4.500",
  alert: "M8 2.500 14.500 13.500h-13ZM8 6.500v3.500M8 11.800v.1",
  edit: "M11 2.500 13.500 5 5.500 13H3v-2.500Z",
  delete: "M2.500 4.500h11M6 4.500v-2h4v2M4 4.500l.7 9h6.600l.7-9",
  reset: "M3 3v3.500h3.500M3.200 6.500A5.300 5.300 0 1 1 3 9.500",
  open: "M9 2.500h4.500V7M13.500 2.500 8 8M11.500 9.500v4h-9v-9h4",
  save: "M8 2.500v8M4.500 7 8 10.500 11.500 7M2.500 13.500h11",
  release: "M9 1.500 3.500 9H8l-1 5.500L12.500 7H8Z",
  theme: "M8 2a6 6 0 1 0 0 12ZA6 6 0 0 1 8 14",
  rail: "M2.500 3h11v10h-11ZM6 3v10",
  clock: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2ZM8 5v3.500h2.500",
  data: "M3 4c0-2 10-2 10 0s-10 2-10 0v8c0 2 10 2 10 0V4M3 8c0 2 10 2 10 0",
  keys: "M1.500 4h13v8h-13ZM4 7h.01M7 7h.01M10 7h.01M12.500 7h-.01M5 9.500h6",
};

export const Icon = ({ name }) => html`<svg
  class="icon icon-${name}"
  viewBox="0 0 16 16"
  width="16"
  height="16"
  aria-hidden="true"
>
  <path d=${ICONS[name]} />
</svg>`;

// --- Button, Chip, Kbd, StatusText, EmptyState ---

/**
 * A button, or a link if it has an `href`. An icon without a text needs a `label`.
 * @param {{kind?: "" | "primary" | "ghost" | "held" | "danger", icon?: string, label?: string,
 *   text?: string, keys?: string, does: (event: any) => any}} properties
 *   the errors of `does` become toasts; `keys` shows the keys, such as "Ctrl S"
 */
export function Button({
  kind = "",
  icon,
  label,
  text,
  keys,
  does,
  class: other = "",
  children,
  ...rest
}) {
  const name = `button ${kind} ${text === undefined && !children ? "square" : ""} ${other}`;
  const title = rest.title ?? (text === undefined ? label : undefined);
  return html`<${rest.href ? "a" : "button"}
    type=${rest.href ? undefined : "button"}
    class=${name}
    aria-label=${label}
    title=${title}
    onClick=${does && handler(does)}
    ...${rest}
  >
    ${icon && html`<${Icon} name=${icon} />`}
    ${text}${children}
    ${keys && html`<${Kbd} keys=${keys} />`}
  <//>`;
}

/** A button that copies the result of `text()`. */
export function CopyButton({ text, label, shown, icon = "copy" }) {
  const [done, setDone] = useState(false);
  const does = async () => {
    await copy(await text());
    setDone(true);
    setTimeout(() => setDone(false), 1500);
  };
  return html`<${Button}
    kind=${shown ? "" : "ghost"}
    icon=${done ? "check" : icon}
    label=${label}
    text=${shown && (done ? "Copied" : shown)}
    data-copied=${done}
    does=${does}
  />`;
}

/** Keys: those of a chord, such as "Ctrl K", together; those of a sequence, such as "g r", one by one. */
export const Kbd = ({ keys }) => html`<span class="keys" aria-hidden="true">
  ${(/^(Ctrl|Alt|Shift) /.test(keys) ? [keys] : keys.split(" ")).map(
    (key) => html`<kbd>${key}</kbd>`,
  )}
</span>`;

/** A name with something to remove it. */
export const Chip = ({ children, label, remove, ...rest }) => html`<span
  class="chip"
  ...${rest}
>
  ${children}
  ${
    remove &&
    html`<button
      type="button"
      class="chip-remove"
      aria-label=${label}
      onClick=${handler(remove)}
    >
      <${Icon} name="close" />
    </button>`
  }
</span>`;

/** A field that searches the open view; the key / focuses it. */
export const SearchField = ({
  label,
  placeholder = label,
  value,
  onInput,
  onEnter,
}) => html`<label class="field search-field">
  <${Icon} name="search" />
  <input
    type="search"
    data-search
    aria-label=${label}
    placeholder=${placeholder}
    autocomplete="off"
    spellcheck=${false}
    value=${value}
    onInput=${(event) => onInput(event.target.value)}
    onKeyDown=${(event) => event.key === "Enter" && onEnter?.()}
  />
  <${Kbd} keys="/" />
</label>`;

/** The status of a request of the request log. */
export function StatusText({ row }) {
  const [text, kind, more, moreKind] = statusParts(row);
  return html`<span class="status">
    <b class=${kind}>${text}</b>
    ${more !== "" && html` <span class=${moreKind}>${more}</span>`}
  </span>`;
}

/** What an empty view shows: what it is for and how to get something. */
export const EmptyState = ({ title, children }) => html`<div class="empty">
  <h2>${title}</h2>
  ${children}
</div>`;

// --- Groups of controls with one tab stop, in which the arrow keys move ---

/** Return the properties of a container whose buttons are one tab stop. */
export function useRoving(selector = "button, a") {
  const ref = useRef(null);
  const nodes = () =>
    [...ref.current.querySelectorAll(selector)].filter(
      (node) => !node.disabled && node.offsetParent,
    );
  useLayoutEffect(() => {
    const all = nodes();
    const current =
      all.find((node) => node === document.activeElement) ??
      all.find((node) => node.tabIndex === 0) ??
      all[0];
    for (const node of all) node.tabIndex = node === current ? 0 : -1;
  });
  const onKeyDown = (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const all = nodes();
    const from = all.indexOf(document.activeElement);
    if (
      step === undefined ||
      from < 0 ||
      event.shiftKey ||
      event.ctrlKey ||
      event.altKey
    )
      return;
    event.preventDefault();
    const next = all[(from + step + all.length) % all.length];
    all[from].tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  };
  return { ref, onKeyDown };
}

/** Buttons of which one is on. `options` are [value, label, count] */
export const Segments = ({ label, value, options, choose }) => html`<span
  class="segments"
  role="group"
  aria-label=${label}
>
  ${options.map(
    ([name, text, n, kind]) => html`<button
      type="button"
      aria-pressed=${String(value === name)}
      onClick=${() => choose(name)}
    >
      ${text}
      ${
        n !== undefined &&
        html`
          ${" "}
          <span class="n ${n ? (kind ?? "") : ""}">
            ${n.toLocaleString("en")}
          </span>
        `
      }
    </button>`,
  )}
</span>`;

/** Tabs with their panel below. `tabs` are [id, label]; `children` is the open panel. */
export function Tabs({ label, tabs, open, choose, children }) {
  const ref = useRef(null);
  useEffect(() => {
    const {
      children: all,
      scrollWidth,
      clientWidth,
      scrollHeight,
      clientHeight,
    } = ref.current;
    const isCut = scrollWidth > clientWidth || scrollHeight > clientHeight;
    if (isCut)
      [...all]
        .find((tab) => tab.ariaSelected === "true")
        ?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [open, tabs.length]);
  const move = (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next =
      (tabs.findIndex(([id]) => id === open) + step + tabs.length) %
      tabs.length;
    choose(tabs[next][0]);
    ref.current.children[next].focus();
  };
  return html`
    <div
      class="tabs"
      role="tablist"
      aria-label=${label}
      ref=${ref}
      onKeyDown=${move}
    >
      ${tabs.map(
        ([id, text]) => html`<button
          type="button"
          role="tab"
          id="tab-${id}"
          aria-selected=${String(id === open)}
          aria-controls="tab-panel"
          tabindex=${id === open ? 0 : -1}
          onClick=${() => choose(id)}
        >
          ${text}
        </button>`,
      )}
    </div>
    <div
      class="tab-panel"
      id="tab-panel"
      role="tabpanel"
      aria-labelledby="tab-${open}"
      tabindex="0"
      key=${open}
    >
      ${children}
    </div>
  `;
}

// --- The filter of tokens ---

/**
 * The keys of a filter: the hint of each, the values to suggest, and the hints of these.
 * @typedef {Record<string, {hint?: string, values?: () => string[], hints?: Record<string, string>}>} Keys
 */

const PART = /([^\s":]+):("[^"]*"|\S+)|"([^"]*)"|(\S+)/g;
const MOST_SUGGESTED = 20;

/** Return the parts of a filter: {source, key, value}; the key is null for free text. */
export function filterParts(text, isKey) {
  return [...text.matchAll(PART)].map(([source, key, value, quoted]) =>
    key && isKey(key)
      ? { source, key, value: value.replace(/^"|"$/g, "") }
      : { source, key: null, value: quoted ?? source },
  );
}

/** Return [whole tokens, rest]: tokens become chips, and the rest stays in the field. */
function splitFilter(value, isKey) {
  const parts = filterParts(value, isKey);
  const isWhole = ({ key, source }) => key !== null || /^".+"$/.test(source);
  return [
    parts.filter(isWhole).map((part) => part.source),
    parts
      .filter((part) => !isWhole(part))
      .map((part) => part.source)
      .join(" "),
  ];
}

/** Return what may follow: the keys, or the values of a key. */
function suggestions(text, keys) {
  const [, key, start] = /^(?:([^\s":]+):)?(\S*)$/.exec(text) ?? [];
  if (start === undefined) return [];
  if (!key)
    return Object.keys(keys)
      .filter((each) => each.toLowerCase().startsWith(start.toLowerCase()))
      .map((each) => ({ text: `${each}:`, hint: keys[each].hint }));
  const { values = () => [], hints = {} } =
    (Object.hasOwn(keys, key) && keys[key]) || {};
  const lower = start.toLowerCase();
  const isPrefix = (value) => value.toLowerCase().startsWith(lower);
  return values()
    .filter((value) => value.toLowerCase().includes(lower) && value !== start)
    .sort((one, other) => isPrefix(other) - isPrefix(one))
    .slice(0, MOST_SUGGESTED)
    .map((value) => ({
      text: `${key}:${/\s/.test(value) ? `"${value}"` : value}`,
      hint: hints[value] ?? "",
    }));
}

/**
 * A field for a filter of tokens, such as `status:5xx session:*`, with suggestions.
 * @param {{value: string, change: (value: string) => void, placeholder: string, keys: Keys, isKey?:
 *   (key: string) => boolean}} properties
 *   `change` is called while the user types; `isKey` allows other keys than those that are suggested
 */
export function TokenFilter({
  value,
  change,
  placeholder,
  keys,
  isKey = (key) => Object.hasOwn(keys, key),
}) {
  const split = (text) => splitFilter(text, isKey);
  const [[tokens, text], setParts] = useState(() => split(value));
  const [shows, setShows] = useState(false);
  const [at, setAt] = useState(-1);
  const field = useRef(null);
  const joined = [...tokens, text.trim()].filter(Boolean).join(" ");
  useEffect(() => {
    if (value !== joined) setParts(split(value));
  }, [value]);
  const set = (nextTokens, nextText) => {
    setParts([nextTokens, nextText]);
    setAt(-1);
    change([...nextTokens, nextText.trim()].filter(Boolean).join(" "));
  };
  const input = (event) => {
    const next = event.target.value;
    setShows(true);
    const [whole, rest] = /\s$/.test(next) ? split(next) : [[], next];
    set([...tokens, ...whole], whole.length ? rest : next);
  };
  const commit = () => {
    const [whole, rest] = split(text);
    if (whole.length) set([...tokens, ...whole], rest);
    setShows(false);
  };
  const options = shows ? suggestions(text, keys) : [];
  const pick = (option) => {
    if (option.text.endsWith(":")) set(tokens, option.text);
    else {
      set([...tokens, option.text], "");
      setShows(false);
    }
    field.current.focus();
  };
  const keyDown = (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && options.length)
      setAt(
        (Math.max(at, step < 0 ? 0 : -1) + step + options.length) %
          options.length,
      );
    else if (event.key === "Enter") options[at] ? pick(options[at]) : commit();
    else if (event.key === "Backspace" && !text && tokens.length)
      set(tokens.slice(0, -1), tokens.at(-1));
    else if (event.key === "Escape" && options.length) setShows(false);
    else if (event.key === "Escape") field.current.blur();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const remove = (index) => {
    set(
      tokens.filter((_, each) => each !== index),
      text,
    );
    field.current.focus();
  };
  return html`<div
    class="field token-filter"
    onFocusOut=${(event) =>
      !event.currentTarget.contains(event.relatedTarget) && commit()}
  >
    <${Icon} name="filter" />
    ${tokens.map(
      (token, index) => html`<${Chip}
        key=${token}
        class="chip token"
        label=${`Remove ${token}`}
        remove=${() => remove(index)}
      >
        <span class="name">${token}</span>
      <//>`,
    )}
    <input
      ref=${field}
      data-search
      role="combobox"
      aria-label="Filter"
      aria-expanded=${String(options.length > 0)}
      aria-controls="filter-options"
      aria-activedescendant=${options[at] ? `filter-${at}` : undefined}
      autocomplete="off"
      spellcheck=${false}
      placeholder=${tokens.length ? "" : placeholder}
      value=${text}
      onInput=${input}
      onKeyDown=${keyDown}
      onClick=${() => setShows(true)}
    />
    <${Kbd} keys="/" />
    <div
      class="popup left"
      id="filter-options"
      role="listbox"
      aria-label="Filters"
      hidden=${!options.length}
    >
      ${options.map(
        (option, index) => html`<div
          class="option"
          role="option"
          id="filter-${index}"
          aria-selected=${String(index === at)}
          key=${option.text}
          onMouseDown=${(event) => {
            event.preventDefault();
            pick(option);
          }}
        >
          <span class="name">${option.text}</span>
          ${option.hint && html`<span class="soft hint">${option.hint}</span>`}
        </div>`,
      )}
    </div>
  </div>`;
}

// --- Overlays: Dialog, Menu, Picker, Toasts ---

/** A modal dialog; without `close` it stays until its content ends it. */
export function Dialog({ label, close, class: name = "", children }) {
  const ref = useRef(null);
  useLayoutEffect(() => {
    const dialog = ref.current;
    dialog.showModal();
    return () => dialog.close(); // returns the focus
  }, []);
  const cancel = (event) => {
    event.preventDefault();
    close?.();
  };
  return html`<dialog
    class=${name}
    ref=${ref}
    aria-label=${label}
    onCancel=${cancel}
    onMouseDown=${(event) => event.target === ref.current && close?.()}
  >
    ${children}
  </dialog>`;
}

/**
 * A button that opens a menu. Items: {text, icon, hint, keys, href, checked, does}, or null for a line.
 */
export function Menu({ items, align = "left", ...button }) {
  const [open, setOpen] = useState(false);
  const ref = useRef(null);
  const nodes = () => [...ref.current.querySelectorAll("[role^=menuitem]")];
  useLayoutEffect(() => {
    if (open) nodes()[0]?.focus();
  }, [open]);
  const shut = (focus) => {
    setOpen(false);
    if (focus) ref.current.querySelector("[aria-haspopup]").focus();
  };
  const keyDown = (event) => {
    if (!open) return;
    const all = nodes();
    const at = all.indexOf(document.activeElement);
    const to = {
      ArrowDown: (at + 1) % all.length,
      ArrowUp: (at - 1 + all.length) % all.length,
      Home: 0,
      End: all.length - 1,
    }[event.key];
    if (to !== undefined) all[to].focus();
    else if (event.key === "Escape") shut(true);
    else if (event.key === "Tab") return shut(false);
    else return undefined;
    event.preventDefault();
    event.stopPropagation();
    return undefined;
  };
  const choose = (item) => (event) => {
    shut(true);
    if (item.does) handler(item.does)(event);
  };
  return html`<span
    class="menu"
    ref=${ref}
    onKeyDown=${keyDown}
    onFocusOut=${(event) =>
      !ref.current.contains(event.relatedTarget) && setOpen(false)}
  >
    <${Button}
      ...${button}
      aria-haspopup="menu"
      aria-expanded=${String(open)}
      does=${() => setOpen(!open)}
    >
      ${button.text !== undefined && html`<${Icon} name="down" />`}
    <//>
    ${
      open &&
      html`<div
        class="popup ${align}"
        role="menu"
        tabindex="-1"
        aria-label=${button.label ?? button.text}
      >
        ${items
          .filter((item) => item !== false)
          .map((item) =>
            item === null
              ? html`<hr />`
              : html`<${item.href ? "a" : "button"}
                class="option"
                type=${item.href ? undefined : "button"}
                href=${item.href}
                tabindex="-1"
                role=${
                  item.checked === undefined ? "menuitem" : "menuitemradio"
                }
                aria-checked=${
                  item.checked === undefined ? undefined : String(item.checked)
                }
                onClick=${choose(item)}
              >
                ${item.icon && html`<${Icon} name=${item.icon} />`}
                <span class="name">${item.text}</span>
                ${
                  item.hint && html`<span class="soft hint">${item.hint}</span>`
                }
                ${item.checked && html`<${Icon} name="check" />`}
                ${item.keys && html`<${Kbd} keys=${item.keys} />`}
              <//>`,
          )}
      </div>`
    }
  </span>`;
}

/** Return the options that match all words, those whose names start with the text first. */
export function matching(options, text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) return options;
  const rank = ({ name, hint = "", tags = "" }) => {
    const lower = name.toLowerCase();
    const all = `${lower} ${hint} ${tags}`.toLowerCase();
    if (!words.every((word) => all.includes(word))) return -1;
    if (lower.startsWith(words.join("-")) || lower.startsWith(words.join(" ")))
      return 3;
    return words.every((word) => lower.includes(word)) ? 2 : 1;
  };
  return options
    .map((option) => ({ option, rank: rank(option) }))
    .filter((each) => each.rank > 0)
    .sort((one, other) => other.rank - one.rank)
    .map((each) => each.option);
}

/** Mark the first place of the searched text in a name. */
export function Marked({ name, text }) {
  const at = text.trim()
    ? name.toLowerCase().indexOf(text.trim().toLowerCase())
    : -1;
  if (at < 0) return name;
  const end = at + text.trim().length;
  return html`
    ${name.slice(0, at)}
    <mark>${name.slice(at, end)}</mark>
    ${name.slice(end)}
  `;
}

/**
 * A field with a list of options below (the ARIA pattern of a combobox).
 * Options: {id, group, icon, name, hint, tags, end, keys, does(event)}; `tags` are searched but not shown.
 * @param {{label: string, placeholder: string, options: (text: string) => any[], close: () => void,
 *   footer?: any}} properties
 */
export function Picker({ label, placeholder, options, close, footer }) {
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const list = useRef(null);
  const rows = options(text);
  const groups = [...new Set(rows.map((row) => row.group))];
  const ordered = groups.flatMap((group) =>
    rows.filter((row) => row.group === group),
  );
  const current = Math.min(at, ordered.length - 1);
  useLayoutEffect(
    () =>
      list.current
        .querySelector("[aria-selected=true]")
        ?.scrollIntoView({ block: "nearest" }),
    [current, text],
  );
  const choose = (event, row) => {
    close();
    handler(row.does)(event);
  };
  const keyDown = (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      setAt((current + step + ordered.length) % Math.max(1, ordered.length));
    } else if (event.key === "Enter" && ordered[current]) {
      event.preventDefault();
      choose(event, ordered[current]);
    }
  };
  const option = (row) => {
    const isCurrent = row === ordered[current];
    return html`<div
      class="option"
      role="option"
      id="option-${row.id}"
      aria-selected=${String(isCurrent)}
      key=${row.id}
      onMouseMove=${() => !isCurrent && setAt(ordered.indexOf(row))}
      onClick=${(event) => choose(event, row)}
    >
      ${row.icon && html`<${Icon} name=${row.icon} />`}
      <span class="name"><${Marked} name=${row.name} text=${text} /></span>
      <span class="soft hint">${row.hint}</span>
      ${row.end}
      ${row.keys && html`<${Kbd} keys=${row.keys} />`}
    </div>`;
  };
  return html`<div class="picker">
    <label class="picker-field">
      <${Icon} name="search" />
      <input
        type="text"
        role="combobox"
        aria-label=${label}
        placeholder=${placeholder}
        aria-expanded="true"
        aria-controls="picker-list"
        aria-autocomplete="list"
        aria-activedescendant=${
          ordered[current] ? `option-${ordered[current].id}` : undefined
        }
        autocomplete="off"
        spellcheck=${false}
        autofocus
        value=${text}
        onInput=${(event) => {
          setText(event.target.value);
          setAt(0);
        }}
        onKeyDown=${keyDown}
      />
      <${Kbd} keys="Esc" />
    </label>
    <div
      class="picker-list"
      id="picker-list"
      role="listbox"
      aria-label=${label}
      ref=${list}
    >
      ${groups.map(
        (group) => html`<div role="group" aria-label=${group} key=${group}>
          <div class="group" aria-hidden="true">${group}</div>
          ${ordered.filter((row) => row.group === group).map(option)}
        </div>`,
      )}
      ${
        !ordered.length &&
        html`<div
          class="option"
          role="option"
          aria-disabled="true"
          aria-selected="false"
        >
          Nothing matches
        </div>`
      }
    </div>
    ${footer && html`<div class="picker-foot soft">${footer}</div>`}
  </div>`;
}

/** The toasts; one with an undo counts its seconds. */
export function Toasts() {
  const [, setNow] = useState(0);
  const counts = store.toasts.some((each) => each.undo);
  useEffect(() => {
    if (!counts) return undefined;
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, [counts]);
  const shown = (toast) => html`<div
    class="toast ${toast.failed ? "failed" : ""}"
    key=${toast.id}
  >
    <span>${toast.text}</span>
    ${
      toast.undo &&
      html`<button
        type="button"
        onClick=${handler(() => {
          dismiss(toast.id);
          return toast.undo();
        })}
      >
        Undo${" "}
        <span class="soft" aria-hidden="true">
          ${Math.max(0, Math.ceil((toast.until - Date.now()) / 1000))} s
        </span>
      </button>`
    }
    <button
      type="button"
      class="square"
      aria-label="Close"
      onClick=${() => dismiss(toast.id)}
    >
      <${Icon} name="close" />
    </button>
  </div>`;
  return html`<div class="toasts">
    <div role="alert">
      ${store.toasts.filter((each) => each.failed).map(shown)}
    </div>
    <div role="status">
      ${store.toasts.filter((each) => !each.failed).map(shown)}
    </div>
  </div>`;
}

// --- Code ---

const TOKENS =
  /("(?:[^"\\]|\\.)*"?)(\s*:)?|(-?\d[\d.eE+-]*)|\b(true|false|null)\b/g;

/** Colour one line of JSON. */
function coloured(line) {
  const parts = [];
  let end = 0;
  for (const match of line.matchAll(TOKENS)) {
    const [text, string, colon, number] = match;
    parts.push(line.slice(end, match.index));
    const kind = colon
      ? "key"
      : string
        ? "string"
        : number
          ? "number"
          : "literal";
    parts.push(
      html`<span class=${kind}>${colon ? string : text}</span>`,
      colon ?? "",
    );
    end = match.index + text.length;
  }
  return [...parts, line.slice(end)];
}

const MOST_LINES = 1000;

/**
 * Text with line numbers. JSON is indented, coloured and foldable: a click on the number of a line
 * folds what it begins.
 */
export function CodeBlock({ text, label, wrap = false }) {
  const [folded, setFolded] = useState(new Set());
  const [all, setAll] = useState(false);
  const json = indent(text);
  const lines = (json ?? text).split("\n");
  const depth = (line) => line.search(/\S|$/);
  const rows = [];
  let closes = -1; // the depth at which the folded part ends
  for (const [index, line] of lines.entries()) {
    if (closes >= 0 && depth(line) > closes) continue;
    if (closes >= 0 && /^\s*[\]}]/.test(line)) {
      rows.at(-1).end = line.trim();
      closes = -1;
      continue;
    }
    const opens = json !== null && /[[{]$/.test(line);
    rows.push({ index, line, opens, end: "" });
    if (opens && folded.has(index)) closes = depth(line);
  }
  const shown = all ? rows : rows.slice(0, MOST_LINES);
  const toggle = (index) =>
    setFolded(
      new Set(
        folded.has(index)
          ? [...folded].filter((each) => each !== index)
          : [...folded, index],
      ),
    );
  const inner = lines
    .map((line, index) => (index && /[[{]$/.test(line) ? index : -1))
    .filter((index) => index >= 0);
  return html`<div
    class="code ${wrap ? "wrap" : ""}"
    role="region"
    aria-label=${label}
    tabindex="0"
  >
    ${
      json !== null &&
      inner.length > 0 &&
      html`<button
        type="button"
        class="fold"
        onClick=${() => setFolded(new Set(folded.size ? [] : inner))}
      >
        ${folded.size ? "Unfold" : "Fold"}
      </button>`
    }
    ${shown.map(
      ({ index, line, opens, end }) => html`<div class="code-line" key=${index}>
        <span
          class="code-number ${opens ? "opens" : ""}"
          aria-hidden="true"
          onClick=${opens ? () => toggle(index) : undefined}
        >
          ${index + 1}
        </span
      >
        <span class="code-text">
          ${json === null ? line : coloured(line)}
          ${end && html`<span class="soft">…</span>${end}`}
          ${"\n"}
        </span>
      </div>`,
    )}
    ${
      shown.length < rows.length &&
      html`<${Button}
        text=${`Show ${count(rows.length - shown.length, "more line")}`}
        does=${() => setAll(true)}
      />`
    }
  </div>`;
}

/**
 * A list of names and values.
 * @param {{rows: [string, any][], mono?: boolean}} properties rows without a value are left out
 */
export const Facts = ({ rows, mono = false }) => html`<dl
  class="facts ${mono ? "mono" : ""}"
>
  ${rows
    .filter(
      ([, value]) =>
        value !== null &&
        value !== undefined &&
        value !== false &&
        value !== "",
    )
    .map(
      ([name, value]) => html`<div>
        <dt>${name}</dt>
        <dd>${value}</dd>
      </div>`,
    )}
</dl>`;

/** A group of rows in a list, below a heading that folds it. */
export const Group = ({
  title,
  n,
  isOpen,
  toggle,
  disabled,
  children,
}) => html`<section class="group" aria-label=${title}>
  <h2>
    <button
      type="button"
      aria-expanded=${String(isOpen)}
      disabled=${disabled}
      onClick=${toggle}
    >
      <${Icon} name=${isOpen ? "down" : "right"} />
      ${title} <span class="n">${n}</span>
    </button>
  </h2>
  ${isOpen && children}
</section>`;

/** A foldable section. */
export const Section = ({
  title,
  note,
  open = true,
  end,
  children,
}) => html`<details class="section" open=${open}>
  <summary>
    <${Icon} name="right" />
    <h3>${title}</h3>
    <span class="soft">${note}</span>
  </summary>
  ${end && html`<span class="section-end">${end}</span>`}
  ${children}
</details>`;
