// Create and update elements. Values from the server become text nodes or attributes, never markup,
// so a pet's name cannot inject a script.

/**
 * Create an element.
 * @param {string} tag
 * @param {Record<string, any>} [properties] attributes; `on...` adds a listener; null and false are skipped
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

/** @returns {any} the element with this id */
export const byId = (id) => document.getElementById(id);

/** Set the text only if it changes, to keep the user's selection. */
export function setText(node, text) {
  if (node.textContent !== String(text)) node.textContent = String(text);
}

const updates = new WeakMap();

/**
 * Render one child per item, in order. A child stays the same node while its item exists, to keep
 * focus, selection and scroll position.
 * @template T
 * @param {Element} parent
 * @param {T[]} items
 * @param {(item: T) => unknown} keyOf
 * @param {(item: T) => {node: HTMLElement, update?: (item: T) => void}} create
 */
export function keyed(parent, items, keyOf, create) {
  const wanted = new Set(items.map((item) => String(keyOf(item))));
  const known = new Map();
  for (const node of /** @type {HTMLElement[]} */ ([...parent.children])) {
    if (wanted.has(node.dataset.key)) known.set(node.dataset.key, node);
    else removeKeepingFocus(node);
  }
  let position = parent.firstElementChild;
  for (const item of items) {
    const key = String(keyOf(item));
    let node = known.get(key);
    if (!node) {
      const created = create(item);
      node = created.node;
      node.dataset.key = key;
      updates.set(node, created.update);
    }
    if (node === position) position = position.nextElementSibling;
    else parent.insertBefore(node, position);
    updates.get(node)?.(item);
  }
}

/** Remove a node. If it has the focus, focus the same control of the next node. */
function removeKeepingFocus(node) {
  const focused = node.contains(document.activeElement) ? document.activeElement : null;
  const next = node.nextElementSibling ?? node.previousElementSibling;
  const parent = node.parentElement;
  node.remove();
  if (!focused) return;
  const same = next?.querySelector(`[data-does="${focused.dataset.does}"]`);
  const target = same ?? next?.querySelector("button, a, select") ?? parent.closest("section");
  target?.focus();
}

let announcements = 0;

/** Announce a text politely to screen readers. */
export function announce(text) {
  // Screen readers ignore an unchanged text, so alternate its ending.
  byId("news").textContent = text + (announcements++ % 2 ? "\u00a0" : "");
}

/**
 * Show a toast. It does not move the page.
 * @param {string} text
 * @param {"done" | "failed"} kind
 */
export function notice(text, kind = "done") {
  const close = el("button", { type: "button", class: "quiet", onclick: () => line.remove() }, "Close");
  const line = el("div", { class: `notice ${kind}` }, el("p", {}, text), close);
  byId(kind === "failed" ? "alerts" : "notices").replaceChildren(line);
  setTimeout(() => line.remove(), kind === "failed" ? 20_000 : 5_000);
}

/** Return an event handler that shows errors of the action as a toast. */
export function handler(action) {
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
 * Create a button that copies a text.
 * @param {() => string} text
 * @param {string} label for screen readers
 */
export function copyButton(text, label, shown = "Copy") {
  const button = el("button", { type: "button", class: "copy", "aria-label": label, "data-does": `copy ${label}` }, shown);
  button.addEventListener("click", handler(async () => {
    await copy(text());
    button.textContent = "Copied";
    announce("Copied to the clipboard");
    setTimeout(() => { button.textContent = shown; }, 1500);
  }));
  return button;
}

async function copy(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  // Insecure contexts, such as plain HTTP on a host other than localhost, have no clipboard API.
  const focused = document.activeElement;
  const area = el("textarea", { class: "away", "aria-hidden": "true" });
  area.value = text;
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  focused?.focus();
  if (!done) throw new Error("The browser blocked copying. Select the text and copy it manually.");
}
