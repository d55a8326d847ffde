// Written by 'mockpets init', and yours to change; agents: mockpets skill
import { test } from "{{module}}";

test.skip(({ baseURL }) => !baseURL, "set use.baseURL to the URL of your app");

// Playwright's agents (npx playwright init-agents) begin here: choose the state that they explore.
test("seed", async ({ mock, page }) => {
  await mock.use("default");
  await page.goto("/");
});
