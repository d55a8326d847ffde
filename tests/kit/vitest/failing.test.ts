import { describe, expect, test } from "vitest";
import { useMockpets } from "./mockpets/vitest";
import { listPets } from "./app";

test("outside of a block, nothing changes", async () => {
  expect((await listPets()).code).toBe("session_required");
});

describe("with a session", () => {
  const mock = useMockpets();

  test("a verification", async () => {
    await fetch(`${process.env.MOCKPETS_URL}/v1/pets?limit=3`, { headers: { Authorization: "Bearer secret" } });
    await mock.verify({ query: { limit: "4" } });
  });

  test("an assertion without requests", () => {
    expect(1).toBe(2);
  });

  test.concurrent("a concurrent test", () => {});

  test("an unknown scenario", async () => {
    await mock.use("emtpy" as "empty");
  });
});

describe("invalid arguments", () => {
  describe("a scenario", () => {
    useMockpets("emtpy" as "empty");
    test("an unknown scenario of a block", () => {});
  });

  describe("an option", () => {
    useMockpets("empty", { sed: 3 } as object);
    test("an unknown option", () => {});
  });

  describe("a server", () => {
    useMockpets("empty", { url: "http://localhost:1" });
    test("a server that is not there", () => {});
  });
});

test("a call in a test", () => {
  useMockpets();
});
