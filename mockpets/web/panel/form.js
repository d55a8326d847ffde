// The form that calls an operation of a contract, or any path, in Try it and on the reference page.

import { Body, exampleOf } from "./body.js";
import { explain, send, urlOf } from "./exchange.js";
import { Control, Label, typeText } from "./fields.js";
import { curl } from "./formats.js";
import { ANY } from "./openapi.js";
import { html, useRef, useState } from "./preact.js";
import { Result } from "./response.js";
import { credentialsOf, fieldOf, requestOf } from "./sending.js";
import { describeError } from "./store.js";
import { Button, CopyButton } from "./ui.js";

/**
 * @import { Details, Key, Operation, Parameter } from "./openapi.js"
 * @import { On } from "./preact.js"
 * @import { Outcome } from "./response.js"
 * @import { FormValues, OutgoingRequest } from "./sending.js"
 */

/** @typedef {Operation & Details} DetailedOperation */
/** @typedef {On<HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement>} Input */

/**
 * @typedef {object} FormSettings
 * @property {string} key the one to send at first
 * @property {string[]} scenarios
 * @property {boolean} explains whether the control API can be called
 * @property {string} [path] for the form for any path, at first
 */

/**
 * What a form keeps when it is shown again.
 * @typedef {object} Kept
 * @property {DetailedOperation} [operation]
 * @property {FormValues} [values]
 * @property {Outcome} [outcome]
 * @property {symbol} [latest] the latest run
 * @property {(more: Kept) => void} [show] that of the form which is shown now
 */

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];

/** @param {string | undefined} method */
const hasBody = (method) => method !== "GET" && method !== "HEAD";

// --- What the form has at first ---

/**
 * @param {DetailedOperation | null} operation
 * @param {FormSettings} settings
 * @returns {FormValues}
 */
function defaults(operation, { key, path = "/" }) {
  const common = { body: "", key, scenario: "" };
  if (!operation)
    return { ...common, method: "GET", path, example: path, headers: "" };
  const parameters = Object.fromEntries(
    operation.parameters.map((each) => [
      fieldOf(each),
      each.required ? String(each.example ?? 1) : "",
    ]),
  );
  const [media] = operation.bodies;
  return {
    ...parameters,
    ...common,
    ...(media && { type: media.type, body: exampleOf(media) }),
  };
}

// --- The request that the form describes ---

/**
 * Return the request, or why the fields do not describe one.
 * @param {DetailedOperation | null} operation
 * @param {FormValues} values
 * @returns {{ request: OutgoingRequest | null, problem: string }}
 */
function requestIn(operation, values) {
  try {
    const request = operation
      ? requestOf(operation, values)
      : anyRequest(values);
    if (values.scenario)
      request.headers.push(["Mockpets-Scenario", values.scenario]);
    return { request, problem: "" };
  } catch (error) {
    return { request: null, problem: describeError(error) };
  }
}

/**
 * Return the request of the form for any path; the error of an invalid field is fit to show.
 * @param {FormValues} values
 * @returns {OutgoingRequest}
 */
function anyRequest({ method = "", path = "", headers: lines = "", ...rest }) {
  const { headers } = credentialsOf(ANY.key, rest.key);
  if (!path.startsWith("/"))
    throw new Error(`The path must begin with /, such as ${rest.example}.`);
  for (const line of lines.split("\n").filter((each) => each.trim())) {
    const [, name, value = ""] =
      /^\s*([!#$%&'*+.^_`|~\w-]+)\s*:\s*(.*?)\s*$/.exec(line) ?? [];
    if (!name)
      throw new Error(
        `"${line.trim()}" is not a header. ` +
          "Write one on each line, such as Accept: application/json.",
      );
    headers.push([name, value]);
  }
  const body = (hasBody(method) && rest.body) || null;
  if (body !== null && !headers.some(([name]) => /^content-type$/i.test(name)))
    headers.push(["Content-Type", "application/json"]);
  return { method, path, headers, body };
}

// --- The form ---

/**
 * @param {object} properties
 * @param {Operation | null} properties.operation null for any path
 * @param {string} [properties.name]
 * @param {FormValues | null} [properties.initial]
 * @param {FormSettings} properties.settings
 * @param {(request: OutgoingRequest, status: number | null) => void} [properties.onSent]
 * @param {Kept} [properties.kept] by default, the form keeps its input only while it is shown
 */
export function TryForm({
  operation: listed,
  name = "any path",
  initial = null,
  settings,
  onSent,
  kept,
}) {
  const form = useForm(listed, settings, initial, kept);
  const { operation, values, outcome, put, bind, show, run } = form;
  const { request, problem } = requestIn(operation, values);
  /** @param {Event} event */
  const submit = (event) => {
    event.preventDefault();
    if (!request) return show({ outcome: { problem } });
    return run(async () => {
      const exchange = await send(request);
      onSent?.(request, exchange.response?.status ?? null);
      return exchange;
    });
  };
  const showExplanation = () =>
    request && run(async () => ({ explanation: await explain(request) }));
  return html`<div class="try">
    <form aria-label=${`Call ${name}`} noValidate onSubmit=${submit}>
      ${
        operation
          ? html`<${OperationFields}
            operation=${operation}
            values=${values}
            bind=${bind}
            put=${put}
          />`
          : html`<${AnyFields} method=${values.method} bind=${bind} />`
      }
      <${CommonFields}
        keyPlace=${(operation ?? ANY).key}
        scenarios=${settings.scenarios}
        bind=${bind}
      />
      ${!operation && html`<${HeaderField} bind=${bind} />`}
      <${Buttons}
        name=${name}
        isValid=${request !== null}
        explain=${settings.explains && showExplanation}
      />
      ${
        request
          ? html`<${Command} request=${request} name=${name} />`
          : html`<p class="server" role="alert">${problem}</p>`
      }
    </form>
    <div class="response">
      ${
        outcome &&
        html`<${Result} name=${`${name} response`} outcome=${outcome} />`
      }
    </div>
  </div>`;
}

/** @typedef {(values: FormValues) => void} Put changes values */
/** @typedef {(field: string) => object} Bind returns the properties of a field's control */

/**
 * Return the state of a form, with functions that change it and that run a call.
 * @param {Operation | null} listed
 * @param {FormSettings} settings
 * @param {FormValues | null} initial
 * @param {Kept} [kept]
 */
function useForm(listed, settings, initial, kept = {}) {
  const form = useRef(kept).current;
  const [, render] = useState(0);
  const operation =
    listed && (form.operation ??= { ...listed, ...listed.details() });
  const values = (form.values ??= {
    ...defaults(operation, settings),
    ...initial,
  });
  /** @param {Kept} more */
  const show = (more) => {
    Object.assign(form, more);
    render((n) => n + 1);
  };
  form.show = show;
  /** @type {Put} */
  const put = (more) => show({ values: { ...form.values, ...more } });
  /** @type {Bind} */
  const bind = (name) => ({
    name,
    value: values[name],
    /** @param {Input} event */
    onInput: (event) => put({ [name]: event.target.value }),
  });
  /** @param {() => Promise<Outcome>} call */
  const run = async (call) => {
    const mine = Symbol("run");
    show({ latest: mine, outcome: { waits: true } });
    const outcome = await call().catch((error) => ({
      problem: describeError(error),
    }));
    // Meanwhile the user may have called again, or left the view and returned to it.
    if (form.latest === mine) form.show?.({ outcome });
  };
  return { operation, values, outcome: form.outcome, put, bind, show, run };
}

/**
 * @param {{ name: string, isValid: boolean, explain: false | (() => unknown) }} properties
 */
const Buttons = ({ name, isValid, explain: does }) => html`<div class="line">
  <${Button} kind="primary" type="submit" text=${`Call ${name}`} />
  ${
    does &&
    html`<${Button}
      text="Explain"
      title="Show what would respond and why, without sending the request"
      disabled=${!isValid}
      does=${does}
    />`
  }
</div>`;

/** @param {{ request: OutgoingRequest, name: string }} properties */
function Command({ request, name }) {
  const command = curl({ ...request, url: urlOf(request.path) });
  return html`<div class="command">
    <pre tabindex="0" aria-label="curl command">
      ${command}
    </pre>
    <${CopyButton}
      label=${`Copy ${name} as curl`}
      shown="Copy as curl"
      text=${() => command}
    />
  </div>`;
}

// --- The fields of the form for any path ---

/** @param {{ method: string | undefined, bind: Bind }} properties */
const AnyFields = ({ method, bind }) => html`
  <div class="line">
    <${Choice} ...${bind("method")} label="Method" options=${METHODS} />
    <${Label} name="Path" class="grow">
      <input ...${bind("path")} autocomplete="off" spellcheck=${false} />
    <//>
  </div>
  ${
    hasBody(method) &&
    html`<label>
      Body${" "}
      <textarea ...${bind("body")} rows="6" spellcheck=${false}></textarea>
    </label>`
  }
`;

/** @param {{ bind: Bind }} properties */
const HeaderField = ({ bind }) => html`<label>
  Headers${" "}
  <textarea
    ...${bind("headers")}
    rows="2"
    spellcheck=${false}
    placeholder="Accept: application/json"
  ></textarea>
</label>`;

// --- The fields of each form ---

/** @param {{ keyPlace: Key | null, scenarios: string[], bind: Bind }} properties */
const CommonFields = ({ keyPlace, scenarios, bind }) => html`<div class="line">
  ${
    keyPlace &&
    html`<${Label} name="Key" note=${describedKey(keyPlace)}>
      <input
        ...${bind("key")}
        autocomplete="off"
        spellcheck=${false}
        placeholder="No key"
      />
    <//>`
  }
  ${
    scenarios.length > 0 &&
    html`<${Choice}
      ...${bind("scenario")}
      label="Scenario"
      options=${scenarios}
      none="Active scenarios"
    />`
  }
</div>`;

/**
 * Return where a request has a key, in few words.
 * @param {Key} key
 */
function describedKey({ in: place, name, prefix }) {
  if (prefix === "") return `${place} ${name}`;
  return prefix === "Basic " ? "name:password" : "bearer token";
}

/**
 * @param {object} properties
 * @param {string} properties.label
 * @param {string[]} properties.options
 * @param {string} [properties.none]
 */
const Choice = ({ label, options, ...rest }) => html`<${Label} name=${label}>
  <${Control} schema=${{ enum: options }} ...${rest} />
<//>`;

// --- The fields of an operation ---

/**
 * @param {{ operation: DetailedOperation, values: FormValues, bind: Bind, put: Put }} properties
 */
const OperationFields = ({ operation, values, bind, put }) => html`
  <${Parameters} parameters=${operation.parameters} bind=${bind} />
  ${
    operation.bodies.length > 0 &&
    html`<${Body} bodies=${operation.bodies} values=${values} put=${put} />`
  }
`;

const PLACES = { path: "Path", query: "Query", header: "Headers" };

/**
 * The fields of parameters, by their place.
 * @param {{ parameters: Parameter[], bind: Bind }} properties
 */
const Parameters = ({ parameters, bind }) =>
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
              ...${bind(fieldOf(each))}
            />
          <//>`,
        )}
      </fieldset>`
    );
  });
