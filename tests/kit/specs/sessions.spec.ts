// The app and the third party echo the headers of a request at /echo, and serve a page elsewhere.

import type { Page } from "@playwright/test";
import { attachSession, expect, test } from "./mockpets/playwright";

const { MOCKPETS_URL = "", APP_URL = "", THIRD_URL = "" } = process.env;
const PETS = `${MOCKPETS_URL}/v1/pets`;

/** The JSON that a page of the app gets from a URL; null if its request fails. */
function load(page: Page, url: string, key?: string): Promise<any> {
  return page.evaluate(
    async ([url, key]) => {
      const headers = key ? { Authorization: `Bearer ${key}` } : {};
      const response = await fetch(url, { headers }).catch(() => null);
      return response && response.json();
    },
    [url, key] as [string, string | undefined],
  );
}

for (const name of ["Miso", "Gus", "Buster", "Rex"]) {
  test(`parallel tests have their own pets: ${name}`, async ({ mock, page }) => {
    await mock.pets.set([{ id: 1, name, categoryId: 1 }]);
    await page.goto("/");
    for (let round = 0; round < 5; round += 1) {
      expect(await load(page, PETS, "mockpets")).toEqual([{ id: 1, name, categoryId: 1 }]);
    }
    await expect(mock).toHaveReceived({ operation: "listPets" }, 5);
  });
}

test("the route sends the session to the mock and the app, and not to third parties", async ({ mock, page }) => {
  await mock.use("empty");
  const navigation = await page.goto("/echo");
  expect(await navigation?.json()).toMatchObject({ "mockpets-session": mock.session, "x-own": "kept" });
  expect(await load(page, `${APP_URL}/echo`)).toMatchObject({ "mockpets-session": mock.session });
  for (const host of ["localhost", "127.0.0.1"]) {
    expect(await load(page, PETS.replace(/localhost|127\.0\.0\.1/, host), "mockpets")).toEqual([]);
  }
});

test("static files of the app are requested without the session", async ({ mock, page }) => {
  await page.goto("/");
  for (const file of ["/echo.js", "/echo/main.tsx?t=1", "/echo/logo.svg", "/echo.woff2"]) {
    expect(await load(page, file)).not.toHaveProperty("mockpets-session");
  }
  for (const call of ["/echo", "/echo.json", "/echo?file=a.js", "/echo.js/next", "/echo/js"]) {
    expect(await load(page, call)).toMatchObject({ "mockpets-session": mock.session });
  }
});

test("the app's server gets the session as baggage too, beside that of the page", async ({ mock, page, request }) => {
  await page.goto("/");
  expect(await load(page, "/echo")).toMatchObject({ baggage: mock.baggage });
  const own = await page.evaluate(async () => (await fetch("/echo", { headers: { baggage: "user=ada" } })).json());
  expect(own).toMatchObject({ baggage: `user=ada,${mock.baggage}` });
  expect(await (await request.get("/echo")).json()).toMatchObject({ baggage: mock.baggage });
});

test("the route sees the requests of a service worker", async ({ mock, page }) => {
  await mock.use("empty");
  await page.goto("/");
  await page.evaluate(async () => {
    const controlled = new Promise((resolve) => {
      navigator.serviceWorker.oncontrollerchange = resolve;
    });
    await navigator.serviceWorker.register("/worker.js");
    await controlled;
  });
  expect(await load(page, PETS, "mockpets")).toEqual([]);
});

test.describe("third parties", () => {
  test.use({ extraHTTPHeaders: {} }); // which would fail there

  test("load with the route", async ({ page }) => {
    await page.goto("/");
    const headers = await load(page, `${THIRD_URL}/echo`);
    expect(headers).toBeTruthy();
    expect(headers).not.toHaveProperty("mockpets-session");
    expect(headers).not.toHaveProperty("baggage");
  });

  test.describe("that are listed", () => {
    test.use({ mockOrigins: [`${THIRD_URL}/path`] });
    test("get the session", async ({ mock, page }) => {
      await page.goto("/");
      expect(await load(page, `${THIRD_URL}/echo`)).toMatchObject({ "mockpets-session": mock.session });
    });
  });
});

test.describe("sessionIn: header", () => {
  test.use({ sessionIn: "header" });

  test("sends the session to all servers", async ({ mock, page }) => {
    await mock.use("empty");
    expect(await (await page.goto("/echo"))?.json()).toMatchObject({ "mockpets-session": mock.session, "x-own": "kept" });
    expect(await load(page, PETS, "mockpets")).toEqual([]);
    const third = await page.goto(`${THIRD_URL}/echo`);
    expect(await third?.json()).toMatchObject({ "mockpets-session": mock.session });
  });
});

test.describe("sessionIn: key", () => {
  test.use({ sessionIn: "key" });

  test("changes no request, and mock.key selects the session", async ({ mock, page }) => {
    await mock.use("empty");
    expect(await (await page.goto("/echo"))?.json()).not.toHaveProperty("mockpets-session");
    expect(await load(page, PETS, mock.key)).toEqual([]);
    expect(mock.key).toBe(`mockpets~${mock.session}`);
  });
});

test("routes of the test see the requests too", async ({ mock, page, context }) => {
  const seen: string[] = [];
  await context.route("**/v1/**", (route) => (seen.push("context"), route.fallback()));
  await page.route("**/v1/**", (route) => (seen.push("page"), route.fallback()));
  await mock.use("empty");
  await page.goto("/");
  expect(await load(page, PETS, "mockpets")).toEqual([]);
  expect(seen).toEqual(["page", "context"]);
  await page.route("**/v1/**", (route) => route.fulfill({ json: ["own"] }));
  expect(await load(page, PETS, "mockpets")).toEqual(["own"]);
});

test("a context of the test sends the session with attachSession", async ({ mock, browser }) => {
  await mock.use("empty");
  const context = await browser.newContext();
  await attachSession(context, mock, [APP_URL]);
  const page = await context.newPage();
  expect(await (await page.goto(`${APP_URL}/echo`))?.json()).toMatchObject({ "mockpets-session": mock.session });
  expect(await load(page, PETS)).toMatchObject({ status: 401 });
  expect(await mock.requests({ note: "key_missing" })).toHaveLength(1);
  await context.close();
  await expect(attachSession(context, mock, ["nowhere"])).rejects.toThrow("not a valid origin: 'nowhere'");
});

test("the fixture request sends the session and the configured headers", async ({ mock, request }) => {
  await mock.use("empty");
  const response = await request.get(PETS, { headers: { Authorization: "Bearer mockpets" } });
  expect(await response.json()).toEqual([]);
  expect(await (await request.get("/echo")).json()).toMatchObject({ "mockpets-session": mock.session, "x-own": "kept" });
});

test("toHaveReceived waits", async ({ mock, page }) => {
  await page.goto("/");
  await page.evaluate((url) => void setTimeout(() => fetch(url), 300), PETS);
  await expect(mock).toHaveReceived({ operation: "listPets" });
  await expect(mock).toHaveReceived({ operation: "listPets", outcome: "sent" }, 1);
  await expect(mock).not.toHaveReceived({ operation: "createPet" });
  await expect(mock).toHaveReceived({ operation: "createPet" }, 0);
  await expect(mock).toHaveReceived({}, { at_least: 1, at_most: 1 });
});

test.describe("retries", () => {
  test.describe.configure({ retries: 1 });
  test("start with a new session", async ({ mock }, { retry }) => {
    expect(await mock.pets.all()).toHaveLength(16);
    await mock.pets.set(3);
    expect(retry).toBe(1);
  });
});
