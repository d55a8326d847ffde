// Calls to the control API, and URLs. All URLs derive from the page's own, so the panel works behind
// a prefix, and `/~w3/` opens the panel of session w3.

import { el } from "./dom.js";
import { parseExact } from "./text.js";

const TOKEN = "mockpets-token";
const [, root] = /^(.*?)(?:\/~[^/]*)?\/__mockpets\/[^/]*$/.exec(location.pathname);

/** The path of the service's API, below the path of a session. */
export const API = "/v1";

/** Return the URL of a path on this server, such as a session's `/~w3/v1`. */
export const address = (path) => `${location.origin}${root}${path}`;

/** Return the path of a session's API or panel. */
export const inSession = (name, path = API) => (name === "default" ? path : `/~${name}${path}`);

/** An error response of the control API. */
export class ControlError extends Error {
  constructor(status, body) {
    const problems = body.details?.problems ?? [];
    super([body.message, ...problems.map(describeProblem)].join("\n"));
    this.status = status;
  }
}

function describeProblem({ where, what, hint }) {
  return [where, hint ? `${what}; ${hint}` : what].filter(Boolean).join(": ");
}

/**
 * Call the control API.
 * @param {string} path below `/__mockpets/`
 * @param {{method?: string, body?: object | string, signal?: AbortSignal, ask?: boolean}} [options]
 *   a string is a body in JSON; `ask: false` fails if a token is needed, instead of prompting for it
 * @returns {Promise<any>}
 */
export async function control(path, { method = "GET", body, signal, ask = true } = {}) {
  for (;;) {
    const token = sessionStorage.getItem(TOKEN);
    const headers = {};
    if (token !== null) headers.Authorization = `Bearer ${token}`;
    if (body !== undefined) headers["Content-Type"] = "application/json";
    const response = await fetch(path, { method, headers, body: typeof body === "object" ? JSON.stringify(body) : body, signal });
    const value = parseBody(await response.text(), response.status);
    if (response.ok) return value;
    if (response.status !== 401 || !ask) throw new ControlError(response.status, value);
    if (sessionStorage.getItem(TOKEN) === token) await promptToken(token !== null, value.message);
  }
}

function parseBody(text, status) {
  try {
    return parseExact(text);
  } catch {
    return { message: `Unexpected response with status ${status}: it does not come from mockpets.` };
  }
}

/** Move a token from the URL, `#token=...`, to the session storage. */
export function storeUrlToken() {
  const match = /^#token=(.+)$/.exec(location.hash);
  if (!match) return;
  // Tokens contain no characters that URLs escape.
  sessionStorage.setItem(TOKEN, match[1]);
  history.replaceState(null, "", location.pathname + location.search);
}

let pendingPrompt = null;

/** Prompt for the control token, once for all calls that wait for it. */
function promptToken(rejected, message) {
  pendingPrompt ??= new Promise((resolve) => {
    const field = el("input", { id: "token", type: "password", autocomplete: "off", required: true });
    const reason = rejected ? `The server rejected the token: ${message}` : "The control API of this server requires a token. The server prints it at startup.";
    const form = el("form", {},
      el("h2", { id: "token-title" }, "Control token"),
      el("p", { id: "token-reason" }, reason),
      el("label", { for: "token" }, "Token"), field,
      el("p", { class: "soft" }, "Stored in this tab only."),
      el("button", { class: "main" }, "Continue"));
    const dialog = el("dialog", { "aria-labelledby": "token-title", "aria-describedby": "token-reason" }, form);
    // The panel does not work without a token.
    dialog.addEventListener("cancel", (event) => event.preventDefault());
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      sessionStorage.setItem(TOKEN, field.value.trim());
      dialog.close();
      dialog.remove();
      pendingPrompt = null;
      resolve(undefined);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
  return pendingPrompt;
}
