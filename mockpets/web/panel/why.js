// Why a request gets its response: the stubs in order, each with its result and its conditions.

import { el } from "./dom.js";
import { count, kindOf, statusText } from "./text.js";

/**
 * Load an explanation and return the elements that show it, or the error.
 * @param {() => Promise<any>} load
 */
export async function explained(load) {
  let explanation;
  try {
    explanation = await load();
  } catch (error) {
    // A TypeError of fetch names no reason, and each browser has another text for it.
    const message = error instanceof TypeError ? "Cannot reach the server. Is it still running?" : error.message;
    return [el("p", { class: "failed", role: "alert" }, message)];
  }
  return view(explanation);
}

/** Return the elements that show while an explanation loads. */
export const loading = () => [el("p", { class: "soft", role: "status" }, "Loading the explanation.")];

function view(explanation) {
  const { request, sent, summary, stubs, omitted } = explanation;
  const nearest = stubs.find(({ label, result }) => label === explanation.nearest && result === "no_match");
  const text = summary.replace(/^\d{3},? /, "");  // the status stands before it
  return [
    !sent && el("p", { class: "soft" }, "The request was not sent. If you send it now:"),
    el("p", { role: "status" }, el("span", { class: `status ${kindOf(request)}` }, statusText(request)),
      ` ${text[0].toUpperCase()}${text.slice(1)}.`),
    el("dl", { class: "table" }, el("div", {}, el("dt", {}, "Response from"), el("dd", {}, responder(explanation)))),
    stubs.length > 0 && el("p", { class: "soft" }, "Stubs, in the order of the search:"),
    stubs.length > 0 && el("ol", { class: "stubs" }, ...stubs.map((stub) => stubItem(stub, stub === nearest))),
    omitted > 0 && el("p", { class: "soft" }, `Not listed: ${count(omitted, "more stub")}.`),
  ].filter(Boolean);
}

function responder({ by, stub, request }) {
  if (by === "check") return "A check that rejects the request";
  return by === "stub" ? `Stub ${stub}` : `Operation ${request.operation}`;
}

function stubItem({ label, when, does, limits, result, reason, conditions }, isNearest) {
  // Long lists stay short: stubs that took no part are closed, except for the nearest one.
  const open = isNearest || (result !== "no_match" && result !== "not_reached");
  return el("li", {}, el("details", { open },
    el("summary", {}, el("code", {}, label), " ", el("span", { class: `note ${result}` }, reason),
      isNearest && " ", isNearest && el("span", { class: "note nearest" }, "nearest")),
    el("p", {}, "For ", when, ": ", el("b", {}, does)),
    limits && el("p", { class: "soft" }, limits),
    conditions.length > 0 && conditionTable(label, conditions)));
}

function conditionTable(label, conditions) {
  const head = ["Part", "Expected", "Actual", "Holds"].map((text) => el("th", { scope: "col" }, text));
  return el("table", { class: "conditions", "aria-label": `Conditions of ${label}` }, el("thead", {}, el("tr", {}, ...head)),
    el("tbody", {}, ...conditions.map(({ where, expected, got, holds }) => {
      const [kind, sign, text] = holds === null ? ["unknown", "?", "unknown"] : holds ? ["holds", "✓", "yes"] : ["fails", "✗", "no"];
      return el("tr", { class: kind }, el("th", { scope: "row" }, where), el("td", {}, expected), el("td", {}, got),
        el("td", {}, el("span", { "aria-hidden": "true" }, sign), ` ${text}`));
    })));
}
