// Run sessions from creation to deletion with the JavaScript client: `node life.mjs LIVES`, with MOCKPETS_URL.
// Prints the milliseconds of each life as JSON.

import { Mockpets } from "./mockpets/client.js";

const USES = 5;
const milliseconds = [];
for (let number = 0; number < Number(process.argv[2]); number += 1) {
  const start = performance.now();
  const mock = new Mockpets({ session: `life-${number}` });
  await mock.make({ scenario: "empty" });
  for (let use = 0; use < USES; use += 1) {
    const response = await fetch(`${mock.baseUrl}/pets`, { headers: { Authorization: "Bearer mockpets" } });
    await response.text();
  }
  await mock.verify({ operation: "listPets" }, USES);
  await mock.drop();
  milliseconds.push(performance.now() - start);
}
console.log(JSON.stringify(milliseconds));
