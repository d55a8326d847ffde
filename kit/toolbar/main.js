// A toolbar in your own app: it shows and switches the scenarios of the app's session and the states of its operations,
// delays its responses, asks for each one, and opens links that carry a state. The declarations have the documentation.
// Everything is in a shadow root, and nothing is global.

import { MockpetsError, sleep } from "../connection.js";
import { checkCookie, missingOption, reasonOf, watchPolicy } from "./advice.js";
import { followLink, setCookie } from "./cookie.js";
import { h, patch } from "./elements.js";
import { focusOn, frame, host, leave, left, mount, OWN, root } from "./host.js";
import { logo } from "./icons.js";
import { listen, load, refetch, show } from "./loading.js";
import { onKey, toggle } from "./opening.js";
import { panel } from "./panel.js";
import { pill } from "./pill.js";
import { connection, hasInvalidUrl, server } from "./server.js";
import { keep, render, renderWith, view } from "./view.js";

const TICK_MS = 100;
const INVALID_URL =
  "data-mockpets-url of <html> must be an http or https URL without a user name, such as http://localhost:8080";

// --- Show ---

/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer; // renders again while a time is shown

renderWith(() => {
  clearTimeout(timer);
  if (!host.isConnected) return;
  const { held, news, open, undo } = view;
  const id = root.activeElement?.id;
  frame.className = view.corner;
  patch(frame, [
    pill(),
    open && panel(),
    h("p", { key: "news", class: "news", role: "status" }, news),
  ]);
  if (id && !root.activeElement) focusOn(id);
  const ticks = held.length > 0 || undo > Date.now();
  if (open && ticks) timer = setTimeout(render, TICK_MS);
});

// --- Start ---

async function start() {
  const link = followLink();
  if (document.querySelector(OWN)) return; // loaded twice
  if (hasInvalidUrl) return leave(INVALID_URL);
  watchPolicy();
  document.body.append(host);
  try {
    await load();
  } catch (error) {
    return explainWhyNot(error);
  }
  mount();
  listenToPage();
  await checkScenarios(link);
  if (!view.problem && link.isLate) refetch();
  render();
  listen();
  if (view.focus) focusOn(view.focus);
  keep({ focus: "" });
  checkCookie(link.changed);
}

function listenToPage() {
  host.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && view.open) void toggle(false);
    event.stopPropagation(); // the keys of the app
  });
  addEventListener("keydown", onKey, { capture: true, signal: left });
  document.addEventListener("visibilitychange", listen, { signal: left });
}

/**
 * Report scenarios of a link that the server does not know. The cookie then names only the session.
 * @param {{ session: string, scenarios: readonly string[] }} link
 */
async function checkScenarios({ session, scenarios }) {
  const listed = new Set(view.state.scenarios.map(({ name }) => name));
  // An expression is known, although it is not listed; the error of an unknown name has the nearest one.
  const unlisted = scenarios.filter((name) => !listed.has(name));
  const details = (/** @type {string} */ name) =>
    connection.call("GET /scenarios/{name}", { path: { name } });
  await show(() => Promise.all(unlisted.map(details)));
  if (!view.problem) return;
  setCookie(session);
  keep({ open: true });
}

/**
 * Show or report why the toolbar does not start.
 * @param {unknown} error
 */
async function explainWhyNot(error) {
  const isInvalid = error instanceof MockpetsError && error.status === 422;
  if (isInvalid) setCookie(""); // it names an invalid session
  await sleep(TICK_MS); // the browser reports a violation later
  const option = await missingOption(error);
  if (option) warn(option);
  else leave(reasonOf(error));
}

/**
 * Show only why the toolbar is off, since the page may have other scenarios than its link asks for.
 * @param {string} option of the server
 */
function warn(option) {
  mount();
  const reason = `Toolbar off; links may have no effect: ${server} rejects this page. Start it with ${option}`;
  frame.className = view.corner;
  const text = h("span", { class: "held" }, reason);
  patch(frame, [h("p", { id: "pill", role: "alert" }, logo(), text)]);
  console.warn(`mockpets: ${reason}`);
}

void start();
