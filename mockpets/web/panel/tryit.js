// Calls of the operations, as a front end makes them, and their responses.

import { input } from "./contract.js";
import { curl } from "./curl.js";
import { copyButton, el, setText } from "./dom.js";
import { bodyOf, headerLines } from "./entry.js";
import { duration, kindOf } from "./text.js";

/** The fields of what an operation takes: its parameters and its body. */
function fieldsOf({ parameters = [], requestBody }) {
  const fields = parameters.map(({ name, schema, required }) => el("label", {}, `${name} `,
    input(name, schema, { value: required && "1", none: !required && "any", placeholder: schema.default })));
  if (requestBody) {
    const area = el("textarea", { name: "body", rows: "5", spellcheck: "false" });
    area.value = JSON.stringify(requestBody.content["application/json"].example, null, 2);
    fields.push(el("label", { class: "wide" }, "Body ", area));
  }
  return fields;
}

/**
 * Make the form of one operation.
 * @param {any} operation of the contract
 * @param {{key: string, scenarios: string[]}} settings
 */
export function tryForm(operation, { key, scenarios }) {
  const { method, operationId } = operation;
  const answer = el("div", { class: "answer" });
  const command = el("pre", { tabindex: "0", "aria-label": "The call as curl" });
  const scenario = el("select", { name: "scenario" }, el("option", { value: "" }, "the active ones"), ...scenarios.map((name) => el("option", {}, name)));
  const form = el("form", { class: "fields", "aria-label": `Call ${operationId}` },
    ...fieldsOf(operation),
    el("label", {}, "Key ", el("input", { name: "key", value: key, autocomplete: "off", placeholder: "none" })),
    scenarios.length > 0 && el("label", {}, "Scenario ", scenario),
    el("button", { class: "main" }, `Call ${operationId}`));
  const call = () => prepare(operation, Object.fromEntries(new FormData(form)));
  const spell = () => setText(command, curl(call()));
  form.addEventListener("input", spell);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    answer.replaceChildren(el("p", { class: "soft", role: "status" }, "Waiting for the answer"));
    answer.replaceChildren(...await send(call()));
  });
  spell();
  return el("div", { class: "try stack", "data-method": method }, form,
    el("div", { class: "command" }, command, copyButton(() => command.textContent, `Copy the call of ${operationId} as curl`)), answer);
}

function prepare({ method, path, parameters = [] }, said) {
  const valuesIn = (place) => parameters.filter((each) => each.in === place).map(({ name }) => [name, said[name]]);
  const query = new URLSearchParams(valuesIn("query").filter(([, value]) => value));
  const filled = valuesIn("path").reduce((text, [name, value]) => text.replace(`{${name}}`, encodeURIComponent(value)), path);
  const url = new URL(`..${filled}${query.size ? `?${query}` : ""}`, location.href).href;
  const headers = [];
  if (said.key) headers.push(["Authorization", `Bearer ${said.key}`]);
  if (said.scenario) headers.push(["Mockpets-Scenario", said.scenario]);
  if (said.body !== undefined) headers.push(["Content-Type", "application/json"]);
  return { method, url, headers, body: said.body ?? null };
}

/** Make the call; return what shows its answer. */
async function send({ method, url, headers, body }) {
  const begun = performance.now();
  let answer;
  let text;
  try {
    answer = await fetch(url, { method, headers, body: body ?? undefined });
    text = await answer.text();
  } catch (error) {
    const got = answer ? `${answer.status}, then the connection broke` : "no answer: the connection broke";
    return [el("p", { role: "status" }, el("span", { class: "status broken" }, "broken"), ` ${got} (${error.message}).`)];
  }
  const took = performance.now() - begun;
  return [
    el("p", { role: "status" }, el("span", { class: `status ${kindOf(answer.status)}` }, String(answer.status)), ` ${answer.statusText.toLowerCase()} in ${duration(took)}`),
    headerLines(answer.headers),
    bodyOf({ size: new TextEncoder().encode(text).length, text }),
  ];
}

let chosen = "listPets";
let settings = "";

/** Show the panel's view: a choice of operation, and its form. */
export function show(body, now, operations) {
  const usable = now.scenarios.filter((row) => row.description !== null).map((row) => row.name);
  const wanted = { key: now.settings.key, scenarios: usable };
  // What was typed stays, unless there is another key or scenario to choose.
  if (settings === JSON.stringify(wanted)) return;
  settings = JSON.stringify(wanted);
  const place = el("div");
  const choose = (operation) => {
    chosen = operation;
    place.replaceChildren(tryForm(operations[operation], wanted));
  };
  const choices = Object.keys(operations).map((operation) => el("label", {},
    el("input", { type: "radio", name: "operation", value: operation, checked: operation === chosen, onchange: () => choose(operation) }), operation,
    operations[operation].deprecated && el("span", { class: "note deprecated" }, "deprecated")));
  body.replaceChildren(el("fieldset", { class: "choices" }, el("legend", {}, "Operation"), ...choices), place);
  choose(chosen);
}
