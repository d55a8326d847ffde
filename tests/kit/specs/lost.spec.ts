// Another session of the same name replaces that of the test, as after a restart of the server.

import { Mockpets, expect, test } from "./mockpets/playwright";

const headers = { Authorization: "Bearer mockpets" };

const others: Mockpets[] = [];
test.afterAll(() => Promise.all(others.map((other) => other.drop())));

async function lose({ url, session }: Mockpets) {
  const other = new Mockpets({ url, session });
  others.push(other);
  await other.drop();
  await other.make();
}

test("does nothing more", async ({ mock }) => {
  await mock.use("empty");
  await lose(mock);
});

test("compares pets", async ({ mock }) => {
  await mock.use("empty");
  await lose(mock);
  expect(await mock.pets.all()).toEqual([]);
});

test("expects no request", async ({ mock, request }) => {
  await request.get(`${mock.url}/v1/pets`, { headers });
  await lose(mock);
  await expect(mock).toHaveReceived({ operation: "createPet" }, 0);
});

test("has a page that goes on", async ({ mock, page }) => {
  await mock.use("sold-out");
  await page.goto(`${mock.url}/__mockpets/docs`);
  await lose(mock);
  const pets = await page.evaluate(async (headers) => (await fetch("/v1/pets", { headers })).json(), headers);
  expect(pets).toHaveLength(12);
});
