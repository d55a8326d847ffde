// mockpets 0.2.0: written by "mockpets kit"; run it again, do not edit; agents: mockpets skill
/* eslint-disable */

import type {
  APIRequestContext,
  BrowserContext,
  Expect,
  ExpectMatcherState,
  MatcherReturnType,
  PlaywrightTestArgs,
  PlaywrightTestOptions,
  PlaywrightWorkerArgs,
  PlaywrightWorkerOptions,
  TestType,
} from "@playwright/test";
import type { Contents, Mockpets, Times, VerifyMatch } from "./client.js";

export * from "./client.js";
export * from "./interleavings.js";
export { webServer } from "./server.js";
export * from "./states.js";

/** How the requests of a page name the session of their test. */
export type Carrier = "route" | "header" | "key";

/** Widths and themes of screenshots, such as `{ widths: [390, 768, 1440], themes: ["light", "dark"] }`. */
export interface Screens {
  /** Whole numbers from 200 to 4000, in CSS pixels. */
  readonly widths?: readonly number[];
  /** The values of `prefers-color-scheme` that the page sees. */
  readonly themes?: readonly ("light" | "dark")[];
}

/** Set these with `use` in `playwright.config.ts` or `test.use`. */
export interface MockpetsOptions {
  /** The URL of the server; by default, that of the first `webServer()`, or else the variable `MOCKPETS_URL` or `http://localhost:7387`. */
  mockUrl: string | undefined;
  /** The API key of your app, for `mock.key`; by default `mockpets`. */
  mockKey: string | undefined;
  /** The scenarios, seed and data with which the session of each test starts; no scenarios in a test of `states()`. */
  mockContents: Contents;
  /** Origins to which the page sends the session, in addition to those of mockpets and `baseURL`. */
  mockOrigins: string[];
  /**
   * When to attach the request log of a test as HAR: `on-failure` (the default), or `always`, so that
   * `mockpets report --har` can read the logs of all tests.
   */
  mockHar: "on-failure" | "always";
  /** In which widths and themes a test of `states()` takes screenshots at its end, by default in those of the test. */
  mockScreens: Screens;
  /**
   * `route` (the default): a header and `baggage`, only to the origins of mockpets and your app, and not
   * for paths of your app that end like a static file, such as `.js`. Before Playwright 1.57, a route does not see the requests of a service worker.
   * `header`: a header to all servers. Requests to servers that do not allow it with CORS fail.
   * `key`: your app sends `mock.key` as its API key. Playwright does not change the requests.
   */
  carrier: Carrier;
}

export interface MockpetsFixtures {
  /** The session of this test. It is created before the test and deleted after it. */
  mock: Mockpets;
  context: BrowserContext;
  request: APIRequestContext;
}

/** Playwright's `test`, in which each test has its own session: the fixture `mock`. */
export const test: TestType<
  PlaywrightTestArgs & PlaywrightTestOptions & MockpetsOptions & MockpetsFixtures,
  PlaywrightWorkerArgs & PlaywrightWorkerOptions
>;

interface Matchers {
  /**
   * Wait until the session has received matching requests, by default at least one. With `times: 0`
   * or `at_most`, check at once unless you set `within`.
   * @param options.within milliseconds to wait; by default, the timeout of `expect`
   */
  toHaveReceived(
    this: ExpectMatcherState,
    mock: Mockpets,
    match: VerifyMatch,
    times?: number | Times,
    options?: { within?: number },
  ): Promise<MatcherReturnType>;
}

/** Playwright's `expect`, with `expect(mock).toHaveReceived(match, times)`. */
export const expect: Expect<Matchers>;

/**
 * Send the session from a context that the test has created itself. Like the carrier `route`, this
 * adds a header and `baggage` to requests to mockpets and to `origins`, such as that of your app.
 */
export function attachSession(context: BrowserContext, mock: Mockpets, origins?: string[]): Promise<void>;
