// A Playwright test with a session of its own. The declarations beside this file have the documentation.

import { writeFile } from "node:fs/promises";
import { expect as baseExpect, test as baseTest } from "@playwright/test";
import { Mockpets } from "./client.js";
import { RUN, addSession, dropSession, failure, origin, requestLine, requestLog } from "./shared.js";

export * from "./client.js";
export { webServer } from "./server.js";

const WITHIN_MS = 5_000;
const LONGEST_WAIT_MS = 30_000;

export const test = baseTest.extend({
  mockUrl: [undefined, { option: true }],
  mockKey: [undefined, { option: true }],
  mockContents: [{}, { option: true }],
  mockOrigins: [[], { option: true }],
  carrier: ["route", { option: true }],

  mock: async ({ mockUrl, mockKey, mockContents }, use, testInfo) => {
    const { title, titlePath, project, repeatEachIndex, retry } = testInfo;
    const session = Mockpets.slug(title, project.name, ...titlePath, repeatEachIndex, retry, RUN);
    const mock = new Mockpets({ url: mockUrl, key: mockKey, session });
    await mock.make(mockContents);
    await use(mock);
    const problem = await failure(async () => {
      if (testInfo.status !== testInfo.expectedStatus) await attachRequests(testInfo, mock);
      await dropSession(mock);
    });
    if (!problem || problem.code === "session_dropped") return; // the test has deleted it
    const { errors } = testInfo;
    problem.stack = String(problem); // no line of the test has caused it
    if (!errors.length) throw problem;
    // The failure of the test is only a consequence, so it comes second.
    if (!errors.some(({ message }) => message?.includes(problem.message))) errors.unshift({ message: problem.stack });
  },

  context: async ({ mock, mockOrigins, carrier, baseURL, extraHTTPHeaders, context }, use) => {
    const origins = baseURL ? [baseURL, ...mockOrigins] : mockOrigins;
    if (carrier === "route") await attachSession(context, mock, origins);
    else if (carrier === "header") await context.setExtraHTTPHeaders({ ...extraHTTPHeaders, ...mock.headers });
    else if (carrier !== "key") throw new TypeError(`carrier must be 'route', 'header' or 'key', got '${carrier}'`);
    await use(context);
  },

  request: async ({ playwright, mock, extraHTTPHeaders }, use) => {
    const headers = addSession(extraHTTPHeaders ?? {}, mock);
    const request = await playwright.request.newContext({ extraHTTPHeaders: headers });
    await use(request);
    await request.dispose();
  },
});

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

export async function attachSession(context, mock, origins = []) {
  const known = new Set([mock.url, ...origins].map(origin));
  await context.route(
    (url) => known.has(origin(url)),
    // `fallback` and not `continue`, so that other routes of the test see the request too. Baggage is
    // for an app's server that propagates it with OpenTelemetry.
    (route) => route.fallback({ headers: addSession(route.request().headers(), mock) }),
  );
}

async function attachRequests(testInfo, mock) {
  await testInfo.attach("mockpets requests", { body: await requestLog(mock), contentType: "text/plain" });
  const path = testInfo.outputPath("mockpets.har"); // a file, so that the report has a link to it
  await writeFile(path, JSON.stringify(await mock.har()));
  await testInfo.attach("mockpets.har", { path, contentType: "application/json" });
}
