import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

export default defineConfig({
  plugins: [react()],
  test: {
    dir: "src", // the tests in `tests` are Playwright's
    environment: "jsdom",
    env: {
      VITE_API_URL: `${process.env.MOCKPETS_URL ?? "http://localhost:7387"}/v1`,
    },
    globalSetup: "./tests/server.ts",
    setupFiles: "./tests/mockpets/vitest.js",
    // For busy machines.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
