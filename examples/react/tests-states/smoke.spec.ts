import type { Locator } from "@playwright/test";
import { expect, states, test } from "../tests/mockpets/playwright";

for (const { name, details } of states()) {
  test(`smoke: ${name}`, details, async ({ mock, page }) => {
    const errors: string[] = [];
    page.on("pageerror", (error) => errors.push(error.message));
    const none = page.getByText("No pets yet");
    const pet = page.getByRole("listitem").getByRole("link").first();
    const message = page
      .getByRole("alert")
      .or(page.getByText("Trying again in"));
    const signIn = page.getByRole("form", { name: "Sign in" });
    const busy = page.getByText("Loading…").or(page.locator("button:disabled"));
    const add = page.getByRole("button", {
      name: "Add pet",
      includeHidden: true,
    }); // hidden by the sign-in form

    /** Wait until nothing loads and the page shows something; check that it has not crashed. */
    async function settled(outcome: Locator) {
      await expect
        .poll(async () => {
          if (name === "loading") await mock.gate("loading").open(); // this state holds every response
          return !(await busy.count()) && (await outcome.first().isVisible());
        }, "the page still loads, or is blank")
        .toBe(true);
      expect(errors).toEqual([]);
      await expect(
        page.getByRole("heading", { name: "Pet store" }),
      ).toBeVisible();
    }

    await page.goto("/");
    await expect(add).toBeAttached();
    await settled(pet.or(none).or(message));

    if (await pet.isVisible()) await pet.click();
    else await page.goto("/#/pets/1");
    await expect(page.getByText("All pets")).toBeAttached();
    await settled(page.getByRole("heading", { level: 2 }).or(message));

    await page.goto("/#/");
    await expect(add).toBeAttached();
    await settled(pet.or(none).or(message));
    if (await signIn.isVisible()) return; // nobody can add a pet here
    await page.getByLabel("Name").fill("Miso");
    await page.getByLabel("Category").fill("2");
    await add.click();
    await settled(pet.or(message));
  });
}
