import { defineConfig } from "vitest/config";

// Other tests in JavaScript need a server or a browser; pytest runs those.
export default defineConfig({
  test: { include: ["tests/javascript/*.test.js"] },
});
