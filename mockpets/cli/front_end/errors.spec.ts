// Written by 'mockpets init', and yours to change; agents: mockpets skill
import type { Page } from "@playwright/test";
import { expect, test } from "{{module}}";

const REJECTED = {{operation}};
/** What your page loads first, guessed from the contract: see 'mockpets contract'. */
const LIST = {{list}};
/** How it fails: a status that the contract has, or a word such as offline. */
const FAILS = `${LIST}:{{error}}` as const;

test(`${REJECTED} responds with {{status}}`, async ({ mock, request }) => {
  await mock.use("{{scenario}}");
  const url = `${mock.baseUrl}{{path}}`;
  const response = await request.fetch(url, {
    method: "{{method}}",
    headers: {{headers}},
  });
  expect(response.status()).toBe({{status}});
  await expect(mock).toHaveReceived({ operation: REJECTED }, 1);
});

test.describe("the page", () => {
  test.skip(
    ({ baseURL }) => !baseURL,
    "set use.baseURL to the URL of your app",
  );

  // It passes if the page shows any text that it does not show without the error. To test your own
  // message, replace the end by: await expect(page.getByText("...")).toBeVisible();
  test(`says that ${LIST} fails`, async ({ mock, page }) => {
    test.setTimeout(60_000);
    const alerts: string[] = [];
    page.on("dialog", (dialog) => {
      alerts.push(dialog.message());
      return dialog.accept();
    });

    // A page without requests cannot fail. Delete these lines once yours has some.
    await page.goto("/");
    const sent = await mock.verify({}, 1, { within: 5_000 }).catch(() => []);
    const reason = "no request to the mock{{base_url}}";
    if (sent.length === 0) console.warn(`skipped: ${reason}`);
    test.skip(sent.length === 0, reason);

    // "Loading" and "Nothing here" are no error messages, so collect them first.
    const usual = new Set<string>();
    for (const state of ["default", {{usual}}] as const) {
      await mock.use(state);
      await mock.reset(); // the request log
      await page.goto("/");
      const hint = "name an operation that the page calls as LIST";
      const outcome = state.endsWith(":hold") ? "pending" : "sent";
      await expect(mock, hint).toHaveReceived({ operation: LIST, outcome });
      for (const line of await settled(page)) usual.add(line);
    }

    alerts.length = 0;
    await mock.use(FAILS);
    await page.goto("/");
    const lines = async () => [...alerts, ...(await linesOf(page))];
    await expect
      .poll(async () => (await lines()).filter((line) => !usual.has(line)), {
        message: `the page shows nothing new with ${FAILS}`,
        timeout: 15_000, // some libraries retry for 7 seconds first
      })
      .not.toEqual([]);
  });
});

/** Return the lines of a page's text, with equal digits: counts and times are no messages. */
async function linesOf(page: Page): Promise<string[]> {
  const text = await page.locator("body").innerText();
  const lines = text
    .split("\n")
    .map((line) => line.trim().replace(/\d+/g, "0"));
  // Nor are these, which a page shows that has not handled the error.
  return lines.filter((line) => !/^$|undefined|null|NaN|\[object /.test(line));
}

/** Return the lines once they stay the same for a second. */
async function settled(page: Page): Promise<string[]> {
  let lines: string[] | undefined;
  const isSame = async () => {
    const before = lines;
    lines = await linesOf(page);
    return String(lines) === String(before);
  };
  await expect.poll(isSame, { intervals: [1_000] }).toBe(true);
  return lines ?? [];
}
