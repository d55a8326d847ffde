// Several copies of this file run at the same time, on one server.

import { describe, expect, test } from "vitest";
import { Mockpets, useMockpets } from "./mockpets/vitest";
import { listPets } from "./app";

const mock = useMockpets("empty");
const { baseUrl } = mock;
const { MOCKPETS_URL = "" } = process.env;
const headers = { Authorization: "Bearer mockpets" };
const names = async () => (await listPets()).map(({ name }: { name: string }) => name);

test("a pet that is added is in the list", async () => {
  const body = JSON.stringify({ name: "Miso", categoryId: 2 });
  const init = { method: "POST", headers: { ...headers, "Content-Type": "application/json" }, body };
  expect((await fetch(`${MOCKPETS_URL}/v1/pets`, init)).status).toBe(201);
  expect(await names()).toEqual(["Miso"]);
  await mock.use({ description: "Waits.", stubs: [{ hold: "list", match: { operation: "listPets" } }] });
  held = listPets();
  await mock.gate("list").held();
});

let held: Promise<unknown>;

test("the next test starts with nothing of it", async () => {
  await held; // its response was released
  expect(await names()).toEqual([]);
  expect(await mock.requests()).toHaveLength(1);
  expect(mock.baseUrl).toBe(baseUrl);
});

describe("a block with another scenario", () => {
  const inner = useMockpets("sold-out", { data: { pets: [{ id: 7, name: "Rex", categoryId: 1, status: "sold" }] } });

  test("has its own session", async () => {
    expect(inner.session).not.toBe(mock.session);
    expect(await names()).toHaveLength(12); // the scenario's pets
    await inner.use("default");
    expect(await names()).toEqual(["Rex"]);
    await mock.verify({ operation: "listPets" }, 0);
    await inner.verify({ operation: "listPets" }, 2);
  });
});

test("after the block, the first session is active again", async () => {
  expect(await names()).toEqual([]);
  await mock.verify({ operation: "listPets" }, 1);
});

test("a request to another name of the loopback sends the session", async () => {
  const url = MOCKPETS_URL.replace("localhost", "127.0.0.1");
  expect(await (await fetch(new URL(`${url}/v1/pets`), { headers })).json()).toEqual([]);
  const request = new Request(`${url}/v1/pets`, { method: "POST", headers, body: '{"name": "Miso", "categoryId": 2}' });
  expect((await fetch(request)).status).not.toBe(422);
  await mock.verify({}, 2);
});

test("a request that names another session keeps it", async () => {
  const other = new Mockpets({ session: Mockpets.slug("other", mock.session) });
  await other.make({ scenario: "sold-out" });
  const named = [
    fetch(`${other.baseUrl}/pets`, { headers }),
    fetch(`${MOCKPETS_URL}/v1/pets`, { headers: { ...headers, ...other.headers } }),
    fetch(new Request(`${MOCKPETS_URL}/v1/pets`, { headers: { ...headers, ...other.headers } })),
    fetch(`${MOCKPETS_URL}/v1/pets`, { headers: { ...headers, baggage: `a=1, ${other.baggage}` } }),
    fetch(`${MOCKPETS_URL}/v1/pets`, { headers: { Authorization: `Bearer ${other.key}` } }),
  ];
  for (const response of await Promise.all(named)) expect(await response.json()).toHaveLength(12);
  await other.verify({ operation: "listPets" }, named.length);
  await mock.verify({ operation: "listPets" }, 0);
  await other.drop();
});

test("a request to another origin does not send the session", async () => {
  const sent = await (await fetch(`${process.env.THIRD_URL}/echo`, { headers: { "X-Own": "kept" } })).json();
  expect(sent["x-own"]).toBe("kept");
  expect(Object.keys(sent).join()).not.toContain("mockpets");
});

test("a test may delete its session", async () => {
  await mock.drop();
});

let attempts = 0;
test("a retry starts with nothing of the attempt before", { retry: 1 }, async () => {
  expect(await names()).toEqual([]);
  expect(await mock.requests()).toHaveLength(1);
  expect(++attempts).toBe(2);
});

test.fails("a test that is expected to fail", () => {
  expect(1).toBe(2);
});
