import type { ScenarioName } from "./client.js";

/** A scenario under which a test runs. */
export interface State {
  readonly name: ScenarioName;
  /** What the scenario does; empty for your own with the npm package, and if its file was invalid. */
  readonly description: string;
  /** For Playwright: the details of the test. They make the fixture `mock` start its session in this state. */
  readonly details: { readonly annotation: { readonly type: string; readonly description: string } };
}

export interface StatesOptions {
  /** Only these scenarios. */
  only?: readonly ScenarioName[];
  /** Not these scenarios. */
  exclude?: readonly ScenarioName[];
}

/**
 * Return every scenario, `default` included, to run one test under each of them:
 * `for (const state of states()) test(state.name, state.details, ...)` in Playwright, and
 * `describe.each(states())("$name", (state) => { useMockpets(state); ... })` in Vitest.
 *
 * The test is skipped if the server does not allow what the scenario does, or if the test has passed
 * without a request that the scenario changes.
 */
export function states(options?: StatesOptions): State[];
