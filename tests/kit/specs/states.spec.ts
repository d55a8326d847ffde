// Tests of `states()` without a page. The titles of those that fail or are skipped say so.

import { expect, states, test } from "./mockpets/playwright";

const [empty] = states({ only: ["empty"] });
const [missing] = states({ only: ["missing"] });
const [fresh] = states({ only: ["fresh-cat" as "empty"] });
const [failing] = states({ only: ["listPets:503"] });
const [unknown] = states({ only: ["listPet:503" as "listPets:503"] });
const headers = { Authorization: "Bearer mockpets" };

test("names and descriptions are those of the scenarios", () => {
  expect(empty).toMatchObject({ name: "empty", description: "No pets, so the list is empty." });
  expect(states().slice(0, 3).map(({ name }) => name)).toEqual(["empty", "no-status", "sold-out"]); // grouped
  expect(states().length).toBeGreaterThan(25);
  expect(states({ exclude: ["empty"] })).toHaveLength(states().length - 1);
  expect(states({ only: ["empty", "slow"], exclude: ["slow"] })).toEqual([empty]);
});

test("unknown names and options are errors", () => {
  expect(() => states({ only: ["emtpy" as "empty"] })).toThrow("unknown scenario 'emtpy'; did you mean 'empty'?");
  expect(() => states({ exclude: ["serverError" as "empty"] })).toThrow("did you mean 'server-error'?");
  expect(() => states({ only: ["x".repeat(30) as "empty"] })).toThrow("write the kit again with 'mockpets kit'");
  expect(() => states({ skip: ["empty"] } as {})).toThrow("unknown option 'skip' of states(); use 'only' or 'exclude'");
});

test("reached", missing!.details, async ({ mock, request }) => {
  expect((await request.get(`${mock.baseUrl}/pets/1`, { headers })).status()).toBe(404);
});

test("reached by a list of the scenario's pets", empty!.details, async ({ mock, request }) => {
  expect(await (await request.get(`${mock.baseUrl}/pets`, { headers })).json()).toEqual([]);
});

test("reached: an expression", failing!.details, async ({ mock, request }) => {
  expect((await request.get(`${mock.baseUrl}/pets`, { headers })).status()).toBe(503);
});

test("skipped: an expression that took no part", failing!.details, async ({ mock, request }) => {
  await request.get(`${mock.baseUrl}/pets/1`, { headers });
});

test("failed: an expression that the server does not have", unknown!.details, async ({ mock }) => void mock);

test("skipped: stubs that took no part", missing!.details, async ({ mock, request }) => {
  await request.get(`${mock.baseUrl}/pets`, { headers });
});

test("skipped: pets that nobody lists", empty!.details, async ({ mock, request }) => {
  const data = { name: "Miso", categoryId: 2 };
  expect((await request.post(`${mock.baseUrl}/pets`, { headers, data })).status()).toBe(201);
});

test("skipped: pets that were listed in another state", empty!.details, async ({ mock, request }) => {
  await mock.use("default");
  await request.get(`${mock.baseUrl}/pets`, { headers });
});

test("skipped by itself", missing!.details, async ({ mock }) => {
  test.skip(mock.session !== "", "its own reason");
});

test("failed: a state that is not reached", missing!.details, async ({ mock }) => {
  expect(mock.session).toBe("another");
});

test("an expected failure stays one", missing!.details, async ({ mock }) => {
  test.fail();
  expect(mock.session).toBe("another");
});

test("the test may delete the session", missing!.details, async ({ mock }) => {
  await mock.drop();
});

test("failed: a scenario that the server does not have", fresh!.details, async ({ mock }) => void mock);

test.describe("with scenarios of its own", () => {
  test.use({ mockContents: { scenario: "slow" } });
  test("failed: two sources of scenarios", missing!.details, async ({ mock }) => void mock);
});

test.describe("with pets", () => {
  test.use({ mockContents: { data: { pets: 3 }, seed: 7 } });
  test("data and seed are those of the options", missing!.details, async ({ mock, request }) => {
    expect(await mock.pets.all()).toHaveLength(3);
    await request.get(`${mock.baseUrl}/pets/1`, { headers });
  });
});
