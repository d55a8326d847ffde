// The command `cy.mockpets` gives a Cypress test a session of its own.

import { Mockpets, MockpetsError } from "./client.js";
import {
  RUN,
  addSession,
  contentsOf,
  dropSession,
  failure,
  origin,
  requestLog,
  urlsOf,
  warningOf,
} from "./shared.js";

export * from "./client.js";

/**
 * @import { Contents } from "./client.js"
 * @import { Problem } from "./shared.js"
 */

/** @typedef {import("./cypress-command.d.ts").MockpetsOptions} MockpetsOptions */

const CALL_MS = 15_000; // more than the client takes to fail with a message that explains more
// Cypress responds to CORS preflights itself unless the methods name OPTIONS.
const METHODS = /^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)$/;

let isInTest = false;
/** @type {Mockpets | undefined} */
let session; // of the test that runs, once it is created

Cypress.Commands.add("mockpets", (scenario, options) => {
  if (!isInTest)
    throw new Error(
      "call cy.mockpets() in a test or in beforeEach, not in before or after",
    );
  if (session && options)
    throw new TypeError(
      "only the first cy.mockpets() of a test accepts options",
    );
  const mock = session ?? create(options);
  if (!session)
    sendSession(mock, [Cypress.config("baseUrl"), ...(options?.origins ?? [])]);
  cy.then({ timeout: CALL_MS }, async () => {
    if (!session) {
      await mock.make(contentsOf(scenario === undefined ? {} : { scenario }));
      const message = await warningOf(
        mock,
        options?.args ?? variable("MOCKPETS_ARGS"),
        "MOCKPETS_ARGS",
      );
      if (message) Cypress.log({ name: "mockpets", message });
    } else if (scenario !== undefined) await mock.use(...[scenario].flat());
    session = mock;
  });
  return cy.wrap(mock, { log: false });
});

beforeEach(() => {
  isInTest = true;
  session = undefined; // the previous test has one if an `afterEach` of the user failed
});

afterEach(function () {
  const mock = session;
  const test = this.currentTest ?? {};
  isInTest = false;
  session = undefined;
  if (mock) cy.then({ timeout: 2 * CALL_MS }, () => end(mock, test));
});

/**
 * Return a client with a session name that is unique for this attempt of the test.
 * @param {MockpetsOptions} [options]
 */
function create({ url, key, token } = {}) {
  const { title, titlePath } = Cypress.currentTest;
  return new Mockpets({
    url: url ?? variable("MOCKPETS_URL"),
    key: key ?? variable("MOCKPETS_KEY"),
    token: token ?? variable("MOCKPETS_CONTROL_TOKEN"),
    session: Mockpets.slug(
      title,
      ...titlePath,
      Cypress.spec.relative,
      Cypress.currentRetry,
      RUN,
    ),
  });
}

/** @param {string} name */
function variable(name) {
  /** @type {unknown} */
  const value = Cypress.env(name);
  return /** @type {string | undefined} */ (value || undefined);
}

/**
 * Add the session to all requests to mockpets and to some other origins, until the test ends.
 * @param {Mockpets} mock
 * @param {(string | null | undefined)[]} others
 */
function sendSession(mock, others) {
  const origins = new Set(
    [mock.url, ...others].flatMap((url) => (url ? origin(url) : [])),
  );
  for (const each of origins) {
    // Middleware: other intercepts of the test see the request too.
    cy.intercept(
      { url: urlsOf(each), method: METHODS, middleware: true },
      ({ headers }) => {
        Object.assign(headers, addSession(headers, mock));
      },
    );
  }
}

/**
 * Delete the session of a test, or throw if it was lost.
 * @param {Mockpets} mock
 * @param {Partial<Mocha.Test>} test
 */
async function end(mock, { state, err }) {
  const problem = await failure(async () => {
    if (state === "failed") {
      for (const message of (await requestLog(mock)).split("\n"))
        Cypress.log({ name: "mockpets", message });
    }
    await dropSession(mock);
  });
  if (!problem || problem.code === "session_dropped") return; // the test has deleted it
  if (err?.message.includes(problem.message)) return;
  // The failure of the test is only a consequence, so it comes second.
  if (!err) throw problem;
  const { code, message, status } = /** @type {MockpetsError} */ (problem);
  throw new MockpetsError(
    code,
    `${message}\n\nThe test failed with: ${err.message}`,
    status,
  );
}
