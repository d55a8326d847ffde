// The first two tests restart the server.

import { expect, test } from "vitest";
import { useMockpets } from "./mockpets/vitest";
import { listPets } from "./app";

const mock = useMockpets("empty");
const restart = () => fetch(process.env.RESTART_URL!);

test("compares pets", async () => {
  await restart();
  expect(await listPets()).toEqual([]);
});

test("does nothing more", async () => {
  await mock.verify({}, 0);
  await restart();
});

test("starts later", async () => {
  expect(await listPets()).toEqual([]);
});
