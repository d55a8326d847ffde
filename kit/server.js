// Start mockpets for tests.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile, readdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { delimiter, dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  Mockpets,
  TESTS_BASES,
  TESTS_URL,
  namedUrl,
  parseObject,
} from "./client.js";
import { ARGS, differences, foldersIn, scenarioName } from "./shared.js";

/**
 * @typedef {object} ServerOptions
 * @property {string | undefined} [command] The command that runs mockpets, such as `uvx mockpets`; by default the server
 *   in the npm package, or `mockpets`.
 * @property {string | undefined} [url] The URL of the server, also for the tests; by default, the variable `MOCKPETS_URL`
 *   or `http://localhost:7387`.
 * @property {{ readonly [collection: string]: string | number } | undefined} [data] The data of every session, such as
 *   `{ pets: 40, orders: "orders.json" }`: a JSON or YAML file, or a number of records to generate.
 * @property {string | undefined} [now] The time that the clock of every session shows, such as `2030-12-06T09:00:00Z`; it
 *   stands still.
 * @property {string | readonly string[] | undefined} [args] More options of `mockpets serve`, such as
 *   `--scenarios-dir mock/scenarios`.
 */

const START_MS = 60_000;
const STOP_MS = 5_000;
const POLL_MS = 50;
const RESPONSE_MS = 10_000;
const BEGUN = "PLAYWRIGHT_MOCKPETS_BEGUN";
/** @type {{ [symbol: symbol]: { args?: string | undefined } | undefined }} */
const globals = globalThis;
// Global, because Playwright may load this module twice: for the configuration, and for the tests.
const state = (globals[Symbol.for("mockpets.server")] ??= {});
const IS_WINDOWS = process.platform === "win32";
/** @type {NodeJS.Signals[]} */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"];
/** Without quotes, since it is part of a command. */
const MISSING =
  "mockpets is not on the PATH. Install it, activate its virtual environment, or name its command with webServer({ command }).";
const NOT_FOUND = [127, 9009]; // what the shells of POSIX and Windows exit with

/**
 * Return an entry for `webServer` in `playwright.config.ts` that starts mockpets.
 * @param {ServerOptions} [options]
 * @returns {{
 *   command: string;
 *   url: string;
 *   reuseExistingServer: boolean;
 *   gracefulShutdown: { signal: "SIGTERM"; timeout: number };
 * }}
 */
export function webServer(options) {
  const entry = serverEntry(options);
  // Playwright evaluates its configuration in each worker, which inherits the time of the first evaluation.
  process.env[BEGUN] ??= String(Date.now());
  if (passToTests(options)) state.args = argsOf(options);
  // Playwright prints only what the command prints, so it must print how to install a missing command.
  if (entry.command.startsWith("mockpets ") && !isOnPath("mockpets")) {
    entry.command = `"${process.execPath}" -e "console.error('${MISSING}'); process.exit(${NOT_FOUND[0]})"`;
  }
  return entry;
}

/**
 * Make the tests use this server, unless they already use another one: the first of several, and in a worker that of
 * the main process, since a port may be chosen at random. Return whether they use this one.
 * @param {ServerOptions} [options]
 */
function passToTests(options) {
  process.env[TESTS_URL] ??= urlOf(options);
  const isUsed = new Mockpets().url === rootOf(options);
  if (isUsed) process.env[ARGS] = argsOf(options);
  return isUsed;
}

/** @param {ServerOptions} [options] */
const urlOf = (options) => options?.url ?? namedUrl();
/** @param {ServerOptions} [options] */
const rootOf = (options) => new Mockpets({ url: urlOf(options) }).url;

/**
 * Return the options of `mockpets serve` that the tests name.
 * @param {ServerOptions} [options]
 */
function argsOf({ args = "", data = {}, now } = {}) {
  const given =
    typeof args === "string"
      ? [args]
      : args.map((word) => (/\s/.test(word) ? `"${word}"` : word));
  const collections = Object.entries(data).map(
    ([name, records]) => `--data "${name}=${records}"`,
  );
  return [
    ...given,
    ...collections,
    ...(now === undefined ? [] : [`--now "${now}"`]),
  ]
    .join(" ")
    .trim();
}

/**
 * @param {ServerOptions} [options]
 * @returns {ReturnType<typeof webServer>}
 */
function serverEntry(options = {}) {
  const { command = defaultCommand() } = options;
  const args = argsOf(options);
  if (/(?:^|\s)--port\b/.test(args))
    throw new TypeError(
      "name the port in 'url' or MOCKPETS_URL, not in 'args'",
    );
  const root = rootOf(options);
  const { port, protocol } = new URL(root);
  const common = `--port ${port || (protocol === "https:" ? 443 : 80)} --sessions declared --log quiet`;
  return {
    command: `${command} serve ${common} ${args}`.trim(),
    url: `${root}/__mockpets/ready`,
    reuseExistingServer: Boolean(process.env.MOCKPETS_URL) || !process.env.CI,
    gracefulShutdown: { signal: "SIGTERM", timeout: STOP_MS },
  };
}

/** Return the command of the npm package, if it is installed, or the one on the PATH. */
function defaultCommand() {
  try {
    // Not from `import.meta`: Playwright compiles this file to CommonJS in some repositories.
    const folder = dirname(
      createRequire(resolve("package.json")).resolve("mockpets/package.json"),
    );
    if (existsSync(join(folder, "mockpets.pyz")))
      return `"${process.execPath}" "${join(folder, "run.js")}"`;
  } catch {
    // not installed
  }
  return "mockpets";
}

/**
 * Start mockpets, unless it is already running at the URL, and wait until it is ready. In CI (the variable
 * `CI` is set), a running server is an error, unless you set `MOCKPETS_URL`.
 * @param {ServerOptions} [options]
 * @returns {Promise<() => Promise<void>>} a function that stops the server, unless it was already running
 */
export async function startServer(options) {
  const { stop, bases } = await start(options);
  const isUsed = passToTests(options);
  if (isUsed) process.env[TESTS_BASES] = JSON.stringify(bases);
  return async () => {
    if (isUsed) {
      delete process.env[TESTS_URL];
      delete process.env[TESTS_BASES];
    }
    await stop();
  };
}

/**
 * Start a server, or find one that is running; return its base paths, and a function that stops it.
 * @param {ServerOptions} [options]
 */
async function start(options) {
  const { command, url, reuseExistingServer, gracefulShutdown } =
    serverEntry(options);
  let bases = await basesOf(url);
  if (bases) {
    if (reuseExistingServer) {
      await warnOfDifferences(
        new Mockpets({ url: url.replace("/__mockpets/ready", "") }),
        argsOf(options),
      );
      return { stop: async () => {}, bases };
    }
    const { origin } = new URL(url);
    throw new Error(
      `mockpets is already running at ${origin}; in CI, stop it, or set MOCKPETS_URL to use it`,
    );
  }
  // A process group, because the shell does not pass signals on to the server.
  const server = spawn(command, {
    shell: true,
    detached: !IS_WINDOWS,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const closed = once(server, "close");
  const isRunning = () =>
    server.exitCode === null && server.signalCode === null;
  const kill = (/** @type {NodeJS.Signals} */ signal) => {
    const { pid } = server; // undefined if the shell did not start
    if (!isRunning() || pid === undefined) return;
    if (IS_WINDOWS) spawn("taskkill", ["/pid", String(pid), "/t", "/f"]);
    else process.kill(-pid, signal);
  };
  // For a test runner that ends without calling `stop`. Node emits no "exit" for a signal that nothing handles.
  const killAtExit = () => kill("SIGKILL");
  const killAtSignal = (/** @type {NodeJS.Signals} */ signal) => {
    killAtExit();
    forget();
    if (!process.listenerCount(signal)) process.kill(process.pid, signal);
  };
  const forget = () => {
    process.off("exit", killAtExit);
    for (const signal of SIGNALS) process.off(signal, killAtSignal);
  };
  process.once("exit", killAtExit);
  for (const signal of SIGNALS) process.once(signal, killAtSignal);
  const stop = async () => {
    kill(gracefulShutdown.signal);
    const timer = setTimeout(kill, gracefulShutdown.timeout, "SIGKILL");
    await closed;
    clearTimeout(timer);
    forget();
  };
  let output = "";
  const collect = (/** @type {string} */ text) => (output += text);
  server.stderr.setEncoding("utf8").on("data", collect);
  try {
    for (
      const deadline = Date.now() + START_MS;
      !(bases = await basesOf(url)) && isRunning();
      await sleep(POLL_MS)
    ) {
      if (Date.now() > deadline)
        throw new Error(
          `no response from ${url} after ${START_MS / 1000} seconds`,
        );
    }
  } catch (error) {
    await stop();
    throw error;
  }
  if (!isRunning()) {
    await closed;
    forget();
    const isMissing = NOT_FOUND.includes(server.exitCode ?? 0);
    const hint = isMissing
      ? "\ninstall mockpets, or name its command with the option 'command'"
      : "";
    const status = server.exitCode ?? server.signalCode;
    throw new Error(
      `'${command}' ended with status ${status}:\n${output.trim()}${hint}`,
    );
  }
  server.stderr.off("data", collect).pipe(process.stderr);
  return { stop, bases };
}

/**
 * Warn once if Playwright uses a server that was already running and is not as `webServer()` would start it. It is not an
 * interface of the kit.
 * @param {Mockpets} mock
 * @param {string} [configFile]
 */
export async function warnOfReusedServer(mock, configFile = "./") {
  const { args } = state;
  if (args === undefined || mock.url !== new Mockpets().url) return;
  state.args = undefined;
  const server = await mock.state().catch(() => undefined); // as in `differences`
  if (server && Date.parse(server.started) <= Number(process.env[BEGUN]))
    await warnOfDifferences(mock, args, dirname(configFile));
}

/**
 * Warn if a server has other options or scenarios than tests expect.
 * @param {Mockpets} mock
 * @param {string} args
 * @param {string} [folder] from which `args` name other folders
 */
async function warnOfDifferences(mock, args, folder = ".") {
  const found = await differences(
    mock,
    args,
    await scenarioFiles(args, folder),
  );
  if (!found) return;
  const hint =
    "stop it, so that the tests start their own, or add its options to 'args' in the configuration";
  console.warn(
    `mockpets: the tests use the server that was already running at ${mock.url}, which differs from the one they would start: ${found}; ${hint}`,
  );
}

/**
 * Return the texts of the files in each `--scenarios-dir`, by name.
 * @param {string} args
 * @param {string} folder
 */
async function scenarioFiles(args, folder) {
  /** @type {Record<string, string>} */
  const texts = {};
  for (const value of foldersIn(args)) {
    const path = resolve(folder, value);
    for (const file of await readdir(path).catch(() => [])) {
      const name = scenarioName(file);
      if (name)
        texts[name] = (await readFile(join(path, file), "utf8")).replace(
          /^\uFEFF/,
          "",
        );
    }
  }
  return texts;
}

/** @param {string} name */
function isOnPath(name) {
  const suffixes = IS_WINDOWS
    ? (process.env.PATHEXT ?? ".EXE").split(delimiter)
    : [""];
  const folders = (process.env.PATH ?? "").split(delimiter);
  return folders.some((folder) =>
    suffixes.some((suffix) => existsSync(join(folder, name + suffix))),
  );
}

/**
 * Return the base paths of the mockpets server that responds at a URL, undefined without a server; throw if it is another one.
 * @param {string} url
 * @returns {Promise<string[] | undefined>}
 */
async function basesOf(url) {
  const { origin } = new URL(url);
  let response, text;
  try {
    response = await fetch(url, { signal: AbortSignal.timeout(RESPONSE_MS) });
    text = await response.text();
  } catch (error) {
    const { name, cause } =
      /** @type {Error & { cause?: NodeJS.ErrnoException }} */ (error);
    const reason = cause?.code ?? name;
    if (reason === "ECONNREFUSED") return undefined;
    throw new Error(
      `cannot connect to ${origin} (${reason}); is mockpets running there?`,
      { cause: error },
    );
  }
  /** @type {{ version?: string, bases?: string[] }} */
  const { version, bases } = (response.ok && parseObject(text)) || {};
  if (version && bases) return bases;
  const reason = `status ${response.status}`;
  throw new Error(
    `the server at ${origin} is not mockpets (${reason}); stop it, or set MOCKPETS_URL to another port`,
  );
}
