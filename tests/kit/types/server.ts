// What users write in a global setup of Vitest. It must compile, and is never run.

import { startServer, webServer } from "mockpets/server";
import type { ServerOptions } from "mockpets/server";

const options: ServerOptions = { args: "--scenarios-dir scenarios", command: "uvx mockpets", url: process.env.MOCKPETS_URL };

export default () => startServer({ args: "--scenarios-dir scenarios", data: { pets: "pets.json", orders: "orders.yaml" }, now: "2031-01-01" });
export const ten = () => startServer({ data: { pets: 10 } });

export async function setup(): Promise<() => Promise<void>> {
  console.log(webServer(options).command);
  return startServer(options);
}
