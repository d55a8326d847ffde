// A session for each test of a block in Vitest.

import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest";
import { Mockpets } from "./client.js";
import { wrapRequests } from "./requests.js";
import {
  RUN,
  STATE,
  contentsOf,
  dropSession,
  failure,
  makeInState,
  namesSession,
  origin,
  requestLog,
} from "./shared.js";

export * from "./client.js";
export * from "./states.js";

/**
 * @import { RunnerTask, RunnerTaskResult } from "vitest"
 * @import { Contents, Options } from "./client.js"
 * @import { Problem } from "./shared.js"
 * @import { State } from "./states.js"
 */

/**
 * The URL of the server, the token, your app's API key, and the seed and data of the session.
 * @typedef {Omit<Options, "session" | "fetch"> & Omit<Contents, "scenario">} MockpetsOptions
 */

const CONCURRENT =
  "useMockpets does not support concurrent tests: a request does not show which of them sends it; " +
  "remove 'concurrent', or move the test out of this block and use the baseUrl of new Mockpets({ session })";
/**
 * @type {{ [symbol: symbol]: {
 *   blocks: { mock: Mockpets, origin: string }[], // outer ones first
 *   sessions: number,
 *   isTesting: boolean,
 * } | undefined }}
 */
const globals = globalThis;
// Global, because Vitest may load this module twice: for `setupFiles`, and for a test that imports it.
const state = (globals[Symbol.for("mockpets.vitest")] ??= {
  blocks: [],
  sessions: 0,
  isTesting: false,
});

sendSession();
beforeEach(() => {
  state.isTesting = true;
});
afterEach(() => {
  state.isTesting = false;
});

/**
 * Give each test of this file, or of this `describe`, a new session with these scenarios.
 *
 * Call it at the top of a test file or of a `describe`. The requests of `fetch` and `XMLHttpRequest` to
 * mockpets send the session of the innermost block, unless they name another one. Import this module
 * before your app, with `setupFiles`.
 * @param {Contents["scenario"] | State} [scenario] the scenarios, or a state of `states()`
 * @param {MockpetsOptions} [options]
 * @returns {Mockpets} the session, whose `baseUrl` stays the same for all tests
 */
export function useMockpets(scenario, options = {}) {
  const { url, key, token, ...contents } = options;
  if (state.isTesting)
    throw new Error(
      "call useMockpets at the top of a test file or of a describe, not in a test",
    );
  const fetch = sendSession(); // with `isolate: false`, this module is loaded once, but each file has its own window
  const { testPath: file = "" } = expect.getState();
  const session = Mockpets.slug(
    file.split(/[\\/]/).at(-1) ?? file,
    file,
    RUN,
    state.sessions++,
  );
  const mock = new Mockpets({ url, key, token, session, fetch });
  const block = { mock, origin: origin(mock.url) };
  /** @type {RunnerTask | undefined} */
  let owner; // the test whose session may exist
  const inState = isState(scenario) ? scenario.name : undefined;
  /** @type {string | null} */
  let unreached; // why the test has not reached its state

  beforeAll(() => {
    state.blocks.push(block);
  });

  beforeEach(async ({ task, skip, onTestFinished }) => {
    if (task.concurrent) throw withoutStack(new Error(CONCURRENT));
    // `make` alone keeps the request log and held responses.
    if (owner) await failure(() => mock.drop());
    owner = undefined;
    unreached = null;
    if (inState === undefined)
      await mock.make(
        contentsOf({
          ...(scenario === undefined ? {} : { scenario }),
          ...contents,
        }),
      );
    else {
      const disabled = await makeInState(mock, contents, inState);
      if (disabled) {
        await mock.drop();
        skip(disabled);
      }
      // After all `afterEach`, which a test that is skipped earlier would leave out.
      onTestFinished(() => {
        if (unreached) skip(unreached);
      });
    }
    owner = task;
  });

  afterEach(async ({ task }) => {
    if (owner !== task) return;
    const problem = await failure(async () => {
      if (task.result?.state === "fail" && !task.fails) {
        console.error(`requests to mockpets:\n${await requestLog(mock)}`);
      }
      if (inState !== undefined && task.result?.state === "pass")
        ({ unreached } = await mock.scenario(inState));
      await dropSession(mock);
      owner = undefined;
    });
    if (problem && problem.code !== "session_dropped")
      reportFirst(problem, task.result); // else the test has deleted it
  });

  afterAll(async () => {
    state.blocks.splice(state.blocks.indexOf(block), 1);
    if (owner) await failure(() => mock.drop()); // the test has reported why it still exists
  });

  return mock;
}

/**
 * @param {Contents["scenario"] | State} scenario
 * @returns {scenario is State}
 */
function isState(scenario) {
  const state = /** @type {Partial<State> | undefined} */ (scenario);
  return state?.details?.annotation?.type === STATE;
}

/**
 * Throw a problem, or put it before the errors that the test already has: they are only consequences.
 * @param {Problem} problem
 * @param {RunnerTaskResult | undefined} result
 */
function reportFirst(problem, result) {
  withoutStack(problem);
  if (result?.state !== "fail") throw problem;
  const { name, message, stack = message } = problem;
  result.errors = [{ name, message, stack }, ...(result.errors ?? [])];
}

/**
 * Remove the stack of an error that no line of the test has caused.
 * @param {Error} error
 */
function withoutStack(error) {
  error.stack = String(error);
  return error;
}

// --- Requests ---

/** Make requests to mockpets send the session of the innermost block; return the original `fetch`. */
function sendSession() {
  return wrapRequests("vitest", (url, headers) => {
    const target = origin(url);
    const block = state.blocks.findLast((block) => block.origin === target);
    return block && !namesSession(headers)
      ? Object.entries(block.mock.headers)
      : [];
  });
}
