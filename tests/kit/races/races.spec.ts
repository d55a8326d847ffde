// Each component twice: with its race and without. `test_interleavings.py` expects the first to fail.

import type { Page } from "@playwright/test";
import { expect, interleavings, test } from "./mockpets/playwright";
import type { InterleavingsOptions, Mockpets } from "./mockpets/playwright";

interface Race {
  prepare?: (mock: Mockpets) => Promise<void>;
  actions: (page: Page) => Promise<void>;
  check: (page: Page, mock: Mockpets) => Promise<void>;
  options?: InterleavingsOptions;
}

const clicks =
  (...names: string[]) =>
  async (page: Page) => {
    for (const name of names) await page.getByRole("button", { name, exact: true }).click();
  };
let eventually = expect; // with less patience for a race that is found
const shows = (selector: string, text: string) => (page: Page) => eventually(page.locator(selector)).toHaveText(text);
const listsPet = (page: Page) => eventually(page.getByText("Miso")).toBeVisible();
const hasOnePet = async (page: Page, mock: Mockpets) => {
  await eventually(page.locator("p")).not.toBeEmpty();
  expect((await mock.pets.all()).filter(({ name }) => name === "Miso")).toHaveLength(1);
};
const empty = (mock: Mockpets) => mock.pets.set([{ id: 1, name: "Otto", categoryId: 1, status: "available" }]);

const races: Record<string, Race> = {
  "stale-filter": { actions: clicks("Sold", "Available"), check: shows("h2", "Available") },
  "debounced-filter": {
    actions: async (page) => {
      await page.fill("input", "sold");
      await expect(page.locator("p")).toHaveText("searching sold");
      await page.fill("input", "available");
    },
    check: shows("h2", "available"),
    options: { quiet: 250 },
  },
  "double-submit": { actions: (page) => page.dblclick("button"), check: hasOnePet },
  "list-before-create": { prepare: empty, actions: clicks("Add"), check: listsPet },
  "stale-list": { prepare: empty, actions: clicks("Reload", "Add"), check: listsPet },
  "update-after-unmount": { prepare: empty, actions: clicks("Open", "Close"), check: shows("h2", "1 pets") },
  "retry-after-success": { actions: clicks("Add"), check: hasOnePet, options: { lose: true } },
  "optimistic-update": { prepare: empty, actions: clicks("Bad", "Good"), check: shows("li", "Good") },
  "pages-out-of-order": {
    actions: clicks("More", "More", "More"),
    check: (page) => eventually(page.locator("li")).toHaveText(["available", "pending", "sold"]),
  },
  "expiring-login": {
    prepare: (mock) => mock.use({ stubs: [{ after: 1, reply: { error: "unauthorized" } }] }),
    actions: clicks("List", "Add"),
    check: shows("h2", "Log in"),
  },
};

for (const [name, { prepare, actions, check, options }] of Object.entries(races)) {
  for (const variant of ["", "&sound"]) {
    interleavings(
      `${name}${variant}`,
      async ({ page, mock, race }) => {
        test.fail(!variant); // an expected failure needs no new browser
        eventually = variant ? expect : expect.configure({ timeout: 3_000 });
        await prepare?.(mock);
        await page.goto(`/?${name}${variant}`);
        await race(() => actions(page));
        await check(page, mock);
      },
      { atLeast: 1, ...options },
    );
  }
}
