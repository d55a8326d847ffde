import type { Preview } from "@storybook/react-vite";
import { mockpetsLoader } from "../tests/mockpets/storybook";
import "../src/app.css";

export default {
  loaders: [mockpetsLoader],
  tags: ["autodocs"],
  parameters: { mockpets: { url: import.meta.env.VITE_API_URL } },
} satisfies Preview;
