// What a call in the form has led to.

import { Explanation } from "./details.js";
import { Message } from "./message.js";
import { html } from "./preact.js";
import { store } from "./store.js";
import { duration } from "../../../kit/toolbar/shown.js";
import { StatusText } from "./ui.js";

/** @import { Explanation as ExplanationDetails } from "../../../kit/control.js" */
/** @import { Broken, Received } from "./exchange.js" */

/** @typedef {{ waits: true } | { problem: string } | { explanation: ExplanationDetails }} Unsent */
/** @typedef {Unsent | Received | Broken} Outcome */

/** @param {{ name: string, outcome: Outcome }} properties */
export function Result({ name, outcome }) {
  if ("waits" in outcome)
    return html`<p class="soft" role="status">Waiting for the response.</p>`;
  if ("problem" in outcome)
    return html`<p class="server" role="alert">${outcome.problem}</p>`;
  if ("explanation" in outcome)
    return html`<${Explanation} explanation=${outcome.explanation} />`;
  return "reason" in outcome
    ? html`<${Breakage} ...${outcome} />`
    : html`<${ResponseMessage} name=${name} ...${outcome} />`;
}

/** @param {Broken} properties */
function Breakage({ response, reason }) {
  const what = response
    ? `Status ${response.status}, then the connection failed`
    : "No response: the connection failed";
  return html`<p role="status">
    <b class="server">broken</b> ${what} (${reason}).
  </p>`;
}

/** @param {Received & { name: string }} properties */
function ResponseMessage({ name, response, text, ms }) {
  const { status, statusText } = response;
  const headers = [...response.headers];
  const number = response.headers.get("mockpets-request");
  const bytes = new TextEncoder().encode(text).length;
  return html`
    <p role="status">
      <${StatusText} row=${{ status, outcome: "sent" }} />${" "}
      ${statusText} in ${duration(ms)}
      ${
        number &&
        store.state &&
        html` · <a href=${`#requests/${number}`}>Request ${number}</a>`
      }
    </p>
    ${store.state && html`<h2 class="away">Response</h2>`}
    <${Message}
      name=${name}
      message=${{ headers, body: { size: bytes, text } }}
      status=${status}
    />
  `;
}
