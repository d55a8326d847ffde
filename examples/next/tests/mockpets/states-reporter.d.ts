// mockpets 0.2.0: written by "mockpets kit"; run it again, do not edit; agents: mockpets skill
/* eslint-disable */

import type { FullConfig, Reporter, Suite } from "@playwright/test/reporter";

export interface StatesReporterOptions {
  /**
   * The folder for `states.html` and `states.md`, from the configuration's folder; by default `state-sheet`. The
   * screenshots are compared with those of the `states.html` in it. Playwright empties its `outputDir` before each run.
   */
  outputFolder?: string;
}

/**
 * A Playwright reporter for tests that use `states()`: it prints a table of the states with the result of
 * each test, and writes it as `states.md`. The state sheet, `states.html`, has the screenshots and findings
 * of each state, and marks what changed since the last sheet. A folder that cannot be written fails the run.
 */
export default class StatesReporter implements Reporter {
  constructor(options?: StatesReporterOptions);
  onBegin(config: FullConfig, suite: Suite): void;
  onEnd(): Promise<{ status: "failed" } | undefined>;
  printsToStdio(): boolean;
}
