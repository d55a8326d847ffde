// Call the operations as a front end would, and show the responses.

import { address, control } from "./api.js";
import { input } from "./contract.js";
import { curl } from "./curl.js";
import { copyButton, el, setText } from "./dom.js";
import { bodyOf, headerLines } from "./entry.js";
import { duration, kindOf } from "./text.js";
import { explained, loading } from "./why.js";

/** Return the fields for the parameters and the body of an operation. */
function fieldsOf({ parameters, requestBody }) {
  const fields = parameters.map(({ name, schema, required }) => el("label", {}, `${name} `,
    input(name, schema, { value: required && "1", none: !required && "Any", placeholder: schema.default })));
  if (requestBody) {
    const area = el("textarea", { name: "body", rows: "5", spellcheck: "false" });
    const [example] = Object.values(requestBody.content["application/json"].examples);
    area.value = JSON.stringify(example.value, null, 2);
    fields.push(el("label", { class: "wide" }, "Body ", area));
  }
  return fields;
}

/**
 * Create the form of one operation.
 * @param {any} operation of the contract
 * @param {{key: string, scenarios: string[], explains: boolean}} settings
 *   `explains`: whether the control API can be called
 */
export function tryForm(operation, { key, scenarios, explains }) {
  const { method, operationId } = operation;
  const response = el("div", { class: "response" });
  const command = el("pre", { tabindex: "0", "aria-label": "curl command" });
  const scenario = el("select", { name: "scenario" }, el("option", { value: "" }, "Active scenarios"), ...scenarios.map((name) => el("option", {}, name)));
  const form = el("form", { class: "fields", "aria-label": `Call ${operationId}` },
    ...fieldsOf(operation),
    el("label", {}, "Key ", el("input", { name: "key", value: key, autocomplete: "off", placeholder: "No key" })),
    scenarios.length > 0 && el("label", {}, "Scenario ", scenario),
    el("button", { class: "main" }, `Call ${operationId}`),
    explains && el("button", { type: "button", title: "Show what would respond and why, without sending the request", onclick: () => show(loading(), explain(call())) }, "Explain"));
  const call = () => prepare(operation, Object.fromEntries(new FormData(form)));
  const showCommand = () => setText(command, curl(call()));
  form.addEventListener("input", showCommand);
  let latest;
  const show = async (waiting, result) => {
    latest = result;
    response.replaceChildren(...waiting);
    const parts = await result;
    if (latest === result) response.replaceChildren(...parts); // else the user clicked again meanwhile
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    show([el("p", { class: "soft", role: "status" }, "Waiting for the response.")], send(call()));
  });
  showCommand();
  return el("div", { class: "try stack", "data-method": method }, form,
    el("div", { class: "command" }, command, copyButton(() => command.textContent, `Copy ${operationId} as curl`, "Copy as curl")), response);
}

function prepare({ method, path, parameters }, values) {
  const valuesIn = (location) => parameters.filter((parameter) => parameter.in === location).map(({ name }) => [name, values[name]]);
  const query = new URLSearchParams(valuesIn("query").filter(([, value]) => value));
  const target = valuesIn("path").reduce((text, [name, value]) => text.replace(`{${name}}`, encodeURIComponent(value)), path);
  const url = new URL(`..${target}${query.size ? `?${query}` : ""}`, location.href).href;
  const headers = [];
  if (values.key) headers.push(["Authorization", `Bearer ${values.key}`]);
  if (values.scenario) headers.push(["Mockpets-Scenario", values.scenario]);
  if (values.body !== undefined) headers.push(["Content-Type", "application/json"]);
  return { method, url, headers, body: values.body ?? null };
}

/** Send the request and return the elements that show the response. */
async function send({ method, url, headers, body }) {
  const start = performance.now();
  let response;
  let text;
  try {
    response = await fetch(url, { method, headers, body: body ?? undefined });
    text = await response.text();
  } catch (error) {
    const result = response ? `Status ${response.status}, then the connection failed` : "No response: the connection failed";
    return [el("p", { role: "status" }, el("span", { class: "status broken" }, "broken"), ` ${result} (${error.message}).`)];
  }
  const elapsed = performance.now() - start;
  return [
    el("p", { role: "status" }, el("span", { class: `status ${kindOf(response)}` }, String(response.status)), ` ${response.statusText} in ${duration(elapsed)}`),
    headerLines(response.headers),
    bodyOf({ size: new TextEncoder().encode(text).length, text }),
  ];
}

/** Explain the request without sending it, and return the elements that show the explanation. */
const explain = (request) => explained(() => control("explain", { method: "POST", body: toExplain(request) }));

/** Return the request as JSON for the control API. */
function toExplain({ method, url, headers, body }) {
  const request = JSON.stringify({ method, path: url.slice(address("").length), headers: Object.fromEntries(headers) });
  if (!body) return request;
  try {
    JSON.parse(body);
  } catch (error) {
    throw new Error(`The body is not valid JSON: ${error.message}. Correct it, or send the request: the request log explains any request.`);
  }
  // As text, since parsing would round large ids.
  return `${request.slice(0, -1)},"body":${body}}`;
}

let chosen = "listPets";
let settings = "";

/** Show the panel's view: the operations, and the form of the chosen one. */
export function show(body, now, operations) {
  const usable = now.scenarios.filter((row) => row.description !== null).map((row) => row.name);
  const current = { key: now.settings.key, scenarios: usable, explains: true };
  // Keep the user's input unless the key or the list of scenarios changed.
  if (settings === JSON.stringify(current)) return;
  settings = JSON.stringify(current);
  const container = el("div");
  const choose = (operation) => {
    chosen = operation;
    container.replaceChildren(tryForm(operations[operation], current));
  };
  const choices = Object.keys(operations).map((operation) => el("label", {},
    el("input", { type: "radio", name: "operation", value: operation, checked: operation === chosen, onchange: () => choose(operation) }), operation,
    operations[operation].deprecated && el("span", { class: "note deprecated" }, "deprecated")));
  body.replaceChildren(el("fieldset", { class: "choices" }, el("legend", {}, "Operation"), ...choices), container);
  choose(chosen);
}
