// One test for each scenario. The declarations beside this file have the documentation.

import { existsSync, readdirSync } from "node:fs";
import { scenarios as known } from "./scenarios.js";
import { ARGS, STATE, foldersIn, nearest, scenarioName } from "./shared.js";

export function states({ only, exclude = [], ...unknown } = {}) {
  for (const option of Object.keys(unknown))
    throw new TypeError(
      `unknown option '${option}' of states(); use 'only' or 'exclude'`,
    );
  const scenarios = allScenarios();
  const names = scenarios.map(({ name }) => name);
  for (const name of [...(only ?? []), ...exclude]) {
    if (names.includes(name)) continue;
    const near = nearest(String(name), names);
    const hint = near
      ? `did you mean '${near}'?`
      : "if it is new, write the kit again with 'mockpets kit'";
    throw new TypeError(`unknown scenario '${name}'; ${hint}`);
  }
  return scenarios
    .filter(
      ({ name }) => (only ?? names).includes(name) && !exclude.includes(name),
    )
    .map(({ name, description }) => ({
      name,
      description,
      details: { annotation: { type: STATE, description: name } },
    }));
}

/** Return the scenarios that the kit knows, and those in the folders of the server that the tests start. */
function allScenarios() {
  const folders = foldersIn(process.env[ARGS] ?? "").filter((folder) =>
    existsSync(folder),
  );
  const names = folders
    .flatMap((folder) => readdirSync(folder).map(scenarioName))
    .filter(Boolean);
  const own = new Set(
    names.filter((name) => !known.some((scenario) => scenario.name === name)),
  );
  return [...known, ...[...own].map((name) => ({ name, description: "" }))];
}
