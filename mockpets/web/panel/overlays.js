// What lies over the page: dialogs, menus, the picker and toasts.

import {
  html,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "./preact.js";
import { dismiss, handler, store } from "./store.js";
import { Button, Icon, Kbd } from "./ui.js";

/**
 * @import { Content, On, Ref } from "./preact.js"
 * @import { Toast } from "./store.js"
 * @import { IconName } from "./ui.js"
 */

/**
 * A modal dialog; without `close` it stays until its content ends it.
 * @param {{ label: string, close?: () => void, class?: string, children?: Content }} properties
 */
export function Dialog({ label, close, class: name = "", children }) {
  /** @type {Ref<HTMLDialogElement>} */
  const ref = useRef(null);
  useLayoutEffect(() => {
    const dialog = ref.current;
    dialog.showModal();
    return () => dialog.close(); // returns the focus
  }, []);
  const cancel = (/** @type {Event} */ event) => {
    event.preventDefault();
    close?.();
  };
  return html`<dialog
    class=${name}
    ref=${ref}
    aria-label=${label}
    onCancel=${cancel}
    onMouseDown=${(/** @type {Event} */ event) =>
      event.target === ref.current && close?.()}
  >
    ${children}
  </dialog>`;
}

/**
 * An item of a menu; a link if it has an `href`. The errors of `does` become toasts.
 * @typedef {object} Item
 * @property {string} text
 * @property {IconName} [icon]
 * @property {string} [hint]
 * @property {string} [keys]
 * @property {string} [href]
 * @property {boolean} [checked] of a choice
 * @property {(event: Event) => unknown} [does]
 */

/** @type {Record<string, (at: number, n: number) => number>} */
const MOVES = {
  ArrowDown: (at, n) => (at + 1) % n,
  ArrowUp: (at, n) => (at - 1 + n) % n,
  Home: () => 0,
  End: (_, n) => n - 1,
};

/**
 * A button that opens a menu.
 * @param {{ items: (Item | null)[], align?: "left" | "right", label?: string, text?: string }
 *   & Record<string, unknown>} properties null is a line; the others are the button's
 */
export function Menu({ items, align = "left", ...button }) {
  const [open, setOpen] = useState(false);
  /** @type {Ref<HTMLElement>} */
  const ref = useRef(null);
  const nodes = () => [
    .../** @type {NodeListOf<HTMLElement>} */ (
      ref.current.querySelectorAll("[role^=menuitem]")
    ),
  ];
  useLayoutEffect(() => {
    if (open) nodes()[0]?.focus();
  }, [open]);
  const shut = () => {
    setOpen(false);
    /** @type {HTMLElement | null} */
    const opener = ref.current.querySelector("[aria-haspopup]");
    opener?.focus();
  };
  const keyDown = (/** @type {KeyboardEvent} */ event) => {
    if (!open) return;
    const all = nodes();
    const at = all.findIndex((node) => node === document.activeElement);
    const to = MOVES[event.key]?.(at, all.length);
    if (event.key === "Tab") setOpen(false);
    else if (to !== undefined) all[to]?.focus();
    else if (event.key === "Escape") shut();
    if (to === undefined && event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
  };
  const leave = (/** @type {FocusEvent} */ { relatedTarget }) => {
    const isInside =
      relatedTarget instanceof Node && ref.current.contains(relatedTarget);
    if (!isInside) setOpen(false);
  };
  const item = (/** @type {Item | null} */ each) =>
    each === null
      ? html`<hr />`
      : html`<${MenuItem} item=${each} shut=${shut} />`;
  return html`<span
    class="menu"
    ref=${ref}
    onKeyDown=${keyDown}
    onFocusOut=${leave}
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
        ${items.map(item)}
      </div>`
    }
  </span>`;
}

/** @param {{ item: Item, shut: () => void }} properties */
function MenuItem({ item, shut }) {
  const { text, icon, hint, keys, href, checked, does } = item;
  const isChoice = checked !== undefined;
  const choose = (/** @type {Event} */ event) => {
    shut();
    if (does) void handler(does)(event);
  };
  return html`<${href ? "a" : "button"}
    class="option"
    type=${href ? undefined : "button"}
    href=${href}
    tabindex="-1"
    role=${isChoice ? "menuitemradio" : "menuitem"}
    aria-checked=${isChoice ? String(checked) : undefined}
    onClick=${choose}
  >
    ${icon && html`<${Icon} name=${icon} />`}
    <span class="name">${text}</span>
    ${hint && html`<span class="soft hint">${hint}</span>`}
    ${checked && html`<${Icon} name="check" />`}
    ${keys && html`<${Kbd} keys=${keys} />`}
  <//>`;
}

/**
 * Return the options that match all words, those whose names start with the text first.
 * @template {Pick<Option, "name" | "hint" | "tags">} T
 * @param {T[]} options
 * @param {string} text
 */
export function matching(options, text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) return options;
  const rank = (/** @type {T} */ { name, hint = "", tags = "" }) => {
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

/**
 * Mark the first place of the searched text in a name.
 * @param {{ name: string, text: string }} properties
 */
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
 * An option of a `Picker`.
 * @typedef {object} Option
 * @property {string} id
 * @property {string} group
 * @property {IconName} [icon]
 * @property {string} name
 * @property {string} [hint]
 * @property {string} [tags] searched but not shown
 * @property {Content} [end]
 * @property {string} [keys]
 * @property {(event: KeyboardEvent | MouseEvent) => unknown} does
 */

/**
 * A field with a list of options below (the ARIA pattern of a combobox).
 * @param {object} properties
 * @param {string} properties.label
 * @param {string} properties.placeholder
 * @param {(text: string) => Option[]} properties.options
 * @param {() => void} properties.close
 * @param {Content} [properties.footer]
 */
export function Picker({ label, placeholder, options, close, footer }) {
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  /** @type {Ref<HTMLElement>} */
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
  const chosen = ordered[current];
  const choose = (
    /** @type {KeyboardEvent | MouseEvent} */ event,
    /** @type {Option} */ { does },
  ) => {
    close();
    void handler(does)(event);
  };
  const keyDown = (/** @type {KeyboardEvent} */ event) => {
    const n = ordered.length;
    const to = /^Arrow/.test(event.key)
      ? MOVES[event.key]?.(current, Math.max(1, n))
      : undefined;
    if (to !== undefined) setAt(to);
    else if (event.key === "Enter" && chosen) choose(event, chosen);
    else return;
    event.preventDefault();
  };
  const input = (/** @type {On<HTMLInputElement>} */ event) => {
    setText(event.target.value);
    setAt(0);
  };
  const option = (/** @type {Option} */ row) => {
    const isCurrent = row === chosen;
    return html`<div
      class="option"
      role="option"
      id="option-${row.id}"
      aria-selected=${String(isCurrent)}
      key=${row.id}
      onMouseMove=${() => !isCurrent && setAt(ordered.indexOf(row))}
      onClick=${(/** @type {MouseEvent} */ event) => choose(event, row)}
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
        aria-activedescendant=${chosen && `option-${chosen.id}`}
        autocomplete="off"
        spellcheck=${false}
        autofocus
        value=${text}
        onInput=${input}
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
  const shown = (/** @type {Toast} */ toast) => html`<div
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
          return toast.undo?.();
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
