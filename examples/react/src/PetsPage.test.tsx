import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { useMockpets } from "../tests/mockpets/vitest";
import { Api } from "./api";
import { PetsPage } from "./PetsPage";

const patience = { timeout: 20_000 }; // for busy machines

function open() {
  render(<PetsPage api={new Api("mockpets", () => {})} />);
}

describe("the list", () => {
  const mock = useMockpets("empty");
  afterEach(cleanup);

  test("shows a message while it waits, and another if there are no pets", async () => {
    await mock.use("empty", "loading");
    open();
    await mock.gate("loading").held();
    expect(screen.getByRole("status").textContent).toBe("Loading…");
    await mock.gate("loading").open();
    expect(await screen.findByText("No pets yet", {}, patience)).toBeTruthy();
    expect(screen.queryByRole("status")).toBeNull();
  });

  test("shows names as they are, even with markup", async () => {
    await mock.pets.set([
      { id: 7, name: "<b>Rex</b>", categoryId: 1, status: "sold" },
    ]);
    open();
    const link = await screen.findByRole(
      "link",
      { name: "<b>Rex</b>" },
      patience,
    );
    expect(link.getAttribute("href")).toBe("#/pets/7");
  });

  test("shows which error it was if the server fails, and loads again", async () => {
    await mock.use("server-error");
    open();
    const alert = await screen.findByRole("alert", {}, patience);
    expect(alert.textContent).toContain(
      "The server has failed: 500 Internal Server Error.",
    );
    await mock.use("empty");
    screen.getByRole("button", { name: "Try again" }).click();
    expect(await screen.findByText("No pets yet", {}, patience)).toBeTruthy();
    await mock.verify({ operation: "listPets" }, 2);
  });
});

describe("during a long outage", () => {
  const busy = (seconds: number) => ({
    status: 503,
    headers: { "Retry-After": seconds },
  });
  const mock = useMockpets({
    description: "Each list fails with another Retry-After.",
    stubs: [
      {
        match: { operation: "listPets" },
        sequence: [10, 20, 30, 40].map(busy),
      },
    ],
  });
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }); // what api.ts waits with
  });
  afterEach(() => {
    cleanup();
    vi.useRealTimers();
  });

  test("after a 503 the list is loaded three more times when Retry-After says so, then the error is shown", async () => {
    open();
    for (const [retries, seconds] of [10, 20, 30].entries()) {
      const message = `The server is busy. Trying again in ${seconds} seconds.`;
      await vi.waitFor(
        () => expect(screen.getByRole("status").textContent).toBe(message),
        patience,
      );
      await vi.advanceTimersByTimeAsync((seconds - 5) * 1000);
      await mock.verify({ operation: "listPets" }, retries + 1);
      await vi.advanceTimersByTimeAsync(5_000);
    }
    await vi.waitFor(
      () => expect(screen.getByRole("alert")).toBeTruthy(),
      patience,
    );
    await mock.verify({ operation: "listPets" }, 4);
  });
});
