import type { Page } from "@playwright/test";
import { appointments, fillIn, kim, open } from "./app";
import { type Expression, expect, test } from "./mockpets/playwright";

// Each operation fails in each way that the document lists, and in those that servers and networks have anyway. The app
// says what has failed, keeps what was typed, and works again afterwards.

const texts = {
  "401": "Your session has ended",
  "404": "This record does not exist",
  "422": "Some fields are invalid",
  "429": "Too many",
  "500": "The clinic's server has failed: 500",
  offline: "The clinic cannot be reached",
  malformed_json: "not valid JSON",
} as const;
const anyway = ["500", "offline", "malformed_json"] as const;

const alert = (page: Page) => page.getByRole("alert");
const button = (page: Page, name: string) =>
  page.getByRole("button", { name, exact: true });

let exceptions: Error[];
test.beforeEach(({ page }) => {
  exceptions = [];
  page.on("pageerror", (error) => exceptions.push(error));
});
test.afterEach(() => expect(exceptions).toEqual([]));

async function logInAgain(page: Page) {
  await expect(alert(page)).toContainText(texts[401]);
  await fillIn(page, kim);
  await button(page, "Log in").click();
}

for (const { operation, hash, name, also } of [
  { operation: "getMe", hash: "#/", name: "your account", also: [] },
  {
    operation: "listPatients",
    hash: "#/",
    name: "the patients",
    also: ["422"],
  },
  {
    operation: "listOwners",
    hash: "#/patients/new",
    name: "the owners",
    also: [],
  },
  {
    operation: "getPatient",
    hash: "#/patients/4",
    name: "the patient",
    also: [],
  }, // 404 is in states.spec.ts
  {
    operation: "getOwner",
    hash: "#/patients/4",
    name: "the owner",
    also: ["404"],
  },
  {
    operation: "listAppointments",
    hash: "#/patients/4",
    name: "the appointments",
    also: ["404"],
  },
] as const) {
  test(`${operation} fails, and the user can load ${name} again`, async ({
    mock,
    page,
  }) => {
    await open(page, hash);
    for (const state of [...also, ...anyway]) {
      await mock.use(`${operation}:${state}` as Expression); // `also` has only states of this operation
      await page.reload();
      await expect(alert(page)).toContainText(texts[state]);
      await mock.use("default");
      await button(page, `Load ${name} again`).click();
      await expect(alert(page)).toBeHidden();
    }
    await mock.use(`${operation}:401`);
    await page.reload();
    await expect(button(page, "Log in")).toBeVisible();
    await mock.use("default");
    await logInAgain(page);
    await expect(button(page, "Log out")).toBeVisible();
    await expect(alert(page)).toBeHidden();
  });
}

for (const { operation, hash, typed, submit, also } of [
  {
    operation: "logIn",
    hash: undefined,
    typed: { Email: kim.email, Password: kim.password },
    submit: "Log in",
    also: ["422", "429"],
  },
  {
    operation: "createPatient",
    hash: "#/patients/new",
    typed: { Name: "Pip", Born: "2024-02-29" },
    submit: "Add the patient",
    also: ["422"],
  },
  {
    operation: "createAppointment",
    hash: "#/patients/4",
    typed: { Start: "2031-05-06T09:30", Reason: "Check-up" },
    submit: "Book the appointment",
    also: ["404", "422"],
  },
] as const) {
  test(`${operation} fails, and the form keeps what was typed`, async ({
    mock,
    page,
  }) => {
    await (hash ? open(page, hash) : page.goto("/"));
    async function keepsWhatWasTyped() {
      for (const [label, value] of Object.entries(typed))
        await expect(page.getByLabel(label)).toHaveValue(value);
    }
    for (const [label, value] of Object.entries(typed))
      await page.getByLabel(label).fill(value);
    for (const list of await page.getByRole("combobox").all())
      await list.selectOption({ index: 1 });
    for (const state of [...also, ...anyway]) {
      await mock.use(`${operation}:${state}` as Expression); // `also` has only states of this operation
      await button(page, submit).click();
      await expect(alert(page)).toContainText(texts[state]);
      await keepsWhatWasTyped();
    }
    if (operation === "logIn") return;
    await mock.use(`${operation}:401`);
    await button(page, submit).click();
    await logInAgain(page);
    await expect(button(page, submit)).toBeVisible();
    await keepsWhatWasTyped();
  });
}

test("register fails, and the form keeps what was typed", async ({
  mock,
  page,
}) => {
  await page.goto("/");
  await button(page, "Create an account").click();
  await page.getByLabel("Name").fill("Robin Sato");
  for (const [state, text] of [
    ["409", "Log in instead"],
    ["422", texts[422]],
    ["429", texts[429]],
    ["offline", texts.offline],
  ] as const) {
    await mock.use(`register:${state}`);
    await button(page, "Create the account").click();
    await expect(alert(page)).toContainText(text);
    await expect(page.getByLabel("Name")).toHaveValue("Robin Sato");
  }
});

test("cancelAppointment fails, and the appointment can be cancelled afterwards", async ({
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
  const cancel = page.getByRole("button", { name: "Cancel the appointment" });
  for (const [state, text] of [
    ["404", texts[404]],
    ["409", "cannot be cancelled"],
    ["500", texts[500]],
    ["offline", texts.offline],
  ] as const) {
    await mock.use(`cancelAppointment:${state}`);
    await cancel.click();
    await expect(alert(page)).toContainText(text);
  }
  await mock.use("cancelAppointment:401");
  await cancel.click();
  await logInAgain(page);
  await mock.use("default");
  await cancel.click();
  await expect(appointments(page)).toContainText("cancelled");
});
