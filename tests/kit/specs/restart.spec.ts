// The first four tests wait for each other; then the server is killed and started again.

import { expect, test } from "./mockpets/playwright";

const headers = { Authorization: "Bearer mockpets" };
const restarted = async () => expect((await fetch(process.env.RESTART_URL!)).status).toBe(200);

test("does nothing more", async ({ mock }) => {
  await mock.use("empty");
  await restarted();
});

test("compares pets", async ({ mock }) => {
  await mock.use("empty");
  await restarted();
  expect(await mock.pets()).toEqual([]);
});

test("expects no request", async ({ mock, request }) => {
  await request.get(`${mock.url}/v1/pets`, { headers });
  await restarted();
  await expect(mock).toHaveReceived({ operation: "createPet" }, 0);
});

test("has a page that goes on", async ({ mock, page }) => {
  await mock.use("sold-out");
  await page.goto(`${mock.url}/__mockpets/docs`);
  await restarted();
  const pets = await page.evaluate(async (headers) => (await fetch("/v1/pets", { headers })).json(), headers);
  expect(pets).toHaveLength(12);
});

test("starts later", async ({ mock, request }) => {
  await mock.use("empty");
  expect(await (await request.get(`${mock.url}/v1/pets`, { headers })).json()).toEqual([]);
});
