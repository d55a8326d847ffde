import { appointments, open } from "./app";
import { expect, test } from "./mockpets/playwright";

test.use({ timezoneId: "UTC" });

const when = "2031-05-06T09:30";

test("an appointment is booked and cancelled", async ({ mock, page }) => {
  await mock.data("appointments").set([
    {
      id: 1,
      patientId: 4,
      startsAt: "2031-05-12T09:30:00Z",
      reason: "Vaccination",
      status: "booked",
    },
    {
      id: 2,
      patientId: 5,
      startsAt: "2031-05-12T10:00:00Z",
      reason: "Of another patient",
      status: "booked",
    },
  ]);
  await open(page, "#/patients/4");
  await expect(appointments(page)).toHaveCount(1);
  await page.getByLabel("Start").fill(when);
  await page.getByLabel("Reason").fill("Check-up");
  await page.getByRole("button", { name: "Book the appointment" }).click();
  await expect(appointments(page)).toContainText([
    "6 May 2031, 09:30: Check-up, booked", // in the order of their start
    "12 May 2031, 09:30: Vaccination, booked",
  ]);
  await expect(page.getByLabel("Reason")).toHaveValue("");

  await page
    .getByRole("button", { name: "Cancel the appointment on 12 May 2031" })
    .click();
  await expect(appointments(page)).toHaveText([
    /Check-up, booked/,
    /Vaccination, cancelled\s*$/,
  ]);
  expect(await mock.data("appointments").get(1)).toMatchObject({
    status: "cancelled",
  });
});

test("an appointment that was cancelled elsewhere cannot be cancelled again", async ({
  mock,
  page,
}) => {
  await mock.data("appointments").set([
    {
      id: 1,
      patientId: 4,
      startsAt: "2031-05-12T09:30:00Z",
      reason: "Vaccination",
      status: "booked",
    },
  ]);
  await open(page, "#/patients/4");
  await expect(appointments(page)).toContainText("booked");
  await mock.data("appointments").change(1, { status: "cancelled" });
  await page.getByRole("button", { name: "Cancel the appointment" }).click();
  await expect(page.getByRole("alert")).toHaveText(
    "This appointment cannot be cancelled any more.",
  );
  await expect(appointments(page)).toContainText("cancelled");
});

test("an appointment without a start and a reason is rejected", async ({
  page,
}) => {
  await open(page, "#/patients/4");
  await page.getByRole("button", { name: "Book the appointment" }).click();
  await expect(page.getByLabel("Start")).toHaveAccessibleDescription(
    "Start is required",
  );
  await expect(page.getByLabel("Reason")).toHaveAccessibleDescription(
    "Reason is required",
  );
});

test("a patient has no appointments yet", async ({ mock, page }) => {
  await mock.data("appointments").set([]);
  await open(page, "#/patients/4");
  await expect(page.getByText("No appointments yet.")).toBeVisible();
});
