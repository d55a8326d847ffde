// Elements from values. Whatever comes from the server becomes a text node or an attribute, never
// markup, so that a pet's name stays a name.

/**
 * Make an element.
 * @param {string} tag
 * @param {Record<string, any>} [properties] attributes; `on...` are listeners; null and false are left out
 * @param {...(Node | string | null | undefined | false)} children
 * @returns {any}
 */
export function el(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** @returns {any} the element with this id, which the page has */
export const byId = (id) => document.getElementById(id);

/** Set a text only where it is another, so that a selection in it stays. */
export function setText(node, text) {
  if (node.textContent !== String(text)) node.textContent = String(text);
}

const updates = new WeakMap();

/**
 * Have one child for each item, in their order. Children stay the same nodes as long as their item
 * is there, so that focus, selection and scrolling stay too.
 * @template T
 * @param {Element} parent
 * @param {T[]} items
 * @param {(item: T) => unknown} keyOf
 * @param {(item: T) => {node: HTMLElement, update?: (item: T) => void}} make
 */
export function keyed(parent, items, keyOf, make) {
  const wanted = new Set(items.map((item) => String(keyOf(item))));
  const known = new Map();
  for (const node of /** @type {HTMLElement[]} */ ([...parent.children])) {
    if (wanted.has(node.dataset.key)) known.set(node.dataset.key, node);
    else removeKeepingFocus(node);
  }
  let place = parent.firstElementChild;
  for (const item of items) {
    const key = String(keyOf(item));
    let node = known.get(key);
    if (!node) {
      const made = make(item);
      node = made.node;
      node.dataset.key = key;
      updates.set(node, made.update);
    }
    if (node === place) place = place.nextElementSibling;
    else parent.insertBefore(node, place);
    updates.get(node)?.(item);
  }
}

/** Remove a node; where it held the focus, the next one like it gets it. */
function removeKeepingFocus(node) {
  const focused = node.contains(document.activeElement) ? document.activeElement : null;
  const next = node.nextElementSibling ?? node.previousElementSibling;
  const parent = node.parentElement;
  node.remove();
  if (!focused) return;
  const alike = next?.querySelector(`[data-does="${focused.dataset.does}"]`);
  const target = alike ?? next?.querySelector("button, a, select") ?? parent.closest("section");
  target?.focus();
}

let said = 0;

/** Have a screen reader say something when it has time. */
export function announce(text) {
  // Twice the same text would not be said again.
  byId("news").textContent = text + (said++ % 2 ? "\u00a0" : "");
}

/**
 * Show a short message over the page; it moves nothing.
 * @param {string} text
 * @param {"done" | "failed"} kind
 */
export function notice(text, kind = "done") {
  const close = el("button", { type: "button", class: "quiet", onclick: () => line.remove() }, "Close");
  const line = el("div", { class: `notice ${kind}` }, el("p", {}, text), close);
  byId(kind === "failed" ? "alerts" : "notices").replaceChildren(line);
  setTimeout(() => line.remove(), kind === "failed" ? 20_000 : 5_000);
}

/** Run what a control does; a refusal becomes a message. */
export function doing(action) {
  return async (event) => {
    event?.preventDefault();
    try {
      await action(event);
    } catch (error) {
      notice(error.message, "failed");
    }
  };
}

/**
 * A button that copies a text.
 * @param {() => string} text
 * @param {string} label what a screen reader calls it
 */
export function copyButton(text, label, shown = "Copy") {
  const button = el("button", { type: "button", class: "copy", "aria-label": label, "data-does": `copy ${label}` }, shown);
  button.addEventListener("click", doing(async () => {
    await copy(text());
    button.textContent = "Copied";
    announce(`${label}: copied`);
    setTimeout(() => { button.textContent = shown; }, 1500);
  }));
  return button;
}

async function copy(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  // Not a secure context: plain http on a name that is not localhost.
  const back = document.activeElement;
  const area = el("textarea", { class: "away", "aria-hidden": "true" });
  area.value = text;
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  back?.focus();
  if (!done) throw new Error("The browser does not let this page copy.");
}
