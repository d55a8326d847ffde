// Add a form to each operation of the reference page. The page works without scripts.

import { control, storeUrlToken } from "./api.js";
import { loadContract } from "./contract.js";
import { tryForm } from "./tryit.js";

storeUrlToken();
let settings = { key: "mockpets", scenarios: [], explains: false };
try {
  const state = await control("state", { ask: false });
  settings = { key: state.settings.key, scenarios: state.scenarios.filter((row) => row.description !== null).map((row) => row.name), explains: true };
} catch {
  // Without access to the control API, the reader types the key.
}
const { operations } = await loadContract();
for (const container of document.querySelectorAll("[data-try]")) container.replaceChildren(tryForm(operations[container.dataset.try], settings));
