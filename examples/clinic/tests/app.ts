import type { Page } from "@playwright/test";
import { expect } from "./mockpets/playwright";

/** The log-in in the example of the API's document, which works in every session. */
export const kim = { email: "kim@clinic.example", password: "let-me-in" };

/** Open a page of the app, such as `#/patients/3`, and log in. */
export async function open(page: Page, hash = "") {
  await page.goto(`/${hash}`);
  await fillIn(page, kim);
  await page.getByRole("button", { name: "Log in", exact: true }).click();
  await expect(page.getByRole("button", { name: "Log out" })).toBeVisible();
}

/** Fill in the log-in form. */
export async function fillIn(page: Page, { email, password }: typeof kim) {
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password").fill(password);
}

/** Book an appointment, on the page of a patient. */
export async function book(page: Page) {
  await page.getByLabel("Start").fill("2031-05-06T09:30");
  await page.getByLabel("Reason").fill("Check-up");
  await page.getByRole("button", { name: "Book the appointment" }).click();
}

export const patients = (page: Page) =>
  page.getByRole("list", { name: "Patients" }).getByRole("listitem");
export const appointments = (page: Page) =>
  page.getByRole("region", { name: "Appointments" }).getByRole("listitem");
