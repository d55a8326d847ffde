import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["life.vitest.ts"], // not the tests of Playwright
    setupFiles: ["./mockpets/vitest.js"],
    reporters: [["json", { outputFile: "report.json" }]],
  },
});
