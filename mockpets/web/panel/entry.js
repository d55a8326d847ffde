// One request of the journal: both sides as they were sent, and what can be done with it.

import { address, control, inSession } from "./api.js";
import { byId, copyButton, doing, el, notice } from "./dom.js";
import { curl, headersAgain } from "./curl.js";
import { duration, kindOf, NOTES, size, withLines } from "./text.js";

let shown = null; // the number of the request that is open
let back = (_number) => {};
let key = "";

/** @param {(number: number) => void} goBack puts the focus on the row of this number */
export function start(goBack) {
  back = goBack;
  byId("entry").addEventListener("keydown", (event) => {
    if (event.key === "Escape") close();
  });
}

export const number = () => shown;

const close = () => { location.hash = "#requests"; };

/** Open the entry of this number; null closes what is open. */
export async function open(wanted, settings) {
  key = settings.key;
  if (wanted === shown) return;
  const before = shown;
  shown = wanted;
  const article = byId("entry");
  if (wanted === null) {
    const focused = article.contains(document.activeElement);
    article.hidden = true;
    article.replaceChildren();
    if (focused) back(before);
    return;
  }
  let parts;
  try {
    const found = await control(`requests/${wanted}`);
    parts = whole(found);
  } catch (error) {
    parts = [title(`Request ${wanted}`), el("p", {}, error.message), closing()];
  }
  if (shown !== wanted) return; // another was opened meanwhile
  article.replaceChildren(...parts);
  article.hidden = false;
  article.scrollTop = 0;
  byId("entry-title").focus();
}

const title = (text) => el("h3", { id: "entry-title", tabindex: "-1" }, text);
const closing = () => el("button", { type: "button", class: "quiet", onclick: close }, "Close");

function whole(found) {
  const again = el("button", { type: "button", onclick: doing(() => sendAgain(found)) }, "Send again");
  const copy = copyButton(() => asCurl(found), `Copy request ${found.number} as curl`, "Copy as curl");
  const lost = found.request.body.cut && "Its body is longer than what the journal keeps, so it cannot be sent again as it was.";
  if (lost) again.disabled = copy.disabled = true;
  return [
    el("div", { class: "line" }, title(`Request ${found.number}`), copy, again, closing()),
    el("p", { class: "what" }, el("span", { class: `status ${kindOf(found.status)}` }, found.status === null ? "broken" : String(found.status)), " ", el("b", {}, found.method), " ", found.target),
    ...(lost ? [el("p", { class: "soft" }, lost)] : []),
    el("ul", { class: "said" }, ...found.notes.map((note) => el("li", {},
      el("span", { class: `note ${note.code}` }, NOTES[note.code] ?? note.code), " ", note.text))),
    facts(found),
    side("Request", `${found.method} ${found.target}`, found.request),
    side("Answer", found.status === null ? "No answer: the connection was broken" : String(found.status), found.response),
  ];
}

function facts(found) {
  const rows = [
    ["At", new Date(found.at).toLocaleString()],
    ["Session", found.session],
    ["Operation", found.operation ?? "none of the contract's"],
    ["Scenario", found.scenarios.join(", ")],
    ["Stub", found.stubs.join(", ") || "none: the operation answered"],
    ["Own work", duration(found.app_ms)],
    ["Added delay", found.delay_ms ? duration(found.delay_ms) : null],
    ["Slowed to", found.throttle && `${size(found.throttle)} a second`],
    ["Held at gate", found.hold],
    ["Fault", found.fault],
  ].filter(([, value]) => value);
  return el("dl", { class: "table" }, ...rows.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))));
}

function side(name, first, { headers, body }) {
  return el("section", { class: "side", "aria-label": name }, el("h4", {}, name), el("p", { class: "first" }, first),
    headerLines(headers), bodyOf(body));
}

/**
 * Headers as they stand in a message.
 * @param {Iterable<[string, string]>} headers
 */
export function headerLines(headers) {
  return el("dl", { class: "headers" }, ...[...headers].map(([name, value]) =>
    el("div", {}, el("dt", {}, `${name}: `), el("dd", {}, value))));
}

/** A body as it was sent, and with lines where it is JSON. */
export function bodyOf({ size: bytes, text, base64 = false, cut = false }) {
  if (!bytes) return el("p", { class: "soft" }, "No body");
  const lined = base64 ? null : withLines(text);
  const pre = el("pre", { tabindex: "0" }, lined ?? text);
  const said = [size(bytes), base64 && "not UTF-8, so shown as base64", cut && "only its beginning was kept"].filter(Boolean).join(", ");
  const how = lined !== null && lined !== text && el("button", { type: "button", class: "quiet", "aria-pressed": "false" }, "As sent");
  if (how) {
    how.addEventListener("click", () => {
      const raw = how.getAttribute("aria-pressed") !== "true";
      how.setAttribute("aria-pressed", String(raw));
      pre.textContent = raw ? text : lined;
    });
  }
  return el("div", { class: "content" }, el("p", { class: "soft" }, `Body, ${said} `, how), pre);
}

/** Where a recorded request goes when it is sent again: to its own session, scenarios and all. */
function urlOf(found) {
  const own = found.target.startsWith("/~");
  return address(own ? found.target : inSession(found.session, found.target));
}

function asCurl(found) {
  const { text, base64, size: bytes } = found.request.body;
  return curl({ method: found.method, url: urlOf(found), headers: headersAgain(found, key), body: bytes ? text : null, base64 });
}

async function sendAgain(found) {
  const { text, base64, size: bytes } = found.request.body;
  const bodyless = !bytes || found.method === "GET" || found.method === "HEAD";
  const body = bodyless ? undefined : base64 ? Uint8Array.from(atob(text), (char) => char.charCodeAt(0)) : text;
  const headers = new Headers(headersAgain(found, key));
  let answer;
  try {
    answer = await fetch(urlOf(found), { method: found.method, headers, body });
  } catch {
    notice("Sent again; the connection was broken before an answer came.", "failed");
    return;
  }
  const sent = answer.headers.get("Mockpets-Request");
  notice(`Sent again${sent ? ` as request ${sent}` : ""}: ${answer.status}.`);
}
