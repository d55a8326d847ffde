import type { Page } from "@playwright/test";
import { expect, test } from "./mockpets/playwright";

async function fillIn(page: Page) {
  await page.getByLabel("Name").fill("Miso");
  await page.getByLabel("Category").fill("2");
}

test("a new pet appears in the list", async ({ mock, page }) => {
  await mock.use("empty");
  await page.goto("/");
  await fillIn(page);
  await page.getByRole("button", { name: "Add pet" }).click();
  await expect(page.getByRole("listitem")).toHaveText("Miso");
});

test("a double click adds one pet", async ({ mock, page }) => {
  await mock.use({
    description: "Adding a pet waits until the test opens the gate.",
    stubs: [{ match: { operation: "createPet" }, hold: "adding" }],
  });
  await page.goto("/");
  await fillIn(page);
  await page.getByRole("button", { name: "Add pet" }).dblclick();
  await mock.gate("adding").held();
  await mock.gate("adding").open();
  await expect(page.getByRole("link", { name: "Miso" })).toBeVisible();
  await expect(mock).toHaveReceived(
    { operation: "createPet", body: { name: "Miso", categoryId: 2 } },
    1,
  );
});

test("after a 401 the user signs in again and loses nothing", async ({
  mock,
  page,
}) => {
  await page.goto("/");
  await fillIn(page);
  await mock.use("unauthorized");
  await page.getByRole("button", { name: "Add pet" }).click();
  await expect(page.getByRole("alert")).toContainText("the API key is invalid");
  await mock.use("default");
  await page.getByLabel("API key").fill("mockpets");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("button", { name: "Add pet" }).click();
  await expect(page.getByRole("link", { name: "Miso" })).toBeVisible();
});
