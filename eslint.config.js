import js from "@eslint/js";
import { importX } from "eslint-plugin-import-x";
import globals from "globals";
import tseslint from "typescript-eslint";

/** The scripts that we write and that `tsconfig.json` covers. */
const ours = ["kit/**/*.js", "mockpets/**/*.js"];

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
      "tests/*",
      "!tests/javascript/",
      "mockpets/audit/*.ts",
      "mockpets/cli/",
      "mockpets/web/panel/preact.js",
    ],
  },
  js.configs.recommended,
  {
    files: ours,
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: {
      globals: { ...globals.browser, ...globals.node },
      parserOptions: {
        project: "./tsconfig.json",
        tsconfigRootDir: import.meta.dirname,
      },
    },
    plugins: { "import-x": importX },
    rules: {
      "import-x/no-cycle": "error",
      "@typescript-eslint/no-unused-vars": [
        "error",
        { ignoreRestSiblings: true },
      ],
    },
  },
);
