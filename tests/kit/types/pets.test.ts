// What users write in Vitest tests. It must compile, and is never run.

import { describe, expect, test } from "vitest";
import { Mockpets, states, useMockpets } from "mockpets/vitest";
import type { MockpetsOptions, Scenario } from "mockpets/vitest";

const mock = useMockpets("empty");

test("lists the pets", async () => {
  await mock.pets.set([{ id: 1, name: "Miso", categoryId: 2 }]);
  const response = await fetch(`${mock.baseUrl}/pets`, { headers: mock.headers });
  expect(await response.json()).toHaveLength(1);
  await mock.verify({ operation: "listPets" }, 1);
  expect(mock).toBeInstanceOf(Mockpets);
});

describe("with other arguments", () => {
  const waiting: Scenario = { description: "Waits.", stubs: [{ match: { operation: "listPets" }, hold: "list" }] };
  const options: MockpetsOptions = { url: "http://localhost:7400", key: "secret", seed: 3, data: { pets: 5 } };
  useMockpets();
  useMockpets(["slow", waiting], options);
  useMockpets(undefined, { url: process.env.MOCKPETS_URL, data: { pets: [{ id: 1, name: "Miso", categoryId: 2 }] } });
});

describe.each(states())("$name", (state) => {
  useMockpets(state, { data: { pets: 3 } });
  // @ts-expect-error the state has the scenario
  useMockpets(state, { scenario: "slow" });
});
