import type { Meta, StoryObj } from "@storybook/react-vite";
import { useMemo } from "react";
import { expect, userEvent } from "storybook/test";
import type { Mockpets } from "../tests/mockpets/storybook";
import { Api } from "./api";
import { PetsPage } from "./PetsPage";

/** Show the page with the session of the story. */
function Page({ mock }: { mock: Mockpets }) {
  const api = useMemo(
    () => new Api("mockpets", () => {}, mock.baseUrl),
    [mock],
  );
  return <PetsPage api={api} />;
}

export default {
  component: PetsPage,
  render: (_, { loaded }) => <Page mock={loaded.mockpets} />,
} satisfies Meta;

export const Pets: StoryObj = {
  parameters: {
    mockpets: {
      data: {
        pets: [
          { id: 1, name: "Miso", categoryId: 2, status: "available" },
          { id: 2, name: "Nori", categoryId: 2, status: "sold" },
        ],
      },
    },
  },
};

export const Empty: StoryObj = {
  parameters: { mockpets: { scenario: "empty" } },
};

export const PetAdded: StoryObj = {
  parameters: { mockpets: { scenario: "empty" } },
  play: async ({ canvas, loaded }) => {
    const mock: Mockpets = loaded.mockpets;
    await userEvent.type(canvas.getByLabelText("Name"), "Miso");
    await userEvent.type(canvas.getByLabelText("Category"), "2");
    await userEvent.click(canvas.getByRole("button", { name: "Add pet" }));
    await canvas.findByRole("link", { name: "Miso" });
    await mock.verify(
      { operation: "createPet", body: { name: "Miso", categoryId: 2 } },
      1,
    );
  },
};

/** The response waits at the gate `loading` as long as the story is shown. */
export const Loading: StoryObj = {
  parameters: { mockpets: { scenario: "loading" } },
  play: async ({ canvas, loaded }) => {
    const mock: Mockpets = loaded.mockpets;
    await mock.gate("loading").held();
    await expect(canvas.getByRole("status")).toHaveTextContent("Loading…");
  },
};

export const Busy: StoryObj = {
  parameters: { mockpets: { scenario: "brief-outage" } },
};

export const InvalidResponse: StoryObj = {
  parameters: { mockpets: { scenario: "broken-json" } },
};
