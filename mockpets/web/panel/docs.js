// Add a form to each operation of the reference page. The page works without scripts.

import { loadContract } from "./contract.js";
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
const { operations } = await loadContract();
for (const container of document.querySelectorAll("[data-try]")) {
  const name = container.dataset.try;
  if (!operations[name]) continue;
  container.replaceChildren();
  render(html`<${TryForm} operation=${operations[name]} name=${name} settings=${settings} />`, container);
}
