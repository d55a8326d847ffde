// The reference page's search, and a form for each operation when the reader opens it. The page works without scripts.

import { html, render } from "./preact.js";
import { connection, storeUrlToken } from "./store.js";

storeUrlToken();

// --- The search ---

const field = /** @type {HTMLInputElement} */ (
  document.getElementById("search")
);
const groups = [...document.querySelectorAll("nav details")].map((node) => ({
  node: /** @type {HTMLDetailsElement} */ (node),
  wasOpen: /** @type {HTMLDetailsElement} */ (node).open,
  links: [...node.querySelectorAll("a")].map((link) => ({
    link,
    text: `${node.firstElementChild.textContent} ${link.textContent} ${link.title}`.toLowerCase(),
  })),
}));

function search() {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  let n = 0;
  for (const { node, wasOpen, links } of groups) {
    const found = links.filter(({ link, text }) => {
      const matches = words.every((word) => text.includes(word));
      link.parentElement.hidden = !matches;
      return matches;
    });
    node.hidden = !found.length;
    node.open = words.length ? true : wasOpen;
    n += found.length;
  }
  document.getElementById("none").textContent = n
    ? ""
    : "No operations match the search.";
}

field.closest("label").hidden = false;
field.addEventListener("input", search);
field.addEventListener("keydown", (event) => {
  const first =
    event.key === "Enter" &&
    groups
      .flatMap(({ links }) => links)
      .find(({ link }) => !link.parentElement.hidden);
  if (first) first.link.click();
});
addEventListener("keydown", (event) => {
  if (
    event.key !== "/" ||
    /** @type {HTMLElement} */ (event.target).closest("input, textarea, select")
  )
    return;
  event.preventDefault();
  field.focus();
});

// --- The forms: what they need is loaded when the reader opens the first one ---

let loading = null;

async function loadForms() {
  const [{ TryForm }, { load }] = await Promise.all([
    import("./try.js"),
    import("./openapi.js"),
  ]);
  let settings = { key: "mockpets", scenarios: [], explains: false };
  try {
    const state = await connection.call("GET /state");
    settings = {
      key: state.settings.key,
      scenarios: state.scenarios
        .filter((row) => row.description !== null)
        .map((row) => row.name),
      explains: true,
    };
  } catch {
    // Without access to the control API, the reader types the key.
  }
  return {
    TryForm,
    settings,
    ...(await load(new URLSearchParams(location.search).get("contract"))),
  };
}

async function open(container) {
  loading ??= loadForms();
  const { TryForm, settings, byRoute } = await loading;
  const operation = byRoute.get(container.dataset.try);
  if (!operation) return;
  container.replaceChildren();
  render(
    html`<${TryForm}
      operation=${operation}
      name=${container.dataset.name}
      settings=${settings}
    />`,
    container,
  );
}

for (const section of document.querySelectorAll("details.try-it"))
  section.addEventListener("toggle", () => open(section.lastElementChild), {
    once: true,
  });
