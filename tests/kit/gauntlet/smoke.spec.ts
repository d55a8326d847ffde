// One smoke test under every state. The variable APP_PATH selects the page with or without bugs.

import { expect, states, test } from "./mockpets/playwright";

// So that only scenarios with pets of their own have pets without a status.
test.use({ mockContents: { data: { pets: [{ id: 1, name: "Miso", categoryId: 2, status: "sold" }] } } });

for (const state of states()) {
  test(`smoke: ${state.name}`, state.details, async ({ mock, page }) => {
    const errors: string[] = [];
    page.on("pageerror", (error) => errors.push(error.message));
    await page.goto(process.env.APP_PATH ?? "/");
    if (state.name === "loading") {
      await mock.gate("loading").held();
      await mock.gate("loading").open();
    }
    await expect.poll(async () => errors.length || !(await page.getByRole("status").isVisible()), "a spinner").toBeTruthy();
    expect(errors, "an uncaught error").toEqual([]);
    await expect(page.locator("main"), "a blank page").not.toBeEmpty();
  });
}
