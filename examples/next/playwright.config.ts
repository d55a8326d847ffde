import { defineConfig } from "@playwright/test";
import { type MockpetsOptions, webServer } from "./tests/mockpets/playwright";

const mockUrl = process.env.MOCKPETS_URL ?? "http://localhost:7387";
const port = process.env.PORT ?? "3000";
const chromium = process.env.CHROMIUM;

export default defineConfig<MockpetsOptions>({
  testDir: "tests",
  fullyParallel: true,
  workers: 8,
  forbidOnly: Boolean(process.env.CI),
  // For busy machines.
  timeout: 60_000,
  expect: { timeout: 20_000 },
  use: {
    baseURL: `http://localhost:${port}`,
    mockUrl,
    // A Chromium that is already installed, in place of Playwright's own.
    launchOptions: chromium ? { executablePath: chromium } : {},
  },
  webServer: [
    webServer(),
    {
      command: `npx next start --hostname localhost --port ${port}`,
      url: `http://localhost:${port}`,
      env: { API_URL: `${mockUrl}/v1`, NEXT_TELEMETRY_DISABLED: "1" },
    },
  ],
});
