// By hand, because JSDoc cannot augment the module of another package. `storybook.js` imports it.

import type { Contents, Options } from "./client.js";

/** The session of a story: its scenarios, seed and data, and how to reach it. */
export interface StoryParameters extends Contents, Pick<Options, "url" | "token" | "key"> {
  /** Options of the server that the stories expect, besides `--sessions declared`; the console warns of others. */
  args?: string;
  /**
   * `props` (the default): the story passes `loaded.mockpets.baseUrl` or `.key` to its component.
   * `header`: `fetch` and XMLHttpRequest of the page send the session to mockpets and to the page's
   * own origin. Such a story must be the only one on its page. Import the loader before your app.
   */
  sessionIn?: "props" | "header";
}

declare module "storybook/internal/types" {
  interface Parameters {
    /** The session of the story; without it or with `false`, the story has no session. */
    mockpets?: StoryParameters | false;
  }
}
