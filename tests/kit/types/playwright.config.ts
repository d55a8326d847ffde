// What users write in the configuration of Playwright. It must compile, and is never run.

import { defineConfig, devices } from "@playwright/test";
import { webServer } from "mockpets/playwright";
import type { MockpetsOptions } from "mockpets/playwright";
import type { StatesReporterOptions } from "mockpets/states-reporter";

const url = process.env.MOCKPETS_URL;

export default defineConfig<MockpetsOptions>({
  fullyParallel: true,
  reporter: [["list"], ["./tests/mockpets/states-reporter.js", { outputFolder: "states" } satisfies StatesReporterOptions]],
  use: { baseURL: "http://localhost:5173", mockUrl: url, mockOrigins: ["http://localhost:3000"], mockScreens: { widths: [390], themes: ["dark"] } },
  webServer: [
    webServer(),
    webServer({ url, command: "uvx mockpets", args: "--scenarios-dir mock/scenarios" }),
    { ...webServer(), stdout: "pipe", timeout: 20_000 },
    { command: "npm run dev", url: "http://localhost:5173" },
  ],
  projects: [
    { name: "chromium", use: { ...devices["Desktop Chrome"] } },
    { name: "service worker", use: { sessionIn: "key", mockKey: "secret" } },
  ],
});

export const one = defineConfig({ webServer: webServer() });
