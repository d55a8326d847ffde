// @vitest-environment node
import { describe, expect, test } from "vitest";
import { useMockpets } from "../tests/mockpets/vitest";
import { Api, ApiError } from "./api";

const mock = useMockpets("empty");
const rejections: string[] = [];
const api = new Api("mockpets", (message) => rejections.push(message));
const options = { signal: new AbortController().signal, onRetry: () => {} };

test("a new pet is sent with the key and without an ID", async () => {
  expect(await api.createPet({ name: "Miso", categoryId: 2 })).toEqual({
    id: 1,
    name: "Miso",
    categoryId: 2,
  });
  const body = { name: "Miso", categoryId: 2, id: { present: false } };
  await mock.verify(
    {
      operation: "createPet",
      headers: { Authorization: { present: true } },
      body,
    },
    1,
  );
});

test("the list has what another client has added", async () => {
  await mock.pets.set([{ id: 7, name: "Rex", categoryId: 1, status: "sold" }]);
  expect(await api.listPets(options)).toEqual([
    { id: 7, name: "Rex", categoryId: 1, status: "sold" },
  ]);
  await mock.verify({ operation: "listPets", query: { limit: "100" } }, 1);
});

test("an error has the server's message and status", async () => {
  const error = await api.getPet("3", options).catch((error) => error);
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({
    status: 404,
    message: expect.stringContaining("3"),
  });
});

test("a rejected key is reported once", async () => {
  await mock.use("unauthorized");
  await expect(api.listPets(options)).rejects.toThrow("the API key is invalid");
  expect(rejections).toHaveLength(1);
});

describe("in the shop", () => {
  useMockpets("shop");

  test("orders are kept, the second one fails, and the message names a sold-out pet", async () => {
    const miso = { petId: 1, name: "Miso" };
    expect(await api.placeOrder(miso)).toEqual({ id: 1, ...miso });
    await expect(api.placeOrder(miso)).rejects.toMatchObject({ status: 503 });
    await api.placeOrder(miso);
    expect(await api.listOrders()).toEqual([
      { id: 1, ...miso },
      { id: 2, ...miso },
    ]);
    const juniper = api.placeOrder({ petId: 2, name: "Juniper" });
    await expect(juniper).rejects.toThrow("Juniper has just been sold");
  });
});
