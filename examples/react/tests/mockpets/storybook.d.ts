// mockpets 0.2.0: written by "mockpets kit"; run it again, do not edit; agents: mockpets skill
/* eslint-disable */

/**
 * A loader for `.storybook/preview.ts`. It creates a session for each mounted story that has
 * `parameters.mockpets`, and deletes it when Storybook unmounts the story. Until then, the story keeps
 * its session, even if its args change.
 * @param {{
 *   id: string;
 *   parameters: { mockpets?: StoryParameters | false };
 *   viewMode: string;
 *   abortSignal: AbortSignal;
 * }} context
 * @returns {Promise<{ mockpets?: Mockpets }>}
 */
export function mockpetsLoader(context: {
    id: string;
    parameters: {
        mockpets?: StoryParameters | false;
    };
    viewMode: string;
    abortSignal: AbortSignal;
}): Promise<{
    mockpets?: Mockpets;
}>;
export * from "./client.js";
export type StoryParameters = import("./storybook-parameters.d.ts").StoryParameters;
import { Mockpets } from "./client.js";
