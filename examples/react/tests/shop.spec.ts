import { expect, test } from "./mockpets/playwright";

test.use({ mockContents: { scenario: "shop" } });

test("orders are kept, the second one fails, and the message names a sold-out pet", async ({
  page,
}) => {
  await page.goto("/#/pets/1");
  const order = page.getByRole("button", { name: "Order" });
  await order.click();
  await expect(page.getByRole("listitem")).toHaveText("Order 1: Miso");
  await order.click();
  await expect(page.getByRole("alert")).toContainText("503");
  await order.click();
  await expect(page.getByRole("listitem")).toHaveText([
    "Order 1: Miso",
    "Order 2: Miso",
  ]);
  await page.goto("/#/pets/2");
  await expect(page.getByRole("heading", { name: "Juniper" })).toBeVisible();
  await order.click();
  await expect(page.getByRole("alert")).toHaveText(
    "Juniper has just been sold",
  );
});
