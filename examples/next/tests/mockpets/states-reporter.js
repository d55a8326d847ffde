// mockpets 0.2.0: written by "mockpets kit"; run it again, do not edit; agents: mockpets skill
/* eslint-disable */
// @ts-nocheck: the declarations have the types

// The states under which tests ran: a table, and a sheet of screenshots. The declarations beside this file have the documentation.

import { mkdir, readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { scenarios } from "./scenarios.js";
import { FINDINGS, SCREENSHOT, stateOf } from "./shared.js";
import { changes, compare, readSheet, toHtml } from "./states-sheet.js";

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

export default class StatesReporter {
  #options;
  #suite;

  constructor(options = {}) {
    this.#options = options;
  }

  printsToStdio() {
    return false; // Playwright adds its own reporter if this one is the only one
  }

  onBegin(_config, suite) {
    this.#suite = suite;
  }

  async onEnd() {
    const tests = this.#suite.allTests().filter(stateOf);
    if (!tests.length) return;
    const rows = await Promise.all(tests.map(toRow));
    const isSkipped = ({ result }) => Number(result === "skipped"); // those come last
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
      if (!error.code) throw error;
      console.error(
        `cannot write the state sheet to ${folder}: ${error.message}; set 'outputFolder' of the reporter to a folder that you can write to`,
      );
      return { status: "failed" };
    }
    if (!rows.some(({ shots }) => shots.length))
      console.log(
        "no screenshots: no test of a state has used the fixture 'page'",
      );
    console.log(`state sheet: ${path}`);
  }
}

/** Return the sheet that an earlier run has written, or undefined. */
async function lastSheet(path) {
  const text = await readFile(path, "utf8").catch((error) => {
    if (error.code !== "ENOENT") throw error;
  });
  if (text === undefined) return undefined;
  const last = readSheet(text);
  if (!last)
    console.error(
      `cannot compare with ${path}: it is not a complete state sheet; this run replaces it`,
    );
  return last;
}

/** Return the result of a test, with the screenshots and findings of its last attempt. */
async function toRow(test) {
  const last = test.results.at(-1);
  const { attachments = [], error } = last ?? {};
  const annotations = last?.annotations ?? test.annotations; // those of a result came with Playwright 1.52
  const skipped = annotations.findLast(({ type }) => type === "skip");
  const outcome = last ? RESULTS[test.outcome()] : "did not run";
  const bytes = async ({ body, path }) => body ?? (await readFile(path));
  const shots = attachments.flatMap((attachment) => {
    const [, width, theme] = SCREENSHOT.exec(attachment.name) ?? [];
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
  return {
    state: stateOf(test),
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
      scenarios.find(({ name }) => name === stateOf(test))?.description,
    ),
    findings: findings ? JSON.parse(await bytes(findings)).map(plain) : [],
    shots: await Promise.all(shots),
  };
}

/** Return the first line of a text, without colours and control characters. */
function plain(text = "") {
  const [line = ""] = text
    // eslint-disable-next-line no-control-regex -- it is what begins a colour
    .replace(/\x1b\[[0-9;]*m/g, "")
    .trim()
    .split("\n");
  return line.replace(NO_TEXT, " ").slice(0, LONGEST_REASON);
}

function cells({ state, result, test, reason }) {
  return [state, result, test, reason];
}

/** Return how many tests have each result, such as `3 passed, 1 failed`. */
function counts(rows) {
  const results = rows.map(({ result }) => result);
  return [...new Set(results)]
    .map(
      (result) =>
        `${results.filter((each) => each === result).length} ${result}`,
    )
    .join(", ");
}

function toText(rows) {
  const lines = [COLUMNS, ...rows.map(cells)];
  const widths = COLUMNS.map((_, column) =>
    Math.max(...lines.map((line) => line[column].length)),
  );
  const table = lines.map((line) =>
    `  ${line.map((cell, column) => cell.padEnd(widths[column])).join("  ")}`.trimEnd(),
  );
  return [`States: ${counts(rows)}`, ...table].join("\n");
}

function toMarkdown(rows, changed) {
  const escaped = (text) => text.replace(/[\\`*_[\]<>|~&#!$]/g, "\\$&");
  const line = (parts) => `| ${parts.join(" | ")} |\n`;
  const body = rows.map((row, index) => {
    const [state, ...rest] = cells(row).map(escaped);
    return line([
      row.shots.length ? `[${state}](states.html#${index + 1})` : state,
      ...rest,
    ]);
  });
  return `# States: ${counts(rows)}\n\n${changed && `${changed}\n\n`}${line(COLUMNS)}${line(COLUMNS.map(() => "---"))}${body.join("")}`;
}
