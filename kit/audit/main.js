// Audit an app: `node main.js CONFIG`. It writes audit.json and screenshots; `mockpets audit` makes the rest of them.

import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { AuditError, Opener, launch } from "./browser.js";
import { Discovery } from "./discover.js";
import { Probing } from "./probe.js";
import { resultOf } from "./result.js";
import { Mockpets, MockpetsError } from "../client.js";

/** @import { Config, Operation } from "./types.d.ts" */

const DISCOVERY = 0.45; // of the time
const MINUTE_MS = 60_000;

/** @param {object} message */
function tell(message) {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

/** Return the operations and base paths of the mock. @param {Mockpets} mock */
async function contractOf(mock) {
  const contracts = await mock.contract();
  /** @type {Operation[]} */
  const operations = contracts.flatMap(({ base, operations: listed }) =>
    listed
      .filter(({ state }) => state !== "not_served")
      .map(({ name, method, path, role, states }) => ({
        name,
        method,
        path: base + path.replace(/\{[^}]*\}/g, "{}"),
        role,
        states,
        reads: method === "GET",
      })),
  );
  return {
    operations,
    bases: contracts.map(({ base }) => base),
    titles: contracts.map(({ title }) => title),
  };
}

/** @param {Config} config @param {AbortSignal} stopped */
async function audit(config, stopped) {
  const started = new Date();
  const end = started.getTime() + config.minutes * MINUTE_MS;
  const mock = new Mockpets({
    url: config.url,
    token: config.token ?? undefined,
  });
  const { operations, bases, titles } = await contractOf(mock);
  const { version } = await mock.state();
  const browser = await launch(config);
  const progress = (/** @type {string} */ text) => tell({ progress: text });
  const opener = new Opener(browser, config, operations, bases);
  const discovery = new Discovery(opener, config, progress);
  const probing = new Probing(discovery);
  stopped.addEventListener("abort", () => browser.close());
  try {
    await rm(join(config.output, "shots"), { recursive: true, force: true });
    await mkdir(join(config.output, "shots"), { recursive: true });
    await discovery.run(
      started.getTime() + DISCOVERY * config.minutes * MINUTE_MS,
    );
    await probing.run(end);
  } catch (error) {
    if (!stopped.aborted) throw error;
  } finally {
    await browser.close();
  }
  const result = resultOf(discovery, probing, {
    version,
    titles,
    started,
    isStopped: stopped.aborted,
  });
  await writeFile(
    join(config.output, "audit.json"),
    `${JSON.stringify(result, null, 2)}\n`,
  );
}

const controller = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"])
  process.on(signal, () => controller.abort());
try {
  await audit(
    JSON.parse(await readFile(process.argv[2], "utf8")),
    controller.signal,
  );
  process.exitCode = controller.signal.aborted ? 130 : 0;
} catch (error) {
  if (!(error instanceof AuditError || error instanceof MockpetsError))
    throw error;
  tell({
    problem: {
      what: error.message,
      hint: error instanceof AuditError ? error.hint : "",
    },
  });
  process.exitCode = 1;
}
process.exit();
