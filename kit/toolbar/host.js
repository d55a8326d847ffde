// The toolbar's element in the page, and its end.

import { CSS } from "./style.js";

/** The name of the element, of the storage, and of the scenario that delays and holds for this session. */
export const OWN = "mockpets-toolbar";

export const host = document.createElement(OWN);
export const root = host.attachShadow({ mode: "closed" }); // the locators of the app's tests must not find our controls

/** The element with everything that is shown. */
export const frame = document.createElement("div");

const life = new AbortController();

/** Aborted when the toolbar leaves the page. */
export const { signal: left } = life;

/** Prepare the element for what is shown. */
export function mount() {
  const style = new CSSStyleSheet(); // a Content-Security-Policy allows it
  style.replaceSync(CSS);
  root.adoptedStyleSheets = [style];
  frame.role = "region";
  frame.ariaLabel = "mockpets";
  root.append(frame);
}

/**
 * Remove the toolbar, and report why in one line.
 * @param {string} reason
 */
export function leave(reason) {
  host.remove();
  life.abort();
  console.warn(`mockpets: the toolbar is off: ${reason}`);
}

/** @param {string} id */
export function byId(id) {
  return root.getElementById(id);
}

/**
 * Focus on a control, or on what is left near it.
 * @param {string} id
 */
export function focusOn(id) {
  const near = id.startsWith("reply") ? "ask" : "add";
  (byId(id) ?? byId(near) ?? byId("pill"))?.focus();
}
