// One session for each Playwright test; LIVES is their number.

import { expect, test } from "./mockpets/playwright";

const USES = 5;
test.use({ mockContents: { scenario: "empty" } });

for (let number = 0; number < Number(process.env.LIVES); number += 1) {
  test(`life ${number}`, async ({ mock, request }) => {
    for (let use = 0; use < USES; use += 1) {
      const response = await request.get(`${mock.baseUrl}/pets`, { headers: { Authorization: "Bearer mockpets" } });
      await response.text();
    }
    await expect(mock).toHaveReceived({ operation: "listPets" }, USES);
  });
}
