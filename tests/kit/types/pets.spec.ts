// What users write in Playwright tests. It must compile, and is never run.

import { mergeTests, test as base } from "@playwright/test";
import { attachSession, expect, interleavings, Mockpets, MockpetsError, states, test } from "mockpets/playwright";
import type { MockpetsFixtures, MockpetsOptions, Scenario, SessionIn } from "mockpets/playwright";

test("shows an error, and tries again", async ({ page, mock, request }) => {
  await mock.use("retry");
  await page.goto("/");
  await expect(page.getByRole("alert")).toBeVisible();
  await expect(mock).toHaveReceived({ operation: "listPets" });
  await expect(mock).toHaveReceived({ operation: "listPets", query: { status: "sold" } }, 2, { within: 3_000 });
  await expect(mock).toHaveReceived({}, { at_least: 1, at_most: 3 });
  await expect(mock, "no pet was created").not.toHaveReceived({ operation: "createPet" });
  await expect.soft(mock).toHaveReceived({ operation: "getPet", params: { petId: 3 } }, 0);
  await expect(await request.get(`${mock.baseUrl}/pets`)).toBeOK();
  expect(await mock.pets.all()).toHaveLength(3);
  expect(mock).toBeInstanceOf(Mockpets);
  await expect(mock.use("empty")).rejects.toThrow(MockpetsError);
});

test("uses two contexts", async ({ browser, mock }) => {
  const context = await browser.newContext();
  await attachSession(context, mock);
  await attachSession(context, mock, ["http://localhost:5173"]);
  await context.close();
});

test.describe("with contents", () => {
  test.use({ mockContents: { scenario: ["empty", "slow"], seed: 7, data: { pets: 3 } } });
  // @ts-expect-error the scenario is misspelt
  test.use({ mockContents: { scenario: "emtpy" } });
  // @ts-expect-error the property of a pet is misspelt
  test.use({ mockContents: { data: { pets: [{ id: 1, nmae: "Miso", categoryId: 2 }] } } });
  // @ts-expect-error pets are data
  test.use({ mockContents: { pets: 3 } });
});

test.describe("with the session in the key", () => {
  const sessionIn: SessionIn = "key";
  test.use({ sessionIn, mockUrl: process.env.MOCKPETS_URL, mockKey: "secret", mockOrigins: [] });
  test.use({ baseURL: "http://localhost:5173", locale: "de-DE" });

  test("uses the key", async ({ page, mock }) => {
    await page.addInitScript((key) => Object.assign(window, { PETS_KEY: key }), mock.key);
  });
});

// Fixtures of one's own

const empty: Scenario = { description: "No pets.", data: { pets: [] } };

export const withPets = test.extend<{ shop: Mockpets }>({
  shop: async ({ mock }, use) => {
    await mock.use(empty);
    await use(mock);
  },
});

withPets("has a shop", async ({ shop, page }) => {
  await page.goto("/");
  await expect(shop).toHaveReceived({ operation: "listPets" });
});

const merged = mergeTests(test, base.extend<{ user: string }>({ user: "Mia" }));

merged("has both", async ({ mock, user }) => {
  await mock.pets.set([{ id: 1, name: user, categoryId: 2 }]);
});

type Fixtures = Pick<MockpetsFixtures, "mock"> & MockpetsOptions;

export async function helper({ mock, sessionIn }: Fixtures): Promise<void> {
  if (sessionIn !== "key") await expect(mock).toHaveReceived({ operation: "listPets" });
}

// One test for each scenario

for (const state of states({ only: ["empty"], exclude: ["slow"] })) {
  test(`smoke: ${state.name}`, { ...state.details, tag: "@smoke" }, async ({ page }) => {
    await page.goto(`/?title=${state.description}`);
  });
}
for (const { name } of states({ only: ["empty", "listPets:500", "all:3s"] })) {
  test(`uses ${name}`, async ({ mock }) => mock.use(name));
}
// @ts-expect-error the scenario is misspelt
states({ only: ["emtpy"] });
// @ts-expect-error the operation is misspelt
states({ only: ["listPet:500"] });
// @ts-expect-error an expression is not among the scenarios
states({ exclude: ["listPets:500"] });
// @ts-expect-error there is no such option
states({ skip: ["empty"] });

interleavings(
  "the last filter wins",
  async ({ page, context, mock, request, race }) => {
    await mock.use("empty");
    await race(async () => {
      await page.click("text=Sold");
    });
    await race(() => page.click("text=Sold"));
    await expect(await request.get(mock.baseUrl)).toBeOK();
    expect(context.pages()).toEqual([page]);
    // @ts-expect-error a race has actions
    await race();
  },
  { atLeast: 1, fail: 503, ignore: ["/v1/poll", /x/], lose: true, orders: 10, quiet: 100, seed: 2 },
);
// @ts-expect-error the option is misspelt
interleavings("a", async () => {}, { quit: 50 });
// @ts-expect-error a body is needed
interleavings("a");
