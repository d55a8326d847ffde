// Each test fails, in its own way.

import { expect, test, webServer } from "./mockpets/playwright";

const PETS = `${process.env.MOCKPETS_URL}/v1/pets`;

test("a verification", async ({ mock, request }) => {
  await request.get(`${PETS}?limit=3`, { headers: { Authorization: "Bearer secret" } });
  await expect(mock).toHaveReceived({ operation: "listPets", query: { limit: 4 } }, 1, { within: 1 });
});

test("a page that drops the session", async ({ mock, page }) => {
  await page.route("**/*", (route) => route.continue()); // `fallback()` keeps the session
  const status = (url: string) => fetch(url, { headers: { Authorization: "Bearer mockpets" } }).then((response) => response.status);
  await page.goto(process.env.APP_URL!);
  expect(await page.evaluate(status, `${PETS}?limit=3`)).toBe(422);
  await expect(mock).toHaveReceived({ operation: "listPets" }, 1, { within: 1 });
});

test("a negated verification", async ({ mock, request }) => {
  await request.get(PETS);
  await expect(mock).not.toHaveReceived({ operation: "listPets" });
});

test.describe("servers", () => {
  test("a port in the options of the server", () => {
    webServer({ args: "--log=quiet --port=7400" });
  });
});

test("an invalid match", async ({ mock }) => {
  await expect(mock).not.toHaveReceived({ opration: "listPets" } as {});
});

test("something else than the fixture", async ({ page }) => {
  await expect(page as any).toHaveReceived({});
});

test("an unknown scenario", async ({ mock }) => {
  await mock.use("emtpy" as "empty");
});

test("an assertion without requests", () => {
  expect(1).toBe(2);
});

test("a route that continues", async ({ mock, page }) => {
  await page.route("**/v1/pets", (route) => route.continue());
  await page.goto(`${mock.url}/v1/pets`);
  expect(1).toBe(2);
});

test("an assertion", async ({ mock }) => {
  await mock.use("empty");
  expect(await mock.pets.all()).toHaveLength(1);
});

test.describe("an option", () => {
  test.use({ sessionIn: "cookie" as "key" });
  test("an unknown sessionIn", ({ page }) => void page);
});

test.describe("a server", () => {
  test.use({ mockUrl: "http://localhost:1" });
  test("a server that is not there", ({ mock }) => void mock);
});
