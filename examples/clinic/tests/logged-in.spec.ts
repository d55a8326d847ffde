import { expect, test } from "./mockpets/playwright";

const robin = { name: "Robin Sato", email: "robin@clinic.example" };
test.use({
  mockContents: { data: { users: [robin] } },
  storageState: async ({ mock, baseURL }, use) => {
    const { token, storageState } = await mock.as(robin);
    await use(
      storageState({
        origin: baseURL,
        localStorage: { "clinic.token": token },
      }),
    );
  },
});

test("a user who is logged in adds a patient", async ({ mock, page }) => {
  await page.goto("/#/patients/new");
  await expect(page.getByRole("banner")).toContainText("Robin Sato");
  await page.getByLabel("Name").fill("Pip");
  await page.getByLabel("Species").selectOption("parrot");
  await page.getByLabel("Owner").selectOption({ index: 1 });
  await page.getByRole("button", { name: "Add the patient" }).click();
  await expect(page.getByRole("heading", { name: "Pip" })).toBeVisible();
  await expect(mock).toHaveReceived(
    { operation: "createPatient", body: { name: "Pip", species: "parrot" } },
    1,
  );
});
