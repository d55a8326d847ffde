// What a recorded request would get from the scenario in the editor, without sending it.

import { html, useEffect, useState } from "./preact.js";
import { act, call, useChange } from "./store.js";
import { explain, recorded } from "./exchange.js";
import { StatusText } from "./ui.js";

/**
 * @import { Explanation, RequestSummary } from "../../../kit/control.js"
 * @import { On } from "./preact.js"
 */

/**
 * @typedef {object} Unsaved
 * @property {string} text
 * @property {string | null} valid the last text without problems
 */

const MOST_REQUESTS = 50;

/**
 * @param {object} properties
 * @param {string} properties.name of the scenario
 * @param {object} properties.version another object when the scenario has changed on the server
 * @param {Unsaved | null} properties.unsaved tried in place of what is saved
 */
export function TryOn({ name, version, unsaved }) {
  const [entries, setEntries] = useState(/** @type {RequestSummary[]} */ ([]));
  const [number, setNumber] = useState("");
  useChange(["requests"], async () => {
    const query = { limit: MOST_REQUESTS };
    const { requests } = await call("GET /requests", { query });
    setEntries(requests.reverse());
  });
  const lastMatch = entries.find((entry) =>
    entry.stubs.some((stub) => stub.startsWith(`${name}/`)),
  );
  const entry =
    entries.find((each) => String(each.number) === number) ??
    lastMatch ??
    entries[0];
  const result = useExplanation(entry, name, version, unsaved);
  if (!entry)
    return html`<div class="try-on">
      <span class="soft">
        Send a request to see how this scenario responds to it.
      </span>
    </div>`;
  return html`<div class="try-on">
    <label>
      Try on${" "}
      <select
        value=${String(entry.number)}
        onChange=${(/** @type {On<HTMLSelectElement>} */ event) =>
          setNumber(event.target.value)}
      >
        ${entries.map(
          (each) => html`<option
            key=${each.number}
            value=${String(each.number)}
            selected=${each === entry}
          >
            Request${" "}
            ${each.number}${each === lastMatch ? ", the last match" : ""}
          </option>`,
        )}
      </select>
    </label>
    <span class="mono soft" title=${entry.target}>
      ${entry.method} ${entry.target}
    </span>
    <p role="status">
      ${result && html`<${Result} result=${result} unsaved=${unsaved} />`}
    </p>
  </div>`;
}

/**
 * Load what a request would get from a scenario, or from the valid text that is not saved.
 * @param {RequestSummary | undefined} entry
 * @param {string} name
 * @param {object} version
 * @param {Unsaved | null} unsaved
 */
function useExplanation(entry, name, version, unsaved) {
  const [result, setResult] = useState(
    /** @type {Explanation | null} */ (null),
  );
  const draft = unsaved?.valid ?? null;
  useEffect(() => {
    let isLate = false;
    const load = async (/** @type {number} */ number) => {
      const request = withScenario(await recorded(number), name);
      const explanation = await explain(
        request,
        draft === null ? undefined : { name, text: draft },
      );
      if (!isLate) setResult(explanation);
    };
    if (entry && (draft !== null || unsaved === null))
      void act(() => load(entry.number));
    return () => {
      isLate = true;
    };
  }, [entry?.number, name, version, draft]);
  return result;
}

/**
 * Return a request that names this scenario only.
 * @template {{ headers: [name: string, value: string][] }} R
 * @param {R} request
 * @param {string} name
 * @returns {R}
 */
const withScenario = (request, name) => ({
  ...request,
  headers: [
    ...request.headers.filter(([header]) => !/^mockpets-/i.test(header)),
    ["Mockpets-Scenario", name],
  ],
});

/** @param {{ result: Explanation, unsaved: Unsaved | null }} properties */
function Result({ result: { request, summary, stubs }, unsaved }) {
  const others = stubs.filter((stub) => stub.result === "no_match").length;
  return html`
    <${StatusText} row=${request} />${" "}
    ${summary.replace(/^\d{3},? /, "")}
    ${
      others > 0 &&
      html`<span class="soft">
        ${" "}· ${others} other ${others === 1 ? "stub does" : "stubs do"} not match
      </span>`
    }
    ${
      unsaved &&
      html`<span class="soft">
        ${" "}
        ·${" "}
        ${
          unsaved.valid === unsaved.text
            ? "not saved yet"
            : "last valid version"
        }
      </span>`
    }
  `;
}
