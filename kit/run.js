#!/usr/bin/env node
// Run the server that the npm package contains, with the first Python that is new enough, or with uv.

import { spawn, spawnSync } from "node:child_process";
import { constants } from "node:os";
import { isatty } from "node:tty";
import { fileURLToPath } from "node:url";

/**
 * @import { SpawnOptions } from "node:child_process"
 * @import { Socket } from "node:net"
 */

/** @type {NodeJS.Signals[]} */
const SIGNALS = ["SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR2"];
const PROGRAM = fileURLToPath(new URL("./mockpets.pyz", import.meta.url));
const PYTHONS = [
  "python3",
  "python",
  "python3.14",
  "python3.13",
  "python3.12",
  "python3.11",
  "py",
];
const IS_NEW_ENOUGH = [
  "-c",
  "import sys; sys.exit(sys.version_info < (3, 11))",
];
const UV = [
  "uv",
  "run",
  "--quiet",
  "--no-project",
  ...(process.env.UV_PYTHON ? [] : ["--python", ">=3.11,<3.14"]),
  "python",
];
const MISSING = `mockpets: the server needs Python 3.11 or newer, or uv, and neither is on the PATH
install uv, which fetches a Python by itself: https://docs.astral.sh/uv/getting-started/installation/
or install Python: https://www.python.org/downloads/`;

const succeeds = (
  /** @type {string} */ command,
  /** @type {string[]} */ args,
) =>
  spawnSync(command, args, { stdio: "ignore", windowsHide: true }).status === 0;

function findPython() {
  const name = PYTHONS.find((each) => succeeds(each, IS_NEW_ENOUGH));
  if (name) return [name];
  return succeeds("uv", ["--version"]) ? UV : undefined;
}

const [command, ...args] = findPython() ?? [];
if (command) {
  // The pipe closes even if this process is killed, and the server then stops.
  /** @type {SpawnOptions} */
  const withPipe = {
    stdio: ["inherit", "inherit", "inherit", "pipe"],
    env: { ...process.env, _MOCKPETS_LIFELINE: "3" },
  };
  /** @type {SpawnOptions} */
  const options =
    process.platform === "win32" ? { stdio: "inherit" } : withPipe;
  const server = spawn(
    command,
    [...args, PROGRAM, ...process.argv.slice(2)],
    options,
  );
  const pipe = /** @type {Socket | undefined} */ (server.stdio[3]);
  pipe?.unref();
  // The terminal sends Ctrl-C to both; other signals, such as nodemon's SIGUSR2, reach only this process. `process.stdin` would let the server's reads fail.
  process.on("SIGINT", () => isatty(0) || server.kill("SIGINT"));
  for (const signal of SIGNALS) process.on(signal, () => server.kill(signal));
  server.on("exit", (status, signal) => {
    process.exitCode = status ?? 128 + constants.signals[signal ?? "SIGTERM"];
  });
} else {
  console.error(MISSING);
  process.exitCode = 1;
}
