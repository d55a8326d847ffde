// mockpets 0.2.0: written by "mockpets kit"; run it again, do not edit; agents: mockpets skill
/* eslint-disable */
// @ts-nocheck: the declarations have the types

// One test for each scenario or expression.

import { existsSync, readdirSync } from "node:fs";
import { scenarios as known } from "./scenarios.js";
import { ARGS, STATE, foldersIn, nearest, scenarioName } from "./shared.js";

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
export function states(options = {}) {
  const { only, exclude = [], ...unknown } = options;
  for (const option of Object.keys(unknown))
    throw new TypeError(
      `unknown option '${option}' of states(); use 'only' or 'exclude'`,
    );
  const scenarios = allScenarios();
  const names = scenarios.map(({ name }) => name);
  const expressions = (only ?? []).filter(isExpression);
  const named = (only ?? names).filter((name) => !isExpression(name));
  for (const name of [...named, ...exclude]) {
    if (names.includes(name)) continue;
    const near = nearest(String(name), names);
    const hint = near
      ? `did you mean '${near}'?`
      : "if it is new, write the kit again with 'mockpets kit'";
    throw new TypeError(`unknown scenario '${name}'; ${hint}`);
  }
  return [
    ...scenarios.filter(
      ({ name }) => named.includes(name) && !exclude.includes(name),
    ),
    ...[...new Set(expressions)].map((name) => ({ name, description: "" })),
  ].map(({ name, description }) => ({
    name,
    description,
    details: { annotation: { type: STATE, description: name } },
  }));
}

/**
 * Return whether a name is such as `listPets:500`. The server checks it, because it knows the operations.
 * @param {ScenarioName | Expression} name
 * @returns {name is Expression}
 */
function isExpression(name) {
  return String(name).includes(":");
}

/**
 * Return the scenarios that the kit knows, and those in the folders of the server that the tests start.
 * @returns {{ name: ScenarioName, description: string }[]}
 */
function allScenarios() {
  const folders = foldersIn(process.env[ARGS] ?? "").filter((folder) =>
    existsSync(folder),
  );
  const names = folders.flatMap((folder) =>
    readdirSync(folder).flatMap((file) => scenarioName(file) ?? []),
  );
  const own = names.filter((name) =>
    known.every((scenario) => scenario.name !== name),
  );
  return [
    ...known,
    ...[...new Set(own)].map((name) => ({
      name: /** @type {ScenarioName} */ (name),
      description: "",
    })),
  ];
}
