// Audit an app: `node main.js CONFIG`. It writes audit.json and screenshots; `mockpets audit` makes the rest of them.

import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { failure } from "../shared.js";
import { AuditError, Opener, launch, sourceOfPath } from "./browser.js";
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
  const served = contracts.flatMap(({ base, operations }) =>
    operations
      .filter(({ state }) => state !== "not_served")
      .map((each) => ({
        ...each,
        path: base + each.path.replace(/\{[^}]*\}/g, "{}"),
      })),
  );
  /** @type {Operation[]} */
  const operations = served.map(({ name, method, path, role, states }) => ({
    name,
    method,
    path,
    role,
    states,
    pattern: new RegExp(`^${sourceOfPath(path)}$`),
    reads: method === "GET",
  }));
  return {
    operations,
    bases: contracts.map(({ base }) => base),
    titles: contracts.map(({ title }) => title),
  };
}

/**
 * Audit an app; what has run until an error or a signal is written, too.
 * @param {Config} config
 * @param {AbortSignal} stopped
 */
async function audit(config, stopped) {
  const started = new Date();
  const time = config.minutes * MINUTE_MS;
  const mock = new Mockpets({
    url: config.url,
    token: config.token ?? undefined,
  });
  const { operations, bases, titles } = await contractOf(mock);
  const { version } = await mock.state();
  const browser = await launch(config);
  const opener = new Opener(browser, config, operations, bases);
  const discovery = new Discovery(opener, config, (text) =>
    tell({ progress: text }),
  );
  const probing = new Probing(discovery);
  stopped.addEventListener("abort", () => void browser.close());
  const shots = join(config.output, "shots");
  await rm(shots, { recursive: true, force: true });
  await mkdir(shots, { recursive: true });
  const problem = await failure(async () => {
    await discovery.run(started.getTime() + DISCOVERY * time);
    await probing.run(started.getTime() + time);
  });
  await browser.close();
  await opener.restore();
  const hasRun =
    discovery.targets.length > 0 && !(problem instanceof AuditError); // which is about an option
  if (hasRun || !problem) {
    const isCut = problem !== undefined || stopped.aborted;
    const result = resultOf(discovery, probing, {
      version,
      titles,
      started,
      isCut,
    });
    await writeFile(
      join(config.output, "audit.json"),
      `${JSON.stringify(result, null, 2)}\n`,
    );
  }
  if (problem && !stopped.aborted) throw problem;
}

const controller = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"])
  process.on(signal, () => controller.abort());
try {
  const [, , path = ""] = process.argv;
  /** @type {unknown} */
  const config = JSON.parse(await readFile(path, "utf8"));
  await audit(/** @type {Config} */ (config), controller.signal);
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
