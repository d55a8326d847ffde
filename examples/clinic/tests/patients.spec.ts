import { open, patients } from "./app";
import { expect, test } from "./mockpets/playwright";

test("the patients come in pages", async ({ page }) => {
  await open(page);
  await expect(patients(page)).toHaveCount(10);
  await expect(page.getByText("24 patients, page 1 of 3")).toBeVisible();
  await expect(page.getByRole("link", { name: "Previous page" })).toBeHidden();
  await page.getByRole("link", { name: "Next page" }).click();
  await page.getByRole("link", { name: "Next page" }).click();
  await expect(patients(page)).toHaveText([
    /^Olive/,
    /^Echo/,
    /^Maple/,
    /^Smudge/,
  ]);
  await expect(page.getByRole("link", { name: "Next page" })).toBeHidden();
  await page.goBack();
  await expect(page.getByText("page 2 of 3")).toBeVisible();
});

test("a search finds parts of names, in pages too", async ({ mock, page }) => {
  const names = Array.from({ length: 12 }, (_, index) => `Miso ${index + 1}`);
  await mock
    .data("patients")
    .set([
      { name: "Rex" },
      ...names.map((name) => ({ name, species: "cat" as const })),
    ]);
  await open(page);
  await page.getByRole("searchbox").fill("miso");
  await page.getByRole("button", { name: "Search" }).click();
  await expect(page.getByText("12 patients, page 1 of 2")).toBeVisible();
  await page.getByRole("link", { name: "Next page" }).click();
  await expect(patients(page)).toHaveText(["Miso 11 cat", "Miso 12 cat"]);
  await page.getByRole("searchbox").fill("tiger");
  await page.getByRole("button", { name: "Search" }).click();
  await expect(
    page.getByText("No patient has a name that contains “tiger”."),
  ).toBeVisible();
});

test("a late response does not replace a newer one", async ({ mock, page }) => {
  await open(page);
  await expect(patients(page)).toHaveCount(10);
  await mock.use("listPatients:hold");
  await page.getByRole("searchbox").fill("rex");
  await page.getByRole("button", { name: "Search" }).click();
  await mock.gate("listPatients").held();
  await mock.use("default");
  await page.getByRole("searchbox").fill("mi");
  await page.getByRole("button", { name: "Search" }).click();
  await expect(patients(page)).toHaveText(["Miso cat", "Minnow cat"]);
  await mock.gate("listPatients").open();
  await expect(patients(page)).toHaveText(["Miso cat", "Minnow cat"]);
});

test("a page behind the last one leads back to the first", async ({ page }) => {
  await open(page, "#/?page=9");
  await page.getByRole("link", { name: "Go to the first page" }).click();
  await expect(patients(page)).toHaveCount(10);
});

test("the form shows the server's problem with each field, and adds a patient", async ({
  mock,
  page,
}) => {
  await open(page);
  await page.getByRole("link", { name: "Add a patient" }).click();
  const add = page.getByRole("button", { name: "Add the patient" });
  await page.getByLabel("Born").fill("2024-02-29");
  await add.click();
  for (const label of ["Name", "Species", "Owner"]) {
    await expect(page.getByLabel(label)).toHaveAccessibleDescription(
      `${label} is required`,
    );
  }
  await expect(page.getByLabel("Born")).toHaveValue("2024-02-29");

  await page.getByLabel("Name").fill("Pip");
  await page.getByLabel("Species").selectOption("parrot");
  await page.getByLabel("Owner").selectOption({ index: 1 });
  await mock.use("createPatient:hold");
  await add.dblclick();
  await mock.gate("createPatient").held();
  await expect(add).toBeDisabled();
  await mock.gate("createPatient").open();
  await expect(page.getByRole("heading", { name: "Pip" })).toBeVisible();
  await expect(page.getByText("29 February 2024")).toBeVisible();
  expect(await mock.data("patients").all({ name: "Pip" })).toHaveLength(1);
});
