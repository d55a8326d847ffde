// Audit an app: `node main.js CONFIG`. It writes audit.json and screenshots; `mockpets audit` makes the rest of them.

import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { AuditError, Opener, launch, sourceOf } from "./browser.js";
import { causesOf } from "./causes.js";
import { Discovery } from "./discover.js";
import { Probing, pathOf } from "./probe.js";
import { Mockpets, MockpetsError } from "../client.js";

/** @import { Config, Operation } from "./types.d.ts" */

const FORMAT = 1; // of audit.json
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
  const called = new Set(
    discovery.targets.flatMap((target) => target.operations),
  );
  const notes = [...discovery.notes];
  if (!called.size && !stopped.aborted) {
    notes.unshift(
      `No page has called an operation below ${bases.join(" or ") || "/"}. If your API has another base path, name its URL with --base-url.`,
    );
  }
  const { signIn } = discovery;
  const result = {
    format: FORMAT,
    version,
    app: config.app,
    contracts: titles,
    started: started.toISOString(),
    seconds: Math.round((Date.now() - started.getTime()) / 100) / 10,
    complete:
      !stopped.aborted &&
      !probing.isStopped &&
      probing.matrix.length + probing.skipped >= probing.planned &&
      !discovery.outOfTime,
    signed_in: signIn?.name ?? null,
    sign_in: signIn?.steps.length
      ? {
          url: pathOf(signIn.url),
          steps: signIn.steps.map(({ do: what, place, value }) => ({
            do: what,
            locator: sourceOf(place),
            value,
          })),
        }
      : null,
    notes,
    pages: discovery.targets
      .filter(({ action }) => !action)
      .map(({ shape, url, signedIn, title, operations: own, healthy }) => ({
        page: shape,
        url: pathOf(url),
        signed_in: signedIn,
        title,
        operations: own,
        screenshot: healthy.screenshot,
      })),
    actions: discovery.targets.flatMap(({ shape, action, operations: own }) =>
      action ? [{ page: shape, name: action.name, operations: own }] : [],
    ),
    not_reached: operations
      .map(({ name }) => name)
      .filter((name) => !called.has(name)),
    probes: { run: probing.matrix.length, planned: probing.planned },
    matrix: probing.matrix,
    causes: causesOf(
      probing.findings,
      operations.filter(({ name }) => called.has(name)),
    ),
    findings: probing.findings,
  };
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
