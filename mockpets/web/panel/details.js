// The tabs of a request that are loaded when they are first opened: why, timing, and a comparison with another request.

import { Failure, useLoaded } from "./loading.js";
import { html, useState } from "./preact.js";
import { call } from "./store.js";
import { duration } from "../../../kit/toolbar/shown.js";
import { Facts, Section, StatusText } from "./ui.js";
import {
  clock,
  count,
  OUTCOMES,
  shownTarget,
  size,
  statusOf,
} from "./values.js";

/**
 * @import { ComparedCondition, ExplainedStub, Explanation as What, RequestDetails, RequestSummary } from "../../../kit/control.js"
 * @import { On } from "./preact.js"
 */

// --- Why ---

/**
 * The explanation of a request; `again` changes when it must be loaded again.
 * @param {{ load: () => Promise<What>, again: unknown }} properties
 */
export function Why({ load: explain, again }) {
  const [explanation, error] = useLoaded(explain, [again]);
  if (error) return html`<${Failure} error=${error} />`;
  return explanation
    ? html`<${Explanation} explanation=${explanation} />`
    : html`<p class="soft" role="status">Loading the explanation.</p>`;
}

/** @param {{ explanation: What }} properties */
export function Explanation({ explanation }) {
  const { request, sent, summary, stubs, omitted, by, stub } = explanation;
  const nearest = stubs.find(
    ({ label, result }) =>
      label === explanation.nearest && result === "no_match",
  );
  const text = summary.replace(/^\d{3},? /, ""); // the status stands before it
  const responder =
    by === "check"
      ? "A check that rejects the request"
      : by === "stub"
        ? `Stub ${stub}`
        : by === "resource"
          ? "A resource"
          : `Operation ${request.operation}`;
  return html`<div class="why">
    ${
      !sent &&
      html`<p class="soft">The request was not sent. If you send it now:</p>`
    }
    <p role="status">
      <${StatusText} row=${request} /> ${text.slice(0, 1).toUpperCase()}${text.slice(1)}.
    </p>
    <${Facts} rows=${[["Response from", responder]]} />
    ${
      stubs.length > 0 &&
      html`
        <p class="soft">Stubs, in the order in which they are checked:</p>
        <ol class="stubs">
          ${stubs.map(
            (each) =>
              html`<${StubItem} stub=${each} isNearest=${each === nearest} />`,
          )}
        </ol>
      `
    }
    ${
      omitted > 0 &&
      html`<p class="soft">Not listed: ${count(omitted, "more stub")}.</p>`
    }
  </div>`;
}

/** @param {{ stub: ExplainedStub, isNearest: boolean }} properties */
function StubItem({
  stub: { label, when, does, limits, result, reason, conditions },
  isNearest,
}) {
  // Long lists stay short: stubs that took no part are closed, except for the nearest one.
  const open = isNearest || (result !== "no_match" && result !== "not_reached");
  return html`<li>
    <details open=${open}>
      <summary>
        <code>${label}</code> <span class="note ${result}">${reason}</span>
        ${isNearest && html` <span class="note nearest">nearest</span>`}
      </summary>
      <p>For ${when}: <b>${does}</b></p>
      ${limits && html`<p class="soft">${limits}</p>`}
      ${
        conditions.length > 0 &&
        html`<${Conditions} label=${label} conditions=${conditions} />`
      }
    </details>
  </li>`;
}

/** @param {boolean | null} holds */
function signOf(holds) {
  if (holds === null) return ["unknown", "?", "unknown"];
  return holds ? ["holds", "✓", "yes"] : ["fails", "✗", "no"];
}

/** @param {{ label: string, conditions: ComparedCondition[] }} properties */
const Conditions = ({ label, conditions }) => html`<table
  class="conditions"
  aria-label=${`Conditions of ${label}`}
>
  <thead>
    <tr>
      ${["Part", "Expected", "Actual", "Matches"].map(
        (text) => html`<th scope="col">${text}</th>`,
      )}
    </tr>
  </thead>
  <tbody>
    ${conditions.map(({ where, expected, got, holds }) => {
      const [kind, sign, text] = signOf(holds);
      return html`<tr class=${kind}>
        <th scope="row">${where}</th>
        <td>${expected}</td>
        <td>${got}</td>
        <td><span aria-hidden="true">${sign}</span> ${text}</td>
      </tr>`;
    })}
  </tbody>
</table>`;

// --- Timing ---

/** @param {{ entry: RequestDetails }} properties */
export function Timing({ entry }) {
  const {
    app_ms: app,
    delay_ms: delay,
    held_ms: held,
    total_ms: total,
    throttle,
    hold,
    outcome,
  } = entry;
  const ended =
    total === null
      ? null
      : new Date(Date.parse(entry.at) + total).toISOString();
  return html`<${Facts}
    rows=${[
      ["Received", clock(entry.at)],
      ["Processing", duration(app)],
      ["Added delay", delay > 0 && duration(delay)],
      [
        "Held at gate",
        hold &&
          `${hold}, ${duration(held ?? 0)}${outcome === "pending" ? " so far" : ""}`,
      ],
      ["Throttled to", throttle && `${size(throttle)}/s`],
      [
        outcome === "client_left" ? "Client left after" : "Sent after",
        total !== null && duration(total),
      ],
      [
        outcome === "client_left" ? "Client left at" : "Sent at",
        ended && clock(ended),
      ],
      [
        "Outcome",
        outcome === "pending"
          ? `pending: ${statusOf(entry)[0]}`
          : OUTCOMES[outcome],
      ],
    ]}
  />`;
}

// --- Diff ---

const MOST_CHOICES = 50;
const MOST_DIFF_LINES = 500;

/**
 * Return the request to compare with: the last one before it with the same method and path, else the one before.
 * @param {RequestSummary} entry
 * @param {RequestSummary[]} others
 */
const nearestOf = (entry, others) =>
  others.findLast(
    (row) =>
      row.number < entry.number &&
      row.method === entry.method &&
      row.path === entry.path,
  ) ??
  others.findLast((row) => row.number < entry.number) ??
  others[0];

/** @param {{ entry: RequestDetails, rows: RequestSummary[] }} properties */
export function Diff({ entry, rows }) {
  const others = rows.filter(
    (row) => row.number !== entry.number && row.session === entry.session,
  );
  const [chosen, choose] = useState(() =>
    String(nearestOf(entry, others)?.number ?? ""),
  );
  const [other, error] = useLoaded(
    async () =>
      chosen
        ? call("GET /requests/{number}", {
            path: { number: chosen },
            session: entry.session,
          })
        : null,
    [chosen],
  );
  if (!others.length)
    return html`<p class="soft">No other request to compare with.</p>`;
  const choices = others.slice(-MOST_CHOICES);
  if (!choices.some((row) => String(row.number) === chosen))
    choices.unshift(...others.filter((row) => String(row.number) === chosen));
  return html`
    <label class="line">
      Compare with${" "}
      <select value=${chosen} onChange=${(/** @type {On<HTMLSelectElement>} */ event) => choose(event.target.value)}>
        ${choices.map(
          (row) => html`<option
            value=${String(row.number)}
            selected=${String(row.number) === chosen}
          >
            ${row.number}: ${statusOf(row)[0]} ${row.method}${" "}
            ${shownTarget(row)}
          </option>`,
        )}
      </select>
    </label>
    ${error && html`<${Failure} error=${error} />`}
    ${
      other &&
      html`
        <${Differences}
          title="Request"
          before=${linesOf(other, "request")}
          after=${linesOf(entry, "request")}
        />
        <${Differences}
          title="Response"
          before=${linesOf(other, "response")}
          after=${linesOf(entry, "response")}
        />
      `
    }
  `;
}

/**
 * Return a message as lines: first line, headers, body.
 * @param {RequestDetails} entry
 * @param {"request" | "response"} side
 */
function linesOf(entry, side) {
  const { headers, body } = entry[side];
  const first =
    side === "request"
      ? `${entry.method} ${shownTarget(entry)}`
      : String(entry.status ?? "no response");
  let text = body.text;
  try {
    text = JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    // Not JSON: compare it as it is.
  }
  return [
    first,
    ...headers.map(([name = "", value]) => `${name.toLowerCase()}: ${value}`),
    "",
    ...text.split("\n"),
  ].slice(0, MOST_DIFF_LINES);
}

/** @param {{ title: string, before: string[], after: string[] }} properties */
function Differences({ title, before, after }) {
  const lines = difference(before, after);
  const changed = lines.filter(([sign]) => sign !== " ").length;
  return html`<${Section}
    title=${title}
    note=${changed ? count(changed, "different line") : "identical"}
  >
    ${
      changed > 0 &&
      html`<div
        class="code diff"
        role="region"
        tabindex="0"
        aria-label=${`${title} differences`}
      >
        ${lines.map(
          ([sign, line]) => html`<div
            class="code-line ${sign === "+" ? "added" : sign === "-" ? "removed" : ""}"
          >
            <span class="code-number">${sign}</span>
            <span class="code-text">${line}${"\n"}</span>
          </div>`,
        )}
      </div>`
    }
  <//>`;
}

/** @typedef {[sign: " " | "-" | "+", line: string]} Difference */

/**
 * Compare lines by their longest common subsequence.
 * @param {string[]} before
 * @param {string[]} after
 */
export function difference(before, after) {
  // The length of the longest common subsequence of what is left from two places on.
  const left = Array.from(
    { length: before.length + 1 },
    () => new Uint16Array(after.length + 1),
  );
  const from = (/** @type {number} */ i, /** @type {number} */ j) =>
    left[i]?.[j] ?? 0;
  for (let i = before.length - 1; i >= 0; i -= 1) {
    const row = left[i] ?? [];
    for (let j = after.length - 1; j >= 0; j -= 1)
      row[j] =
        before[i] === after[j]
          ? from(i + 1, j + 1) + 1
          : Math.max(from(i + 1, j), from(i, j + 1));
  }
  /** @type {Difference[]} */
  const lines = [];
  let i = 0;
  let j = 0;
  while (i < before.length || j < after.length) {
    const [old, now] = [before[i], after[j]];
    if (old !== undefined && old === now) {
      lines.push([" ", old]);
      i += 1;
      j += 1;
    } else if (
      now === undefined ||
      (old !== undefined && from(i + 1, j) >= from(i, j + 1))
    ) {
      lines.push(["-", old ?? ""]);
      i += 1;
    } else {
      lines.push(["+", now]);
      j += 1;
    }
  }
  return lines;
}
