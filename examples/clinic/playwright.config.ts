import { defineConfig } from "@playwright/test";
import { type MockpetsOptions, webServer } from "./tests/mockpets/playwright";

const mockUrl = process.env.MOCKPETS_URL ?? "http://localhost:7387";
const port = process.env.PORT ?? "4173";
const chromium = process.env.CHROMIUM;

export default defineConfig<MockpetsOptions>({
  testDir: "tests",
  fullyParallel: true,
  workers: 4,
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
    webServer(), // with the settings of mockpets.toml
    {
      // The built app: the development server compiles files while the first tests wait for them.
      command: `npx vite build && npx vite preview --port ${port} --strictPort`,
      url: `http://localhost:${port}`,
      env: { VITE_API_URL: `${mockUrl}/api` },
    },
  ],
});
