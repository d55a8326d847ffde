// Calls of the control API, and where things are. Every address is made from the page's own, so the
// panel works behind a prefix, and under `/~w3/` it is the panel of session w3.

import { el } from "./dom.js";
import { parseExact } from "./text.js";

const TOKEN = "mockpets-token";
const [, root] = /^(.*?)(?:\/~[^/]*)?\/__mockpets\/[^/]*$/.exec(location.pathname);

/** The address of a path of this server, such as a session's `/~w3/v1`. */
export const address = (path) => `${location.origin}${root}${path}`;

/** The path of a session's API, or of its panel. */
export const inSession = (name, path = "/v1") => (name === "default" ? path : `/~${name}${path}`);

/** An answer of the control API that is an Error body. */
export class Refused extends Error {
  constructor(status, body) {
    const problems = body.details?.problems ?? [];
    super([body.message, ...problems.map(inWords)].join("\n"));
    this.status = status;
  }
}

function inWords({ where, what, hint }) {
  return [where, hint ? `${what}; ${hint}` : what].filter(Boolean).join(": ");
}

/**
 * Call the control API.
 * @param {string} path below `/__mockpets/`
 * @param {{method?: string, body?: object, signal?: AbortSignal, ask?: boolean}} [options]
 *   `ask: false` gives up where a token is needed, instead of asking for it
 * @returns {Promise<any>}
 */
export async function control(path, { method = "GET", body, signal, ask = true } = {}) {
  for (;;) {
    const token = sessionStorage.getItem(TOKEN);
    const headers = {};
    if (token !== null) headers.Authorization = `Bearer ${token}`;
    if (body !== undefined) headers["Content-Type"] = "application/json";
    const answer = await fetch(path, { method, headers, body: body && JSON.stringify(body), signal });
    const value = readBody(await answer.text(), answer.status);
    if (answer.ok) return value;
    if (answer.status !== 401 || !ask) throw new Refused(answer.status, value);
    if (sessionStorage.getItem(TOKEN) === token) await askToken(token !== null, value.message);
  }
}

function readBody(text, status) {
  try {
    return parseExact(text);
  } catch {
    return { message: `Something that is not mockpets answered ${status}.` };
  }
}

/** Take a token from the address, `#token=...`, and take it out of the address. */
export function takeToken() {
  const match = /^#token=(.+)$/.exec(location.hash);
  if (!match) return;
  // Tokens have no character that an address would escape, so it stands there as it is.
  sessionStorage.setItem(TOKEN, match[1]);
  history.replaceState(null, "", location.pathname + location.search);
}

let asking = null;

/** Ask for the control token, once for all calls that wait for it. */
function askToken(wrong, message) {
  asking ??= new Promise((resolve) => {
    const field = el("input", { id: "token", type: "password", autocomplete: "off", required: true });
    const why = wrong ? `The token was refused: ${message}` : "This server's control API asks for a token; the server printed it when it started.";
    const form = el("form", {},
      el("h2", { id: "token-title" }, "Control token"),
      el("p", { id: "token-why" }, why),
      el("label", { for: "token" }, "Token"), field,
      el("p", { class: "soft" }, "It is kept in this tab alone."),
      el("button", { class: "main" }, "Continue"));
    const dialog = el("dialog", { "aria-labelledby": "token-title", "aria-describedby": "token-why" }, form);
    // Without a token there is nothing to go back to.
    dialog.addEventListener("cancel", (event) => event.preventDefault());
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      sessionStorage.setItem(TOKEN, field.value.trim());
      dialog.close();
      dialog.remove();
      asking = null;
      resolve(undefined);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
  return asking;
}
