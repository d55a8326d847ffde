import type { Page } from "@playwright/test";
import { expect, test } from "./mockpets/playwright";

// Each state is an expression, OPERATION:STATE, so that no scenario file is needed.

const alert = (page: Page) => page.getByRole("alert");

test("the list is empty", async ({ mock, page }) => {
  await mock.use("listPets:empty");
  await page.goto("/");
  await expect(page.getByText("No pets yet")).toBeVisible();
});

test("the list is loading", async ({ mock, page }) => {
  await mock.use("listPets:hold");
  await page.goto("/");
  await mock.gate("listPets").held();
  await expect(page.getByRole("status")).toHaveText("Loading…");
  await mock.gate("listPets").open();
  await expect(page.getByRole("listitem")).toHaveCount(16);
});

for (const [state, text] of [
  ["500", "The server has failed: 500"],
  ["429", "Too many requests"],
  ["400", "the request is missing required fields"],
  ["offline", "The server cannot be reached"],
  ["malformed_json", "not valid JSON"],
] as const) {
  test(`the list fails: ${state}`, async ({ mock, page }) => {
    await mock.use(`listPets:${state}`);
    await page.goto("/");
    await expect(alert(page)).toContainText(text);
    await mock.use("default");
    await page.getByRole("button", { name: "Try again" }).click();
    await expect(page.getByRole("listitem")).toHaveCount(16);
  });
}

test("a pet is not found, while the list works", async ({ mock, page }) => {
  await mock.use("getPet:404");
  await page.goto("/");
  await page.getByRole("link").first().click();
  await expect(
    page.getByRole("heading", { name: "Pet not found" }),
  ).toBeVisible();
  await expect(page.getByText("no animal has the id")).toBeVisible();
});

test("a new pet is rejected while the list takes its time", async ({
  mock,
  page,
}) => {
  await mock.use("createPet:400", "listPets:300ms");
  await page.goto("/");
  await page.getByLabel("Name").fill("Miso");
  await page.getByLabel("Category").fill("2");
  await page.getByRole("button", { name: "Add pet" }).click();
  await expect(alert(page)).toContainText(
    "the request is missing required fields",
  );
  await expect(page.getByLabel("Name")).toHaveValue("Miso");
});

test("every operation rejects the key", async ({ mock, page }) => {
  await mock.use("all:401");
  await page.goto("/");
  await expect(alert(page)).toContainText("the API key is invalid");
  await expect(page.getByRole("button", { name: "Sign in" })).toBeVisible();
});
