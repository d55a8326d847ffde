/**
 * Send the session from a context that the test has created itself. Like `sessionIn: "route"`, this
 * adds a header and `baggage` to requests to mockpets and to `origins`, such as that of your app.
 * @param {BrowserContext} context
 * @param {Mockpets} mock
 * @param {string[]} [origins]
 */
export function attachSession(context: BrowserContext, mock: Mockpets, origins?: string[]): Promise<void>;
export * from "./client.js";
export * from "./states.js";
export { webServer } from "./server.js";
/**
 * Playwright's `test`, in which each test has its own session: the fixture `mock`.
 * @type {TestType<
 *   PlaywrightTestArgs & PlaywrightTestOptions & MockpetsOptions & MockpetsFixtures,
 *   PlaywrightWorkerArgs & PlaywrightWorkerOptions
 * >}
 */
export const test: TestType<PlaywrightTestArgs & PlaywrightTestOptions & MockpetsOptions & MockpetsFixtures, PlaywrightWorkerArgs & PlaywrightWorkerOptions>;
/**
 * Declare one test that runs `body` under each order in which the requests sent in `race()` can be
 * answered and their responses arrive. Set `MOCKPETS_ORDER` to replay one order of a failed test.
 *
 * Each order has the timeout of a test. Other fixtures and hooks run once for all orders.
 * @type {(
 *   title: string,
 *   body: (fixtures: InterleavingsFixtures) => Promise<void>,
 *   options?: InterleavingsOptions,
 * ) => void}
 */
export const interleavings: (title: string, body: (fixtures: InterleavingsFixtures) => Promise<void>, options?: InterleavingsOptions) => void;
/**
 * Playwright's `expect`, with `expect(mock).toHaveReceived(match, times)`.
 * @type {Expect<Matchers>}
 */
export const expect: Expect<Matchers>;
/**
 * How the requests of a page name the session of their test.
 */
export type SessionIn = "route" | "header" | "key";
/**
 * Widths and themes of screenshots, such as `{ widths: [390, 768, 1440], themes: ["light", "dark"] }`.
 */
export type Screens = {
    /**
     * Whole numbers from 200 to 4000, in CSS pixels.
     */
    widths?: readonly number[];
    /**
     * The values of `prefers-color-scheme` that the page sees.
     */
    themes?: readonly ("light" | "dark")[];
};
/**
 * Set these with `use` in `playwright.config.ts` or `test.use`.
 */
export type MockpetsOptions = {
    /**
     * The URL of the server; by default, that of the first `webServer()`, or else
     * the
     * variable `MOCKPETS_URL` or `http://localhost:7387`.
     */
    mockUrl: string | undefined;
    /**
     * The API key of your app, for `mock.key`; by default `mockpets`.
     */
    mockKey: string | undefined;
    /**
     * The scenarios, seed and data with which the session of each test starts; no
     * scenarios
     * in a test of `states()`.
     */
    mockContents: Contents;
    /**
     * Origins to which the page sends the session, in addition to those of mockpets and
     * `baseURL`.
     */
    mockOrigins: string[];
    /**
     * When to attach the request log of a test as HAR: `on-failure` (the
     * default),
     * or `always`, so that `mockpets report --har` can read the logs of all tests.
     */
    mockHar: "on-failure" | "always";
    /**
     * In which widths and themes a test of `states()` takes screenshots at its end, by
     * default
     * in those of the test.
     */
    mockScreens: Screens;
    /**
     * `route` (the default): a header and `baggage`, only to the origins of mockpets and
     * your app, and not for paths of your app that end like a static file, such as `.js`. Before Playwright 1.57, a route
     * does not see the requests of a service worker.
     * `header`: a header to all servers. Requests to servers that do not allow it with CORS fail.
     * `key`: your app sends `mock.key` as its API key. Playwright does not change the requests.
     */
    sessionIn: SessionIn;
};
export type MockpetsFixtures = {
    /**
     * The session of this test. It is created before the test and deleted after it.
     */
    mock: Mockpets;
    context: BrowserContext;
    request: APIRequestContext;
};
export type ToHaveReceived = (this: ExpectMatcherState, mock: Mockpets, match: VerifyMatch, times?: number | Times, options?: {
    within?: number;
}) => Promise<MatcherReturnType>;
export type Matchers = {
    /**
     * Wait until the session has received matching requests, by default at
     * least one. With `times: 0`
     * or `at_most`, check at once unless you set `within`: milliseconds to wait; by default, the timeout of `expect`.
     */
    toHaveReceived: ToHaveReceived;
};
/**
 * The fixtures of one order: each order has its own.
 */
export type InterleavingsFixtures = {
    page: Page;
    context: BrowserContext;
    /**
     * The session of this order.
     */
    mock: Mockpets;
    request: APIRequestContext;
    /**
     * Call the actions, hold the requests to the contracts
     * that they cause, and let the server respond in the
     * order that is tried. Ends when the actions have ended and the page is quiet. Call it once.
     */
    race: (actions: () => unknown) => Promise<void>;
};
export type InterleavingsOptions = {
    /**
     * The fewest orders that must exist, by default 2: fewer means that no requests
     * competed. A request that the page
     * cancels while it is held counts as one order.
     */
    atLeast?: number;
    /**
     * In some orders, one request fails with this status, such as 503, before the server sees it.
     */
    fail?: number;
    /**
     * Requests that take no part, such as polling: a part of `GET
     * /v1/pets?limit=5`, or a pattern.
     */
    ignore?: readonly (string | RegExp)[];
    /**
     * In some orders, the server responds to one request and the connection breaks.
     */
    lose?: boolean;
    /**
     * The most orders to try, by default 40.
     */
    orders?: number;
    /**
     * Milliseconds without a change after which the page is quiet, by default 50. Longer than
     * any debounce of the page.
     */
    quiet?: number;
    /**
     * Seed of the sample that is tried if there are more orders.
     */
    seed?: number;
};
import type { BrowserContext } from "@playwright/test";
import { Mockpets } from "./client.js";
import type { PlaywrightTestArgs } from "@playwright/test";
import type { PlaywrightTestOptions } from "@playwright/test";
import type { PlaywrightWorkerArgs } from "@playwright/test";
import type { PlaywrightWorkerOptions } from "@playwright/test";
import type { TestType } from "@playwright/test";
import type { Expect } from "@playwright/test";
import type { Contents } from "./client.js";
import type { APIRequestContext } from "@playwright/test";
import type { ExpectMatcherState } from "@playwright/test";
import type { VerifyMatch } from "./client.js";
import type { Times } from "./client.js";
import type { MatcherReturnType } from "@playwright/test";
import type { Page } from "@playwright/test";
