// Typos, which the compiler must find.

import { Mockpets, MockpetsError } from "mockpets";
import type { GateName, Scenario } from "mockpets";
import { expect, test, webServer } from "mockpets/playwright";
import { startServer } from "mockpets/server";
import { withSession } from "mockpets/ssr";
import type {} from "mockpets/storybook";
import { useMockpets } from "mockpets/vitest";
import type { Parameters } from "storybook/internal/types";

// @ts-expect-error
const mock = new Mockpets({ sesion: "a" });
// @ts-expect-error
void mock.use("rety");
// @ts-expect-error
void mock.use("empty", "tired-cats");
// @ts-expect-error
void mock.use("listPets:emty");
// @ts-expect-error
void mock.make({ scenario: ["rety"] });
// @ts-expect-error
export const extended: Scenario = { description: "d", extends: ["empty", "rety"] };
// @ts-expect-error
void mock.use({ description: "d", stubs: [{ macth: {}, delay: "1s" }] });
// @ts-expect-error
void mock.verify({ operation: "createPet", body: { name: { contians: "x" } } });
// @ts-expect-error
void mock.verify({ operation: "createPet", body: { status: "solt" } });
// @ts-expect-error
void mock.verify({ operation: "listPet" });
// @ts-expect-error
void mock.pets.add({ name: "Miso" });
// @ts-expect-error
void mock.pets.add({ id: 1, name: "Miso", categoryId: 2 });
// @ts-expect-error
void mock.pets.change(7, { nmae: "x" });
// @ts-expect-error
void mock.pets.change(7, { name: null });
// @ts-expect-error
void mock.pets.set([{ id: 1, nmae: "Miso", categoryId: 2 }]);
// @ts-expect-error
void mock.pets.set({ cuont: 3 });
// @ts-expect-error
void mock.pets.all({ status: "solt" });
// @ts-expect-error
void mock.pets.all({ stauts: "sold" });
// @ts-expect-error
void mock.data("pets").all({ stauts: "sold" });
// @ts-expect-error
void mock.data<{ id: number; petId: number }>("orders").all({ petid: 3 });
// @ts-expect-error
void mock.make({ pets: 3 });
// @ts-expect-error
void mock.make({ data: { pets: [{ id: 1, name: "Miso", categoryId: 2, colour: "red" }] } });
// @ts-expect-error
void mock.make({ data: { "*": [{ id: 1 }] } });
// @ts-expect-error
void mock.use({ description: "d", pets: [] });
// @ts-expect-error
void mock.use({ description: "d", data: { pets: [{ id: 1, name: "Miso" }] } });
// @ts-expect-error
void mock.use({ description: "d", resources: [{ path: "/v1/store/orders", items: [] }] });
// @ts-expect-error
void mock.requests({ note: "key_mising" });
// @ts-expect-error
mock.on("reqest", () => {});
// @ts-expect-error
mock.on("data", (entry) => entry);
// @ts-expect-error
mock.on("pets", () => {});
// @ts-expect-error
mock.on("request", (entry) => entry.stauts);
// @ts-expect-error
mock.data("ordres");
// @ts-expect-error
export const gate: GateName = "fead";
// @ts-expect-error
export const nearest = (error: MockpetsError) => error.details.nearst;
// @ts-expect-error
export const lost = (error: MockpetsError) => error.code === "sesion_lost";

// @ts-expect-error
test.use({ sessionIn: "cookie" });
// @ts-expect-error
test("a fixture", async ({ mok }) => void mok);
test("a matcher", async ({ mock, page }) => {
  // @ts-expect-error
  await expect(mock).toHaveReceived({ macth: {} });
  // @ts-expect-error
  await expect(page).toHaveReceived({});
});
// @ts-expect-error
webServer({ comand: "mockpets" });
// @ts-expect-error
void startServer({ comand: "mockpets" });

// @ts-expect-error
withSession(Promise.resolve(new Headers()));
// @ts-expect-error
withSession();
// @ts-expect-error
withSession({}, { Age: 1 });

// @ts-expect-error
useMockpets("rety");
// @ts-expect-error
useMockpets("empty", { sesion: "a" });

// @ts-expect-error
export const scenario: Parameters = { mockpets: { scenario: "rety" } };
// @ts-expect-error
export const parameter: Parameters = { mockpets: { scenaro: "retry" } };
// @ts-expect-error
export const sessionIn: Parameters = { mockpets: { sessionIn: "heder" } };
