// A recorded message, and the response of a request.

import { duration, kindOf, waitsFor } from "../../../kit/toolbar/shown.js";
import { CodeBlock } from "./code.js";
import { elapsed } from "./log.js";
import { html, useEffect, useState } from "./preact.js";
import { link, loadedState, placeOf, releaseAll } from "./store.js";
import { Button, CopyButton, Facts, Section } from "./ui.js";
import { clock, NOTES, OUTCOMES, size } from "./values.js";

/**
 * @import { RecordedMessage, RequestDetails, RequestNote, RequestOutcome, RequestSummary } from "../../../kit/control.js"
 * @import { Row } from "./log.js"
 * @import { Content } from "./preact.js"
 */

/** @param {{ label: string }} properties */
const StubLink = ({ label }) => {
  const [scenario = "", stub] = label.split("/");
  return html`<a href=${link(...placeOf(scenario, { stub }))}>${label}</a>`;
};

/** @param {{ labels: string[] }} properties */
const StubLinks = ({ labels }) =>
  labels.map(
    (label, index) => html`${index > 0 && ", "}<${StubLink} label=${label} />`,
  );

/**
 * The name of an operation, which filters the requests.
 * @param {{ name: string }} properties
 */
const OperationLink = ({ name }) => {
  const filter = `operation:${/\s/.test(name) ? `"${name}"` : name}`;
  // With ./ it is no link to skip content, as axe takes one that begins with # for.
  return html`<a
    href=${`./${link("requests", null, { filter })}`}
    title=${`Show requests to ${name}`}
  >
    ${name}
  </a>`;
};

/**
 * One sentence on the stubs that took part, one of which may have responded, or else on the operation.
 * @param {{ entry: RequestDetails }} properties
 */
function Responder({ entry }) {
  const { stubs, operation, off_contract: off } = entry;
  const by = stubs.length
    ? html`
      Handled by ${stubs.length > 1 ? "stubs" : "stub"}${" "}
      <${StubLinks} labels=${stubs} />.
    `
    : operation
      ? html`Operation <${OperationLink} name=${operation} /> responded.`
      : "No stub responded.";
  return html`<p class="soft">${by}${off && ` Off contract: ${off}.`}</p>`;
}

/** @param {{ entry: RequestDetails, row: RequestSummary | Row }} properties */
export function Response({ entry, row }) {
  const waits = waitsFor(entry);
  return html`
    ${
      waits === "held"
        ? html`<${Held} entry=${entry} gate=${entry.hold} row=${row} />`
        : html`<${Responder} entry=${entry} />`
    }
    ${
      entry.outcome === "client_left" &&
      html`<p class="warning">
        The client left after${" "}
        ${duration(entry.total_ms ?? 0)}
        ${entry.hold ? `, while the response was held at ${entry.hold}` : ""}.
        Nothing was sent.
      </p>`
    }
    <${Notes} entry=${entry} />
    <${Message}
      name="response"
      title=${html`
        ${waits ? "Will be sent" : "Body"}${" "}
        ${
          waits &&
          entry.status &&
          html`<b class=${kindOf(entry.status)}>${entry.status}</b>`
        }
      `}
      message=${entry.response}
      status=${entry.status}
      outcome=${entry.outcome}
    />
    <${Details} entry=${entry} />
  `;
}

/** @param {{ entry: RequestDetails }} properties */
function Notes({ entry }) {
  // `Responder` says what is off the contract.
  const notes = entry.notes.filter(({ code }) => code !== "off_contract");
  if (!notes.length) return null;
  const item = (/** @type {RequestNote} */ { code, text }) => html`<li>
    <span class="note ${code}">${NOTES[code]}</span> ${text}
  </li>`;
  return html`<ul class="notes">
    ${notes.map(item)}
  </ul>`;
}

/** @param {{ entry: RequestDetails }} properties */
function Details({ entry }) {
  const { number, at, outcome, operation, session, fault } = entry;
  const isLeft = outcome === "client_left";
  return html`<${Section} title="Details">
    <${Facts}
      rows=${[
        ["Number", number],
        ["Time", clock(at)],
        ["Outcome", OUTCOMES[outcome]],
        [
          isLeft ? "Client left after" : "Sent after",
          entry.total_ms !== null && duration(entry.total_ms),
        ],
        [
          "Operation",
          operation
            ? html`<${OperationLink} name=${operation} />`
            : "not in the contract",
        ],
        ["Session", session],
        ["Scenarios", entry.scenarios.join(", ")],
        ["Stubs", entry.stubs.join(", ")],
        ["Fault", fault],
      ]}
    />
  <//>`;
}

/** @param {{ entry: RequestDetails, gate: string, row: RequestSummary | Row }} properties */
function Held({ entry, gate, row }) {
  const [, setTick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setTick(performance.now()), 100);
    return () => clearInterval(timer);
  }, []);
  const at = loadedState().gates[gate] ?? 0;
  const waited =
    "waited" in row
      ? elapsed(row)
      : `${((entry.held_ms ?? 0) / 1000).toFixed(1)} s`;
  return html`<div class="held-banner">
    <p>
      <span>
        Held at ${gate} <b class="held">${waited}</b>
      </span>
      <span class="soft">
        Stub${" "}
        <${StubLinks} labels=${entry.stubs} />,
        not sent yet
      </span>
    </p>
    ${
      at > 1 &&
      html`<${Button}
        kind="held"
        text=${`Release ${at} at ${gate}`}
        does=${() => releaseAll(gate)}
      />`
    }
  </div>`;
}

const FEW_HEADERS = 8;
const FEW_LINES = 20;

/**
 * A message: first the body, then the headers.
 * @param {{
 *   name: string,
 *   title?: Content,
 *   first?: string,
 *   message: RecordedMessage,
 *   status?: number | null,
 *   outcome?: RequestOutcome,
 * }} properties `name` begins in lower case, since labels contain it
 */
export function Message({
  name,
  title = "Body",
  first,
  message: { headers, body },
  status,
  outcome,
}) {
  const type = headers.find(([header = ""]) => /^content-type$/i.test(header));
  const none =
    status === null
      ? outcome === "broken"
        ? "No response: the connection was broken."
        : "No response."
      : "No body";
  const note = [
    size(body.size),
    type?.[1],
    body.base64 && "not UTF-8, shown as base64",
    body.cut && "truncated",
  ]
    .filter(Boolean)
    .join(" · ");
  const isShort =
    headers.length <= FEW_HEADERS && body.text.split("\n").length < FEW_LINES;
  return html`<section class="message" aria-label=${name}>
    ${first && html`<p class="mono first">${first}</p>`}
    <div class="line">
      <h3>${title}</h3>
      <span class="soft grow">${body.size ? note : ""}</span>
      ${
        body.size > 0 &&
        html`<${CopyButton}
          text=${() => body.text}
          label=${`Copy ${name} body`}
        />`
      }
    </div>
    ${
      body.size
        ? html`<${CodeBlock} text=${body.text} label=${`${name} body`} />`
        : html`<p class="soft">${none}</p>`
    }
    ${
      headers.length > 0 &&
      html`<${Headers} of=${name} headers=${headers} open=${isShort} />`
    }
  </section>`;
}

/** @param {{ of: string, headers: string[][], open: boolean }} properties */
function Headers({ of: name, headers, open }) {
  const text = () => headers.map((pair) => pair.join(": ")).join("\n");
  const label = `Copy ${name} headers`;
  return html`<${Section}
    title="Headers"
    note=${headers.length}
    open=${open}
    end=${html`<${CopyButton} text=${text} label=${label} />`}
  >
    <${Facts}
      mono
      rows=${headers.map(([header = "", value]) => [
        header.toLowerCase(),
        value || " ",
      ])}
    />
  <//>`;
}
