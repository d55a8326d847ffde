// A Playwright test with a session of its own.

import { writeFile } from "node:fs/promises";
import { expect as baseExpect, test as baseTest } from "@playwright/test";
import { Mockpets } from "./client.js";
import { interleavingsOf } from "./interleavings.js";
import { warnOfReusedServer } from "./server.js";
import {
  FINDINGS,
  RUN,
  addSession,
  callsTo,
  contentsOf,
  dropSession,
  failure,
  makeInState,
  nearest,
  origin,
  requestLine,
  requestLog,
  stateOf,
  urlsOf,
} from "./shared.js";

export * from "./client.js";
export { webServer } from "./server.js";
export * from "./states.js";

/**
 * @import {
 *   APIRequestContext,
 *   BrowserContext,
 *   Expect,
 *   ExpectMatcherState,
 *   MatcherReturnType,
 *   Page,
 *   PlaywrightTestArgs,
 *   PlaywrightTestOptions,
 *   PlaywrightWorkerArgs,
 *   PlaywrightWorkerOptions,
 *   TestInfo,
 *   TestType,
 * } from "@playwright/test"
 * @import { Contents, Times, VerifyMatch } from "./client.js"
 * @import { Problem } from "./shared.js"
 */

/**
 * How the requests of a page name the session of their test.
 * @typedef {"route" | "header" | "key"} SessionIn
 */

/**
 * Widths and themes of screenshots, such as `{ widths: [390, 768, 1440], themes: ["light", "dark"] }`.
 * @typedef {object} Screens
 * @property {readonly number[]} [widths] Whole numbers from 200 to 4000, in CSS pixels.
 * @property {readonly ("light" | "dark")[]} [themes] The values of `prefers-color-scheme` that the page sees.
 */

/**
 * Set these with `use` in `playwright.config.ts` or `test.use`.
 * @typedef {object} MockpetsOptions
 * @property {string | undefined} mockUrl The URL of the server; by default, that of the first `webServer()`, or else
 *   the
 *   variable `MOCKPETS_URL` or `http://localhost:7387`.
 * @property {string | undefined} mockKey The API key of your app, for `mock.key`; by default `mockpets`.
 * @property {Contents} mockContents The scenarios, seed and data with which the session of each test starts; no
 *   scenarios
 *   in a test of `states()`.
 * @property {string[]} mockOrigins Origins to which the page sends the session, in addition to those of mockpets and
 *   `baseURL`.
 * @property {"on-failure" | "always"} mockHar When to attach the request log of a test as HAR: `on-failure` (the
 *   default),
 *   or `always`, so that `mockpets report --har` can read the logs of all tests.
 * @property {Screens} mockScreens In which widths and themes a test of `states()` takes screenshots at its end, by
 *   default
 *   in those of the test.
 * @property {SessionIn} sessionIn `route` (the default): a header and `baggage`, only to the origins of mockpets and
 *   your app, and not for paths of your app that end like a static file, such as `.js`. Before Playwright 1.57, a route
 *   does not see the requests of a service worker.
 *   `header`: a header to all servers. Requests to servers that do not allow it with CORS fail.
 *   `key`: your app sends `mock.key` as its API key. Playwright does not change the requests.
 */

/**
 * @typedef {object} MockpetsFixtures
 * @property {Mockpets} mock The session of this test. It is created before the test and deleted after it.
 * @property {BrowserContext} context
 * @property {APIRequestContext} request
 */

/**
 * @typedef {(
 *   this: ExpectMatcherState,
 *   mock: Mockpets,
 *   match: VerifyMatch,
 *   times?: number | Times,
 *   options?: { within?: number },
 * ) => Promise<MatcherReturnType>} ToHaveReceived
 */

/**
 * @typedef {object} Matchers
 * @property {ToHaveReceived} toHaveReceived Wait until the session has received matching requests, by default at
 *   least one. With `times: 0`
 *   or `at_most`, check at once unless you set `within`: milliseconds to wait; by default, the timeout of `expect`.
 */

/**
 * The fixtures of one order: each order has its own.
 * @typedef {object} InterleavingsFixtures
 * @property {Page} page
 * @property {BrowserContext} context
 * @property {Mockpets} mock The session of this order.
 * @property {APIRequestContext} request
 * @property {(actions: () => unknown) => Promise<void>} race Call the actions, hold the requests to the contracts
 *   that they cause, and let the server respond in the
 *   order that is tried. Ends when the actions have ended and the page is quiet. Call it once.
 */

/**
 * @typedef {object} InterleavingsOptions
 * @property {number} [atLeast] The fewest orders that must exist, by default 2: fewer means that no requests
 *   competed. A request that the page
 *   cancels while it is held counts as one order.
 * @property {number} [fail] In some orders, one request fails with this status, such as 503, before the server sees it.
 * @property {readonly (string | RegExp)[]} [ignore] Requests that take no part, such as polling: a part of `GET
 *   /v1/pets?limit=5`, or a pattern.
 * @property {boolean} [lose] In some orders, the server responds to one request and the connection breaks.
 * @property {number} [orders] The most orders to try, by default 40.
 * @property {number} [quiet] Milliseconds without a change after which the page is quiet, by default 50. Longer than
 *   any debounce of the page.
 * @property {number} [seed] Seed of the sample that is tried if there are more orders.
 */

// An app's server needs the session for pages and calls, not for the many files of a dev server.
const STATIC =
  "[cm]?[jt]sx?|css|map|svg|png|jpe?g|gif|webp|avif|ico|woff2?|ttf";
const NO_STATIC_FILE = `(?![^?#]*\\.(?:${STATIC})(?:[?#]|$))`;
const UNNAMED_HINT =
  "if a route of your test calls continue(), the requests lose the session; call fallback() instead";
const HAR_ENTRIES = 1_000;
const HAR_MODES = ["on-failure", "always"];
const WITHIN_MS = 5_000;
const LONGEST_WAIT_MS = 30_000;
const SCREENSHOT_MS = 10_000;
/** @type {readonly ("light" | "dark")[]} */
const THEMES = ["light", "dark"];
const NARROWEST = 200;
const WIDEST = 4_000;
/** @type {WeakMap<TestInfo, Set<string>>} */
const findingsOf = new WeakMap();

/**
 * Playwright's `test`, in which each test has its own session: the fixture `mock`.
 * @type {TestType<
 *   PlaywrightTestArgs & PlaywrightTestOptions & MockpetsOptions & MockpetsFixtures,
 *   PlaywrightWorkerArgs & PlaywrightWorkerOptions
 * >}
 */
export const test = baseTest.extend({
  mockUrl: [undefined, { option: true }],
  mockKey: [undefined, { option: true }],
  mockContents: [{}, { option: true }],
  mockOrigins: [[], { option: true }],
  mockHar: ["on-failure", { option: true }],
  mockScreens: [{}, { option: true }],
  sessionIn: ["route", { option: true }],

  mock: async (
    { mockUrl, mockKey, mockContents, mockHar, mockScreens },
    use,
    testInfo,
  ) => {
    if (!HAR_MODES.includes(mockHar))
      throw new TypeError(
        `mockHar must be 'on-failure' or 'always', got '${mockHar}'`,
      );
    checkScreens(mockScreens);
    const mock = mockOf({ mockUrl, mockKey }, testInfo);
    const state = stateOf(testInfo);
    if (state === undefined) await mock.make(contentsOf(mockContents));
    else {
      const disabled = await makeInState(mock, mockContents, state);
      if (disabled) await mock.drop();
      testInfo.skip(Boolean(disabled), disabled ?? undefined);
    }
    // By one worker, once in a run.
    if (testInfo.workerIndex === 0)
      await warnOfReusedServer(mock, testInfo.config.configFile);
    await use(mock);
    /** @type {string | null} */
    let unreached = null;
    const problem = await failure(async () => {
      if (state !== undefined) await attachFindings(testInfo, mock);
      if (testInfo.status !== testInfo.expectedStatus)
        await attachRequests(testInfo, mock);
      else {
        if (mockHar === "always") await attachHar(testInfo, mock);
        if (state !== undefined && testInfo.status === "passed")
          ({ unreached } = await mock.scenario(state));
      }
      await dropSession(mock);
    });
    if (!problem || problem.code === "session_dropped") {
      // the test has deleted it
      testInfo.skip(Boolean(unreached), unreached ?? undefined);
      return;
    }
    const { errors } = testInfo;
    problem.stack = String(problem); // no line of the test has caused it
    if (!errors.length) throw problem;
    // The failure of the test is only a consequence, so it comes second.
    if (!errors.some(({ message }) => message?.includes(problem.message)))
      errors.unshift({ message: problem.stack });
  },

  context: async (
    { mock, mockOrigins, sessionIn, baseURL, extraHTTPHeaders, context },
    use,
  ) => {
    await nameSession(context, mock, {
      mockOrigins,
      sessionIn,
      baseURL,
      extraHTTPHeaders,
    });
    await use(context);
  },

  page: async ({ page, mockScreens, colorScheme }, use, testInfo) => {
    const isState = stateOf(testInfo) !== undefined;
    if (isState)
      page.on("pageerror", (error) =>
        addFinding(testInfo, `uncaught error: ${error.message || error}`),
      );
    await use(page);
    if (isState && !page.isClosed())
      await attachScreenshots(testInfo, page, mockScreens, colorScheme);
  },

  request: async ({ playwright, mock, extraHTTPHeaders }, use) => {
    const request = await newRequest(mock, { playwright, extraHTTPHeaders });
    await use(request);
    await request.dispose();
  },
});

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
export const interleavings = interleavingsOf(test, {
  attachRequests,
  nameSession,
  newRequest,
  openSession,
});

/**
 * Playwright's `expect`, with `expect(mock).toHaveReceived(match, times)`.
 * @type {Expect<Matchers>}
 */
export const expect = baseExpect.extend({
  async toHaveReceived(mock, match, times, options = {}) {
    if (!(mock instanceof Mockpets))
      throw new TypeError("toHaveReceived expects the fixture 'mock'");
    const mayFailLater =
      typeof times === "object" ? times.at_most !== undefined : times === 0;
    const wait =
      this.isNot || mayFailLater
        ? {}
        : { within: Math.min(this.timeout ?? WITHIN_MS, LONGEST_WAIT_MS) };
    const hint = this.utils.matcherHint("toHaveReceived", "mock", "match", {
      isNot: this.isNot,
    });
    try {
      const entries = await mock.verify(match, times, { ...wait, ...options });
      const lines = entries.map(requestLine).join("\n");
      return {
        pass: true,
        message: () =>
          `${hint}\n\nunexpected requests: ${entries.length}\n${lines}`,
      };
    } catch (error) {
      const { code, message } = /** @type {Problem} */ (error);
      if (code !== "verification_failed") throw error;
      return { pass: false, message: () => `${hint}\n\n${message}` };
    }
  },
});

/**
 * Return a client for the session of a test, or of a part of it.
 * @param {Pick<MockpetsOptions, "mockUrl" | "mockKey">} options
 * @param {TestInfo} testInfo
 * @param {...(string | number)} part
 */
function mockOf(
  { mockUrl, mockKey },
  { title, titlePath, project, repeatEachIndex, retry },
  ...part
) {
  const session = Mockpets.slug(
    title,
    project.name,
    ...titlePath,
    repeatEachIndex,
    retry,
    RUN,
    ...part,
  );
  return new Mockpets({ url: mockUrl, key: mockKey, session });
}

/**
 * @param {Pick<MockpetsOptions, "mockUrl" | "mockKey" | "mockContents">} fixtures
 * @param {TestInfo} testInfo
 * @param {string | number} part
 */
async function openSession(fixtures, testInfo, part) {
  const mock = mockOf(fixtures, testInfo, part);
  await mock.make(contentsOf(fixtures.mockContents));
  if (part === 1 && testInfo.workerIndex === 0)
    await warnOfReusedServer(mock, testInfo.config.configFile);
  return mock;
}

/**
 * Make the requests of a context send the session, as the options say.
 * @param {BrowserContext} context
 * @param {Mockpets} mock
 * @param {Pick<MockpetsOptions, "mockOrigins" | "sessionIn"> &
 *   Pick<PlaywrightTestOptions, "baseURL" | "extraHTTPHeaders">} options
 */
async function nameSession(
  context,
  mock,
  { mockOrigins, sessionIn, baseURL, extraHTTPHeaders },
) {
  const origins = baseURL ? [baseURL, ...mockOrigins] : mockOrigins;
  if (sessionIn === "route") await attachSession(context, mock, origins);
  else if (sessionIn === "header")
    await context.setExtraHTTPHeaders({ ...extraHTTPHeaders, ...mock.headers });
  else if (sessionIn !== "key")
    throw new TypeError(
      `sessionIn must be 'route', 'header' or 'key', got '${String(sessionIn)}'`,
    );
}

/**
 * Return a context for requests that send the session.
 * @param {Mockpets} mock
 * @param {Pick<PlaywrightWorkerArgs, "playwright"> & Pick<PlaywrightTestOptions, "extraHTTPHeaders">} options
 */
async function newRequest(mock, { playwright, extraHTTPHeaders }) {
  return playwright.request.newContext({
    extraHTTPHeaders: addSession(extraHTTPHeaders ?? {}, mock),
  });
}

/**
 * Send the session from a context that the test has created itself. Like `sessionIn: "route"`, this
 * adds a header and `baggage` to requests to mockpets and to `origins`, such as that of your app.
 * @param {BrowserContext} context
 * @param {Mockpets} mock
 * @param {string[]} [origins]
 */
export async function attachSession(context, mock, origins = []) {
  // A pattern and not a function, because each request that Playwright asks about takes milliseconds.
  // At a base path are no files of the app, whatever the end of a path.
  const calls = mock.bases
    .filter(Boolean)
    .flatMap((base) => origins.map((url) => callsTo(origin(url), base).source));
  const patterns = [
    urlsOf(mock.url).source,
    ...origins.map((url) => urlsOf(url).source + NO_STATIC_FILE),
    ...calls,
  ];
  const urls = new RegExp(patterns.join("|"));
  // `fallback` and not `continue`, so that other routes of the test see the request too. Baggage is
  // for an app's server that propagates it with OpenTelemetry.
  await context.route(urls, (route) =>
    route.fallback({ headers: addSession(route.request().headers(), mock) }),
  );
}

/** @param {Screens} screens */
function checkScreens(screens) {
  if (
    typeof screens !== "object" ||
    screens === null ||
    Array.isArray(screens)
  ) {
    throw new TypeError(
      `mockScreens must be an object such as { widths: [390, 1440], themes: ["light", "dark"] }, got ${JSON.stringify(screens)}`,
    );
  }
  for (const name of Object.keys(screens)) {
    if (name === "widths" || name === "themes") continue;
    throw new TypeError(
      `unknown property '${name}' of mockScreens; did you mean '${nearest(name, ["widths", "themes"]) ?? "widths"}'?`,
    );
  }
  const { widths = [NARROWEST], themes = THEMES } = screens;
  const areWidths =
    Array.isArray(widths) &&
    widths.every(
      (width) =>
        Number.isInteger(width) && width >= NARROWEST && width <= WIDEST,
    );
  if (!areWidths || !widths.length)
    throw new TypeError(
      `mockScreens.widths must list whole numbers from ${NARROWEST} to ${WIDEST}, got ${JSON.stringify(widths)}`,
    );
  const areThemes =
    Array.isArray(themes) &&
    themes.every((/** @type {"light" | "dark"} */ theme) =>
      THEMES.includes(theme),
    );
  if (!areThemes || !themes.length)
    throw new TypeError(
      `mockScreens.themes must list 'light', 'dark' or both, got ${JSON.stringify(themes)}`,
    );
}

/**
 * Attach the page in each width and theme; a page that cannot be captured is no reason to fail the test.
 * @param {TestInfo} testInfo
 * @param {Page} page
 * @param {Screens} screens
 * @param {PlaywrightTestOptions["colorScheme"]} colorScheme
 */
async function attachScreenshots(
  testInfo,
  page,
  { widths, themes },
  colorScheme,
) {
  const { width: current, height } = page.viewportSize() ?? {
    width: 1280,
    height: 720,
  };
  /** @type {readonly ("light" | "dark")[]} */
  const shown = themes ?? [colorScheme === "dark" ? "dark" : "light"];
  for (const width of new Set(widths ?? [current])) {
    for (const theme of new Set(shown)) {
      const problem = await failure(async () => {
        if (widths) await page.setViewportSize({ width, height });
        if (themes) await page.emulateMedia({ colorScheme: theme });
        // The app has two frames for what it does when the size or the theme changes.
        const settled = await page.waitForFunction(measure, undefined, {
          timeout: SCREENSHOT_MS,
        });
        const body = await page.screenshot({
          animations: "disabled",
          timeout: SCREENSHOT_MS,
        });
        await testInfo.attach(`state screenshot ${width} ${theme}`, {
          body,
          contentType: "image/png",
        });
        const wide = await settled.jsonValue();
        if (wide.page > wide.window)
          addFinding(
            testInfo,
            `${width}: the page is ${wide.page} pixels wide and scrolls sideways`,
          );
      });
      if (problem)
        return addFinding(
          testInfo,
          `${width} ${theme}: no screenshot: ${problem.message}`,
        ); // the others would take as long
    }
  }
}

/**
 * Return the widths of page and window after two frames; it runs in the page.
 * @returns {Promise<{ page: number, window: number }>}
 */
function measure() {
  const widths = () => ({
    page: document.documentElement.scrollWidth,
    window: innerWidth,
  });
  return new Promise((resolve) =>
    requestAnimationFrame(() => requestAnimationFrame(() => resolve(widths()))),
  );
}

/**
 * @param {TestInfo} testInfo
 * @param {string} text
 */
function addFinding(testInfo, text) {
  findingsOf.set(testInfo, (findingsOf.get(testInfo) ?? new Set()).add(text));
}

/**
 * Attach what is wrong with the page, and with the requests of the session.
 * @param {TestInfo} testInfo
 * @param {Mockpets} mock
 */
async function attachFindings(testInfo, mock) {
  const { report } = await mock.findings();
  for (const { rule, message } of report.findings)
    addFinding(testInfo, `${rule}: ${message}`);
  const texts = findingsOf.get(testInfo);
  if (texts)
    await testInfo.attach(FINDINGS, {
      body: JSON.stringify([...texts]),
      contentType: "application/json",
    });
}

/**
 * @param {TestInfo} testInfo
 * @param {Mockpets} mock
 */
async function attachRequests(testInfo, mock) {
  await testInfo.attach("mockpets requests", {
    body: await requestLog(mock, UNNAMED_HINT),
    contentType: "text/plain",
  });
  await attachHar(testInfo, mock);
  await attachFile(testInfo, "mockpets-session.json", await mock.export());
}

/**
 * @param {TestInfo} testInfo
 * @param {Mockpets} mock
 */
async function attachHar(testInfo, mock) {
  await attachFile(
    testInfo,
    "mockpets.har",
    await mock.har({ limit: HAR_ENTRIES }),
  );
}

/**
 * @param {TestInfo} testInfo
 * @param {string} name
 * @param {unknown} content
 */
async function attachFile(testInfo, name, content) {
  const path = testInfo.outputPath(name); // a file, so that the report has a link to it
  await writeFile(path, JSON.stringify(content));
  await testInfo.attach(name, { path, contentType: "application/json" });
}
