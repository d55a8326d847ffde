// Send any request as a front end would, or explain it without sending. The reference page has the forms of the operations too.

import { BEARER, loadContracts } from "./contract.js";
import { curl, headersToResend } from "./formats.js";
import { Explanation } from "./details.js";
import { Message } from "./entry.js";
import { html, useEffect, useRef, useState } from "./preact.js";
import { act, address, control, go, inSession, store } from "./store.js";
import { Button, CopyButton, duration, Segments, StatusText } from "./ui.js";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];
const SENT = "mockpets-sent";
const MOST_SENT = 20;
const MOST_SEGMENTS = 8; // of more operations, one is chosen from a list

// --- Requests: {method, path, headers, body} with a path below the session and headers as pairs ---

/** Return the request that a form describes; the error of an invalid field is fit to show. */
function requestOf(operation, values) {
  const headers = [];
  const { key } = operation ?? { key: BEARER };
  if (values.key && key.in === "header") headers.push([key.name, key.prefix + values.key]);
  if (values.scenario) headers.push(["Mockpets-Scenario", values.scenario]);
  if (!operation) {
    if (!values.path.startsWith("/")) throw new Error(`The path must begin with /, such as ${values.example}.`);
    for (const line of values.headers.split("\n").filter((each) => each.trim())) {
      const [, name, value] = /^\s*([!#$%&'*+.^_`|~\w-]+)\s*:\s*(.*?)\s*$/.exec(line) ?? [];
      if (!name) throw new Error(`"${line.trim()}" is not a header. Write one on each line, such as Accept: application/json.`);
      headers.push([name, value]);
    }
    const body = hasBody(values.method) && values.body !== "" ? values.body : null;
    if (body !== null && !headers.some(([name]) => /^content-type$/i.test(name))) headers.push(["Content-Type", "application/json"]);
    return { method: values.method, path: values.path, headers, body };
  }
  const valuesIn = (place) => operation.parameters.filter((parameter) => parameter.in === place).map((parameter) => [parameter.name, values[fieldOf(parameter)]]);
  const query = new URLSearchParams(valuesIn("query").filter(([, value]) => value));
  if (values.key && key.in === "query") query.set(key.name, values.key);
  const path = valuesIn("path").reduce((text, [name, value]) => text.replace(`{${name}}`, () => encodeURIComponent(value)), operation.path);
  headers.push(...valuesIn("header").filter(([, value]) => value));
  if (operation.body) headers.push(["Content-Type", operation.body.type]);
  return { method: operation.method, path: query.size ? `${path}?${query}` : path, headers, body: operation.body ? values.body : null };
}

/** Return the field of the form with a parameter; other fields have names without a colon. */
const fieldOf = (parameter) => `${parameter.in}:${parameter.name}`;

const hasBody = (method) => method !== "GET" && method !== "HEAD";
const urlOf = (path) => address(path.startsWith("/~") ? path : inSession(store.session, path));

/** Return what the server would respond, without sending the request; a draft is the name and text of a scenario. */
export function explain({ method, path, headers, body }, draft) {
  const request = JSON.stringify({ method, path: path.startsWith("/~") ? path : inSession(store.session, path), headers: Object.fromEntries(headers), draft });
  if (!body) return control("explain", { method: "POST", body: request });
  try {
    JSON.parse(body);
  } catch (error) {
    throw new Error(`The body is not valid JSON: ${error.message}. Correct it, or send the request: the request log explains any request.`);
  }
  // As text, since parsing would round large ids.
  return control("explain", { method: "POST", body: `${request.slice(0, -1)},"body":${body}}` });
}

/** Return a recorded request, to send or explain it again; its key is "12", or "12@worker-3" in another session. */
export async function recorded(key) {
  const [number, session] = String(key).split("@");
  const { method, target, notes, request } = await control(`requests/${encodeURIComponent(number)}`, { session });
  return { method, path: target.replace(/^\/~[^/]*/, ""), headers: headersToResend({ notes, request }, store.state.settings.key), body: request.body.size ? request.body.text : null };
}

async function send({ method, path, headers, body }) {
  const start = performance.now();
  let response;
  try {
    response = await fetch(urlOf(path), { method, credentials: "omit", headers, body: body ?? undefined }); // without the cookies of apps on this host
    const text = await response.text();
    return { response, text, ms: performance.now() - start };
  } catch (error) {
    return { response, error };
  }
}

// --- The form ---

function defaults(operation, { key, path = "/" }) {
  if (!operation) return { method: "GET", path, example: path, headers: "", body: "", key, scenario: "" };
  const parameters = operation.parameters.map((each) => [fieldOf(each), each.required ? String(each.example ?? 1) : ""]);
  return { ...Object.fromEntries(parameters), body: operation.body ? JSON.stringify(operation.body.example, null, 2) : "", key, scenario: "" };
}

/**
 * @param {{operation: any, name?: string, initial?: any, settings: {key: string, scenarios: string[], explains: boolean, path?: string}, onSent?: (sent: any) => void, kept?: any}} props
 *   `operation` of the contract, or null for any path, with `path` at first; `explains`: whether the control API can be called;
 *   `kept`: an object that keeps the input and the response when the form is shown again
 */
export function TryForm({ operation, name = "any path", initial, settings, onSent, kept }) {
  const form = useRef(kept ?? {}).current;
  form.values ??= { ...defaults(operation, settings), ...initial };
  const { values, result } = form;
  const [, render] = useState(0);
  form.show = (more) => {
    Object.assign(form, more);
    render((n) => n + 1);
  };
  const set = (name) => ({ name, value: values[name], onInput: (event) => form.show({ values: { ...form.values, [name]: event.target.value } }) });
  let request = null;
  let problem = "";
  try {
    request = requestOf(operation, values);
  } catch (error) {
    problem = error.message;
  }
  const run = async (action) => {
    const mine = form.latest = {}; // the user may click again before the response arrives
    form.show({ result: { waits: true } });
    let done;
    try {
      done = await action();
    } catch (error) {
      // A TypeError of fetch names no reason, and each browser has another text for it.
      done = { problem: error instanceof TypeError ? "Cannot reach the server. Is it still running?" : error.message };
    }
    if (form.latest === mine) form.show({ result: done });
  };
  const submit = (event) => {
    event.preventDefault();
    if (problem) return form.show({ result: { problem } });
    return run(async () => {
      const done = await send(request);
      onSent?.({ ...request, status: done.response?.status ?? null });
      return done;
    });
  };
  const textField = (field, text, more = {}) => html`<label>${text} <input ...${set(field)} autocomplete="off" spellcheck=${false} ...${more} /></label>`;
  const choice = (field, text, choices, none) => html`<label>${text} <select ...${set(field)}>${none && html`<option value="">${none}</option>`}${choices.map((each) => html`<option key=${each} value=${each} selected=${each === values[field]}>${each}</option>`)}</select></label>`;
  return html`
    <div class="try">
      <form aria-label=${`Call ${name}`} onSubmit=${submit}>
        ${operation
          ? operation.parameters.filter((each) => each.in !== "cookie").map((each) => (each.schema.enum ? choice(fieldOf(each), each.name, each.schema.enum, !each.required && "Any") : textField(fieldOf(each), each.name, { placeholder: each.schema.default })))
          : html`<div class="line">${choice("method", "Method", METHODS)}<span class="grow">${textField("path", "Path")}</span></div>`}
        ${(operation ? operation.body : hasBody(values.method)) && html`<label>Body <textarea ...${set("body")} rows="6" spellcheck=${false}></textarea></label>`}
        <div class="line">${textField("key", "Key", { placeholder: "No key" })}
          ${settings.scenarios.length > 0 && choice("scenario", "Scenario", settings.scenarios, "Active scenarios")}</div>
        ${!operation && html`<label>Headers <textarea ...${set("headers")} rows="2" spellcheck=${false} placeholder="Accept: application/json"></textarea></label>`}
        <div class="line"><${Button} kind="primary" type="submit" text=${`Call ${name}`} />
          ${settings.explains && html`<${Button} text="Explain" title="Show what would respond and why, without sending the request" disabled=${problem !== ""} does=${() => run(async () => ({ explanation: await explain(request) }))} />`}</div>
        ${problem ? html`<p class="server" role="alert">${problem}</p>`
          : html`<div class="command"><pre tabindex="0" aria-label="curl command">${curl({ ...request, url: urlOf(request.path) })}</pre>
              <${CopyButton} label=${`Copy ${name} as curl`} shown="Copy as curl" text=${() => curl({ ...request, url: urlOf(request.path) })} /></div>`}
      </form>
      <div class="response">${result && html`<${Result} name=${`Response of ${name}`} ...${result} />`}</div>
    </div>`;
}

function Result({ name, waits, problem, explanation, response, text, ms, error }) {
  if (waits) return html`<p class="soft" role="status">Waiting for the response.</p>`;
  if (problem) return html`<p class="server" role="alert">${problem}</p>`;
  if (explanation) return html`<${Explanation} explanation=${explanation} />`;
  if (error) {
    const what = response ? `Status ${response.status}, then the connection failed` : "No response: the connection failed";
    return html`<p role="status"><b class="server">broken</b> ${what} (${error.message}).</p>`;
  }
  const headers = [...response.headers];
  const number = response.headers.get("mockpets-request");
  const bytes = new TextEncoder().encode(text).length;
  return html`
    <p role="status"><${StatusText} row=${{ status: response.status, outcome: "sent" }} /> ${response.statusText} in ${duration(ms)}${number && store.state && html` · <a href=${`#requests/${number}`}>Request ${number}</a>`}</p>
    ${store.state && html`<h2 class="away">Response</h2>`}<${Message} name=${name} message=${{ headers, body: { size: bytes, text } }} status=${response.status} />`;
}

// --- The view ---

/** What was chosen when the view was shown last, at first the first operation, with what its form keeps. */
let latest = { name: null, initial: null, key: 0, kept: {} };

const history = () => JSON.parse(sessionStorage.getItem(SENT) ?? "[]");

export default function View() {
  const [contracts, setContracts] = useState(null);
  const [chosen, setChosen] = useState(latest);
  latest = chosen;
  const [sent, setSent] = useState(history);
  const { from } = store.route.params;
  useEffect(() => { act(async () => setContracts(await loadContracts())); }, []);
  const edit = ({ method, path, headers, body }) => {
    const isKey = ([name, value]) => /^authorization$/i.test(name) && /^Bearer /i.test(value);
    const key = headers.find(isKey)?.[1].slice(7) ?? "";
    const text = headers.filter((pair) => !isKey(pair)).map((pair) => pair.join(": ")).join("\n");
    setChosen((now) => ({ name: "any", initial: { method, path, headers: text, body: body ?? "", key }, key: now.key + 1, kept: {} }));
  };
  useEffect(() => {
    if (from) act(async () => { edit(await recorded(from)); go("try", null, {}, true); });
  }, [from]);
  if (!contracts) return null;
  const groups = contracts.map(({ title, label, base, operations }) => ({
    title: `${title}, ${base || "/"}`,
    rows: Object.entries(operations).map(([name, operation]) => ({ value: contracts.length > 1 ? `${label}.${name}` : name, name, operation })),
  }));
  const rows = groups.flatMap((group) => group.rows);
  const value = chosen.name ?? rows[0]?.value ?? "any";
  const { name, operation = null } = rows.find((row) => row.value === value) ?? {};
  const path = rows.find((row) => !row.operation.path.includes("{"))?.operation.path ?? "/";
  const settings = { key: store.state.settings.key, scenarios: store.state.scenarios.filter((row) => row.description !== null).map((row) => row.name), explains: true, path };
  const record = (request) => {
    const rows = [{ ...request, at: Date.now() }, ...sent].slice(0, MOST_SENT);
    sessionStorage.setItem(SENT, JSON.stringify(rows));
    setSent(rows);
  };
  const optionsOf = (listed) => listed.map((row) => html`<option key=${row.value} value=${row.value} selected=${row.value === value}>${row.name}</option>`);
  const any = { value: "any", name: "Any path" };
  const choose = (next) => setChosen({ name: next, initial: null, key: chosen.key + 1, kept: {} });
  return html`
    <div class="view">
      <div class="toolbar">${groups.length === 1 && rows.length < MOST_SEGMENTS
        ? html`<${Segments} label="Operation" value=${value} options=${[...rows, any].map((row) => [row.value, row.name])} choose=${choose} />`
        : html`<select aria-label="Operation" value=${value} onChange=${(event) => choose(event.target.value)}>
            ${groups.length === 1 ? optionsOf(rows) : groups.map((group) => html`<optgroup key=${group.title} label=${group.title}>${optionsOf(group.rows)}</optgroup>`)}
            ${optionsOf([any])}</select>`}
        ${operation?.deprecated && html`<span class="chip">deprecated</span>`}</div>
      <div class="scroll">
        <${TryForm} key=${chosen.key} operation=${operation} name=${name} initial=${chosen.initial} settings=${settings} onSent=${record} kept=${chosen.kept} />
        ${sent.length > 0 && html`<section class="sent" aria-label="Sent"><h2>Sent</h2><ol>${sent.map((request, index) => html`
          <li key=${request.at + index}><button type="button" title=${`Edit and send again: ${request.path}`} onClick=${() => edit(request)}>
            <${StatusText} row=${{ status: request.status, outcome: request.status === null ? "broken" : "sent" }} /> <span class="mono"><span class="soft">${request.method}</span> ${request.path}</span></button></li>`)}</ol></section>`}
      </div>
    </div>`;
}
