import type { Page } from "@playwright/test";
import { appointments, book, open, patients } from "./app";
import { expect, test } from "./mockpets/playwright";

// Most of these states are an expression, OPERATION:STATE, so that no scenario file is needed.

test.use({ timezoneId: "UTC" });

const alert = (page: Page) => page.getByRole("alert");

test("the list is empty", async ({ mock, page }) => {
  await mock.use("listPatients:empty");
  await open(page);
  await expect(page.getByText("No patients yet.")).toBeVisible();
});

test("the list is loading", async ({ mock, page }) => {
  await mock.use("listPatients:hold");
  await open(page);
  await mock.gate("listPatients").held();
  await expect(page.getByText("Loading the patients…")).toBeVisible();
  await mock.gate("listPatients").open();
  await expect(patients(page)).toHaveCount(10);
  await expect(page.getByText("Loading the patients…")).toBeHidden();
});

for (const [state, text] of [
  ["500", "The clinic's server has failed: 500"],
  ["429", "Too many requests"],
  ["422", "Some fields are invalid"],
  ["offline", "The clinic cannot be reached"],
  ["malformed_json", "not valid JSON"],
] as const) {
  test(`the list fails: ${state}`, async ({ mock, page }) => {
    await mock.use(`listPatients:${state}`);
    await open(page);
    await expect(alert(page)).toContainText(text);
    await mock.use("default");
    await page.getByRole("button", { name: "Load the patients again" }).click();
    await expect(patients(page)).toHaveCount(10);
  });
}

test("a patient was deleted, while the list works", async ({ mock, page }) => {
  await mock.use("getPatient:404");
  await open(page);
  await page.getByRole("link", { name: "Miso" }).click();
  await expect(
    page.getByRole("heading", { name: "Patient not found" }),
  ).toBeVisible();
});

test("the nested list fails, while its patient is shown", async ({
  mock,
  page,
}) => {
  await mock.use("listAppointments:500");
  await open(page, "#/patients/1");
  await expect(page.getByRole("heading", { name: "Miso" })).toBeVisible();
  await expect(alert(page)).toContainText("500");
  await mock.use("default");
  await page
    .getByRole("button", { name: "Load the appointments again" })
    .click();
  await expect(appointments(page)).toHaveCount(2);
});

test("an appointment is outside of the opening hours: an example of the document", async ({
  mock,
  page,
}) => {
  await mock.use("createAppointment:422:closed");
  await open(page, "#/patients/1");
  await book(page);
  await expect(page.getByLabel("Start")).toHaveAccessibleDescription(
    "Start is outside of the opening hours",
  );
  await expect(page.getByLabel("Reason")).toHaveValue("Check-up");
});

test("every operation rejects the token", async ({ mock, page }) => {
  await open(page);
  await expect(patients(page)).toHaveCount(10);
  await mock.use("all:401");
  await page.getByRole("link", { name: "Miso" }).click();
  await expect(alert(page)).toContainText("Your session has ended");
  await expect(page.getByRole("form", { name: "Log in" })).toBeVisible();
});

test("a short outage: the list is loaded again when the server says so", async ({
  mock,
  page,
}) => {
  await mock.use("short-outage"); // of this repository, in the folder scenarios
  await page.clock.install({ time: "2030-01-01T09:00" });
  await page.clock.pauseAt("2030-01-01T10:00"); // time passes only when the test says so
  await open(page);
  await expect(page.getByText("Trying again in 60 seconds.")).toBeVisible();
  await page.clock.fastForward("00:59");
  await expect(mock).toHaveReceived({ operation: "listPatients" }, 1);
  await page.clock.fastForward("00:01");
  await expect(patients(page)).toHaveCount(10);
  await expect(mock).toHaveReceived({ operation: "listPatients" }, 2);
});

test("a waiting room: somebody else books the same time first", async ({
  mock,
  page,
}) => {
  await mock.use("waiting-room");
  await open(page, "#/patients/4");
  await expect(appointments(page)).toHaveText([
    /5 May 2031.*Check-up, cancelled\s*$/,
    /12 May 2031.*Vaccination, booked/,
  ]);
  await book(page);
  await expect(alert(page)).toContainText(
    "Another patient has just got this time.",
  );
  await page.getByLabel("Start").fill("2031-05-06T10:00");
  await page.getByRole("button", { name: "Book the appointment" }).click();
  await expect(appointments(page)).toHaveCount(3);
});
