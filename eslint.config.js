import js from "@eslint/js";
import { importX } from "eslint-plugin-import-x";
import globals from "globals";
import tseslint from "typescript-eslint";

export default tseslint.config(
  {
    ignores: [
      "**/node_modules/",
      "**/*.d.ts",
      ".venv/",
      "build/",
      "dist/",
      "benchmarks/",
      "docs/",
      "examples/",
      "kit/toolbar.js",
      "tests/*",
      "!tests/javascript/",
      "mockpets/audit/*.ts",
      "mockpets/cli/",
      "mockpets/web/panel/preact.js",
    ],
  },
  js.configs.recommended,
  {
    files: ["kit/**/*.js", "mockpets/**/*.js", "tests/javascript/*.js"],
    languageOptions: { globals: { ...globals.browser, ...globals.node } },
    plugins: { "import-x": importX },
    rules: {
      "import-x/no-cycle": "error",
      "no-unused-vars": ["error", { ignoreRestSiblings: true }],
    },
  },
  {
    files: ["kit/cypress.js"],
    languageOptions: {
      globals: { ...globals.mocha, Cypress: "readonly", cy: "readonly" },
    },
  },
  {
    files: [
      "kit/*.js",
      "kit/audit/*.js",
      "kit/toolbar/*.js",
      "mockpets/audit/sheet.js",
      "mockpets/web/panel/*.js",
      "tests/javascript/*.js",
    ],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: {
      parserOptions: {
        project: "./tsconfig.json",
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      "@typescript-eslint/no-unused-vars": [
        "error",
        { ignoreRestSiblings: true },
      ],
    },
  },
);
