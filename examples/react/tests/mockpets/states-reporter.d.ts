// mockpets 0.2.0: written by "mockpets kit"; run it again, do not edit; agents: mockpets skill
/* eslint-disable */

/**
 * A Playwright reporter for tests that use `states()`: it prints a table of the states with the result of
 * each test, and writes it as `states.md`. The state sheet, `states.html`, has the screenshots and findings
 * of each state, and marks what changed since the last sheet. A folder that cannot be written fails the run.
 * @implements {Reporter}
 */
export default class StatesReporter implements Reporter {
    /** @param {StatesReporterOptions} [options] */
    constructor(options?: StatesReporterOptions);
    printsToStdio(): boolean;
    /**
     * @param {FullConfig} _config
     * @param {Suite} suite
     */
    onBegin(_config: FullConfig, suite: Suite): void;
    /** @returns {Promise<{ status: "failed" } | undefined>} */
    onEnd(): Promise<{
        status: "failed";
    } | undefined>;
    #private;
}
export type StatesReporterOptions = {
    /**
     * The folder for `states.html` and `states.md`, from the configuration's folder; by
     * default `state-sheet`. The screenshots are compared with those of the `states.html` in it. Playwright empties its
     * `outputDir` before each run.
     */
    outputFolder?: string;
};
import type { Reporter } from "@playwright/test/reporter";
import type { FullConfig } from "@playwright/test/reporter";
import type { Suite } from "@playwright/test/reporter";
