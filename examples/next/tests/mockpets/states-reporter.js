// mockpets 0.2.0: written by "mockpets kit"; run it again, do not edit; agents: mockpets skill
/* eslint-disable */
// @ts-nocheck: the declarations have the types

// A table of the states under which tests ran. The declarations beside this file have the documentation.

import { mkdir, readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { SCREENSHOT, stateOf } from "./shared.js";

const LONGEST_REASON = 300;
const RESULTS = { expected: "passed", unexpected: "failed", flaky: "flaky", skipped: "skipped" };
const COLUMNS = ["State", "Result", "Test", "Reason"];

export default class StatesReporter {
  #options;
  #config;
  #suite;

  constructor(options = {}) {
    this.#options = options;
  }

  printsToStdio() {
    return false; // Playwright adds its own reporter if this one is the only one
  }

  onBegin(config, suite) {
    this.#config = config;
    this.#suite = suite;
  }

  async onEnd() {
    const tests = this.#suite.allTests().filter(stateOf);
    if (!tests.length) return;
    const rows = await Promise.all(tests.map(toRow));
    rows.sort((one, other) => one.state.localeCompare(other.state));
    const { configDir = "", outputFolder } = this.#options;
    const folder = outputFolder ? resolve(configDir, outputFolder) : this.#config.projects[0].outputDir;
    const path = resolve(folder, "states.html");
    await mkdir(folder, { recursive: true });
    await writeFile(path, toHtml(rows));
    await writeFile(resolve(folder, "states.md"), toMarkdown(rows));
    console.log(`\n${toText(rows)}\n\nscreenshots: ${path}`);
  }
}

/** Return the result of a test, with the screenshot of its last attempt. */
async function toRow(test) {
  const last = test.results.at(-1);
  const { attachments = [], error } = last ?? {};
  const annotations = last?.annotations ?? test.annotations; // those of a result came with Playwright 1.52
  const skipped = annotations.findLast(({ type }) => type === "skip");
  const outcome = last ? RESULTS[test.outcome()] : "did not run";
  const screenshot = attachments.find(({ name }) => name === SCREENSHOT);
  const project = test.parent.project()?.name;
  return {
    state: stateOf(test),
    result: outcome,
    test: plain([...(project ? [`[${project}]`] : []), ...test.titlePath().slice(3)].join(" › ")),
    reason: plain(outcome === "skipped" ? skipped?.description : outcome === "passed" ? "" : error?.message),
    image: screenshot && (screenshot.body ?? (await readFile(screenshot.path))).toString("base64"),
  };
}

/** Return the first line of a text, without colours and control characters. */
function plain(text = "") {
  const [line = ""] = text.replace(/\x1b\[[0-9;]*m/g, "").trim().split("\n");
  return line.replace(/\p{Cc}/gu, " ").slice(0, LONGEST_REASON);
}

function cells({ state, result, test, reason }) {
  return [state, result, test, reason];
}

/** Return how many tests have each result, such as `3 passed, 1 failed`. */
function counts(rows) {
  const results = rows.map(({ result }) => result);
  return [...new Set(results)].map((result) => `${results.filter((each) => each === result).length} ${result}`).join(", ");
}

function toText(rows) {
  const lines = [COLUMNS, ...rows.map(cells)];
  const widths = COLUMNS.map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  const table = lines.map((line) => `  ${line.map((cell, column) => cell.padEnd(widths[column])).join("  ")}`.trimEnd());
  return [`States: ${counts(rows)}`, ...table].join("\n");
}

function toMarkdown(rows) {
  const escaped = (text) => text.replace(/[\\`*_[\]<>|~&#!$]/g, "\\$&");
  const line = (parts) => `| ${parts.join(" | ")} |\n`;
  const body = rows.map((row, index) => {
    const [state, ...rest] = cells(row).map(escaped);
    return line([row.image ? `[${state}](states.html#${index + 1})` : state, ...rest]);
  });
  return `# States: ${counts(rows)}\n\n${line(COLUMNS)}${line(COLUMNS.map(() => "---"))}${body.join("")}`;
}

function toHtml(rows) {
  const entities = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
  const escaped = (text) => text.replace(/[&<>"']/g, (character) => entities[character]);
  const body = rows.map((row, index) => {
    const [state, result, ...rest] = cells(row).map(escaped);
    const link = row.image ? `<a href="#${index + 1}">${state}</a>` : state;
    return `<tr class="${result.replace(/ /g, "-")}"><td>${link}<td>${result}${rest.map((cell) => `<td>${cell}`).join("")}\n`;
  });
  const figures = rows.map(({ state, result, test, image }, index) => {
    const caption = escaped(`${state}: ${result}, ${test}`);
    return image ? `<figure id="${index + 1}"><figcaption>${caption}</figcaption><img alt="${caption}" src="data:image/png;base64,${image}"></figure>\n` : "";
  });
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>States</title>
<style>
  body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem; }
  th, td { padding: 0.2rem 1rem 0.2rem 0; text-align: left; vertical-align: top; }
  .failed td:nth-child(2) { color: #b00020; font-weight: bold; }
  .skipped, .did-not-run { color: #666; }
  figure { margin: 2rem 0; }
  img { border: 1px solid #999; max-width: 100%; }
</style>
<h1>States: ${counts(rows)}</h1>
<table>
<thead><tr>${COLUMNS.map((name) => `<th>${name}`).join("")}</thead>
<tbody>
${body.join("")}</tbody>
</table>
${figures.join("")}</html>
`;
}
