// One test under several states. Some are skipped, and some fail.

import { afterEach, describe, expect, test } from "vitest";
import { states, useMockpets } from "./mockpets/vitest";
import { listPets } from "./app";

const headers = { Authorization: "Bearer mockpets" };
const ended: string[] = [];

afterEach(({ task }) => {
  ended.push(task.name);
});

describe.each(states({ only: ["empty", "missing"] }))("$name", (state) => {
  useMockpets(state);

  test(`${state.name}: lists pets`, async () => {
    expect(await listPets()).toBeInstanceOf(Array);
  });

  test(`${state.name}: fails`, () => {
    expect(1).toBe(2);
  });
});

const [missing] = states({ only: ["missing"] });

describe("one state", () => {
  const mock = useMockpets(missing);

  test("missing: fetches a pet", async () => {
    expect((await fetch(`${mock.baseUrl}/pets/1`, { headers })).status).toBe(404);
  });
});

describe("another source of scenarios", () => {
  useMockpets(missing, { scenario: "slow" } as {});

  test("missing: has scenarios of its own", () => {});
});

test("all hooks have run after a skipped test", () => {
  expect(ended).toContain("missing: lists pets");
});
