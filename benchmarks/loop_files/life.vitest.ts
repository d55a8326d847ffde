// One session for each Vitest test; LIVES is their number.

import { test } from "vitest";
import { useMockpets } from "./mockpets/vitest";

const USES = 5;
const mock = useMockpets("empty");

for (let number = 0; number < Number(process.env.LIVES); number += 1) {
  test(`life ${number}`, async () => {
    for (let use = 0; use < USES; use += 1) {
      const response = await fetch(`${mock.baseUrl}/pets`, { headers: { Authorization: "Bearer mockpets" } });
      await response.text();
    }
    await mock.verify({ operation: "listPets" }, USES);
  });
}
