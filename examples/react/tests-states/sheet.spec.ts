import { expect, states, test } from "../tests/mockpets/playwright";

test.use({
  mockScreens: { widths: [390, 768, 1440], themes: ["light", "dark"] },
});

for (const state of states()) {
  test(`sheet: ${state.name}`, state.details, async ({ page }) => {
    await page.goto("/");
    await page
      .waitForLoadState("networkidle", { timeout: 5_000 })
      .catch(() => {}); // else it still loads
    await expect(page.locator("body")).not.toBeEmpty();
  });
}
