// @vitest-environment jsdom

// In jsdom, axios and other libraries use XMLHttpRequest.

import { describe, expect, test, vi } from "vitest";
import { useMockpets } from "./mockpets/vitest";

const { MOCKPETS_URL = "", THIRD_URL = "" } = process.env;

/** Send a request as axios does; return its status and body. */
function send(url: string, headers: Record<string, string> = {}): Promise<{ status: number; body: any }> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("GET", url);
    for (const [name, value] of Object.entries({ Authorization: "Bearer mockpets", ...headers })) {
      request.setRequestHeader(name, value);
    }
    request.onload = () => resolve({ status: request.status, body: JSON.parse(request.responseText) });
    request.onerror = () => reject(new Error("network error"));
    request.send();
  });
}

describe("with a session", () => {
  const mock = useMockpets("empty");

  test("XMLHttpRequest sends the session", async () => {
    expect(document.title).toBe("");
    expect(await send(`${MOCKPETS_URL}/v1/pets`)).toEqual({ status: 200, body: [] });
    await mock.verify({ operation: "listPets" }, 1);
  });

  test("a request to another origin does not send the session", async () => {
    const { body } = await send(`${THIRD_URL}/echo`, { "X-Own": "kept" });
    expect(body["x-own"]).toBe("kept");
    expect(Object.keys(body).join()).not.toContain("mockpets");
  });

  test("a test may use fake timers", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
    const response = await fetch(`${MOCKPETS_URL}/v1/pets`, { headers: { Authorization: "Bearer mockpets" } });
    expect(await response.json()).toEqual([]);
    await mock.verify({ operation: "listPets" }, 1);
  });

  test("the test after it works too", async () => {
    vi.useRealTimers();
    expect(await mock.requests()).toEqual([]);
  });
});

test("outside of a block, nothing changes", async () => {
  const { status, body } = await send(`${MOCKPETS_URL}/v1/pets`);
  expect([status, body.code]).toEqual([422, "session_required"]);
});
