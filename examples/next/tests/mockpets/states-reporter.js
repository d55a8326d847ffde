// mockpets 0.2.0: written by "mockpets kit"; run it again, do not edit; agents: mockpets skill
/* eslint-disable */
// @ts-nocheck: the declarations have the types

// The states under which tests ran: a table, and a sheet of screenshots.

import { mkdir, readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { scenarios } from "./scenarios.js";
import { FINDINGS, SCREENSHOT, stateOf } from "./shared.js";
import { changes, compare, readSheet, toHtml } from "./states-sheet.js";

/**
 * @import { FullConfig, Reporter, Suite, TestCase, TestResult } from "@playwright/test/reporter"
 * @import { Row } from "./states-sheet.js"
 */

/**
 * @typedef {object} StatesReporterOptions
 * @property {string} [outputFolder] The folder for `states.html` and `states.md`, from the configuration's folder; by
 *   default `state-sheet`. The screenshots are compared with those of the `states.html` in it. Playwright empties its
 *   `outputDir` before each run.
 */

const FOLDER = "state-sheet"; // not Playwright's `outputDir`, which each run empties
const LONGEST_REASON = 300;
const NO_TEXT = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu; // control characters, and those that reorder a text
const RESULTS = {
  expected: "passed",
  unexpected: "failed",
  flaky: "flaky",
  skipped: "skipped",
};
const COLUMNS = ["State", "Result", "Test", "Reason"];

/**
 * A Playwright reporter for tests that use `states()`: it prints a table of the states with the result of
 * each test, and writes it as `states.md`. The state sheet, `states.html`, has the screenshots and findings
 * of each state, and marks what changed since the last sheet. A folder that cannot be written fails the run.
 * @implements {Reporter}
 */
export default class StatesReporter {
  /** @type {StatesReporterOptions & { configDir?: string }} */
  #options; // Playwright adds `configDir`
  /** @type {Suite | undefined} */
  #suite;

  /** @param {StatesReporterOptions} [options] */
  constructor(options = {}) {
    this.#options = options;
  }

  printsToStdio() {
    return false; // Playwright adds its own reporter if this one is the only one
  }

  /**
   * @param {FullConfig} _config
   * @param {Suite} suite
   */
  onBegin(_config, suite) {
    this.#suite = suite;
  }

  /** @returns {Promise<{ status: "failed" } | undefined>} */
  async onEnd() {
    const tests = this.#suite?.allTests().filter(stateOf) ?? [];
    if (!tests.length) return undefined;
    const rows = await Promise.all(tests.map(toRow));
    const isSkipped = (/** @type {Row} */ { result }) =>
      Number(result === "skipped"); // those come last
    rows.sort(
      (one, other) =>
        isSkipped(one) - isSkipped(other) ||
        one.state.localeCompare(other.state),
    );
    const { configDir = process.cwd(), outputFolder = FOLDER } = this.#options;
    const folder = resolve(configDir, outputFolder);
    const path = resolve(folder, "states.html");
    console.log(`\n${toText(rows)}\n`);
    try {
      await mkdir(folder, { recursive: true });
      const last = await lastSheet(path);
      const compared = compare(rows, last);
      const title = `States: ${counts(rows)}`;
      await writeFile(path, toHtml(title, compared, last));
      await writeFile(
        resolve(folder, "states.md"),
        toMarkdown(rows, changes(compared, last)),
      );
      if (last) console.log(changes(compared, last));
    } catch (error) {
      const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
      if (!code) throw error;
      console.error(
        `cannot write the state sheet to ${folder}: ${message}; set 'outputFolder' of the reporter to a folder that you can write to`,
      );
      return { status: "failed" };
    }
    if (!rows.some(({ shots }) => shots.length))
      console.log(
        "no screenshots: no test of a state has used the fixture 'page'",
      );
    console.log(`state sheet: ${path}`);
    return undefined;
  }
}

/**
 * Return the sheet that an earlier run has written, or undefined.
 * @param {string} path
 */
async function lastSheet(path) {
  const text = await readFile(path, "utf8").catch(
    (/** @type {NodeJS.ErrnoException} */ error) => {
      if (error.code !== "ENOENT") throw error;
      return undefined;
    },
  );
  if (text === undefined) return undefined;
  const last = readSheet(text);
  if (!last)
    console.error(
      `cannot compare with ${path}: it is not a complete state sheet; this run replaces it`,
    );
  return last;
}

/**
 * Return the result of a test, with the screenshots and findings of its last attempt.
 * @param {TestCase} test
 * @returns {Promise<Row>}
 */
async function toRow(test) {
  const last = test.results.at(-1);
  const { attachments = [], error } = last ?? {};
  const annotations = last?.annotations ?? test.annotations; // those of a result came with Playwright 1.52
  const skipped = annotations.findLast(({ type }) => type === "skip");
  const outcome = last ? RESULTS[test.outcome()] : "did not run";
  const bytes = async (
    /** @type {TestResult["attachments"][number]} */ { body, path },
  ) => body ?? (await readFile(path ?? ""));
  const shots = attachments.flatMap((attachment) => {
    const [, width, theme = ""] = SCREENSHOT.exec(attachment.name) ?? [];
    return width
      ? [
          bytes(attachment).then((png) => ({
            width: Number(width),
            theme,
            png,
          })),
        ]
      : [];
  });
  const findings = attachments.find(({ name }) => name === FINDINGS);
  const project = test.parent.project()?.name;
  const state = stateOf(test) ?? "";
  return {
    state,
    result: outcome,
    test: plain(
      [...(project ? [`[${project}]`] : []), ...test.titlePath().slice(3)].join(
        " › ",
      ),
    ),
    reason: plain(
      outcome === "skipped"
        ? skipped?.description
        : outcome === "passed"
          ? ""
          : error?.message,
    ),
    description: plain(
      scenarios.find(({ name }) => name === state)?.description,
    ),
    findings: findings ? textsIn(await bytes(findings)).map(plain) : [],
    shots: await Promise.all(shots),
  };
}

/**
 * Return the texts in an attachment that the fixtures have made.
 * @param {Buffer} body
 */
function textsIn(body) {
  /** @type {unknown} */
  const texts = JSON.parse(body.toString());
  return /** @type {string[]} */ (texts);
}

/**
 * Return the first line of a text, without colours and control characters.
 * @param {string} [text]
 */
function plain(text = "") {
  const [line = ""] = text
    // eslint-disable-next-line no-control-regex -- colours begin with this character
    .replace(/\x1b\[[0-9;]*m/g, "")
    .trim()
    .split("\n");
  return line.replace(NO_TEXT, " ").slice(0, LONGEST_REASON);
}

/** @param {Row} row */
function cells({ state, result, test, reason }) {
  return [state, result, test, reason];
}

/**
 * Return how many tests have each result, such as `3 passed, 1 failed`.
 * @param {Row[]} rows
 */
function counts(rows) {
  const results = rows.map(({ result }) => result);
  return [...new Set(results)]
    .map(
      (result) =>
        `${results.filter((each) => each === result).length} ${result}`,
    )
    .join(", ");
}

/** @param {Row[]} rows */
function toText(rows) {
  const lines = [COLUMNS, ...rows.map(cells)];
  const widths = COLUMNS.map((_, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  );
  const table = lines.map((line) =>
    `  ${line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")}`.trimEnd(),
  );
  return [`States: ${counts(rows)}`, ...table].join("\n");
}

/**
 * @param {Row[]} rows
 * @param {string} changed what changed since the last sheet
 */
function toMarkdown(rows, changed) {
  const escaped = (/** @type {string} */ text) =>
    text.replace(/[\\`*_[\]<>|~&#!$]/g, "\\$&");
  const line = (/** @type {string[]} */ parts) => `| ${parts.join(" | ")} |\n`;
  const body = rows.map((row, index) => {
    const [state = "", ...rest] = cells(row).map(escaped);
    return line([
      row.shots.length ? `[${state}](states.html#${index + 1})` : state,
      ...rest,
    ]);
  });
  return `# States: ${counts(rows)}\n\n${changed && `${changed}\n\n`}${line(COLUMNS)}${line(COLUMNS.map(() => "---"))}${body.join("")}`;
}
