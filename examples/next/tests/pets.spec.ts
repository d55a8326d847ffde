import { expect, namesIn, test } from "./store";

for (const size of [1, 3, 20]) {
  test.describe(`with ${size} pets`, () => {
    test.use({ size });

    test("the server sends the list", async ({
      mock,
      names,
      request,
      baseURL,
    }) => {
      const response = await request.get(`${baseURL}/`);
      expect(namesIn(await response.text())).toEqual(names);
      await expect(mock).toHaveReceived({ operation: "listPets" }, 1);
    });

    test("the page shows the list", async ({ mock, names, page }) => {
      await page.goto("/");
      await expect(page.getByRole("listitem")).toHaveText(names);
      await expect(mock).toHaveReceived({ operation: "listPets" }, 1); // by the server only
    });

    test("the server sends a pet", async ({ names, request, baseURL }) => {
      const response = await request.get(`${baseURL}/pets/${size}`);
      const shown = namesIn(await response.text()); // in the title and in the heading
      expect(new Set(shown)).toEqual(new Set(names.slice(-1)));
    });

    test("one render gets a pet once, for its title and its page", async ({
      mock,
      names,
      page,
    }) => {
      await page.goto("/pets/1");
      await expect(page).toHaveTitle(names[0]!);
      await expect(page.getByRole("heading")).toHaveText(names[0]!);
      await expect(mock).toHaveReceived({ operation: "getPet" }, 1);
    });

    test("a click shows a pet without loading the page again", async ({
      mock,
      names,
      page,
    }) => {
      await page.goto("/");
      await page.evaluate(() => Object.assign(window, { isSamePage: true }));
      await page
        .getByRole("link", { name: names.at(-1)!, exact: true })
        .click();
      await expect(page.getByRole("heading")).toHaveText(names.at(-1)!);
      await page.getByRole("link", { name: "All pets" }).click();
      await expect(page.getByRole("listitem")).toHaveText(names);
      expect(await page.evaluate(() => "isSamePage" in window)).toBe(true);
      await expect(mock).toHaveReceived({ operation: "getPet" }, 1);
    });

    test("a message is visible until the server has the list", async ({
      mock,
      names,
      page,
    }) => {
      await mock.use("loading");
      await page.goto("/", { waitUntil: "commit" });
      await mock.gate("loading").held();
      await expect(page.getByRole("status")).toHaveText("Loading…");
      await mock.gate("loading").open();
      await expect(page.getByRole("listitem")).toHaveText(names);
    });

    test("the route handler sends the pets of the test", async ({
      mock,
      names,
      request,
      baseURL,
    }) => {
      const response = await request.get(`${baseURL}/api/pets`);
      expect(
        (await response.json()).map(({ name }: { name: string }) => name),
      ).toEqual(names);
      await expect(mock).toHaveReceived({ operation: "listPets" }, 1);
    });

    test("a new pet is in the next page of the server", async ({
      mock,
      names,
      page,
    }) => {
      const name = `Pet 100 of ${mock.session}`;
      await page.goto("/");
      await page.getByLabel("Name").fill(name);
      await page.getByLabel("Category").fill("2");
      await page.getByRole("button", { name: "Add pet" }).click();
      await expect(page.getByRole("listitem")).toHaveText([...names, name]);
      await page.reload();
      await expect(page.getByRole("listitem")).toHaveText([...names, name]);
      await expect(mock).toHaveReceived(
        { operation: "createPet", body: { name } },
        1,
      );
    });

    test("the list can be loaded again", async ({ mock, names, page }) => {
      await page.goto("/");
      await expect(page.getByRole("listitem")).toHaveText(names);
      await mock.pets.set([]);
      await page.getByRole("button", { name: "Reload" }).click();
      await expect(page.getByText("No pets yet")).toBeVisible();
    });

    test("a server action copies a pet", async ({ mock, names, page }) => {
      await page.goto("/pets/1");
      await page.getByRole("button", { name: "Copy" }).click();
      await expect(page.getByRole("heading")).toHaveText(`Copy of ${names[0]}`);
      expect((await mock.pets.all()).map(({ name }) => name)).toEqual([
        ...names,
        `Copy of ${names[0]}`,
      ]);
    });
  });
}
