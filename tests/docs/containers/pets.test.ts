import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startMockpets } from "./container.js";
import { Mockpets } from "./mockpets/client.js";

let server: Awaited<ReturnType<typeof startMockpets>>;
before(async () => {
  server = await startMockpets();
});
after(() => server.stop());

test("an empty store has no pets", async ({ name }) => {
  const mock = server.client(Mockpets.slug(name));
  await mock.make({ scenario: "empty" });
  const response = await fetch(`${mock.baseUrl}/pets`, { headers: { Authorization: "Bearer mockpets" } });
  assert.deepEqual(await response.json(), []);
  await mock.verify({ operation: "listPets" }, 1);
  await mock.drop();
});
