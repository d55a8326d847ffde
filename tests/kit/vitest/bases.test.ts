// The contracts that `startServer` in test_bases.py serves: notes.yaml at /api/v2, and the pet store.

import { expect, test } from "vitest";
import { useMockpets } from "mockpets/vitest";

const mock = useMockpets("empty");
const { baseUrl, bases, rootUrl, url } = mock; // before the first call
const headers = { Authorization: "Bearer mockpets" };
const load = async (from: string) => (await fetch(from, { headers })).json();

test("the base URL is known before the first call", async () => {
  expect([bases, baseUrl]).toEqual([["/api/v2", "/v1"], `${rootUrl}/api/v2`]);
  await mock.state();
  expect([mock.bases, mock.baseUrl, mock.rootUrl]).toEqual([bases, baseUrl, rootUrl]);
  expect(await load(`${baseUrl}/notes`)).toEqual([]);
});

test("the requests to each contract have the session", async () => {
  for (const path of ["/api/v2/notes", "/v1/pets"]) expect(await load(url + path)).toEqual([]);
  expect((await mock.requests()).map(({ path }) => path)).toEqual(["/api/v2/notes", "/v1/pets"]);
});
