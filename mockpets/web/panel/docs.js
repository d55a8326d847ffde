// Add a form to each operation of the reference page. The page works without scripts.

import { loadOperations } from "./contract.js";
import { html, render } from "./preact.js";
import { control, storeUrlToken } from "./store.js";
import { TryForm } from "./try.js";

storeUrlToken();
let settings = { key: "mockpets", scenarios: [], explains: false };
try {
  const state = await control("state", { ask: false });
  settings = { key: state.settings.key, scenarios: state.scenarios.filter((row) => row.description !== null).map((row) => row.name), explains: true };
} catch {
  // Without access to the control API, the reader types the key.
}
const operations = await loadOperations(new URLSearchParams(location.search).get("contract"));
const byRoute = Object.fromEntries(Object.values(operations).map((each) => [`${each.method} ${each.path}`, each]));
for (const container of document.querySelectorAll("[data-try]")) {
  const operation = byRoute[container.dataset.try];
  if (!operation) continue;
  container.replaceChildren();
  render(html`<${TryForm} operation=${operation} name=${container.dataset.name} settings=${settings} />`, container);
}
