import { expect, test } from "./mockpets/playwright";

test("a banner says when the operation will be removed", async ({
  mock,
  page,
}) => {
  await mock.pets.set([{ id: 7, name: "Miso", categoryId: 2, status: "sold" }]);
  await page.goto("/");
  await page.getByRole("link", { name: "Miso" }).click();
  await expect(page.getByRole("heading", { name: "Miso" })).toBeVisible();
  await expect(page.getByRole("note")).toContainText(
    "will be removed on 5 December 2030",
  );
});

test("a pet that was deleted in the meantime is not found", async ({
  mock,
  page,
}) => {
  await mock.use("missing");
  await page.goto("/");
  await page.getByRole("link").first().click();
  await expect(
    page.getByRole("heading", { name: "Pet not found" }),
  ).toBeVisible();
});

test("without a network the user can try again", async ({
  context,
  mock,
  page,
}) => {
  await mock.pets.set([{ id: 7, name: "Miso", categoryId: 2 }]);
  await page.goto("/");
  await expect(page.getByRole("link", { name: "Miso" })).toBeVisible();
  await context.setOffline(true);
  await page.getByRole("link", { name: "Miso" }).click();
  await expect(page.getByRole("alert")).toContainText(
    "The server cannot be reached",
  );
  await context.setOffline(false);
  await page.getByRole("button", { name: "Try again" }).click();
  await expect(page.getByRole("heading", { name: "Miso" })).toBeVisible();
});
