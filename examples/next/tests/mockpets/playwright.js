// mockpets 0.2.0: written by "mockpets kit"; run it again, do not edit; agents: mockpets skill
/* eslint-disable */
// @ts-nocheck: the declarations have the types

// A Playwright test with a session of its own. The declarations beside this file have the documentation.

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
export { states } from "./states.js";

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
const THEMES = ["light", "dark"];
const WIDTHS = [200, 4_000];
const findingsOf = new WeakMap(); // by test

export const test = baseTest.extend({
  mockUrl: [undefined, { option: true }],
  mockKey: [undefined, { option: true }],
  mockContents: [{}, { option: true }],
  mockOrigins: [[], { option: true }],
  mockHar: ["on-failure", { option: true }],
  mockScreens: [{}, { option: true }],
  carrier: ["route", { option: true }],

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
      testInfo.skip(Boolean(disabled), disabled);
    }
    // By one worker, once in a run.
    if (testInfo.workerIndex === 0)
      await warnOfReusedServer(mock, testInfo.config.configFile);
    await use(mock);
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
      testInfo.skip(Boolean(unreached), unreached);
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
    { mock, mockOrigins, carrier, baseURL, extraHTTPHeaders, context },
    use,
  ) => {
    await nameSession(context, mock, {
      mockOrigins,
      carrier,
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

export const interleavings = interleavingsOf(test, {
  attachRequests,
  nameSession,
  newRequest,
  openSession,
});

export const expect = baseExpect.extend({
  async toHaveReceived(mock, match, times, options = {}) {
    if (!(mock instanceof Mockpets))
      throw new TypeError("toHaveReceived expects the fixture 'mock'");
    const mayFailLater = times === 0 || times?.at_most !== undefined;
    const within =
      this.isNot || mayFailLater
        ? undefined
        : Math.min(this.timeout ?? WITHIN_MS, LONGEST_WAIT_MS);
    const hint = this.utils.matcherHint("toHaveReceived", "mock", "match", {
      isNot: this.isNot,
    });
    try {
      const entries = await mock.verify(match, times, { within, ...options });
      const lines = entries.map(requestLine).join("\n");
      return {
        pass: true,
        message: () =>
          `${hint}\n\nunexpected requests: ${entries.length}\n${lines}`,
      };
    } catch (error) {
      if (error.code !== "verification_failed") throw error;
      return { pass: false, message: () => `${hint}\n\n${error.message}` };
    }
  },
});

/** Return a client for the session of a test, or of a part of it. */
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

async function openSession(fixtures, testInfo, part) {
  const mock = mockOf(fixtures, testInfo, part);
  await mock.make(contentsOf(fixtures.mockContents));
  if (part === 1 && testInfo.workerIndex === 0)
    await warnOfReusedServer(mock, testInfo.config.configFile);
  return mock;
}

async function nameSession(
  context,
  mock,
  { mockOrigins, carrier, baseURL, extraHTTPHeaders },
) {
  const origins = baseURL ? [baseURL, ...mockOrigins] : mockOrigins;
  if (carrier === "route") await attachSession(context, mock, origins);
  else if (carrier === "header")
    await context.setExtraHTTPHeaders({ ...extraHTTPHeaders, ...mock.headers });
  else if (carrier !== "key")
    throw new TypeError(
      `carrier must be 'route', 'header' or 'key', got '${carrier}'`,
    );
}

async function newRequest(mock, { playwright, extraHTTPHeaders }) {
  return playwright.request.newContext({
    extraHTTPHeaders: addSession(extraHTTPHeaders ?? {}, mock),
  });
}

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
  const { widths = [WIDTHS[0]], themes = THEMES } = screens;
  const areWidths =
    Array.isArray(widths) &&
    widths.every(
      (width) =>
        Number.isInteger(width) && width >= WIDTHS[0] && width <= WIDTHS[1],
    );
  if (!areWidths || !widths.length)
    throw new TypeError(
      `mockScreens.widths must list whole numbers from ${WIDTHS.join(" to ")}, got ${JSON.stringify(widths)}`,
    );
  const areThemes =
    Array.isArray(themes) && themes.every((theme) => THEMES.includes(theme));
  if (!areThemes || !themes.length)
    throw new TypeError(
      `mockScreens.themes must list 'light', 'dark' or both, got ${JSON.stringify(themes)}`,
    );
}

/** Attach the page in each width and theme; a page that cannot be captured is no reason to fail the test. */
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
  for (const width of new Set(widths ?? [current])) {
    for (const theme of new Set(
      themes ?? [colorScheme === "dark" ? "dark" : "light"],
    )) {
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

/** Return the widths of page and window after two frames; it runs in the page. */
function measure() {
  const widths = () => ({
    page: document.documentElement.scrollWidth,
    window: innerWidth,
  });
  return new Promise((resolve) =>
    requestAnimationFrame(() => requestAnimationFrame(() => resolve(widths()))),
  );
}

function addFinding(testInfo, text) {
  findingsOf.set(testInfo, (findingsOf.get(testInfo) ?? new Set()).add(text));
}

/** Attach what is wrong with the page, and with the requests of the session. */
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

async function attachRequests(testInfo, mock) {
  await testInfo.attach("mockpets requests", {
    body: await requestLog(mock, UNNAMED_HINT),
    contentType: "text/plain",
  });
  await attachHar(testInfo, mock);
  await attachFile(testInfo, "mockpets-session.json", await mock.export());
}

async function attachHar(testInfo, mock) {
  await attachFile(
    testInfo,
    "mockpets.har",
    await mock.har({ limit: HAR_ENTRIES }),
  );
}

async function attachFile(testInfo, name, content) {
  const path = testInfo.outputPath(name); // a file, so that the report has a link to it
  await writeFile(path, JSON.stringify(content));
  await testInfo.attach(name, { path, contentType: "application/json" });
}
