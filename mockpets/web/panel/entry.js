// The sheet of one request: the response, the request, why, timing, and a comparison with another one.

import { Failure, Lazy, useLoaded } from "./loading.js";
import {
  html,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "./preact.js";
import {
  call,
  copy,
  errorReply,
  go,
  link,
  placeOf,
  release,
  releaseAll,
  store,
  toast,
  useKeys,
} from "./store.js";
import { duration, kindOf, waitsFor } from "../../../kit/toolbar/shown.js";
import { CodeBlock } from "./code.js";
import { Menu } from "./overlays.js";
import { Button, CopyButton, Facts, Section, StatusText, Tabs } from "./ui.js";
import { clock, NOTES, OUTCOMES, shownTarget, size } from "./values.js";

const formats = () => import("./formats.js");
const TABS = [
  ["response", "Response"],
  ["request", "Request"],
  ["why", "Why"],
  ["timing", "Timing"],
  ["diff", "Diff"],
];

/** Return the number of a request and the session to ask, from its key: "12" or "12@worker-3". */
const addressOf = (key) => {
  const [number = "", session] = key.split("@");
  return { path: { number }, session };
};

const load = (key) => call("GET /requests/{number}", addressOf(key));
const explain = (key) => call("GET /requests/{number}/explain", addressOf(key));

/**
 * @param {{id: string, row: any, rows: any[], previous: any, next: any, close: () => void, href:
 *   string}} properties
 */
export function Entry({ id, row, rows, previous, next, close, href }) {
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
  const body = useRef(null);
  useLayoutEffect(() => {
    if (body.current) body.current.scrollTop = 0;
  }, [id, tab]);
  return html`<${Resizable}>
    <article class="sheet" id="entry" aria-label=${`Request ${id}`}>
      <div class="sheet-head">
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
      </div>
      ${error && !shown && html`<${Failure} error=${error} />`}
      ${
        shown &&
        html`
          <${Actions} entry=${shown} id=${id} />
          <${Tabs} label="Request" tabs=${TABS} open=${tab} choose=${setTab}>
            <div class="sheet-body" ref=${body}>
              ${
                tab === "response" &&
                html`<${ResponseTab} entry=${shown} row=${now ?? shown} />`
              }
              ${
                tab === "request" &&
                html`<${Message}
                  name="Request"
                  first=${`${shown.method} ${shown.target}`}
                  message=${shown.request}
                />`
              }
              ${
                tab === "why" &&
                html`<${Detail}
                  of="Why"
                  key=${id}
                  load=${() => explain(id)}
                  again=${shown.outcome}
                />`
              }
              ${
                tab === "timing" &&
                html`<${Detail} of="Timing" entry=${shown} />`
              }
              ${
                tab === "diff" &&
                html`<${Detail}
                  of="Diff"
                  key=${id}
                  entry=${shown}
                  rows=${rows}
                />`
              }
            </div>
          <//>
        `
      }
    </article>
  <//>`;
}

const details = () => import("./details.js");

/** A component of `details.js`. */
const Detail = ({ of: name, ...rest }) =>
  html`<${Lazy} module=${details} name=${name} ...${rest} />`;

// --- The sheet's width ---

const LEAST = 400;
const most = () => Math.round(innerWidth * 0.6);
const clamp = (width) => Math.max(LEAST, Math.min(most(), width));

function storedWidth() {
  try {
    return Number(localStorage.getItem("mockpets-sheet")) || 520;
  } catch {
    return 520; // the browser blocks storage
  }
}

function Resizable({ children }) {
  const [width, setWidth] = useState(storedWidth);
  const resize = (next) => {
    setWidth(clamp(next));
    try {
      localStorage.setItem("mockpets-sheet", String(clamp(next)));
    } catch {
      // The width applies until the sheet is closed.
    }
  };
  const drag = (event) => event.buttons && resize(innerWidth - event.clientX);
  const keyDown = (event) => {
    const step = { ArrowLeft: 20, ArrowRight: -20 }[event.key];
    if (!step) return;
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
      onPointerDown=${(event) =>
        event.target.setPointerCapture(event.pointerId)}
      onPointerMove=${drag}
    ></div>
    ${children}
  </aside>`;
}

// --- Actions ---

const faultCalled = (word) =>
  Object.keys(store.state.faults).find(
    (name) => store.state.faults[name] === word,
  );

/** What `Release with` sends to the client of a path: its name, and the reply or delay; null for what was prepared. */
const replies = (path) => [
  ["Real response", {}],
  ["401", { reply: errorReply(path, 401) }],
  ["404", { reply: errorReply(path, 404) }],
  ["500", { reply: { status: 500 } }],
  ["Empty list", { reply: { page: [] } }],
  ["Slow, after 3 s", { delay: "3s" }],
  ["Broken connection", { reply: { fault: faultCalled("cut") } }],
];

/** What `Respond like this` does: its name, and the query of the call. */
const LIKE = () => [
  ["As recorded", {}],
  ["401", { status: 401 }],
  ["404", { status: 404 }],
  ["500", { status: 500 }],
  ["Slow, after 3 s", { delay: "3s" }],
  ["Broken connection", { fault: faultCalled("cut") }],
];

async function respondLike({ number, session }, query) {
  const target = { path: { number }, session };
  const { matches } = await call("POST /requests/{number}/stub", {
    ...target,
    query,
  });
  const undo = () => call("DELETE /requests/{number}/stub", target);
  toast(
    `A stub now responds to requests like ${number}; it matches ${matches.length} of the log.`,
    { undo },
  );
}

function Actions({ entry, id }) {
  const { key } = store.state.settings;
  const isHeld = waitsFor(entry) === "held";
  const truncated = entry.request.body.cut
    ? "The request log has only the beginning of the body, so the request cannot be sent again."
    : undefined;
  const copies = [
    ["curl", (all) => all.asCurl(entry, key)],
    ["fetch", (all) => all.asFetch(entry, key)],
    ["Playwright test", (all) => all.asTest(entry)],
    ["verify", (all) => all.asVerify(entry)],
    [
      "stub as YAML",
      async () =>
        (
          await call("GET /requests/{number}/stub", {
            path: { number: entry.number },
            session: entry.session,
          })
        ).yaml,
    ],
  ]
    .filter(([name]) => !truncated || (name !== "curl" && name !== "fetch"))
    .map(([text, format]) => ({
      text,
      does: async () => copy(await format(await formats())),
    }));
  const resend = () => sendAgain(entry, key);
  useKeys(truncated ? {} : { resend });
  return html`<div class="actions">
    ${
      isHeld &&
      html`
        <${Button}
          kind="primary"
          text="Release"
          does=${() => release([entry.number], {}, entry.session)}
        />
        <${Menu}
          text="Release with"
          items=${replies(entry.path).map(([text, instead]) => ({
            text,
            does: () => release([entry.number], instead, entry.session),
          }))}
        />
      `
    }
    ${
      !isHeld &&
      html`
        <${Menu}
          kind="primary"
          text="Respond like this"
          items=${LIKE().map(([text, query]) => ({
            text,
            does: () => respondLike(entry, query),
          }))}
        />
        <${Button}
          text="Resend"
          title=${truncated}
          disabled=${Boolean(truncated)}
          does=${resend}
        />
      `
    }
    <${Button} does=${() => go("try", null, { from: id })}>
      <span>Edit<span class="wide-only"> and send</span></span>
    <//>
    <${Menu} text="Copy" items=${copies} />
  </div>`;
}

async function sendAgain(entry, key) {
  const { bodyOf, headersToResend, urlOf } = await formats();
  let response;
  try {
    response = await fetch(urlOf(entry), {
      method: entry.method,
      credentials: "omit",
      headers: new Headers(headersToResend(entry, key)),
      body: bodyOf(entry),
    });
  } catch {
    toast("Request resent. No response: the connection failed.", {
      failed: true,
    });
    return;
  }
  const number = response.headers.get("Mockpets-Request");
  toast(`Resent${number ? ` as request ${number}` : ""}: ${response.status}.`);
}

// --- Response and request ---

const StubLink = ({ label }) => {
  const [scenario, stub] = label.split("/");
  return html`<a href=${link(...placeOf(scenario, { stub }))}>${label}</a>`;
};

/** The name of an operation, which filters the requests. */
const OperationLink = ({ name }) => {
  const filter = `operation:${/\s/.test(name) ? `"${name}"` : name}`;
  // With ./ it is no link to skip content, as axe takes one that begins with # for.
  return html`<a
    href=${`./${link("requests", null, { filter })}`}
    title=${`Requests of ${name}`}
  >
    ${name}
  </a>`;
};

/** One sentence on what responded. */
function Responder({ entry }) {
  const { stubs, operation, off_contract: off } = entry;
  const by = stubs.length
    ? html`
      ${stubs.length > 1 ? "Stubs" : "Stub"}${" "}
      ${stubs.map(
        (label, index) =>
          html`${index > 0 && ", "}<${StubLink} label=${label} />`,
      )}${" "}
      responded.
    `
    : operation
      ? html`Operation <${OperationLink} name=${operation} /> responded.`
      : "No stub responded.";
  return html`<p class="soft">${by}${off && ` Off the contract: ${off}.`}</p>`;
}

function ResponseTab({ entry, row }) {
  const waits = waitsFor(entry);
  const notes = entry.notes.filter((note) => note.code !== "off_contract");
  const title = waits ? "Will be sent" : "Body";
  return html`
    ${
      waits === "held"
        ? html`<${Held} entry=${entry} row=${row} />`
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
    ${
      notes.length > 0 &&
      html`<ul class="notes">
        ${notes.map(
          (note) => html`<li>
            <span class="note ${note.code}">
              ${NOTES[note.code] ?? note.code}
            </span>${" "}
            ${note.text}
          </li>`,
        )}
      </ul>`
    }
    <${Message}
      name="Response"
      title=${html`
        ${title}${" "}
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
    <${Section} title="Details">
      <${Facts}
        rows=${[
          ["Number", entry.number],
          ["Time", clock(entry.at)],
          ["Outcome", OUTCOMES[entry.outcome]],
          [
            entry.outcome === "client_left"
              ? "Client left after"
              : "Sent after",
            entry.total_ms !== null && duration(entry.total_ms),
          ],
          [
            "Operation",
            entry.operation
              ? html`<${OperationLink} name=${entry.operation} />`
              : "none, the contract does not describe it",
          ],
          ["Session", entry.session],
          ["Scenarios", entry.scenarios.join(", ")],
          ["Stubs", entry.stubs.join(", ")],
          ["Fault", entry.fault],
        ]}
      />
    <//>
  `;
}

function Held({ entry, row }) {
  const [, setTick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setTick(performance.now()), 100);
    return () => clearInterval(timer);
  }, []);
  const at = store.state.gates[entry.hold] ?? 0;
  const seconds =
    row?.waited === undefined
      ? (entry.held_ms ?? 0) / 1000
      : (row.waited + performance.now() - row.seen) / 1000;
  return html`<div class="held-banner">
    <p>
      <span>
        Held at ${entry.hold} <b class="held">${seconds.toFixed(1)} s</b>
      </span>
      <span class="soft">
        Stub${" "}
        ${entry.stubs.map(
          (label, index) =>
            html`${index > 0 && ", "}<${StubLink} label=${label} />`,
        )},
        not sent yet
      </span>
    </p>
    ${
      at > 1 &&
      html`<${Button}
        kind="held"
        text=${`Release ${at} at ${entry.hold}`}
        does=${() => releaseAll(entry.hold)}
      />`
    }
  </div>`;
}

const FEW_HEADERS = 8;
const FEW_LINES = 20;

/** A message: first the body, then the headers. */
export function Message({
  name,
  title = "Body",
  first,
  message: { headers, body },
  status,
  outcome,
}) {
  const type =
    headers.find(([header]) => /^content-type$/i.test(header))?.[1] ?? "";
  const none =
    status === null
      ? outcome === "broken"
        ? "No response: the connection was broken."
        : "No response."
      : "No body";
  const note = [
    size(body.size),
    type,
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
          label=${`Copy body of the ${name.toLowerCase()}`}
        />`
      }
    </div>
    ${
      body.size
        ? html`<${CodeBlock}
          text=${body.text}
          label=${`Body of the ${name.toLowerCase()}`}
        />`
        : html`<p class="soft">${none}</p>`
    }
    ${
      headers.length > 0 &&
      html`<${Section}
        title="Headers"
        note=${headers.length}
        open=${isShort}
        end=${html`<${CopyButton}
          text=${() => headers.map((pair) => pair.join(": ")).join("\n")}
          label=${`Copy headers of the ${name.toLowerCase()}`}
        />`}
      >
        <${Facts}
          mono
          rows=${headers.map(([header, value]) => [
            header.toLowerCase(),
            value || " ",
          ])}
        />
      <//>`
    }
  </section>`;
}
