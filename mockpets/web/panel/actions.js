// What both the menu and the palette do.

import { loadModule } from "./loading.js";
import { call, download, loadedState, store, toast, update } from "./store.js";
import { count } from "./values.js";

/**
 * @import { Store } from "./store.js"
 * @import { IconName } from "./ui.js"
 */

/**
 * Return what opens an overlay.
 * @param {Store["overlay"]} overlay
 */
export const opens = (overlay) => () => update({ overlay });

/** Close the open overlay. */
export const shut = opens(null);

/**
 * What the menu and the palette offer.
 * @type {{ name: string, icon: IconName, does: () => Promise<void> }[]}
 */
export const LOG_ACTIONS = [
  { name: "Record from the next request", icon: "try", does: record },
  {
    name: "Save recording as a scenario",
    icon: "scenarios",
    does: saveRecording,
  },
  { name: "Save requests as HAR", icon: "save", does: saveHar },
];

async function record() {
  await call("POST /recording");
  toast("Recording. Use your app, then open the menu and save the recording.");
}

async function saveRecording() {
  const { yaml, requests, stubs, notes } = await call("GET /recording");
  const { editNew } = await loadModule(() => import("./scenarios.js"));
  editNew("recorded", yaml);
  toast(
    [
      `Recorded ${count(requests, "request")} with ${count(stubs, "stub")}.`,
      ...notes,
    ].join("\n"),
  );
}

async function saveHar() {
  const har = await call("GET /requests.har", {
    query: { limit: loadedState().settings.request_log_size },
  });
  download(`mockpets-${store.session}.har`, JSON.stringify(har, null, 1));
}
