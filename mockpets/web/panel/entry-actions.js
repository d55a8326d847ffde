// What can be done with a request of the log: release, respond like it, send it again, copy it.

import { errorReply, faultCalled } from "../../../kit/toolbar/active.js";
import { waitsFor } from "../../../kit/toolbar/shown.js";
import { loadModule } from "./loading.js";
import { Menu } from "./overlays.js";
import { html } from "./preact.js";
import {
  call,
  copy,
  go,
  loadedState,
  release,
  toast,
  useKeys,
} from "./store.js";
import { Button } from "./ui.js";
import { count } from "./values.js";

/**
 * @import { RequestDetails } from "../../../kit/control.js"
 * @import { CallOptions } from "../../../kit/types.js"
 * @import { Item } from "./overlays.js"
 * @import { Instead } from "./store.js"
 */

const formats = () => loadModule(() => import("./formats.js"));

/** @typedef {typeof import("./formats.js")} Formats */

/**
 * Return what `Release with` sends to the client of a path: its name, and the reply or delay.
 * @param {string} path
 * @returns {[name: string, instead: Instead][]}
 */
function replies(path) {
  const state = loadedState();
  const fault = faultCalled(state, "cut");
  return [
    ["Real response", {}],
    ["401", { reply: errorReply(state, path, 401) }],
    ["404", { reply: errorReply(state, path, 404) }],
    ["500", { reply: { status: 500 } }],
    ["Empty list", { reply: { page: [] } }],
    ["Slow, after 3 s", { delay: "3s" }],
    ["Broken connection", fault ? { reply: { fault } } : {}],
  ];
}

/** @typedef {CallOptions<"POST /requests/{number}/stub">["query"]} StubQuery */

/**
 * Return what `Respond like this` does: its name, and the query of the call.
 * @returns {[name: string, query: StubQuery][]}
 */
const likeThis = () => [
  ["As recorded", {}],
  ["401", { status: 401 }],
  ["404", { status: 404 }],
  ["500", { status: 500 }],
  ["Slow, after 3 s", { delay: "3s" }],
  ["Broken connection", { fault: faultCalled(loadedState(), "cut") }],
];

/**
 * @param {RequestDetails} entry
 * @param {StubQuery} query
 */
async function respondLike({ number, session }, query) {
  const target = { path: { number }, session };
  const { matches } = await call("POST /requests/{number}/stub", {
    ...target,
    query,
  });
  const undo = () => call("DELETE /requests/{number}/stub", target);
  toast(
    `Added a stub that responds to requests like ${number}. It matches ${count(matches.length, "request")} in the log.`,
    { undo },
  );
}

/**
 * Return the forms in which a request can be copied.
 * @param {RequestDetails} entry
 * @returns {Item[]}
 */
function copies(entry) {
  const { key } = loadedState().settings;
  const { number, session } = entry;
  const item = (
    /** @type {string} */ text,
    /** @type {(forms: Formats) => string | Promise<string>} */ format,
  ) => ({ text, does: async () => copy(await format(await formats())) });
  const stub = async () => {
    const target = { path: { number }, session };
    return (await call("GET /requests/{number}/stub", target)).yaml;
  };
  const whole = [
    item("curl", ({ asCurl }) => asCurl(entry, key)),
    item("fetch", ({ asFetch }) => asFetch(entry, key)),
  ];
  return [
    ...(entry.request.body.cut ? [] : whole),
    item("Playwright test", ({ asTest }) => asTest(entry)),
    item("mockpets verify", ({ asVerify }) => asVerify(entry)),
    item("Stub as YAML", stub),
  ];
}

/** @param {{ entry: RequestDetails, id: string }} properties */
export function Actions({ entry, id }) {
  const isHeld = waitsFor(entry) === "held";
  const truncated = entry.request.body.cut
    ? "The request log has only the start of the body, so the request cannot be resent."
    : undefined;
  const resend = () => sendAgain(entry);
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
          items=${likeThis().map(([text, query]) => ({
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
    <${Menu} text="Copy" items=${copies(entry)} />
  </div>`;
}

/** @param {RequestDetails} entry */
async function sendAgain(entry) {
  const { key } = loadedState().settings;
  const { bodyOf, headersToResend, urlOf } = await formats();
  let response;
  try {
    response = await fetch(urlOf(entry), {
      method: entry.method,
      credentials: "omit",
      headers: new Headers(headersToResend(entry, key)),
      body: bodyOf(entry) ?? null,
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
