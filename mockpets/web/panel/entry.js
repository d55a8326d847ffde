// The sheet of one request: the response, the request, why, timing, and a comparison with another one.

import { Actions } from "./entry-actions.js";
import { Failure, Lazy, useLoaded } from "./loading.js";
import { Message, Response } from "./message.js";
import { html, useLayoutEffect, useRef, useState } from "./preact.js";
import { call } from "./store.js";
import { Button, CopyButton, StatusText, Tabs } from "./ui.js";
import { shownTarget } from "./values.js";

/**
 * @import { RequestDetails, RequestSummary } from "../../../kit/control.js"
 * @import { Row } from "./log.js"
 * @import { Content, On, Ref } from "./preact.js"
 */

const TABS = [
  ["response", "Response"],
  ["request", "Request"],
  ["why", "Why"],
  ["timing", "Timing"],
  ["diff", "Diff"],
];

/**
 * Return the number of a request and the session to ask, from its key: "12" or "12@worker-3".
 * @param {string} key
 */
const addressOf = (key) => {
  const [number = "", session] = key.split("@");
  return { path: { number }, session };
};

/** @param {string} key */
const load = (key) => call("GET /requests/{number}", addressOf(key));

/** @param {string} key */
const explain = (key) => call("GET /requests/{number}/explain", addressOf(key));

/**
 * @param {{
 *   id: string,
 *   row: Row | undefined,
 *   rows: Row[],
 *   previous: (() => void) | null,
 *   next: (() => void) | null,
 *   close: () => void,
 *   href: string,
 * }} properties `row` is the request if the log lists it; `previous` and `next` open others
 */
export function Entry({ id, row, rows, close, ...links }) {
  // A request that was cleared meanwhile stays open as it was.
  const version = useRef("");
  if (row) version.current = `${row.outcome} ${row.status} ${row.waits}`;
  // While another one loads, the one before stays, so that its controls keep the focus.
  const [shown, error] = useLoaded(() => load(id), [id, version.current]);
  const [tab, setTab] = useState("response");
  const now =
    row ??
    (shown && String(shown.number) === addressOf(id).path.number
      ? shown
      : null);
  /** @type {Ref<HTMLElement | null>} */
  const body = useRef(null);
  useLayoutEffect(() => {
    if (body.current) body.current.scrollTop = 0;
  }, [id, tab]);
  return html`<${Resizable}>
    <article class="sheet" id="entry" aria-label=${`Request ${id}`}>
      <${Head} now=${now} close=${close} ...${links} />
      ${error && !shown && html`<${Failure} error=${error} />`}
      ${
        shown &&
        html`
          <${Actions} entry=${shown} id=${id} />
          <${Tabs} label="Request" tabs=${TABS} open=${tab} choose=${setTab}>
            <div class="sheet-body" ref=${body}>
              <${Tab}
                name=${tab}
                id=${id}
                entry=${shown}
                row=${now ?? shown}
                rows=${rows}
              />
            </div>
          <//>
        `
      }
    </article>
  <//>`;
}

/**
 * @param {{
 *   now: RequestSummary | null,
 *   previous: (() => void) | null,
 *   next: (() => void) | null,
 *   close: () => void,
 *   href: string,
 * }} properties
 */
const Head = ({
  now,
  previous,
  next,
  close,
  href,
}) => html`<div class="sheet-head">
  <${Button}
    kind="ghost"
    class="narrow-only"
    icon="back"
    label="Back"
    does=${close}
  />
  ${
    now &&
    html`<h2 class="sheet-title" title=${`${now.method} ${now.target}`}>
      <${StatusText} row=${now} />${" "}
      <span class="mono">${now.method} ${shownTarget(now)}</span>
    </h2>`
  }
  <span class="grow"></span>
  <${Button}
    kind="ghost"
    icon="up"
    label="Previous request"
    title="Previous request (k)"
    disabled=${!previous}
    does=${() => previous?.()}
  />
  <${Button}
    kind="ghost"
    icon="down"
    label="Next request"
    title="Next request (j)"
    disabled=${!next}
    does=${() => next?.()}
  />
  <${CopyButton}
    icon="link"
    text=${() => location.href.split("#")[0] + href}
    label="Copy link"
  />
  <${Button}
    kind="ghost"
    class="wide-only"
    icon="close"
    label="Close"
    title="Close (Esc)"
    does=${close}
  />
</div>`;

/**
 * @param {{
 *   name: string,
 *   id: string,
 *   entry: RequestDetails,
 *   row: RequestSummary | Row,
 *   rows: Row[],
 * }} properties
 */
function Tab({ name, id, entry, row, rows }) {
  switch (name) {
    case "response":
      return html`<${Response} entry=${entry} row=${row} />`;
    case "request":
      return html`<${Message}
        name="request"
        first=${`${entry.method} ${entry.target}`}
        message=${entry.request}
      />`;
    case "why":
      return html`<${Detail}
        of="Why"
        key=${id}
        load=${() => explain(id)}
        again=${entry.outcome}
      />`;
    case "timing":
      return html`<${Detail} of="Timing" entry=${entry} />`;
    default:
      return html`<${Detail} of="Diff" key=${id} entry=${entry} rows=${rows} />`;
  }
}

const details = () => import("./details.js");

/**
 * A component of `details.js`.
 * @param {{ of: string } & Record<string, unknown>} properties the others are the component's
 */
const Detail = ({ of: name, ...rest }) =>
  html`<${Lazy} module=${details} name=${name} ...${rest} />`;

// --- The sheet's width ---

const LEAST = 400; // pixels
const USUAL = 520;
/** @type {Partial<Record<string, number>>} */
const STEPS = { ArrowLeft: 20, ArrowRight: -20 };
const most = () => Math.round(innerWidth * 0.6);
const clamp = (/** @type {number} */ width) =>
  Math.max(LEAST, Math.min(most(), width));

function storedWidth() {
  try {
    return Number(localStorage.getItem("mockpets-sheet")) || USUAL;
  } catch {
    return USUAL; // the browser blocks storage
  }
}

/** @param {{ children?: Content }} properties */
function Resizable({ children }) {
  const [width, setWidth] = useState(storedWidth);
  const resize = (/** @type {number} */ next) => {
    setWidth(clamp(next));
    try {
      localStorage.setItem("mockpets-sheet", String(clamp(next)));
    } catch {
      // The width applies until the sheet is closed.
    }
  };
  const take = (/** @type {On<HTMLElement, PointerEvent>} */ event) =>
    event.target.setPointerCapture(event.pointerId);
  const drag = (/** @type {PointerEvent} */ event) => {
    if (event.buttons) resize(innerWidth - event.clientX);
  };
  const keyDown = (/** @type {KeyboardEvent} */ event) => {
    const step = STEPS[event.key];
    if (step === undefined) return;
    event.preventDefault();
    resize(width + step);
  };
  return html`<aside
    class="resizable"
    aria-label="Request"
    style=${{ width: `${clamp(width)}px` }}
  >
    <div
      class="resizer"
      role="separator"
      aria-orientation="vertical"
      aria-label="Width"
      tabindex="0"
      aria-valuenow=${clamp(width)}
      aria-valuemin=${LEAST}
      aria-valuemax=${most()}
      onKeyDown=${keyDown}
      onPointerDown=${take}
      onPointerMove=${drag}
    ></div>
    ${children}
  </aside>`;
}
