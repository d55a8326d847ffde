import { fillIn, kim, open, patients } from "./app";
import { expect, test } from "./mockpets/playwright";

test("log in, stay logged in, and log out", async ({ page }) => {
  await open(page);
  await expect(page.getByRole("banner")).toContainText("Kim Vogel");
  await page.reload();
  await expect(page.getByRole("banner")).toContainText("Kim Vogel");
  await page.getByRole("button", { name: "Log out" }).click();
  await page.reload();
  await expect(page.getByRole("form", { name: "Log in" })).toBeVisible();
});

test("an unknown user is rejected, and nothing has to be typed again", async ({
  page,
}) => {
  await page.goto("/");
  await fillIn(page, {
    email: "nobody@clinic.example",
    password: "a-password",
  });
  await page.getByRole("button", { name: "Log in", exact: true }).click();
  await expect(page.getByRole("alert")).toContainText(
    "The email or the password is wrong.",
  );
  await expect(page.getByLabel("Email")).toHaveValue("nobody@clinic.example");
  await fillIn(page, kim);
  await page.getByRole("button", { name: "Log in", exact: true }).click();
  await expect(page.getByRole("banner")).toContainText("Kim Vogel");
});

test("an account is created, after the server has checked each field", async ({
  page,
}) => {
  await page.goto("/");
  await page.getByRole("button", { name: "Create an account" }).click();
  const form = page.getByRole("form", { name: "Create an account" });
  await page.getByLabel("Email").fill("robin");
  await page.getByLabel("Password").fill("short");
  await form.getByRole("button").click();
  await expect(page.getByLabel("Name")).toHaveAccessibleDescription(
    "Name is required",
  );
  await expect(page.getByLabel("Email")).toHaveAccessibleDescription(
    /^Email must be an email address/,
  );
  await expect(page.getByLabel("Password")).toHaveAccessibleDescription(
    /^Password must have at least 8 characters/,
  );
  await expect(page.getByLabel("Name")).toBeFocused();

  await page.getByLabel("Name").fill("Robin Sato");
  await page.getByLabel("Email").fill(kim.email);
  await page.getByLabel("Password").fill("long-enough");
  await form.getByRole("button").click();
  await expect(page.getByRole("alert")).toContainText("Log in instead");

  await page.getByLabel("Email").fill("robin@clinic.example");
  await form.getByRole("button").click();
  await expect(page.getByRole("banner")).toContainText("Robin Sato");
});

test("when the session ends, the user logs in again and loses nothing", async ({
  mock,
  page,
}) => {
  await open(page, "#/patients/new");
  const name = page.getByLabel("Name");
  const owner = page.getByLabel("Owner");
  await name.fill("Pip");
  await page.getByLabel("Species").selectOption("parrot");
  await owner.selectOption({ index: 3 });
  await mock.use("createPatient:401");
  await page.getByRole("button", { name: "Add the patient" }).click();
  await expect(page.getByRole("alert")).toContainText("Your session has ended");
  await expect(name).toBeHidden();

  await mock.use("default");
  await fillIn(page, kim);
  await page.getByRole("button", { name: "Log in", exact: true }).click();
  await expect(name).toHaveValue("Pip");
  await page.getByRole("button", { name: "Add the patient" }).click();
  await expect(page.getByRole("heading", { name: "Pip" })).toBeVisible();
  await page.goto("/#/?q=pip");
  await expect(patients(page)).toHaveText(["Pip parrot"]);
});
