// Scalar's mock server with its defaults, apart from the instructions that it logs.
import { readFile } from "node:fs/promises";
import { serve } from "@hono/node-server";
import { createMockServer } from "@scalar/mock-server";

const document = JSON.parse(
  await readFile(new URL("openapi.json", import.meta.url), "utf8"),
);
const { fetch } = await createMockServer({ document, logger: false });
serve({ fetch, hostname: "127.0.0.1", port: Number(process.env.PORT) });
