// mockpets 0.2.0: written by "mockpets kit"; run it again, do not edit; agents: mockpets skill
/* eslint-disable */
// @ts-nocheck: the declarations have the types

// A session for each story.

import { Mockpets } from "./client.js";
import { wrapRequests } from "./requests.js";
import {
  RUN,
  contentsOf,
  failure,
  namesSession,
  origin,
  warningOf,
} from "./shared.js";

export * from "./client.js";

/** @import { HeadersFor } from "./requests.js" */

/** @typedef {import("./storybook-parameters.d.ts").StoryParameters} StoryParameters */

/**
 * The sessions, by the signal that Storybook aborts when it unmounts the story.
 * @type {WeakMap<AbortSignal, Mockpets>}
 */
const sessions = new WeakMap();
let mounts = 0;
/** @type {(() => void) | undefined} */
let dropLast; // deletes the session of the story view, which shows one story at a time
/** @type {Mockpets | undefined} */
let sender; // the session that the requests of the page send

sendSession(); // now, because some clients keep the `fetch` that they find when they are imported

/**
 * A loader for `.storybook/preview.ts`. It creates a session for each mounted story that has
 * `parameters.mockpets`, and deletes it when Storybook unmounts the story. Until then, the story keeps
 * its session, even if its args change.
 * @param {{
 *   id: string;
 *   parameters: { mockpets?: StoryParameters | false };
 *   viewMode: string;
 *   abortSignal: AbortSignal;
 * }} context
 * @returns {Promise<{ mockpets?: Mockpets }>}
 */
export async function mockpetsLoader(context) {
  const { id, parameters, viewMode, abortSignal } = context;
  sender = undefined;
  if (viewMode !== "docs" && !sessions.has(abortSignal)) dropLast?.(); // portable stories never abort their signals
  if (!parameters.mockpets) return {};
  const {
    url,
    key,
    token,
    args,
    sessionIn = "props",
    ...contents
  } = parameters.mockpets;
  checkSessionIn(sessionIn, viewMode);
  // Storybook also calls loaders when args change. Then the story stays mounted and keeps its session.
  let mock = sessions.get(abortSignal);
  if (!mock) {
    mock = new Mockpets({
      url,
      key,
      token,
      session: Mockpets.slug(id, RUN, (mounts += 1)),
      fetch: outlivingFetch,
    });
    await mock.make(contentsOf(contents));
    const warning = await warningOf(mock, args, "parameters.mockpets.args");
    if (warning) console.warn(`mockpets: ${warning}`);
    sessions.set(abortSignal, mock);
    const drop = dropAtEnd(mock, abortSignal);
    if (viewMode !== "docs" && !abortSignal.aborted) dropLast = drop;
  }
  if (sessionIn === "header" && !abortSignal.aborted) {
    sender = mock;
    sendSession(); // again, because a test runner may have made another window
  }
  return { mockpets: mock };
}

/**
 * @param {NonNullable<StoryParameters["sessionIn"]>} sessionIn
 * @param {string} viewMode
 */
function checkSessionIn(sessionIn, viewMode) {
  if (!["props", "header"].includes(sessionIn)) {
    throw new TypeError(
      `parameters.mockpets.sessionIn must be 'props' or 'header', got '${sessionIn}'`,
    );
  }
  if (sessionIn === "header" && viewMode === "docs") {
    const hint =
      "set parameters.docs.story.inline to false, or use sessionIn: 'props'";
    throw new TypeError(
      `sessionIn: 'header' needs a page for each story; ${hint}`,
    );
  }
}

/**
 * Delete a session when its story is unmounted or the page is left; return a function that deletes it now.
 * @param {Mockpets} mock
 * @param {AbortSignal} abortSignal
 */
function dropAtEnd(mock, abortSignal) {
  let isDropped = false;
  const drop = () => {
    if (isDropped) return;
    isDropped = true;
    void failure(() => mock.drop()); // if it fails, the session is replaced once it is idle
  };
  if (abortSignal.aborted) drop();
  abortSignal.addEventListener("abort", drop);
  // A persisted page can be shown again. Node has no pages.
  globalThis.addEventListener?.(
    "pagehide",
    ({ persisted }) => persisted || drop(),
    { signal: abortSignal },
  );
  return drop;
}

/**
 * Call `fetch`, so that the request that deletes a session outlives the page.
 * @param {Parameters<typeof fetch>[0]} url
 * @param {RequestInit} [init]
 */
function outlivingFetch(url, init) {
  return globalThis.fetch(url, {
    ...init,
    keepalive: init?.method === "DELETE",
  });
}

/** Make the requests of the page to mockpets, or to the page's own origin, send the session `sender`. */
function sendSession() {
  /** @type {HeadersFor} */
  const headersFor = (url, headers) => {
    if (!sender || namesSession(headers)) return [];
    const isKnown = [sender.url, location.href].some(
      (known) => origin(known) === origin(url),
    );
    return isKnown ? Object.entries(sender.headers) : [];
  };
  // Otherwise a browser makes a request wait for a held response with the same URL, even one of another session.
  wrapRequests("storybook", headersFor, { cache: "no-store" });
}
