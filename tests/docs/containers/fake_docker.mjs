// Preload this to replace the containers of testcontainers by `mockpets serve`; CAPTURED gets what would be started.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { GenericContainer } from "testcontainers";

GenericContainer.prototype.start = async function start() {
  const { imageName, exposedPorts, waitStrategy, directoriesToCopy, environment, createOpts } = this;
  const started = {
    image: imageName.string,
    ports: exposedPorts,
    ready: [waitStrategy.path, waitStrategy.port],
    copied: directoriesToCopy,
    variables: Object.keys(environment),
    command: createOpts.Cmd ?? null,
  };
  writeFileSync(process.env.CAPTURED, JSON.stringify(started));
  const server = spawn("mockpets", ["serve", "--port", "0", "--log=quiet"], {
    env: { ...process.env, ...environment, MOCKPETS_SCENARIOS_DIR: directoriesToCopy[0].source },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [line] = await once(createInterface(server.stdout), "line");
  return {
    getHost: () => "localhost",
    getMappedPort: (port) => (port === 7387 ? new URL(/http:\S+/.exec(line)[0]).port : undefined),
    stop: async () => {
      server.kill();
      await once(server, "exit");
    },
  };
};
