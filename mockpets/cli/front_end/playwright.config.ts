// Written by 'mockpets init', and yours to change; agents: mockpets skill
import { defineConfig } from "@playwright/test";
import { type MockpetsOptions, webServer } from "{{module}}";
{{mock}}
export default defineConfig<MockpetsOptions>({
  testDir: "tests",
  fullyParallel: true,{{reporter}}
  use: { {{use}} },
  webServer: {{servers}},
});
