import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import StatesReporter from "../../kit/states-reporter.js";
import { STATE } from "../../kit/shared.js";

/** @import { FullConfig, Suite } from "@playwright/test/reporter" */

const PAGE = new URL("../../docs/bugs/every-state.md", import.meta.url);

/** @type {string[]} */
const folders = [];
afterEach(() =>
  Promise.all(folders.map((each) => rm(each, { recursive: true }))),
);

/**
 * @param {string} state
 * @param {"expected" | "unexpected" | "skipped"} outcome
 * @param {string} [reason]
 */
function testOf(state, outcome, reason = "") {
  const annotations = [{ type: STATE, description: state }];
  if (outcome === "skipped")
    annotations.push({ type: "skip", description: reason });
  const error =
    outcome === "unexpected" ? { message: `${reason}\n` } : undefined;
  return {
    annotations,
    outcome: () => outcome,
    parent: { project: () => undefined },
    results: [{ annotations, attachments: [], error }],
    titlePath: () => ["", "", "smoke.spec.ts", `smoke: ${state}`],
  };
}

it("prints the table that the documentation shows", async () => {
  const outputFolder = await mkdtemp(join(tmpdir(), "states-"));
  folders.push(outputFolder);
  const log = vi.spyOn(console, "log").mockImplementation(() => undefined);
  const tests = [
    testOf(
      "unauthorized",
      "unexpected",
      "Error: expect(locator).not.toBeEmpty() failed",
    ),
    testOf("shop", "skipped", "scenario shop affected no request"),
    testOf("empty", "expected"),
  ];
  const reporter = new StatesReporter({ outputFolder });
  reporter.onBegin(
    /** @type {FullConfig} */ ({}),
    /** @type {Suite} */ (/** @type {unknown} */ ({ allTests: () => tests })),
  );
  await reporter.onEnd();

  const [, shown] =
    /^```text\n(States: [^`]+)\n```$/m.exec(await readFile(PAGE, "utf8")) ?? [];
  expect(shown).toBeDefined();
  expect(log.mock.calls[0]?.[0]).toBe(`\n${shown}\n`);
});
