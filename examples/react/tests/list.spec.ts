import { expect, test } from "./mockpets/playwright";

test("an empty list says so", async ({ mock, page }) => {
  await mock.use("empty");
  await page.goto("/");
  await expect(page.getByText("No pets yet")).toBeVisible();
});

test("a spinner is visible while the pets are loading", async ({
  mock,
  page,
}) => {
  await mock.use("loading");
  await page.goto("/");
  const gate = mock.gate("loading");
  await gate.held();
  await expect(page.getByRole("status")).toHaveText("Loading…");
  await gate.open();
  await expect(page.getByRole("listitem")).toHaveCount(16);
  await expect(page.getByRole("status")).toBeHidden();
});

test("after a 503 the list is loaded again when Retry-After says so", async ({
  mock,
  page,
}) => {
  await mock.use("brief-outage"); // of this repository, in the folder scenarios
  await page.clock.install({ time: "2030-01-01T09:00" });
  await page.clock.pauseAt("2030-01-01T10:00"); // time passes only when the test says so
  await page.goto("/");
  await expect(page.getByRole("status")).toHaveText(
    "The server is busy. Trying again in 60 seconds.",
  );
  await page.clock.fastForward("00:59");
  await expect(mock).toHaveReceived(
    { operation: "listPets" },
    { at_most: 1 },
    { within: 500 },
  );
  await page.clock.fastForward("00:01");
  await expect(page.getByRole("listitem")).toHaveCount(16);
  await expect(mock).toHaveReceived({ operation: "listPets" }, 2);
});

test("a response that is not valid JSON is reported, and the user can try again", async ({
  mock,
  page,
}) => {
  await mock.use("broken-json");
  await page.goto("/");
  await expect(page.getByRole("alert")).toContainText("not valid JSON");
  await mock.use("default");
  await page.getByRole("button", { name: "Try again" }).click();
  await expect(page.getByRole("listitem")).toHaveCount(16);
});
