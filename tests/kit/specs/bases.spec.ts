// The contract of notes.yaml at any base path, alone or with the pet store; test_bases.py runs a copy of this file
// with each server. The app shows a page at /page, and forwards every other path to mockpets, as a proxy does.

import type { Page } from "@playwright/test";
import { expect, interleavings, states, test } from "./mockpets/playwright";

const KEY = { Authorization: "Bearer mockpets" };
const NOTES = [1, 2].map((id) => ({ id, text: `Note ${id}` }));

/** Return the JSON that the page gets from a URL. */
const load = (page: Page, url: string): Promise<unknown> =>
  page.evaluate(async ([url, headers]) => (await fetch(url, { headers })).json(), [url, KEY] as const);

test("the server sends its base paths", async ({ mock, request }, { project }) => {
  expect(mock.bases).toEqual(project.metadata.bases);
  expect(mock.rootUrl).toBe(`${mock.url}/~${mock.session}`);
  expect(mock.baseUrl).toBe(mock.rootUrl + mock.bases[0]);
  await mock.data("notes").set(NOTES);
  expect(await (await request.get(`${mock.baseUrl}/notes`)).json()).toEqual(NOTES);
});

const ofPets = states({ only: ["sold-out"] });
for (const { details } of ofPets) test("in a state of the pet store", details, ({ mock }) => expect(mock.bases).toContain("/v1"));

test("the requests of the page to each contract have the session, also through the app", async ({ mock, page }) => {
  const [base, ...others] = mock.bases;
  await mock.data("notes").set(NOTES);
  await page.goto("/page");
  for (const origin of [mock.url, ""]) {
    expect(await load(page, `${origin}${base}/notes`)).toEqual(NOTES);
    for (const other of others) expect(await load(page, `${origin}${other}/pets`)).toHaveLength(16);
  }
  await expect(mock).toHaveReceived({ operation: "listNotes" }, 2);
  if (others.length) await expect(mock).toHaveReceived({ operation: "listPets" }, 2);
});

test("a path that ends like a file has the session at a base path, and at the root if it is not the app's", async ({ mock, page }) => {
  await page.goto("/page");
  for (const origin of mock.bases[0] ? [mock.url, ""] : [mock.url]) {
    expect(await load(page, `${origin}${mock.bases[0]}/covers/1.png`)).toEqual({ width: 300 });
  }
});

interleavings("only requests to a contract compete", async ({ mock, page, race }) => {
  const [base, other] = mock.bases;
  const calls = [`${mock.url}${base}/notes/1`, other === undefined ? `${base}/notes/2` : `${other}/pets/1`];
  const beside = ["/__mockpets/health", `${mock.url}/__mockpets/health`, ...(base ? ["/elsewhere", `${mock.url}/elsewhere`] : [])];
  await mock.data("notes").set(NOTES);
  await page.goto("/page");
  await race(() =>
    page.evaluate(
      ({ calls, beside, headers }) => {
        const shown = document.body.appendChild(document.createElement("ol"));
        for (const url of beside) void fetch(url, { headers });
        new Image().src = "/logo.png";
        for (const url of calls) void fetch(url, { headers }).then(({ ok }) => shown.append(`${ok} ${url} `));
      },
      { calls, beside, headers: KEY },
    ),
  );
  for (const url of calls) await expect(page.locator("ol")).toContainText(`true ${url}`);
});

interleavings("without competitors", async ({ page, race }) => {
  await page.goto("/page");
  await race(async () => {});
});

test("without requests", async ({ mock }) => {
  expect(mock.session).toBe("another");
});
