// The reference page works without scripts; this adds a form to call each operation.

import { control, takeToken } from "./api.js";
import { loadContract } from "./contract.js";
import { tryForm } from "./tryit.js";

takeToken();
let settings = { key: "mockpets", scenarios: [] };
try {
  const state = await control("state", { ask: false });
  settings = { key: state.settings.key, scenarios: state.scenarios.filter((row) => row.description !== null).map((row) => row.name) };
} catch {
  // A reader who may not call the control API types the key.
}
const { operations } = await loadContract();
for (const place of document.querySelectorAll("[data-try]")) place.replaceChildren(tryForm(operations[place.dataset.try], settings));
