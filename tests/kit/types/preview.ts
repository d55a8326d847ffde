// What users write in `.storybook/preview.ts` and in stories. It must compile, and is never run.

import { Mockpets, mockpetsLoader } from "mockpets/storybook";
import type { StoryParameters } from "mockpets/storybook";
import type { Parameters } from "storybook/internal/types";

export const preview = {
  loaders: [mockpetsLoader],
  parameters: { mockpets: { url: process.env.MOCKPETS_URL, token: process.env.TOKEN } } satisfies Parameters,
};

export const stories: Parameters[] = [
  {},
  { mockpets: {} },
  { mockpets: false },
  { mockpets: { scenario: "empty", sessionIn: "header" }, docs: { story: { inline: false } } },
  { mockpets: { scenario: ["retry", { description: "Down.", stubs: [{ reply: { status: 503 } }] }], seed: 3 } },
  { mockpets: { data: { pets: [{ id: 1, name: "Miso", categoryId: 2 }] }, key: "secret" } },
];
export const shared: StoryParameters = { sessionIn: "props", data: { pets: 3 } };

export async function play({ loaded }: { loaded: Record<string, any> }): Promise<void> {
  const mock: Mockpets = loaded.mockpets;
  await mock.verify({ operation: "listPets" }, 1);
}

export async function runLoader(): Promise<string | undefined> {
  const { signal: abortSignal } = new AbortController();
  const context = { id: "pets--empty", parameters: {}, viewMode: "story", abortSignal, args: {} };
  const { mockpets } = await mockpetsLoader(context);
  return mockpets?.baseUrl;
}
