// Describe elements, and make those in the page match.

/** @typedef {string | number | boolean | undefined} Attribute */
/**
 * @typedef {"autocomplete" | "class" | "d" | "disabled" | "for" | "height" | "hidden" | "href"
 *   | "id" | "placeholder" | "rel" | "role" | "spellcheck" | "target" | "title" | "viewBox"
 *   | "width" | `aria-${string}`} AttributeName
 */
/**
 * @typedef {"onblur" | "onclick" | "oninput" | "onkeydown" | "onmousedown"
 *   | "onpointerdown"} HandlerName
 */

/**
 * Attributes, handlers and the value of an element. Those with a key stay the same elements when others come or go.
 * @typedef {{ key?: string | number, value?: string }
 *   & { [Name in AttributeName]?: Attribute }
 *   & Partial<Pick<GlobalEventHandlers, HandlerName>>} Properties
 */

/** @typedef {Wanted | string | number | false | undefined} Child empty texts, false and undefined are not shown */
/** @typedef {readonly (Child | readonly Child[])[]} Children */

/** An element of the toolbar. Any other object, such as one that a server sends in place of a text, is shown as text. */
class Wanted {
  /**
   * @param {string} tag
   * @param {Properties} properties
   * @param {Children} children
   */
  constructor(tag, properties, children) {
    this.tag = tag;
    this.properties = properties;
    this.children = children;
  }
}

/**
 * Return an element to show.
 * @param {string} tag
 * @param {Properties} [properties]
 * @param {Children} children
 */
export function h(tag, properties = {}, ...children) {
  return new Wanted(tag, properties, children);
}

/** @type {WeakMap<Element, Properties>} */
const shown = new WeakMap(); // what the elements in the page have

/**
 * Make the children of an element those that are wanted; elements with the same tag and key stay, with their focus.
 * @param {Element} parent
 * @param {Children} children
 */
export function patch(parent, children) {
  let next = parent.firstChild;
  for (const child of children.flat()) {
    if (child === false || child === undefined || child === "") continue;
    const node =
      child instanceof Wanted
        ? elementOf(child, next)
        : textOf(String(child), next);
    if (node === next) next = next.nextSibling;
    else parent.insertBefore(node, next);
  }
  while (next) {
    const last = next;
    next = last.nextSibling;
    last.remove();
  }
}

/**
 * @param {string} text
 * @param {Node | null} next the node that is in this place
 */
function textOf(text, next) {
  const node = next instanceof Text ? next : new Text();
  if (node.data !== text) node.data = text;
  return node;
}

/**
 * @param {Wanted} wanted
 * @param {Node | null} next the node that is in this place
 */
function elementOf(wanted, next) {
  const { tag, properties, children } = wanted;
  const element = kept(wanted, next) ?? created(tag);
  for (const name of Object.keys(shown.get(element) ?? {})) {
    if (!(name in properties)) set(element, name, undefined);
  }
  for (const [name, value] of Object.entries(properties)) {
    set(element, name, value);
  }
  shown.set(element, properties);
  patch(element, children);
  return element;
}

/**
 * Return the element in the page that becomes the wanted one: in its place or, with a key, after it.
 * @param {Wanted} wanted
 * @param {Node | null} next
 */
function kept({ tag, properties: { key } }, next) {
  for (let node = next; node; node = node.nextSibling) {
    if (
      node instanceof Element &&
      node.localName === tag &&
      shown.get(node)?.key === key
    ) {
      return node;
    }
    if (key === undefined) break;
  }
  return undefined;
}

/** @param {string} tag */
function created(tag) {
  return tag === "svg" || tag === "path"
    ? document.createElementNS("http://www.w3.org/2000/svg", tag)
    : document.createElement(tag);
}

/**
 * @param {Element} element
 * @param {string} name of a property
 * @param {Properties[keyof Properties]} value
 */
function set(element, name, value) {
  const isHandler = name.startsWith("on") || typeof value === "function";
  if (isHandler || name === "value") {
    Object.assign(element, { [name]: value ?? null });
  } else if (value === undefined || value === false) {
    element.removeAttribute(name);
  } else if (name !== "key" && element.getAttribute(name) !== String(value)) {
    element.setAttribute(name, String(value));
  }
}

/**
 * Return a button that shows an icon, or a sign.
 * @param {string} id
 * @param {string} label
 * @param {() => unknown} onclick
 * @param {Child} shown
 */
export function button(id, label, onclick, shown) {
  return h(
    "button",
    { id, key: id, "aria-label": label, title: label, onclick },
    shown,
  );
}
