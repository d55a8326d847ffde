import { defineConfig } from "@playwright/test";
import config from "./playwright.config";

// Only the state sheet, which reviewers look at: it takes six screenshots of each state.
export default defineConfig(config, {
  testDir: "tests-states",
  reporter: [["list"], ["./tests/mockpets/states-reporter.js"]],
});
