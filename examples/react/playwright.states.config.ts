import { defineConfig } from "@playwright/test";
import config from "./playwright.config";

// Only the smoke test that runs under every scenario: with it, `npm test` would take several times as long.
export default defineConfig(config, {
  testDir: "tests-states",
  reporter: [["list"], ["./tests/mockpets/states-reporter.js"]],
});
