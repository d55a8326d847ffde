import { states, test } from "{{module}}";

// Every state, 3 seconds after the app opens: state-sheet/states.html; agents: mockpets skill
test.use({ mockScreens: { widths: [390, 1280], themes: ["light", "dark"] } });

for (const state of states()) {
  test(state.name, state.details, async ({ page }) => {
    await page.goto("/");
    await page.waitForTimeout(3_000);
  });
}
