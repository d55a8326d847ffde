// The views of the panel, and the links to them.

import { html } from "./preact.js";
import Requests from "./requests.js";
import { link, loadedState, store } from "./store.js";
import { Icon } from "./ui.js";

/**
 * @import { Content } from "./preact.js"
 * @import { View } from "./store.js"
 */

/**
 * @typedef {object} Page
 * @property {string} name
 * @property {string} key the key after `g`
 * @property {() => Content} [view] its component, once it is loaded
 * @property {() => Promise<{ default: () => Content }>} [load]
 * @property {() => number | null} [count] what its link shows
 */

/** @type {Record<View, Page>} */
export const PAGES = {
  requests: {
    name: "Requests",
    key: "r",
    view: Requests,
    count: () => loadedState().counts.requests,
  },
  scenarios: {
    name: "Scenarios",
    key: "s",
    load: () => import("./scenarios.js"),
    count: () => loadedState().scenarios.length,
  },
  states: { name: "States", key: "a", load: () => import("./states.js") },
  data: {
    name: "Data",
    key: "d",
    load: () => import("./data.js"),
    count: () => loadedState().counts.records,
  },
  sessions: {
    name: "Sessions",
    key: "e",
    load: () => import("./sessions.js"),
    count: () => loadedState().counts.sessions,
  },
  findings: {
    name: "Findings",
    key: "i",
    load: () => import("./findings.js"),
    count: () => store.findings,
  },
  contract: { name: "Contract", key: "c", load: () => import("./contract.js") },
  try: { name: "Try it", key: "t", load: () => import("./try.js") },
};

/** The views in their order. */
export const LISTED = /** @type {[View, Page][]} */ (Object.entries(PAGES));

/** @param {{ id: View }} properties */
export function NavLink({ id }) {
  const { state, route, requestParams } = store;
  const { name, count } = PAGES[id];
  const n = state && count ? count() : null;
  return html`<a
    href=${link(id, null, id === "requests" ? requestParams : {})}
    title=${name}
    aria-current=${route.view === id ? "page" : undefined}
  >
    <${Icon} name=${id} />
    <span>${name}</span>
    ${n !== null && html`<span class="n">${n.toLocaleString("en")}</span>`}
  </a>`;
}
