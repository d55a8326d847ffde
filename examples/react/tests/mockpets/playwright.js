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
  RUN,
  SCREENSHOT,
  addSession,
  contentsOf,
  dropSession,
  failure,
  makeInState,
  requestLine,
  requestLog,
  stateOf,
  urlsOf,
} from "./shared.js";

export * from "./client.js";
export { webServer } from "./server.js";
export { states } from "./states.js";

// An app's server needs the session for pages and calls, not for the many files of a dev server.
const STATIC = "[cm]?[jt]sx?|css|map|svg|png|jpe?g|gif|webp|avif|ico|woff2?|ttf";
const NO_STATIC_FILE = `(?![^?#]*\\.(?:${STATIC})(?:[?#]|$))`;
const HAR_ENTRIES = 1_000;
const HAR_MODES = ["on-failure", "always"];
const WITHIN_MS = 5_000;
const LONGEST_WAIT_MS = 30_000;
const SCREENSHOT_MS = 10_000;

export const test = baseTest.extend({
  mockUrl: [undefined, { option: true }],
  mockKey: [undefined, { option: true }],
  mockContents: [{}, { option: true }],
  mockOrigins: [[], { option: true }],
  mockHar: ["on-failure", { option: true }],
  carrier: ["route", { option: true }],

  mock: async ({ mockUrl, mockKey, mockContents, mockHar }, use, testInfo) => {
    if (!HAR_MODES.includes(mockHar)) throw new TypeError(`mockHar must be 'on-failure' or 'always', got '${mockHar}'`);
    const mock = mockOf({ mockUrl, mockKey }, testInfo);
    const state = stateOf(testInfo);
    if (state === undefined) await mock.make(contentsOf(mockContents));
    else {
      const disabled = await makeInState(mock, mockContents, state);
      if (disabled) await mock.drop();
      testInfo.skip(Boolean(disabled), disabled);
    }
    // By one worker, once in a run.
    if (testInfo.workerIndex === 0) await warnOfReusedServer(mock, testInfo.config.configFile);
    await use(mock);
    let unreached = null;
    const problem = await failure(async () => {
      if (testInfo.status !== testInfo.expectedStatus) await attachRequests(testInfo, mock);
      else {
        if (mockHar === "always") await attachHar(testInfo, mock);
        if (state !== undefined && testInfo.status === "passed") ({ unreached } = await mock.scenario(state));
      }
      await dropSession(mock);
    });
    if (!problem || problem.code === "session_dropped") { // the test has deleted it
      testInfo.skip(Boolean(unreached), unreached);
      return;
    }
    const { errors } = testInfo;
    problem.stack = String(problem); // no line of the test has caused it
    if (!errors.length) throw problem;
    // The failure of the test is only a consequence, so it comes second.
    if (!errors.some(({ message }) => message?.includes(problem.message))) errors.unshift({ message: problem.stack });
  },

  context: async ({ mock, mockOrigins, carrier, baseURL, extraHTTPHeaders, context }, use) => {
    await nameSession(context, mock, { mockOrigins, carrier, baseURL, extraHTTPHeaders });
    await use(context);
  },

  page: async ({ page }, use, testInfo) => {
    await use(page);
    if (stateOf(testInfo) !== undefined && !page.isClosed()) await attachScreenshot(testInfo, page);
  },

  request: async ({ playwright, mock, extraHTTPHeaders }, use) => {
    const request = await newRequest(mock, { playwright, extraHTTPHeaders });
    await use(request);
    await request.dispose();
  },
});

export const interleavings = interleavingsOf(test, { attachRequests, nameSession, newRequest, openSession });

export const expect = baseExpect.extend({
  async toHaveReceived(mock, match, times, options = {}) {
    if (!(mock instanceof Mockpets)) throw new TypeError("toHaveReceived expects the fixture 'mock'");
    const mayFailLater = times === 0 || times?.at_most !== undefined;
    const within = this.isNot || mayFailLater ? undefined : Math.min(this.timeout ?? WITHIN_MS, LONGEST_WAIT_MS);
    const hint = this.utils.matcherHint("toHaveReceived", "mock", "match", { isNot: this.isNot });
    try {
      const entries = await mock.verify(match, times, { within, ...options });
      const lines = entries.map(requestLine).join("\n");
      return { pass: true, message: () => `${hint}\n\nunexpected requests: ${entries.length}\n${lines}` };
    } catch (error) {
      if (error.code !== "verification_failed") throw error;
      return { pass: false, message: () => `${hint}\n\n${error.message}` };
    }
  },
});

/** Return a client for the session of a test, or of a part of it. */
function mockOf({ mockUrl, mockKey }, { title, titlePath, project, repeatEachIndex, retry }, ...part) {
  const session = Mockpets.slug(title, project.name, ...titlePath, repeatEachIndex, retry, RUN, ...part);
  return new Mockpets({ url: mockUrl, key: mockKey, session });
}

async function openSession(fixtures, testInfo, part) {
  const mock = mockOf(fixtures, testInfo, part);
  await mock.make(contentsOf(fixtures.mockContents));
  if (part === 1 && testInfo.workerIndex === 0) await warnOfReusedServer(mock, testInfo.config.configFile);
  return mock;
}

async function nameSession(context, mock, { mockOrigins, carrier, baseURL, extraHTTPHeaders }) {
  const origins = baseURL ? [baseURL, ...mockOrigins] : mockOrigins;
  if (carrier === "route") await attachSession(context, mock, origins);
  else if (carrier === "header") await context.setExtraHTTPHeaders({ ...extraHTTPHeaders, ...mock.headers });
  else if (carrier !== "key") throw new TypeError(`carrier must be 'route', 'header' or 'key', got '${carrier}'`);
}

async function newRequest(mock, { playwright, extraHTTPHeaders }) {
  return playwright.request.newContext({ extraHTTPHeaders: addSession(extraHTTPHeaders ?? {}, mock) });
}

export async function attachSession(context, mock, origins = []) {
  // A pattern and not a function, because each request that Playwright asks about takes milliseconds.
  const patterns = [urlsOf(mock.url).source, ...origins.map((url) => urlsOf(url).source + NO_STATIC_FILE)];
  const urls = new RegExp(patterns.join("|"));
  // `fallback` and not `continue`, so that other routes of the test see the request too. Baggage is
  // for an app's server that propagates it with OpenTelemetry.
  await context.route(urls, (route) => route.fallback({ headers: addSession(route.request().headers(), mock) }));
}

/** Attach the page as it is; a page that cannot be captured is no reason to fail the test. */
async function attachScreenshot(testInfo, page) {
  const body = await page.screenshot({ timeout: SCREENSHOT_MS }).catch(() => undefined);
  if (body) await testInfo.attach(SCREENSHOT, { body, contentType: "image/png" });
}

async function attachRequests(testInfo, mock) {
  await testInfo.attach("mockpets requests", { body: await requestLog(mock), contentType: "text/plain" });
  await attachHar(testInfo, mock);
  await attachFile(testInfo, "mockpets-session.json", await mock.export());
}

async function attachHar(testInfo, mock) {
  await attachFile(testInfo, "mockpets.har", await mock.har({ limit: HAR_ENTRIES }));
}

async function attachFile(testInfo, name, content) {
  const path = testInfo.outputPath(name); // a file, so that the report has a link to it
  await writeFile(path, JSON.stringify(content));
  await testInfo.attach(name, { path, contentType: "application/json" });
}
