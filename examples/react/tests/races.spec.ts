import { expect, interleavings } from "./mockpets/playwright";

interleavings(
  "a pet that is added while the list loads is listed",
  async ({ mock, page, race }) => {
    await mock.pets.set([]);
    await race(async () => {
      await page.goto("/");
      await page.getByLabel("Name").fill("Miso");
      await page.getByLabel("Category").fill("2");
      await page.getByRole("button", { name: "Add pet" }).click();
    });
    await expect(page.getByRole("link", { name: "Miso" })).toBeVisible();
  },
);

interleavings(
  "every order is listed",
  async ({ mock, page, race }) => {
    await mock.use({
      resources: [{ path: "/v1/store/orders", required: ["petId", "name"] }],
    });
    await page.goto("/#/pets/1");
    await race(() => page.getByRole("button", { name: "Order" }).dblclick());
    const orders = await mock.data("orders").all();
    await expect(page.getByRole("listitem")).toHaveCount(orders.length);
  },
  { atLeast: 1 }, // the button is disabled meanwhile, so one order is sent
);

interleavings(
  "a late response to the previous key does not sign the user out",
  async ({ mock, page, race }) => {
    await mock.use({
      stubs: [
        {
          match: { headers: { Authorization: "Bearer mockpets" } },
          reply: { error: "unauthorized" },
        },
      ],
    });
    await race(async () => {
      await page.goto("/");
      await page.getByLabel("Name").fill("Miso");
      await page.getByLabel("Category").fill("2");
      await page.getByRole("button", { name: "Add pet" }).click();
      await page.getByLabel("API key").fill(mock.key);
      await page.getByRole("button", { name: "Sign in" }).click();
    });
    await expect(page.getByRole("form", { name: "Sign in" })).toBeHidden();
    await expect(page.getByRole("list", { name: "Pets" })).toBeVisible();
  },
  { orders: 4 },
);
