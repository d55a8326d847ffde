import {
  cleanup,
  fireEvent,
  render,
  screen,
  waitFor,
} from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { useMockpets } from "../tests/mockpets/vitest";
import { Api } from "./api";
import { PetForm } from "./PetForm";

const mock = useMockpets("empty");
const patience = { timeout: 20_000 }; // for busy machines
const onAdded = vi.fn();
const onUnauthorized = vi.fn();

beforeEach(() => {
  vi.clearAllMocks();
  render(
    <PetForm api={new Api("mockpets", onUnauthorized)} onAdded={onAdded} />,
  );
});
afterEach(cleanup);

function add(name: string, status = "") {
  fireEvent.change(screen.getByLabelText("Name"), { target: { value: name } });
  fireEvent.change(screen.getByLabelText("Category"), {
    target: { value: "2" },
  });
  fireEvent.change(screen.getByLabelText("Status"), {
    target: { value: status },
  });
  fireEvent.click(screen.getByRole("button", { name: "Add pet" }));
}

test("a pet without a status is sent without that property", async () => {
  add("Miso");
  await waitFor(() => expect(onAdded).toHaveBeenCalledOnce(), patience);
  await mock.verify(
    {
      operation: "createPet",
      body: { name: "Miso", status: { present: false } },
    },
    1,
  );
  expect(screen.getByLabelText<HTMLInputElement>("Name").value).toBe("");
});

test("a pet with a status is sent with it", async () => {
  add("Rex", "sold");
  await waitFor(() => expect(onAdded).toHaveBeenCalledOnce(), patience);
  expect(await mock.pets.all({ status: "sold" })).toEqual([
    { id: 1, name: "Rex", categoryId: 2, status: "sold" },
  ]);
});

test("the message of a rejected pet is visible, and the form keeps the input", async () => {
  await mock.use({
    description: "The name is taken.",
    stubs: [
      {
        match: { operation: "createPet" },
        reply: { error: "invalid_request", message: "name is taken" },
      },
    ],
  });
  add("Miso");
  expect((await screen.findByRole("alert", {}, patience)).textContent).toBe(
    "name is taken",
  );
  expect(screen.getByLabelText<HTMLInputElement>("Name").value).toBe("Miso");
  expect(onAdded).not.toHaveBeenCalled();
});

test("the button is disabled until the response arrives", async () => {
  await mock.use({
    description: "Waits.",
    stubs: [{ match: { operation: "createPet" }, hold: "adding" }],
  });
  add("Miso");
  await mock.gate("adding").held();
  const button = screen.getByRole<HTMLButtonElement>("button", {
    name: "Add pet",
  });
  expect(button.disabled).toBe(true);
  await mock.gate("adding").open();
  await waitFor(() => expect(button.disabled).toBe(false), patience);
});

test("a rejected key asks the user to sign in", async () => {
  await mock.use("unauthorized");
  add("Miso");
  await waitFor(() => expect(onUnauthorized).toHaveBeenCalledOnce(), patience);
  expect(onAdded).not.toHaveBeenCalled();
});
