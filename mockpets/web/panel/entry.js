// One request of the request log: the request and the response as sent, with copy and resend.

import { address, control, inSession } from "./api.js";
import { byId, copyButton, el, handler, notice } from "./dom.js";
import { curl, headersToResend } from "./curl.js";
import { duration, indent, kindOf, NOTES, OUTCOMES, size, statusText } from "./text.js";
import { explained, loading } from "./why.js";

let shown = null; // the number of the open request
let focusRow = (_number) => {};
let key = "";

/** @param {(number: number) => void} focus focuses the row of a request */
export function start(focus) {
  focusRow = focus;
  byId("entry").addEventListener("keydown", (event) => {
    if (event.key === "Escape") close();
  });
}

export const number = () => shown;

const close = () => { location.hash = "#requests"; };

/** Open a request by its number; null closes the open one. */
export async function open(requested, settings) {
  key = settings.key;
  if (requested === shown) return;
  const previous = shown;
  shown = requested;
  const article = byId("entry");
  if (requested === null) {
    const focused = article.contains(document.activeElement);
    article.hidden = true;
    article.replaceChildren();
    if (focused) focusRow(previous);
    return;
  }
  const parts = await load(requested);
  if (shown !== requested) return; // the user opened another one meanwhile
  article.replaceChildren(...parts);
  article.hidden = false;
  article.scrollTop = 0;
  byId("entry-title").focus();
}

/** Load the open request again: its response has ended. */
export async function reload() {
  const requested = shown;
  const article = byId("entry");
  const parts = await load(requested, article.querySelector(".why")?.open);
  if (shown !== requested) return;
  const focused = article.contains(document.activeElement);
  article.replaceChildren(...parts);
  if (focused) byId("entry-title").focus();
}

async function load(requested, isExplained = false) {
  try {
    return content(await control(`requests/${requested}`), isExplained);
  } catch (error) {
    return [title(`Request ${requested}`), el("p", {}, error.message), closeButton()];
  }
}

const title = (text) => el("h3", { id: "entry-title", tabindex: "-1" }, text);
const closeButton = () => el("button", { type: "button", class: "quiet", onclick: close }, "Close");

function content(entry, isExplained) {
  const resend = el("button", { type: "button", onclick: handler(() => sendAgain(entry)) }, "Resend");
  const copy = copyButton(() => asCurl(entry), `Copy request ${entry.number} as curl`, "Copy as curl");
  const truncated = entry.request.body.cut && "The request log has only the beginning of the body, so the request cannot be resent.";
  if (truncated) resend.disabled = copy.disabled = true;
  return [
    el("div", { class: "line" }, title(`Request ${entry.number}`), copy, resend, closeButton()),
    el("p", { class: "what" }, el("span", { class: `status ${kindOf(entry)}` }, statusText(entry)), " ", el("b", {}, entry.method), " ", entry.target),
    ...(truncated ? [el("p", { class: "soft" }, truncated)] : []),
    el("ul", { class: "note-list" }, ...entry.notes.map((note) => el("li", {},
      el("span", { class: `note ${note.code}` }, NOTES[note.code] ?? note.code), " ", note.text))),
    facts(entry),
    why(entry.number, isExplained),
    message("Request", `${entry.method} ${entry.target}`, entry.request),
    message("Response", responseLine(entry), entry.response),
  ];
}

function responseLine({ status, outcome }) {
  if (status !== null) return String(status);
  return outcome === "broken" ? "No response: the connection was broken" : "No response";
}

function facts(entry) {
  const rows = [
    ["Outcome", OUTCOMES[entry.outcome]],
    ["Time", new Date(entry.at).toLocaleString()],
    ["Session", entry.session],
    ["Operation", entry.operation ?? "Not in the contract"],
    ["Scenario", entry.scenarios.join(", ")],
    ["Stub", entry.stubs.join(", ") || "None"],
    ["Processing time", duration(entry.app_ms)],
    ["Added delay", entry.delay_ms ? duration(entry.delay_ms) : null],
    ["Throttled to", entry.throttle && `${size(entry.throttle)}/s`],
    ["Held at gate", entry.hold && `${entry.hold}, ${duration(entry.held_ms)}${entry.outcome === "pending" ? " so far" : ""}`],
    ["Total time", entry.total_ms === null ? null : duration(entry.total_ms)],
    ["Fault", entry.fault],
  ].filter(([, value]) => value);
  return el("dl", { class: "table" }, ...rows.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))));
}

/** Create the section that explains the response; it loads the explanation when the user opens it. */
function why(requested, open) {
  const body = el("div", { class: "stack" });
  const details = el("details", { class: "side why", open }, el("summary", {}, el("h4", {}, "Why this response?")), body);
  details.addEventListener("toggle", async () => {
    if (!details.open) return;
    body.replaceChildren(...loading());
    body.replaceChildren(...await explained(() => control(`requests/${requested}/explain`)));
  });
  return details;
}

function message(name, first, { headers, body }) {
  return el("section", { class: "side", "aria-label": name }, el("h4", {}, name), el("p", { class: "first" }, first),
    headerLines(headers), bodyOf(body));
}

/**
 * Create a list of headers.
 * @param {Iterable<[string, string]>} headers
 */
export function headerLines(headers) {
  return el("dl", { class: "headers" }, ...[...headers].map(([name, value]) =>
    el("div", {}, el("dt", {}, `${name}: `), el("dd", {}, value))));
}

/** Create the view of a body: indented if it is JSON, with a button to show it as sent. */
export function bodyOf({ size: bytes, text, base64 = false, cut = false }) {
  if (!bytes) return el("p", { class: "soft" }, "No body");
  const indented = base64 ? null : indent(text);
  const pre = el("pre", { tabindex: "0" }, indented ?? text);
  const details = [size(bytes), base64 && "not UTF-8, shown as base64", cut && "truncated"].filter(Boolean).join(", ");
  const rawButton = indented !== null && indented !== text && el("button", { type: "button", class: "quiet", "aria-pressed": "false" }, "Raw");
  if (rawButton) {
    rawButton.addEventListener("click", () => {
      const raw = rawButton.getAttribute("aria-pressed") !== "true";
      rawButton.setAttribute("aria-pressed", String(raw));
      pre.textContent = raw ? text : indented;
    });
  }
  return el("div", { class: "content" }, el("p", { class: "soft" }, `Body, ${details} `, rawButton), pre);
}

/** Return the URL for resending a recorded request, in its session. */
function urlOf(entry) {
  const prefixed = entry.target.startsWith("/~");
  return address(prefixed ? entry.target : inSession(entry.session, entry.target));
}

function asCurl(entry) {
  const { text, base64, size: bytes } = entry.request.body;
  return curl({ method: entry.method, url: urlOf(entry), headers: headersToResend(entry, key), body: bytes ? text : null, base64 });
}

async function sendAgain(entry) {
  const { text, base64, size: bytes } = entry.request.body;
  const bodyless = !bytes || entry.method === "GET" || entry.method === "HEAD";
  const body = bodyless ? undefined : base64 ? Uint8Array.from(atob(text), (char) => char.charCodeAt(0)) : text;
  const headers = new Headers(headersToResend(entry, key));
  let response;
  try {
    response = await fetch(urlOf(entry), { method: entry.method, headers, body });
  } catch {
    notice("Request resent. No response: the connection failed.", "failed");
    return;
  }
  const number = response.headers.get("Mockpets-Request");
  notice(`Resent${number ? ` as request ${number}` : ""}: ${response.status}.`);
}
