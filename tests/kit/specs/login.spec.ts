// Tests whose app is logged in as a user. The app keeps its token in localStorage, at /json in JSON, or at /cookie in the
// cookie of the log-in, and shows who the user is.

import { expect, interleavings, test } from "./mockpets/playwright";

const clinic = { contract: "clinic" };
const staff = { contract: "members" };
const KIM = { email: "kim@example.com" };

test("nobody is logged in by default", async ({ page }) => {
  for (const path of ["/", "/json", "/cookie"]) {
    await page.goto(path);
    await expect(page.locator("p")).toHaveText("Log in");
  }
});

test.describe("a user of the contents", () => {
  const members = [{ email: "ann@example.com" }, { ...KIM, name: "Kim" }];
  test.use({ mockContents: { data: { "clinic.members": members, "members.members": members.map(({ email }) => ({ email })) } } });

  test.describe("with the token in localStorage", () => {
    test.use({
      storageState: async ({ mock, baseURL }, use) => {
        const login = await mock.as({ name: "Kim" }, clinic);
        await use(login.storageState({ origin: baseURL, localStorage: { jwt: login.token } }));
      },
    });
    test("a token in localStorage", async ({ page, mock }) => {
      await page.goto("/");
      await expect(page.locator("p")).toHaveText(KIM.email);
      await expect(mock).toHaveReceived({ operation: "getMe" }, 1);
    });
    test("other origins do not get the token", async ({ context, baseURL }) => {
      const { origins } = await context.storageState();
      expect(origins.map(({ origin }) => origin)).toEqual([baseURL]);
    });
    interleavings("each order is the user's", async ({ page, race }) => {
      await race(async () => {
        await page.goto("/twice");
        await expect(page.locator("p")).toHaveText(`${KIM.email} ${KIM.email}`);
      });
    });
  });

  test.describe("with the token and the user in JSON", () => {
    test.use({
      storageState: async ({ mock, baseURL }, use) => {
        const { token, user, storageState } = await mock.as(KIM, clinic);
        await use(storageState({ origin: baseURL, localStorage: { session: { token, user } } }));
      },
    });
    test("a token and the user in JSON", async ({ page }) => {
      await page.goto("/json");
      await expect(page.locator("p")).toHaveText(`Kim ${KIM.email}`);
    });
  });

  test.describe("with the cookie of the log-in", () => {
    test.use({ storageState: async ({ mock }, use) => use((await mock.as(KIM, staff)).storageState()) });
    test("the cookie of the log-in", async ({ page }) => {
      await page.goto("/cookie");
      await expect(page.locator("p")).toHaveText(KIM.email);
    });
  });
});

test.describe("a user whom a hook adds", () => {
  test.beforeEach(async ({ mock }) => {
    await mock.data("clinic.members").add({ ...KIM, name: "Kim" });
  });
  test("logs in in the test", async ({ mock, browser, baseURL, request }) => {
    const { headers, token, storageState } = await mock.as(KIM, clinic);
    expect(await (await request.get(`${mock.rootUrl}/api/me`, { headers })).json()).toMatchObject(KIM);
    const context = await browser.newContext({ storageState: storageState({ origin: baseURL, localStorage: { jwt: token } }) });
    expect((await context.storageState()).origins).toHaveLength(1);
    await context.close();
  });
});

test.describe("a user who does not exist", () => {
  test.use({
    storageState: async ({ mock, baseURL }, use) => {
      const login = await mock.as({ name: "Kimm" }, clinic);
      await use(login.storageState({ origin: baseURL, localStorage: { jwt: login.token } }));
    },
  });
  test("fails the test", async ({ page }) => {
    await page.goto("/");
  });
});
