// Races that take 20 seconds, each with a message that `test_interleavings.py` expects.

import { interleavings, test } from "./mockpets/playwright";

test.beforeEach(() => test.fail());

interleavings("the page polls", async ({ page, race }) => {
  await page.goto("/");
  await race(() =>
    page.evaluate(() => {
      const url = `${(globalThis as unknown as { API: string }).API}/pets?poll`;
      setInterval(() => fetch(url).catch(() => {}), 30);
    }),
  );
});

interleavings("the actions never end", ({ page, race }) => race(() => page.waitForEvent("popup", { timeout: 0 })));

interleavings("the server never responds", async ({ page, mock, race }) => {
  await page.goto("/");
  await mock.use({ stubs: [{ match: { operation: "listPets" }, hold: "forever" }] });
  await race(() => page.evaluate(() => void fetch(`${(globalThis as unknown as { API: string }).API}/pets`, { headers: { Authorization: "Bearer mockpets" } })));
});
