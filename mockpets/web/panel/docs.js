// The reference page works without scripts; this adds a form to call each operation.

import { control, takeToken } from "./api.js";
import { tryForm } from "./tryit.js";

takeToken();
let settings = { key: "mockpets", scenarios: [] };
try {
  const state = await control("state", { ask: false });
  settings = { key: state.settings.key, scenarios: state.scenarios.filter((row) => row.description !== null).map((row) => row.name) };
} catch {
  // Whoever may not call the control API types the key.
}
for (const place of document.querySelectorAll("[data-try]")) place.replaceChildren(tryForm(place.dataset.try, settings));
