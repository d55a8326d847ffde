// The reference page's search, and a form for each operation when the reader opens it. The page
// works without scripts.

import { html, render } from "./preact.js";
import { connection, storeUrlToken } from "./store.js";

/** @import { FormSettings } from "./form.js" */

storeUrlToken();

// --- The search ---

/**
 * Return an element that the page always has.
 * @template {Element} T
 * @param {string} selector
 * @param {new () => T} type
 * @returns {T}
 */
function part(selector, type) {
  const found = document.querySelector(selector);
  if (!(found instanceof type)) throw new Error(`The page has no ${selector}.`);
  return found;
}

const field = part("#search", HTMLInputElement);
const none = part("#none", HTMLElement);

const groups = [...document.querySelectorAll("nav details")]
  .filter((node) => node instanceof HTMLDetailsElement)
  .map((node) => ({
    node,
    wasOpen: node.open,
    links: [...node.querySelectorAll("a")].map((link) => ({
      link,
      item: link.parentElement ?? link,
      text: [node.firstElementChild?.textContent, link.textContent, link.title]
        .join(" ")
        .toLowerCase(),
    })),
  }));

function search() {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const { node, wasOpen, links } of groups) {
    for (const { item, text } of links)
      item.hidden = !words.every((word) => text.includes(word));
    node.hidden = links.every(({ item }) => item.hidden);
    node.open = words.length > 0 || wasOpen;
  }
  none.textContent = firstMatch() ? "" : "No operations match the search.";
}

const firstMatch = () =>
  groups.flatMap(({ links }) => links).find(({ item }) => !item.hidden);

/** @param {EventTarget | null} target */
const isField = (target) =>
  target instanceof Element &&
  target.closest("input, textarea, select") !== null;

const label = field.closest("label");
if (label) label.hidden = false;
field.addEventListener("input", search);
field.addEventListener("keydown", (event) => {
  if (event.key === "Enter") firstMatch()?.link.click();
});
addEventListener("keydown", (event) => {
  if (event.key !== "/" || isField(event.target)) return;
  event.preventDefault();
  field.focus();
});

// --- The forms: what they need is loaded when the reader opens the first one ---

/** @returns {Promise<FormSettings>} */
async function loadSettings() {
  try {
    const { settings, scenarios } = await connection.call("GET /state");
    return {
      key: settings.key,
      scenarios: scenarios
        .filter((row) => row.description !== null)
        .map((row) => row.name),
      explains: true,
    };
  } catch {
    // Without access to the control API, the reader types the key.
    return { key: "mockpets", scenarios: [], explains: false };
  }
}

async function loadOperations() {
  const { load } = await import("./openapi.js");
  const contract = new URLSearchParams(location.search).get("contract");
  const { byRoute } = await load(contract);
  return byRoute;
}

async function loadForms() {
  const [{ TryForm }, settings, byRoute] = await Promise.all([
    import("./form.js"),
    loadSettings(),
    loadOperations(),
  ]);
  return { TryForm, settings, byRoute };
}

/** @type {ReturnType<typeof loadForms> | null} */
let loading = null;

/** @param {HTMLElement} container */
async function open(container) {
  loading ??= loadForms();
  const forms = await loading.catch(() => null);
  if (!forms) {
    loading = null;
    container.textContent =
      "The form could not be loaded. The server may have been updated or stopped; reload the page.";
    return;
  }
  const { TryForm, settings, byRoute } = forms;
  const { try: route = "", name } = container.dataset;
  const operation = byRoute.get(route);
  if (!operation) return;
  container.replaceChildren();
  render(
    html`<${TryForm}
      operation=${operation}
      name=${name}
      settings=${settings}
    />`,
    container,
  );
}

/** @type {NodeListOf<HTMLDetailsElement>} */
const sections = document.querySelectorAll("details.try-it");
for (const section of sections) {
  const container = section.lastElementChild;
  if (!(container instanceof HTMLElement)) continue;
  // The reader may have opened it before this script was loaded.
  if (section.open) void open(container);
  else
    section.addEventListener("toggle", () => void open(container), {
      once: true,
    });
}
