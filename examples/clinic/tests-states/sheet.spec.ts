import type { Page } from "@playwright/test";
import { book, fillIn, kim } from "../tests/app";
import {
  type Expression,
  expect,
  states,
  test,
} from "../tests/mockpets/playwright";

test.use({
  mockScreens: { widths: [390, 768, 1440], themes: ["light", "dark"] },
  timezoneId: "UTC",
  mockContents: {
    data: {
      appointments: [
        {
          id: 1,
          patientId: 4,
          startsAt: "2031-05-12T09:30:00Z",
          reason: "Vaccination",
          status: "booked",
        },
      ],
    },
  },
});

interface Shown {
  state: Expression;
  /** The address at which the user sees the state. */
  hash: string;
  /** What the user does there. */
  act?: (page: Page) => Promise<void>;
  /** What the app says. */
  text: string;
}

const sheet: Shown[] = [
  { state: "listPatients:empty", hash: "#/", text: "No patients yet." },
  { state: "listPatients:hold", hash: "#/", text: "Loading the patients…" },
  { state: "listPatients:503", hash: "#/", text: "Trying again in 5 seconds." },
  { state: "listPatients:malformed_json", hash: "#/", text: "not valid JSON" },
  { state: "all:offline", hash: "#/", text: "The clinic cannot be reached" },
  { state: "all:401", hash: "#/", text: "Your session has ended" },
  {
    state: "logIn:401",
    hash: "#/",
    act: async (page) => {
      await page.getByRole("button", { name: "Log out" }).click();
      await fillIn(page, kim);
      await page.getByRole("button", { name: "Log in", exact: true }).click();
    },
    text: "The email or the password is wrong.",
  },
  { state: "getPatient:404", hash: "#/patients/4", text: "Patient not found" },
  {
    state: "listAppointments:500",
    hash: "#/patients/4",
    text: "has failed: 500",
  },
  {
    state: "createAppointment:409",
    hash: "#/patients/4",
    act: book,
    text: "Another patient has an appointment at this time.",
  },
  {
    state: "createAppointment:422:closed",
    hash: "#/patients/4",
    act: book,
    text: "Start is outside of the opening hours",
  },
  {
    state: "createPatient:422",
    hash: "#/patients/new",
    act: async (page) => {
      await page.getByLabel("Name").fill("Chair");
      await page.getByLabel("Species").selectOption("dog");
      await page.getByLabel("Owner").selectOption({ index: 1 });
      await page.getByRole("button", { name: "Add the patient" }).click();
    },
    text: "Name is not the name of an animal",
  },
];

for (const { state, hash, act, text } of sheet)
  for (const { name, details } of states({ only: [state] }))
    test(`sheet: ${name}`, details, async ({ mock, page }) => {
      const { token } = await mock.as({ email: kim.email });
      await page.addInitScript(
        (value) => localStorage.setItem("clinic.token", value),
        token,
      );
      await page.goto(`/${hash}`);
      await act?.(page);
      await expect(page.getByText(/Loading (your|the owner)/)).toHaveCount(0);
      const shown = page.getByText(text).first();
      await shown.scrollIntoViewIfNeeded();
      await expect(shown).toBeVisible();
    });
