import type { Meta, StoryObj } from "@storybook/react-vite";
import { App } from "./App";

// The app makes its own client, with the key of its environment. So the page's requests name the session,
// and each story needs a page of its own, even on the Docs page.
export default {
  component: App,
  parameters: {
    mockpets: { sessionIn: "header" },
    docs: { story: { inline: false, height: "30rem" } },
  },
} satisfies Meta;

export const Empty: StoryObj = {
  parameters: { mockpets: { scenario: "empty" } },
};

export const InvalidKey: StoryObj = {
  parameters: { mockpets: { scenario: "unauthorized" } },
};
