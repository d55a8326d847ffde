// The panel's components. Texts of the server become text nodes or attributes, never markup, so a
// record cannot inject a script.

import {
  html,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "./preact.js";
import { copy, handler } from "./store.js";
import { statusOf } from "./values.js";

/**
 * @import { RequestSummary } from "../../../kit/control.js"
 * @import { Content, On, Ref } from "./preact.js"
 */

// --- Icons: paths of 16 x 16 with a stroke of 1.5 ---

/** @typedef {keyof typeof ICONS} IconName */

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

/** @param {{ name: IconName }} properties */
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
 * @param {{
 *   kind?: "" | "primary" | "ghost" | "held" | "danger",
 *   icon?: IconName,
 *   label?: string,
 *   text?: string,
 *   keys?: string,
 *   does?: (event: Event) => unknown,
 *   class?: string,
 *   children?: Content,
 * } & Record<string, unknown>} properties
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

/**
 * A button that copies the result of `text()`.
 * @param {{ text: () => string | Promise<string>, label: string, shown?: string, icon?: IconName }} properties
 */
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

/**
 * Keys: those of a chord, such as "Ctrl K", together; those of a sequence, such as "g r", one by one.
 * @param {{ keys: string }} properties
 */
export const Kbd = ({ keys }) => html`<span class="keys" aria-hidden="true">
  ${(/^(Ctrl|Alt|Shift) /.test(keys) ? [keys] : keys.split(" ")).map(
    (key) => html`<kbd>${key}</kbd>`,
  )}
</span>`;

/**
 * A name with something to remove it.
 * @param {{ children: Content, label: string, remove: ((event: Event) => unknown) | null }
 *   & Record<string, unknown>} properties
 */
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

/**
 * A field that searches the open view; the key / focuses it.
 * @param {{
 *   label: string,
 *   placeholder?: string,
 *   value: string,
 *   onInput: (text: string) => void,
 *   onEnter?: () => void,
 * }} properties
 */
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
    onInput=${(/** @type {On<HTMLInputElement>} */ event) =>
      onInput(event.target.value)}
    onKeyDown=${(/** @type {KeyboardEvent} */ event) =>
      event.key === "Enter" && onEnter?.()}
  />
  <${Kbd} keys="/" />
</label>`;

/**
 * The status of a request of the request log.
 * @param {{ row: RequestSummary }} properties
 */
export function StatusText({ row }) {
  const [text, kind, more, moreKind] = statusOf(row);
  return html`<span class="status">
    <b class=${kind}>${text}</b>
    ${more !== "" && html` <span class=${moreKind}>${more}</span>`}
  </span>`;
}

/**
 * What an empty view shows: what it is for and how to get something.
 * @param {{ title: string, children?: Content }} properties
 */
export const EmptyState = ({ title, children }) => html`<div class="empty">
  <h2>${title}</h2>
  ${children}
</div>`;

// --- Groups of controls with one tab stop, in which the arrow keys move ---

/**
 * What an arrow key moves by.
 * @type {Partial<Record<string, number>>}
 */
export const STEPS = { ArrowRight: 1, ArrowLeft: -1 };

/** Return the properties of a container whose buttons are one tab stop. */
export function useRoving(selector = "button, a") {
  /** @type {Ref<HTMLElement>} */
  const ref = useRef(null);
  const nodes = () => {
    /** @type {NodeListOf<HTMLElement>} */
    const all = ref.current.querySelectorAll(selector);
    return [...all].filter(
      (node) => !node.matches(":disabled") && node.offsetParent,
    );
  };
  useLayoutEffect(() => {
    const all = nodes();
    const current =
      all.find((node) => node === document.activeElement) ??
      all.find((node) => node.tabIndex === 0) ??
      all[0];
    for (const node of all) node.tabIndex = node === current ? 0 : -1;
  });
  const onKeyDown = (/** @type {KeyboardEvent} */ event) => {
    const step = STEPS[event.key];
    const all = nodes();
    const at = all.findIndex((node) => node === document.activeElement);
    const isChord = event.shiftKey || event.ctrlKey || event.altKey;
    if (step === undefined || at < 0 || isChord) return;
    event.preventDefault();
    const next = all[(at + step + all.length) % all.length];
    for (const node of all) node.tabIndex = node === next ? 0 : -1;
    next?.focus();
  };
  return { ref, onKeyDown };
}

/**
 * Buttons of which one is on. A number other than 0 has the class.
 * @template {string} T
 * @param {{
 *   label: string,
 *   value: T,
 *   options: [value: T, text: string, n?: number, kind?: string][],
 *   choose: (value: T) => void,
 * }} properties
 */
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

/**
 * Tabs with their panel below; `children` is the open one.
 * @param {{
 *   label: string,
 *   tabs: [id: string, text: string][],
 *   open: string,
 *   choose: (id: string) => void,
 *   children?: Content,
 * }} properties
 */
export function Tabs({ label, tabs, open, choose, children }) {
  /** @type {Ref<HTMLElement>} */
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
  const move = (/** @type {KeyboardEvent} */ event) => {
    const step = STEPS[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const at = tabs.findIndex(([id]) => id === open);
    const next = (at + step + tabs.length) % tabs.length;
    const [id] = tabs[next] ?? [open];
    choose(id);
    /** @type {HTMLElement | null} */
    const tab = ref.current.querySelector(`#tab-${CSS.escape(id)}`);
    tab?.focus();
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

/**
 * A list of names and values.
 * @param {{ rows: [name: string, value: Content][], mono?: boolean }} properties rows without a value are left out
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

/**
 * A group of rows in a list, below a heading that folds it.
 * @param {{
 *   title: string,
 *   n: number,
 *   isOpen: boolean,
 *   toggle: () => void,
 *   disabled?: boolean,
 *   children?: Content,
 * }} properties
 */
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

/**
 * A foldable section.
 * @param {{ title: Content, note?: Content, open?: boolean, end?: Content, children?: Content }} properties
 */
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
