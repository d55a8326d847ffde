// mockpets 0.2.0: written by "mockpets kit"; run it again, do not edit; agents: mockpets skill
/* eslint-disable */

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
export function useMockpets(scenario?: Contents["scenario"] | State, options?: MockpetsOptions): Mockpets;
export * from "./client.js";
export * from "./states.js";
/**
 * The URL of the server, the token, your app's API key, and the seed and data of the session.
 */
export type MockpetsOptions = Omit<Options, "session" | "fetch"> & Omit<Contents, "scenario">;
import type { Contents } from "./client.js";
import type { State } from "./states.js";
import { Mockpets } from "./client.js";
import type { Options } from "./client.js";
