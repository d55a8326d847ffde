// Serve a document with Scalar's mock server: node scalar.mjs DOCUMENT PORT.
import { readFileSync } from "node:fs";
import { serve } from "@hono/node-server";
import { createMockServer } from "@scalar/mock-server";

const document = readFileSync(process.argv[2], "utf8");
serve({ ...(await createMockServer({ document })), port: Number(process.argv[3]) });
