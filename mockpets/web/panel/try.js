// Send any request as a front end would, or explain it without sending. The reference page has the
// forms of the operations too.

import { Explanation } from "./details.js";
import { Message } from "./entry.js";
import { Control, Fields, Label, typeText } from "./fields.js";
import { curl, headersToResend } from "./formats.js";
import { compact, isValidObject, members, toObject } from "./json.js";
import { ANY, loadContracts } from "./openapi.js";
import { html, useEffect, useRef, useState } from "./preact.js";
import { credentialsOf, fieldOf, requestOf } from "./sending.js";
import {
  act,
  address,
  asJson,
  call,
  go,
  inSession,
  store,
  useChange,
} from "./store.js";
import { duration } from "../../../kit/toolbar/shown.js";
import { Dialog, matching, Picker } from "./overlays.js";
import { Button, CopyButton, Icon, Segments, StatusText } from "./ui.js";
import { count, indent } from "./values.js";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];
const SENT = "mockpets-sent";
const MOST_SENT = 20;
const MOST_SEGMENTS = 8; // of more operations, one is chosen from a list

// --- Requests ---

/** Return the request of the form for any path; the error of an invalid field is fit to show. */
function anyRequest(values) {
  const { headers } = credentialsOf(ANY.key, values.key);
  if (!values.path.startsWith("/"))
    throw new Error(`The path must begin with /, such as ${values.example}.`);
  for (const line of values.headers.split("\n").filter((each) => each.trim())) {
    const [, name, value] =
      /^\s*([!#$%&'*+.^_`|~\w-]+)\s*:\s*(.*?)\s*$/.exec(line) ?? [];
    if (!name)
      throw new Error(
        `"${line.trim()}" is not a header. Write one on each line, such as Accept: application/json.`,
      );
    headers.push([name, value]);
  }
  const body =
    hasBody(values.method) && values.body !== "" ? values.body : null;
  if (body !== null && !headers.some(([name]) => /^content-type$/i.test(name)))
    headers.push(["Content-Type", "application/json"]);
  return { method: values.method, path: values.path, headers, body };
}

const hasBody = (method) => method !== "GET" && method !== "HEAD";
const urlOf = (path) =>
  address(path.startsWith("/~") ? path : inSession(store.session, path));

/** Return what the server would respond, without sending the request; a draft is the name and text of a scenario. */
export function explain({ method, path, headers, body }, draft) {
  const request = JSON.stringify({
    method,
    path: path.startsWith("/~") ? path : inSession(store.session, path),
    headers: Object.fromEntries(headers),
    draft,
  });
  if (!body) return call("POST /explain", asJson(request));
  try {
    JSON.parse(body);
  } catch (error) {
    throw new Error(
      `The body is not valid JSON: ${error.message}. Correct it, or send the request: the request log explains any request.`,
      { cause: error },
    );
  }
  // As text, since parsing would round large ids.
  return call(
    "POST /explain",
    asJson(`${request.slice(0, -1)},"body":${body}}`),
  );
}

/** Return a recorded request, to send or explain it again; its key is "12", or "12@worker-3" in another session. */
export async function recorded(key) {
  const [number, session] = String(key).split("@");
  const { method, target, notes, request } = await call(
    "GET /requests/{number}",
    { path: { number }, session },
  );
  return {
    method,
    path: target.replace(/^\/~[^/]*/, ""),
    headers: headersToResend({ notes, request }, store.state.settings.key),
    body: request.body.size ? request.body.text : null,
  };
}

async function send({ method, path, headers, body }) {
  const start = performance.now();
  let response;
  try {
    response = await fetch(urlOf(path), {
      method,
      credentials: "omit",
      headers,
      body: body ?? undefined,
    }); // without the cookies of apps on this host
    const text = await response.text();
    return { response, text, ms: performance.now() - start };
  } catch (error) {
    return { response, error };
  }
}

// --- The form ---

function defaults(operation, { key, path = "/" }) {
  if (!operation)
    return {
      method: "GET",
      path,
      example: path,
      headers: "",
      body: "",
      key,
      scenario: "",
    };
  const parameters = operation.parameters.map((each) => [
    fieldOf(each),
    each.required ? String(each.example ?? 1) : "",
  ]);
  return {
    ...Object.fromEntries(parameters),
    type: operation.bodies[0]?.type,
    body: bodyOf(operation.bodies[0]),
    key,
    scenario: "",
  };
}

const hasFields = ({ isJson, isForm, schema }) =>
  (isJson || isForm) && Object.keys(schema.properties).length > 0;

/** Return the body that a form has at first: the example, as JSON also for the media types of forms. */
const bodyOf = (media) =>
  media === undefined
    ? ""
    : typeof media.example === "string" && !media.isJson
      ? media.example
      : JSON.stringify(media.example, null, hasFields(media) ? 0 : 2);

/**
 * @param {{operation: any, name?: string, initial?: any, settings: {key: string, scenarios:
 *   string[], explains: boolean, path?: string}, onSent?: (sent: any) => void, kept?: any}} props
 *   `operation` of the contract, or null for any path, with `path` at first; `explains`: whether
 *   the control API can be called;
 *   `kept`: an object that keeps the input and the response when the form is shown again
 */
export function TryForm({
  operation: described,
  name = "any path",
  initial,
  settings,
  onSent,
  kept,
}) {
  const form = useRef(kept ?? {}).current;
  const operation =
    described && (form.operation ??= { ...described, ...described.details() });
  form.values ??= { ...defaults(operation, settings), ...initial };
  const { values, result } = form;
  const [, render] = useState(0);
  form.show = (more) => {
    Object.assign(form, more);
    render((n) => n + 1);
  };
  const put = (more) => form.show({ values: { ...form.values, ...more } });
  const set = (name) => ({
    name,
    value: values[name],
    onInput: (event) => put({ [name]: event.target.value }),
  });
  let request = null;
  let problem = "";
  try {
    request = operation ? requestOf(operation, values) : anyRequest(values);
    if (values.scenario)
      request.headers.push(["Mockpets-Scenario", values.scenario]);
  } catch (error) {
    problem = error.message;
  }
  const run = async (action) => {
    const mine = (form.latest = {}); // the user may click again before the response arrives
    form.show({ result: { waits: true } });
    let done;
    try {
      done = await action();
    } catch (error) {
      // A TypeError of fetch names no reason, and each browser has another text for it.
      done = {
        problem:
          error instanceof TypeError
            ? "Cannot reach the server. Is it still running?"
            : error.message,
      };
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
  const key = (operation ?? ANY).key;
  return html`<div class="try">
    <form aria-label=${`Call ${name}`} noValidate onSubmit=${submit}>
      ${
        operation
          ? html`
            <${Parameters} parameters=${operation.parameters} set=${set} />
            ${
              operation.bodies.length > 0 &&
              html`<${Body}
                bodies=${operation.bodies}
                values=${values}
                put=${put}
              />`
            }
          `
          : html`
            <div class="line">
              <${Choice}
                ...${set("method")}
                label="Method"
                options=${METHODS}
              />
              <${Label} name="Path" class="grow">
                <input
                  ...${set("path")}
                  autocomplete="off"
                  spellcheck=${false}
                />
              <//>
            </div>
            ${
              hasBody(values.method) &&
              html`<label>
                Body${" "}
                <textarea ...${set("body")} rows="6" spellcheck=${false}></textarea>
              </label>`
            }
          `
      }
      <div class="line">
        ${
          key &&
          html`<${Label} name="Key" note=${placeOf(key)}>
            <input
              ...${set("key")}
              autocomplete="off"
              spellcheck=${false}
              placeholder="No key"
            />
          <//>`
        }
        ${
          settings.scenarios.length > 0 &&
          html`<${Choice}
            ...${set("scenario")}
            label="Scenario"
            options=${settings.scenarios}
            none="Active scenarios"
          />`
        }
      </div>
      ${
        !operation &&
        html`<label>
          Headers${" "}
          <textarea
            ...${set("headers")}
            rows="2"
            spellcheck=${false}
            placeholder="Accept: application/json"
          ></textarea>
        </label>`
      }
      <div class="line">
        <${Button} kind="primary" type="submit" text=${`Call ${name}`} />
        ${
          settings.explains &&
          html`<${Button}
            text="Explain"
            title="Show what would respond and why, without sending the request"
            disabled=${problem !== ""}
            does=${() =>
              run(async () => ({ explanation: await explain(request) }))}
          />`
        }
      </div>
      ${
        problem
          ? html`<p class="server" role="alert">${problem}</p>`
          : html`<div class="command">
            <pre tabindex="0" aria-label="curl command">
              ${curl({ ...request, url: urlOf(request.path) })}
            </pre>
            <${CopyButton}
              label=${`Copy ${name} as curl`}
              shown="Copy as curl"
              text=${() => curl({ ...request, url: urlOf(request.path) })}
            />
          </div>`
      }
    </form>
    <div class="response">
      ${
        result && html`<${Result} name=${`Response of ${name}`} ...${result} />`
      }
    </div>
  </div>`;
}

/** Return where a request has a key, in few words. */
const placeOf = ({ in: place, name, prefix }) =>
  prefix
    ? { "Bearer ": "bearer token", "Basic ": "name:password" }[prefix]
    : `${place} ${name}`;

const Choice = ({ label, options, none, value, ...rest }) => html`<${Label}
  name=${label}
>
  <${Control}
    schema=${{ enum: options }}
    value=${value}
    none=${none}
    ...${rest}
  />
<//>`;

const PLACES = { path: "Path", query: "Query", header: "Headers" };

/** The fields of parameters, by their place. */
const Parameters = ({ parameters, set }) =>
  Object.entries(PLACES).map(([place, title]) => {
    const all = parameters.filter((each) => each.in === place);
    return (
      all.length > 0 &&
      html`<fieldset key=${place} class="fields">
        <legend class="soft">${title}</legend>
        ${all.map(
          (each) => html`<${Label}
            key=${each.name}
            name=${each.name}
            note=${each.required && "required"}
            title=${each.description}
          >
            <${Control}
              schema=${each.schema}
              none=${!each.required && "Any"}
              placeholder=${typeText(each.schema)}
              ...${set(fieldOf(each))}
            />
          <//>`,
        )}
      </fieldset>`
    );
  });

/** The body: fields by its schema, or its text. */
function Body({ bodies, values: { type, body }, put }) {
  const [isText, setText] = useState(false);
  const media = bodies.find((each) => each.type === type);
  const { schema, envelope } = media;
  const whole = isValidObject(body) ? members(body) : null;
  const record =
    whole && envelope !== null ? (whole.get(envelope) ?? "{}") : body;
  const asFields = hasFields(media) && whole !== null && isValidObject(record);
  const change = (json) =>
    put({
      body: envelope === null ? json : toObject(whole.set(envelope, json)),
    });
  const shows = !asFields || isText ? "text" : "fields";
  const show = (next) => {
    setText(next === "text");
    if (asFields) put({ body: next === "text" ? indent(body) : compact(body) });
  };
  return html`<fieldset class="fields">
    <legend class="soft">Body</legend>
    <div class="line">
      ${
        bodies.length > 1 &&
        html`<select
          aria-label="Media type"
          value=${type}
          onChange=${(event) =>
            event.target.value !== type &&
            put({
              type: event.target.value,
              body: bodyOf(
                bodies.find((each) => each.type === event.target.value),
              ),
            })}
        >
          ${bodies.map(
            (each) => html`<option
              key=${each.type}
              value=${each.type}
              selected=${each.type === type}
            >
              ${each.type}
            </option>`,
          )}
        </select>`
      }
      ${
        hasFields(media) &&
        html`<${Segments}
          label="Body as"
          value=${shows}
          options=${[
            ["fields", "Form"],
            ["text", "JSON"],
          ]}
          choose=${show}
        />`
      }
      ${
        hasFields(media) &&
        !asFields &&
        html`<span class="soft">Fix the JSON to see the form.</span>`
      }
    </div>
    ${
      shows === "fields"
        ? html`<${Fields} schema=${schema} json=${record} change=${change} />`
        : html`<textarea
          aria-label="Body"
          name="body"
          rows="8"
          spellcheck=${false}
          value=${body}
          onInput=${(event) => put({ body: event.target.value })}
        ></textarea>`
    }
  </fieldset>`;
}

function Result({
  name,
  waits,
  problem,
  explanation,
  response,
  text,
  ms,
  error,
}) {
  if (waits)
    return html`<p class="soft" role="status">Waiting for the response.</p>`;
  if (problem) return html`<p class="server" role="alert">${problem}</p>`;
  if (explanation) return html`<${Explanation} explanation=${explanation} />`;
  if (error) {
    const what = response
      ? `Status ${response.status}, then the connection failed`
      : "No response: the connection failed";
    return html`<p role="status">
      <b class="server">broken</b> ${what} (${error.message}).
    </p>`;
  }
  const headers = [...response.headers];
  const number = response.headers.get("mockpets-request");
  const bytes = new TextEncoder().encode(text).length;
  return html`
    <p role="status">
      <${StatusText} row=${{ status: response.status, outcome: "sent" }} />${" "}
      ${response.statusText} in ${duration(ms)}
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
      status=${response.status}
    />
  `;
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
  const {
    id,
    params: { from },
  } = store.route;
  useChange(["files"], async () => setContracts(await loadContracts()));
  const edit = ({ method, path, headers, body }) => {
    const isKey = ([name, value]) =>
      /^authorization$/i.test(name) && /^Bearer /i.test(value);
    const key = headers.find(isKey)?.[1].slice(7) ?? "";
    const text = headers
      .filter((pair) => !isKey(pair))
      .map((pair) => pair.join(": "))
      .join("\n");
    setChosen((now) => ({
      name: "any",
      initial: { method, path, headers: text, body: body ?? "", key },
      key: now.key + 1,
      kept: {},
    }));
  };
  const choose = (name) =>
    setChosen((now) => ({ name, initial: null, key: now.key + 1, kept: {} }));
  useEffect(() => {
    if (from)
      act(async () => {
        edit(await recorded(from));
        go("try", null, {}, true);
      });
  }, [from]);
  useEffect(() => {
    if (id !== null) {
      choose(id);
      go("try", null, {}, true);
    }
  }, [id]);
  if (!contracts) return null;
  const rows = contracts.flatMap(({ title, base, operations }) =>
    operations
      .filter((each) => each.details)
      .map((operation) => ({
        name: operation.name,
        group:
          [
            contracts.length > 1 && `${title}, ${base || "/"}`,
            operation.tags[0],
          ]
            .filter(Boolean)
            .join(": ") || "Operations",
        hint: `${operation.method} ${operation.path}`,
        operation,
      })),
  );
  const value = chosen.name ?? rows[0]?.name ?? "any";
  const row = rows.find((each) => each.name === value);
  const path =
    rows.find((each) => !each.operation.path.includes("{"))?.operation.path ??
    "/";
  const settings = {
    key: store.state.settings.key,
    scenarios: store.state.scenarios
      .filter((each) => each.description !== null)
      .map((each) => each.name),
    explains: true,
    path,
  };
  const record = (request) => {
    const all = [{ ...request, at: Date.now() }, ...sent].slice(0, MOST_SENT);
    sessionStorage.setItem(SENT, JSON.stringify(all));
    setSent(all);
  };
  return html`<div class="view">
    <div class="toolbar">
      ${
        contracts.length === 1 && rows.length < MOST_SEGMENTS
          ? html`<${Segments}
            label="Operation"
            value=${row ? value : "any"}
            options=${[
              ...rows.map(({ name }) => [name, name]),
              ["any", "Any path"],
            ]}
            choose=${choose}
          />`
          : html`<${Chooser} rows=${rows} row=${row} choose=${choose} />`
      }
      ${row?.operation.deprecated && html`<span class="chip">deprecated</span>`}
      <span class="words soft">${row?.operation.summary}</span>
    </div>
    <div class="scroll">
      <${TryForm}
        key=${chosen.key}
        operation=${row?.operation ?? null}
        name=${row?.name}
        initial=${chosen.initial}
        settings=${settings}
        onSent=${record}
        kept=${chosen.kept}
      />
      ${
        sent.length > 0 &&
        html`<section class="sent" aria-label="Sent">
          <h2>Sent</h2>
          <ol>
            ${sent.map(
              (request, index) => html`<li key=${request.at + index}>
                <button
                  type="button"
                  title=${`Edit and send again: ${request.path}`}
                  onClick=${() => edit(request)}
                >
                  <${StatusText}
                    row=${{
                      status: request.status,
                      outcome: request.status === null ? "broken" : "sent",
                    }}
                  />${" "}
                  <span class="mono">
                    <span class="soft">${request.method}</span> ${request.path}
                  </span>
                </button>
              </li>`,
            )}
          </ol>
        </section>`
      }
    </div>
  </div>`;
}

/** The operation that is chosen, which opens a list with a search of all. */
function Chooser({ rows, row, choose }) {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  const options = (text) =>
    matching(
      [
        ...rows.map(({ name, group, hint, operation }) => ({
          id: name,
          name,
          group,
          hint,
          tags: [group, operation.summary].join(" "),
          does: () => choose(name),
        })),
        {
          id: "any",
          name: "Any path",
          group: "Other requests",
          hint: "",
          does: () => choose("any"),
        },
      ],
      text,
    );
  return html`
    <button
      type="button"
      class="button chooser"
      aria-haspopup="dialog"
      aria-label=${`Operation: ${row?.name ?? "any path"}`}
      onClick=${() => setOpen(true)}
    >
      <span class="name">${row?.name ?? "Any path"}</span>
      ${row && html`<span class="mono soft name">${row.hint}</span>`}
      <${Icon} name="down" />
    </button>
    ${
      isOpen &&
      html`<${Dialog} label="Operations" class="palette" close=${close}>
        <${Picker}
          label="Search operations"
          placeholder=${`Search ${count(rows.length, "operation")}`}
          options=${options}
          close=${close}
        />
      <//>`
    }
  `;
}
