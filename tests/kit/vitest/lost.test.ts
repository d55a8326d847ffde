// In the first two tests, another session of the same name replaces that of the test, as after a restart.

import { expect, test } from "vitest";
import { Mockpets, useMockpets } from "./mockpets/vitest";
import { listPets } from "./app";

const mock = useMockpets("empty");

async function lose() {
  const other = new Mockpets({ session: mock.session });
  await other.drop();
  await other.make();
}

test("compares pets", async () => {
  await lose();
  expect(await listPets()).toEqual([]);
});

test("does nothing more", async () => {
  await mock.verify({}, 0);
  await lose();
});

test("starts later", async () => {
  expect(await listPets()).toEqual([]);
});
