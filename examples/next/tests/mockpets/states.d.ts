// mockpets 0.2.0: written by "mockpets kit"; run it again, do not edit; agents: mockpets skill
/* eslint-disable */

/** @import { Expression, ScenarioName, StatesOptions } from "./client.js" */
/**
 * A scenario or an expression under which a test runs.
 * @typedef {object} State
 * @property {ScenarioName | Expression} name
 * @property {string} description What the scenario does; empty for an expression, for your own scenario with the npm
 *   package, and if its file was invalid.
 * @property {{ readonly annotation: { readonly type: string; readonly description: string } }} details For Playwright:
 *   the details of the test. They make the fixture `mock` start its session in this state.
 */
/**
 * Return every scenario, `default` included, or those of `only` and then its expressions, to run one test under each:
 * `for (const state of states()) test(state.name, state.details, ...)` in Playwright, and
 * `describe.each(states())("$name", (state) => { useMockpets(state); ... })` in Vitest.
 *
 * The test is skipped if the server does not allow what the scenario does, or if the test has passed
 * without a request that the scenario changes.
 * @param {StatesOptions} [options]
 * @returns {State[]}
 */
export function states(options?: StatesOptions): State[];
/**
 * A scenario or an expression under which a test runs.
 */
export type State = {
    name: ScenarioName | Expression;
    /**
     * What the scenario does; empty for an expression, for your own scenario with the npm
     * package, and if its file was invalid.
     */
    description: string;
    /**
     * For Playwright:
     * the details of the test. They make the fixture `mock` start its session in this state.
     */
    details: {
        readonly annotation: {
            readonly type: string;
            readonly description: string;
        };
    };
};
import type { StatesOptions } from "./client.js";
import type { ScenarioName } from "./client.js";
import type { Expression } from "./client.js";
