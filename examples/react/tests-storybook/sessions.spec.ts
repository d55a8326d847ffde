import { expect, type Locator, type Page, test } from "@playwright/test";
import { Mockpets } from "../tests/mockpets/client";

async function addPet(place: Locator | Page, name: string) {
  await place.getByLabel("Name").fill(name);
  await place.getByLabel("Category").fill("2");
  await place.getByRole("button", { name: "Add pet" }).click();
  await expect(place.getByRole("link", { name })).toBeVisible();
}

/** Return a client of the session that the page's next list comes from. */
async function nextSession(page: Page): Promise<Mockpets> {
  const response = await page.waitForResponse((response) =>
    response.url().endsWith("/pets?limit=100"),
  );
  const session = response.headers()["mockpets-session"];
  expect(session).not.toBe("default");
  return new Mockpets({ url: response.url().replace(/\/~.*/, ""), session });
}

/** Send an event to Storybook's preview, as its toolbar and its panels do. */
async function emit(page: Page, event: string, details: object) {
  await page.evaluate(
    ({ event, details }) =>
      Reflect.get(window, "__STORYBOOK_ADDONS_CHANNEL__").emit(event, details),
    {
      event,
      details,
    },
  );
}

test("the stories on one Docs page are in different states", async ({
  page,
}) => {
  await page.goto("/iframe.html?id=petspage--docs&viewMode=docs");
  const story = (name: string) => page.locator(`#story--petspage--${name}`);
  await expect(story("pets").getByRole("listitem")).toHaveText([
    "Miso available",
    "Nori sold",
  ]);
  await expect(story("empty")).toContainText("No pets yet");
  await expect(story("loading").getByRole("status")).toHaveText("Loading…");
  await expect(story("busy").getByRole("status")).toContainText(
    "in 60 seconds",
  );
  await expect(story("invalid-response").getByRole("alert")).toContainText(
    "not valid JSON",
  );
});

test("a pet that is added in one story is not in another", async ({ page }) => {
  await page.goto("/iframe.html?id=petspage--docs&viewMode=docs");
  const story = page.locator("#story--petspage--empty");
  const other = page.locator("#story--petspage--pet-added");
  await addPet(story, "Miso");
  await addPet(other, "Nori");
  await expect(other.getByRole("listitem")).toHaveText(["Nori"]);
  await addPet(story, "Rex");
  await expect(story.getByRole("listitem")).toHaveText(["Miso", "Rex"]);
});

test("a story keeps its pets when its args change, and starts again when it is remounted", async ({
  page,
}) => {
  const storyId = "petspage--empty";
  await page.goto(`/iframe.html?id=${storyId}&viewMode=story`);
  await addPet(page, "Miso");
  await emit(page, "updateStoryArgs", {
    storyId,
    updatedArgs: { compact: true },
  });
  await addPet(page, "Nori");
  await expect(page.getByRole("listitem")).toHaveText(["Miso", "Nori"]);
  await emit(page, "forceRemount", { storyId });
  await expect(page.getByText("No pets yet")).toBeVisible();
});

test("the session of a story is deleted when another story is shown, and when the page is loaded again", async ({
  page,
}) => {
  const [left] = await Promise.all([
    nextSession(page),
    page.goto("/?path=/story/petspage--pets"),
  ]);
  const [reloaded] = await Promise.all([
    nextSession(page),
    page.getByRole("link", { name: "Empty" }).last().click(),
  ]);
  const [shown] = await Promise.all([nextSession(page), page.reload()]);
  for (const mock of [left, reloaded]) {
    await expect
      .poll(() => mock.use("empty").catch(({ code }) => code))
      .toBe("unknown_session");
  }
  expect(await shown.pets.all()).toEqual([]);
});

test("a play function adds a pet to its story's session", async ({ page }) => {
  const [mock] = await Promise.all([
    nextSession(page),
    page.goto("/iframe.html?id=petspage--pet-added&viewMode=story"),
  ]);
  await expect(page.getByRole("listitem")).toHaveText(["Miso"]);
  expect(await mock.pets.all()).toEqual([
    { id: 1, name: "Miso", categoryId: 2 },
  ]);
});

test("with sessionIn: header, fetch and XMLHttpRequest send the session, but not to other servers", async ({
  page,
}) => {
  let thirdParty: Record<string, string> = {};
  await page.route("http://third-party.example/", async (route) => {
    thirdParty = route.request().headers();
    await route.fulfill({ headers: { "Access-Control-Allow-Origin": "*" } });
  });
  await page.goto("/iframe.html?id=app--empty&viewMode=story");
  await expect(page.getByText("No pets yet")).toBeVisible();
  const sessions = await page.evaluate(
    async (url) => {
      const header = "Mockpets-Session";
      const headers = { Authorization: "Bearer mockpets" };
      await fetch("http://third-party.example/");
      const responses = [
        await fetch(url, { headers }),
        await fetch(new Request(url, { headers })),
        await fetch(new URL(url)),
      ];
      const request = new XMLHttpRequest();
      request.open("GET", url);
      await new Promise((resolve) => {
        request.onload = resolve;
        request.send();
      });
      return [
        ...responses.map((response) => response.headers.get(header)),
        request.getResponseHeader(header),
      ];
    },
    `${process.env.MOCKPETS_URL ?? "http://localhost:7387"}/v1/pets`,
  );
  expect(sessions).toEqual(Array(4).fill(expect.stringMatching(/^app-empty-/)));
  expect(Object.keys(thirdParty)).not.toContain("mockpets-session");
});

test("an app with a fixed base URL sends the session in a header, on the Docs page from a frame for each story", async ({
  page,
}) => {
  await page.goto("/iframe.html?id=app--empty&viewMode=story");
  await expect(page.getByText("No pets yet")).toBeVisible();
  await page.goto("/iframe.html?id=app--docs&viewMode=docs");
  const frame = (name: string) =>
    page.frameLocator(`#iframe--app--${name}`).last();
  await expect(frame("empty").getByText("No pets yet")).toBeVisible();
  await expect(frame("invalid-key").getByRole("alert")).toContainText(
    "the API key is invalid",
  );
});

test("a story without a server shows what to do", async ({ page }) => {
  await page.route("**/__mockpets/**", (route) => route.abort());
  await page.goto("/iframe.html?id=petspage--empty&viewMode=story");
  await expect(page.locator("#error-message")).toContainText(
    "is mockpets running there?",
  );
});
