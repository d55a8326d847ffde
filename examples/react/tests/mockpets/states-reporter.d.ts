// mockpets 0.2.0: written by "mockpets kit"; run it again, do not edit; agents: mockpets skill
/* eslint-disable */

import type { FullConfig, Reporter, Suite } from "@playwright/test/reporter";

export interface StatesReporterOptions {
  /** The folder for `states.html` and `states.md`, from the configuration's folder; by default Playwright's `outputDir`. */
  outputFolder?: string;
}

/**
 * A Playwright reporter for tests that use `states()`: it prints a table of the states with the result of
 * each test, and writes it as `states.md`, and with the screenshots as `states.html`.
 */
export default class StatesReporter implements Reporter {
  constructor(options?: StatesReporterOptions);
  onBegin(config: FullConfig, suite: Suite): void;
  onEnd(): Promise<void>;
  printsToStdio(): boolean;
}
