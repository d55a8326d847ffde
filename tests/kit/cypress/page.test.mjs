// The tests that docs/recipes/cypress.md shows, with the stand-in for Cypress and a real server; test_cypress.py
// writes the files of the page to FOLDER. The app lists the records at the path LIST, or shows EMPTY.

import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { after, before, it } from "node:test";
import { pathToFileURL } from "node:url";
import ts from "typescript";
import { runTest, setApp, tests } from "./fake.mjs";

const { FOLDER, MOCKPETS_URL, FILES, LIST, EMPTY, ARGS } = process.env;
const KEY = { Authorization: "Bearer mockpets" };

/** Import a TypeScript file of the page. */
async function load(path) {
  const text = await readFile(`${FOLDER}/${path}`, "utf8");
  const options = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 };
  const { outputText } = ts.transpileModule(text, { compilerOptions: options });
  const script = `${FOLDER}/${path.replace(/ts$/, "mjs")}`;
  await writeFile(script, outputText.replace('"../mockpets/cypress"', '"../mockpets/cypress.js"'));
  await import(pathToFileURL(script));
}

for (const path of FILES.split(" ")) await load(path);

const server = createServer((_, response) => response.end("<!doctype html>"));
before(async () => {
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  Cypress.settings.baseUrl = `http://localhost:${server.address().port}`;
  Cypress.variables.MOCKPETS_URL = MOCKPETS_URL;
  Cypress.variables.MOCKPETS_ARGS = ARGS;
  setApp(async ({ fetch, show }) => {
    show("Loading");
    const records = await (await fetch(`${MOCKPETS_URL}${LIST}`, { headers: KEY })).json();
    show(records.length ? `${records.length} records` : EMPTY);
  });
});
after(() => server.close());

for (const { title, body } of tests) {
  it(title, async () => {
    const [{ error, hookError, logs }] = await runTest(title, body);
    assert.deepEqual([error, hookError, logs], [undefined, undefined, []]);
  });
}
