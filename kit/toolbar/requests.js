// The section of the last requests.

import { explain, release } from "./actions.js";
import { h } from "./elements.js";
import { duration, shownPath, statusParts } from "./shown.js";
import { OWN } from "./host.js";
import { does, show } from "./loading.js";
import { panelUrl } from "./server.js";
import { view, waited } from "./view.js";

/**
 * @import { RequestSummary } from "../control.js"
 */

export function requests() {
  const asked = new Set(view.asked.map(({ request }) => request));
  const rows = view.requests.filter(({ number }) => !asked.has(number));
  return h(
    "section",
    { key: "requests" },
    h("h2", { class: "soft" }, "Last requests"),
    rows.length
      ? h("ul", { key: "rows", class: "rows" }, rows.map(row))
      : h("p", { key: "none", class: "soft" }, "No requests yet."),
  );
}

/** @param {RequestSummary} request */
function row(request) {
  const { number } = request;
  const wait = view.held.find((each) => each.request === number);
  const isHeld = wait?.waits === "held";
  const { app_ms, delay_ms, total_ms } = request;
  const time = wait ? waited(wait) : duration(total_ms ?? app_ms + delay_ms);
  const isOpen = view.why?.number === number;
  return h(
    "li",
    { key: number, class: isHeld ? "waits" : "" },
    summary(request, isOpen, isHeld ? "" : time),
    isHeld && releaseButton(number),
    isOpen && why(number),
  );
}

/**
 * @param {RequestSummary} request
 * @param {boolean} isOpen
 * @param {string} time
 */
function summary(request, isOpen, time) {
  const { number, method, target, notes } = request;
  const [text, kind, more] = statusParts(request, view.state);
  const isUnmatched = notes.some(({ code }) => code === "unmatched");
  return h(
    "button",
    {
      id: `request-${number}`,
      class: "request",
      "aria-expanded": String(isOpen),
      title: `${method} ${target}`,
      onclick: () => show(() => explain(number)),
    },
    h(
      "span",
      {},
      h("b", { class: kind }, text),
      more && h("small", { class: "soft" }, more),
    ),
    h("code", { class: "soft" }, method),
    h("code", { class: "path" }, shownPath(view.state, target)),
    isUnmatched
      ? h("span", { class: "stub held" }, "unmatched")
      : h("span", { class: "stub soft" }, stubOf(request)),
    time && h("span", { key: "time", class: "soft time" }, time),
  );
}

/**
 * Return the name of the stub that responded; empty for none.
 * @param {RequestSummary} request
 */
function stubOf({ stubs }) {
  const others = stubs.filter((label) => !label.startsWith(`${OWN}/`));
  return others.at(-1)?.replace(/^.*?\//, "") ?? "";
}

/** @param {number} number */
function releaseButton(number) {
  return h(
    "button",
    {
      id: `release-${number}`,
      key: "release",
      class: "held",
      "aria-label": `Release request ${number}`,
      onclick: does(() => release(number)),
    },
    "Release",
  );
}

/** @param {number} number */
function why(number) {
  const href = `${panelUrl()}#requests/${number}`;
  return h(
    "p",
    { key: "why", class: "why" },
    `${view.why?.text ?? ""}. `,
    h("a", { href, target: "_blank", rel: "noopener" }, "Open in the panel"),
  );
}
