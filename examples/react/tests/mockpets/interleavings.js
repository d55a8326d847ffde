// mockpets 0.2.0: written by "mockpets kit"; run it again, do not edit; agents: mockpets skill
/* eslint-disable */
// @ts-nocheck: the declarations have the types

// One Playwright test under each order in which responses can arrive. It is not an interface of the kit: `playwright.js` is.

import { runInThisContext } from "node:vm";
import { KINDS, choicesOf, formatOrder, parseOrder, search } from "./orders.js";
import {
  callsTo,
  dropSession,
  failure,
  nearest,
  origin,
  urlsOf,
} from "./shared.js";

/**
 * @import { RunningCodeOptions } from "node:vm"
 * @import {
 *   APIRequestContext,
 *   APIResponse,
 *   BrowserContext,
 *   PlaywrightTestArgs,
 *   PlaywrightTestOptions,
 *   PlaywrightWorkerArgs,
 *   PlaywrightWorkerOptions,
 *   Request,
 *   Route,
 *   TestInfo,
 *   TestType,
 * } from "@playwright/test"
 * @import { Mockpets } from "./client.js"
 * @import { Choice, Held, Kind, Made, Order } from "./orders.js"
 * @import {
 *   InterleavingsFixtures,
 *   InterleavingsOptions,
 *   MockpetsFixtures,
 *   MockpetsOptions,
 * } from "./playwright.js"
 */

/** @typedef {Required<Omit<InterleavingsOptions, "fail">> & { fail: number | undefined }} Settings */

/** @typedef {(fixtures: InterleavingsFixtures) => Promise<void>} Body */

/**
 * @typedef {TestType<
 *   PlaywrightTestArgs & PlaywrightTestOptions & MockpetsOptions & MockpetsFixtures,
 *   PlaywrightWorkerArgs & PlaywrightWorkerOptions
 * >} MockpetsTest
 */

/**
 * The fixtures of the test that each order needs.
 * @typedef {Pick<PlaywrightWorkerArgs, "browser" | "playwright"> &
 *   Pick<MockpetsOptions, "mockUrl" | "mockKey" | "mockContents" | "mockOrigins" | "sessionIn"> &
 *   Pick<PlaywrightTestOptions, "baseURL" | "extraHTTPHeaders">} Fixtures
 */

/**
 * @callback Declare
 * @param {MockpetsTest} test
 * @param {string} title
 * @param {(fixtures: Fixtures, testInfo: TestInfo) => Promise<void>} body
 * @returns {void}
 */

/**
 * What `playwright.js` provides, which imports this module.
 * @typedef {object} Tools
 * @property {(testInfo: TestInfo, mock: Mockpets) => Promise<void>} attachRequests
 * @property {(context: BrowserContext, mock: Mockpets, fixtures: Fixtures) => Promise<void>} nameSession
 * @property {(mock: Mockpets, fixtures: Fixtures) => Promise<APIRequestContext>} newRequest
 * @property {(fixtures: Fixtures, testInfo: TestInfo, part: string | number) => Promise<Mockpets>} openSession
 */

/**
 * What all orders of a test share.
 * @typedef {object} Setup
 * @property {MockpetsTest} test
 * @property {Tools} tools
 * @property {Fixtures} fixtures
 * @property {TestInfo} testInfo
 * @property {Body} body
 * @property {Settings} settings
 */

/**
 * The run of one order.
 * @typedef {object} Run
 * @property {number} number
 * @property {boolean} isLast whether it is not repeated
 * @property {string} title
 * @property {string[]} choices those to make first
 * @property {Made[]} made
 * @property {{ ms: number, event: string, text: string | undefined }[]} log
 * @property {number} cancelled how many held requests the page has cancelled
 * @property {boolean} isFirstFailure
 * @property {boolean} isUnrepeatable
 * @property {boolean} isTooLong
 * @property {Mockpets} [mock]
 * @property {BrowserContext} [context]
 * @property {APIRequestContext} [request]
 */

/** @typedef {Held & { route: Route, request: Request, issuedAt: number, response?: APIResponse | undefined }} HeldRequest */

/** @type {Settings} */
const DEFAULTS = {
  atLeast: 2,
  fail: undefined,
  ignore: [],
  lose: false,
  orders: 40,
  quiet: 50,
  seed: 1,
};
const VARIABLE = "MOCKPETS_ORDER";
const CALLS = "mockpets unsettled calls";
const TICK_MS = 10;
const PENDING_MS = 700; // quiet while the actions of `race()` are pending
const PENDING_WINDOWS = 14; // the actions take longer on a busy machine, and so do these
const RACE_MS = 20_000;
const LATE_MS = 1_000;
const ARRIVAL_MS = 2_000; // longest wait for a delivered response to reach the page
const SCREENSHOT_MS = 5_000;
const MAX_SET = 4;
const MAX_CHOICES = 8;
const MAX_FAILURES = 3;
const POLL_COUNT = 4; // fewest requests that look like a poll

/**
 * Return `interleavings` for a `test` with the fixtures of the kit.
 * @param {MockpetsTest} test
 * @param {Tools} tools
 */
export function interleavingsOf(test, tools) {
  /**
   * @param {string} title
   * @param {Body} body
   * @param {InterleavingsOptions} [options]
   */
  return function interleavings(title, body, options = {}) {
    if (typeof title !== "string" || typeof body !== "function")
      throw new TypeError(
        "interleavings() expects a title and a function: interleavings(title, async ({ page, race }) => { ... })",
      );
    const settings = validated(options);
    const declare = atCaller(interleavings);
    declare(
      test,
      title,
      async (
        {
          browser,
          playwright,
          mockUrl,
          mockKey,
          mockContents,
          mockOrigins,
          sessionIn,
          baseURL,
          extraHTTPHeaders,
        },
        testInfo,
      ) => {
        const fixtures = {
          browser,
          playwright,
          mockUrl,
          mockKey,
          mockContents,
          mockOrigins,
          sessionIn,
          baseURL,
          extraHTTPHeaders,
        };
        await runOrders({ test, tools, fixtures, testInfo, body, settings });
      },
    );
  };
}

/**
 * @param {InterleavingsOptions} options
 * @returns {Settings}
 */
function validated(options) {
  if (options === null || typeof options !== "object")
    throw new TypeError(
      `the options of interleavings() must be an object, got ${options === null ? "null" : `a ${typeof options}`}`,
    );
  /** @type {[name: string, value: unknown][]} */
  const entries = Object.entries(options);
  for (const [name, value] of entries) {
    if (!Object.hasOwn(DEFAULTS, name)) {
      const near = nearest(name, Object.keys(DEFAULTS));
      throw new TypeError(
        `unknown option '${name}' of interleavings(); ${near ? `did you mean '${near}'?` : `use ${Object.keys(DEFAULTS).join(", ")}`}`,
      );
    }
    const isWithin = (
      /** @type {number} */ least,
      /** @type {number} */ most,
    ) =>
      Number.isInteger(value) &&
      Number(value) >= least &&
      Number(value) <= most;
    /** @type {Record<string, [isValid: boolean, expected: string]>} */
    const checks = {
      fail: [
        value === undefined || isWithin(400, 599),
        "a status from 400 to 599",
      ],
      ignore: [
        Array.isArray(value) &&
          value.every((/** @type {unknown} */ one) =>
            typeof one === "string" ? one !== "" : one instanceof RegExp,
          ),
        "an array of texts and regular expressions",
      ],
      lose: [typeof value === "boolean", "true or false"],
      quiet: [isWithin(TICK_MS, RACE_MS / 2), "milliseconds from 10 to 10000"],
      seed: [Number.isInteger(value), "a whole number"],
    };
    const [isValid, expected] = checks[name] ?? [
      isWithin(1, 10_000),
      "a whole number from 1 to 10000",
    ];
    if (!isValid)
      throw new TypeError(
        `option '${name}' of interleavings() must be ${expected}, got ${JSON.stringify(value)}`,
      );
  }
  return { ...DEFAULTS, ...options };
}

/**
 * Return a function that declares a test for the caller of a function.
 * `test()` takes the line from its direct caller's frame, without an option.
 * @param {(...values: never[]) => unknown} called
 * @returns {Declare}
 */
function atCaller(called) {
  // eslint-disable-next-line @typescript-eslint/unbound-method -- it is only put back
  const { prepareStackTrace } = Error;
  /** @type {{ stack?: RunningCodeOptions }} */
  const place = {};
  Error.prepareStackTrace = (_, [frame]) => ({
    filename: frame?.getFileName(),
    lineOffset: (frame?.getLineNumber() ?? 1) - 1,
    columnOffset: (frame?.getColumnNumber() ?? 1) - 1,
  });
  try {
    Error.captureStackTrace(place, called);
    // eslint-disable-next-line @typescript-eslint/no-unsafe-return -- the code below has this type
    return /** @type {Declare} */ (
      runInThisContext(
        "(declare, title, body) => declare(title, body)",
        place.stack,
      )
    );
  } finally {
    Error.prepareStackTrace = prepareStackTrace;
  }
}

/** @param {Setup} setup */
async function runOrders(setup) {
  const { testInfo, settings } = setup;
  const text = process.env[VARIABLE];
  const replayed = text ? { choices: parseOrder(text), changes: 0 } : undefined;
  const { timeout } = testInfo;
  testInfo.setTimeout(timeout * (settings.orders + 1)); // the step of each order has the timeout of the test
  const orders = replayed ? undefined : search(settings);
  /** @type {{ run: Run, problem: Error }[]} */
  const failed = [];
  let [number, cancelled] = [0, 0];
  /** @type {readonly string[]} */
  let paths = [];
  for (
    let order = replayed ?? orders?.next();
    order && failed.length < MAX_FAILURES;
    order = orders?.next()
  ) {
    number += 1;
    const { choices } = order;
    /**
     * @param {boolean} isLast
     * @returns {Promise<{ run: Run, problem: Error | undefined }>}
     */
    const attempt = async (isLast) => {
      const title = `order ${number}${isLast ? " again" : ""}: ${formatOrder(choices)}`;
      /** @type {Run} */
      const run = {
        number,
        isLast,
        title,
        choices,
        made: [],
        log: [],
        cancelled: 0,
        isFirstFailure: !failed.length,
        isUnrepeatable: false,
        isTooLong: false,
      };
      const problem = await runOrder(setup, timeout, run);
      return run.isUnrepeatable && !isLast ? attempt(true) : { run, problem };
    };
    const { run, problem } = await attempt(false);
    if (problem) failed.push({ run, problem });
    cancelled = Math.max(cancelled, run.cancelled);
    paths = run.mock?.bases ?? paths;
    orders?.add(order, run.made);
    if (run.isTooLong) break; // the other orders would take as long
  }
  const left = orders?.left() ?? 0;
  const more = left ? `; at least ${left} more were not tried` : "";
  const [first, ...others] = failed;
  if (!first) {
    testInfo.annotations.push({
      type: "orders",
      description: `${number} passed${more}`,
    });
    const count = number + cancelled; // a cancelled request has competed
    if (replayed || count >= settings.atLeast) return;
    const bases = paths.map((base) => base || "/").join(" or ");
    const exist = `only ${number} order${number === 1 ? " exists" : "s exist"}`;
    const found = cancelled
      ? `${exist}, and the page cancelled ${cancelled} of the held requests`
      : exist;
    throw new Error(
      `${count === 1 ? `nothing branched: no two requests to ${bases} were held at the same time` : `${found}; atLeast is ${settings.atLeast}`}; ` +
        `do all actions that compete in race(), await no response there, or allow this with { atLeast: ${count} }`,
    );
  }
  const { run, problem } = first;
  const heading = [
    replayed
      ? "the replayed order fails:"
      : `${failed.length} of ${number} orders fail${more}; order ${run.number}:`,
    ...run.log
      .map(({ text }) => text)
      .filter(Boolean)
      .map((text, index) => `  ${index + 1}. ${text}`),
    ...[run, ...others.map((other) => other.run)].map(
      ({ made }) =>
        `${VARIABLE}='${formatOrder(made.map(({ choice }) => choice))}'`,
    ),
  ];
  throw headed(problem, heading.join("\n"));
}

/**
 * Return an error with a heading above its message, whose stack still has the line of the test.
 * @param {unknown} problem
 * @param {string} heading
 */
function headed(problem, heading) {
  const error = problem instanceof Error ? problem : new Error(String(problem));
  const stack = error.stack ?? String(error);
  error.message = `${heading}\n\n${error.message}`;
  error.stack = `${heading}\n\n${stack}`;
  return error;
}

/**
 * Run one order in a context and a session of its own; return its problem, or undefined.
 * @param {Setup} setup
 * @param {number} timeout
 * @param {Run} run
 */
async function runOrder(setup, timeout, run) {
  const { test, tools, fixtures, testInfo, body, settings } = setup;
  const known = testInfo.errors.length;
  /** @type {Awaited<ReturnType<typeof hold>> | undefined} */
  let requests;
  const work = async () => {
    const mock = (run.mock = await tools.openSession(
      fixtures,
      testInfo,
      run.isLast ? `${run.number} again` : run.number,
    ));
    const context = (run.context = await fixtures.browser.newContext());
    const urls = [fixtures.baseURL, ...fixtures.mockOrigins];
    const apps = urls.flatMap((url) => (url ? origin(url) : []));
    requests = await hold(context, mock, apps, settings, run);
    await tools.nameSession(context, mock, fixtures);
    const request = (run.request = await tools.newRequest(mock, fixtures));
    await body({
      page: await context.newPage(),
      context,
      mock,
      request,
      race: requests.race,
    });
    await requests.finish();
  };
  let [isOver, hasEnded] = [false, false];
  // What fails after the step has timed out is a consequence of that.
  const watched = () =>
    work()
      .catch((error) => {
        if (!isOver) throw error;
      })
      .finally(() => {
        hasEnded = true;
      });
  let problem = await failure(() => test.step(run.title, watched, { timeout }));
  isOver = true;
  const reason = hasEnded ? undefined : requests?.tooLong();
  if (problem && reason) problem = new Error(`${problem.message} ${reason}`);
  const soft = testInfo.errors.splice(known);
  // eslint-disable-next-line @typescript-eslint/only-throw-error -- with it, Playwright skips the test
  if (testInfo.expectedStatus === "skipped") throw problem;
  if (!problem && soft[0])
    problem = Object.assign(new Error(soft[0].message), {
      stack: soft[0].stack ?? String(soft[0].message),
    });
  if (problem && run.isFirstFailure && (run.isLast || !run.isUnrepeatable))
    await attachOrder(tools, testInfo, run);
  const closing = await failure(async () => {
    await run.request?.dispose();
    await run.context?.close(); // ends what a step that timed out still does
    if (run.mock) await dropSession(run.mock);
  });
  return problem ?? closing;
}

/**
 * Attach what has happened in an order, and the page at its end.
 * @param {Tools} tools
 * @param {TestInfo} testInfo
 * @param {Run} run
 */
async function attachOrder(tools, testInfo, { mock, context, log, number }) {
  const [page] = context?.pages() ?? [];
  const screenshot = await page
    ?.screenshot({ timeout: SCREENSHOT_MS })
    .catch(() => undefined);
  if (screenshot)
    await testInfo.attach(`mockpets order ${number} screenshot`, {
      body: screenshot,
      contentType: "image/png",
    });
  const lines = log.map(
    ({ ms, event }) => `${String(ms).padStart(6)} ms  ${event}`,
  );
  await testInfo.attach(`mockpets order ${number}`, {
    body: lines.join("\n"),
    contentType: "text/plain",
  });
  if (mock) await failure(() => tools.attachRequests(testInfo, mock));
}

/**
 * Hold the requests of a context that are sent in `race()`, and let one choice after the other happen.
 * @param {BrowserContext} context
 * @param {Mockpets} mock
 * @param {string[]} apps origins
 * @param {Settings} settings
 * @param {Run} run
 */
async function hold(context, mock, apps, settings, run) {
  /** @type {Map<Request, string>} */
  const names = new Map(); // in order of issue
  /** @type {Map<string, number>} */
  const ordinals = new Map();
  /** @type {string[]} */
  const sent = []; // the names of all requests
  /** @type {Kind[]} */
  const kinds = [
    ...(settings.lose ? /** @type {const} */ (["lose"]) : []),
    ...(settings.fail ? /** @type {const} */ (["fail"]) : []),
  ];
  /** @type {HeldRequest[]} */
  let held = [];
  /** @type {(value?: undefined) => void} */
  let disturb = () => {};
  let previous = ""; // the token of the last choice
  /** @type {{ name: string, delay: number } | undefined} */
  let late;
  /** @type {{ error: unknown } | undefined} */
  let problem;
  let isHolding = false;
  let isPending = false;
  let isDamaged = false;
  let isClosed = false;
  // Milliseconds since 1970; 0 before that.
  let startedAt = 0;
  let endedAt = 0;

  const titleOf = (/** @type {string} */ method, /** @type {URL} */ url) =>
    `${method} ${url.pathname.replace(/^\/~[^/]*/, "")}${url.search}`;
  const nameOf = (/** @type {Request} */ request) =>
    titleOf(request.method(), new URL(request.url()));
  const isIgnored = (/** @type {string} */ title) =>
    settings.ignore.some((one) =>
      one instanceof RegExp ? new RegExp(one).test(title) : title.includes(one),
    );
  const elapsed = () => Date.now() - startedAt;
  /**
   * @param {string} event
   * @param {string} [text] of the report, if it is a choice
   */
  const log = (event, text) => run.log.push({ ms: elapsed(), event, text });

  const onEvent = (/** @type {Request} */ request) => {
    if (!isIgnored(nameOf(request))) disturb();
  };
  context.on("request", (request) => {
    onEvent(request);
    const name = nameOf(request);
    if (!isIgnored(name)) sent.push(name);
    const ordinal = (ordinals.get(name) ?? 0) + Number(isHolding);
    ordinals.set(name, ordinal);
    names.set(request, ordinal > 1 ? `${name}#${ordinal}` : name);
  });
  context.on("requestfinished", onEvent);
  context.on("requestfailed", (request) => {
    onEvent(request);
    const one = held.find((other) => other.request === request);
    held = held.filter((other) => other !== one);
    if (!one) return;
    run.cancelled += 1;
    log(`${one.name} was cancelled`);
  });
  context.on("close", () => (isClosed = true));
  await context.addInitScript(countCalls, CALLS);
  const callsOf = (/** @type {string} */ base) =>
    [mock.url, ...apps].map((url) => callsTo(url, base));
  const calls = mock.bases.flatMap(callsOf);
  const named = mock.bases.filter(Boolean).flatMap(callsOf);
  /**
   * Return whether a request is not for a contract at the root, but for the app, whose pages and files are there, too.
   * @param {Request} request
   */
  const isForApp = (request) => {
    const isAt = (/** @type {RegExp[]} */ patterns) =>
      patterns.some((pattern) => pattern.test(request.url()));
    return (
      isAt(apps.map(urlsOf)) &&
      !isAt(named) &&
      !["fetch", "xhr"].includes(request.resourceType())
    );
  };
  await context.route(
    new RegExp(calls.map(({ source }) => source).join("|")),
    async (route, request) => {
      const name = names.get(request) ?? nameOf(request);
      if (isIgnored(name) || isForApp(request)) return route.fallback();
      if (isHolding) {
        held.push({
          route,
          request,
          name,
          method: request.method(),
          issuedAt: Date.now(),
          isAnswered: false,
        });
        return log(`${name} is held`);
      }
      const delay = Date.now() - endedAt;
      if (delay < LATE_MS) late ??= { name, delay };
      return route.fallback();
    },
  );

  /**
   * Return whether the calls of all pages that have not settled are those that are held, after some milliseconds in the pages.
   * Requests arrive here in any order, such as one with a preflight last, so it also sets when each was issued.
   * @param {number} ms
   */
  async function isSettled(ms) {
    const frames = context.pages().flatMap((page) => page.frames());
    const calls = await Promise.all(
      frames.map((frame) => frame.evaluate(callsAfter, { name: CALLS, ms })),
    ).catch(() => undefined);
    if (!calls) return false; // a page has gone
    /** @type {Map<string, number[]>} */
    const issued = new Map();
    for (const [call, times] of calls.flat())
      issued.set(
        call,
        [...(issued.get(call) ?? []), ...times].sort(
          (one, other) => one - other,
        ),
      );
    return [...issued].every(([call, times]) => {
      const [method = "", url = ""] = call.split(" ");
      if (isIgnored(titleOf(method, new URL(url)))) return true;
      const own = held.filter(
        ({ request }) =>
          `${request.method()} ${request.url().split("#")[0]}` === call,
      );
      for (const [index, one] of own.entries())
        one.issuedAt = times[index] ?? one.issuedAt;
      return own.length === times.length;
    });
  }

  /** Wait until nothing happens. The pages measure the time, in few round trips: on a busy machine, each takes long. */
  async function quiet() {
    for (let calm = 0; calm < (isPending ? PENDING_WINDOWS : 1);) {
      if (isClosed) throw new Error("the context was closed in race()");
      if (elapsed() >= RACE_MS)
        throw new Error(
          `race() took longer than ${RACE_MS / 1000} s: ${reasonOfLength()}`,
        );
      const window = isPending
        ? Math.max(PENDING_MS, settings.quiet) / PENDING_WINDOWS
        : settings.quiet;
      const disturbed = new Promise((resolve) => {
        disturb = resolve;
      });
      const undisturbed = async () => {
        await new Promise((resolve) => setTimeout(resolve, TICK_MS));
        return isSettled(window - TICK_MS);
      };
      calm = (await within(
        Promise.race([disturbed, undisturbed()]),
        RACE_MS - elapsed(),
      ))
        ? calm + 1
        : 0;
    }
  }

  function reasonOfLength() {
    run.isTooLong = true;
    let [name, count] = mostFrequent(sent);
    if (count < POLL_COUNT)
      [name, count] = mostFrequent(sent.map(withoutQuery));
    const reason = isPending
      ? "its actions did not end; await in them no more than what the page shows before its responses arrive"
      : "the page was never quiet";
    return count < POLL_COUNT
      ? reason
      : `${reason}; ${name} was sent ${count} times: ${pollHint(name)}`;
  }

  /**
   * Return an Error for the first late request; what was sent after it shows whether the page polls.
   * @param {NonNullable<typeof late>} request
   */
  function lateError({ name, delay }) {
    const isRepeated = (
      /** @type {string} */ title,
      /** @type {string[]} */ titles,
    ) => titles.indexOf(title) < titles.lastIndexOf(title);
    const path = withoutQuery(name);
    const polled = isRepeated(name, sent)
      ? name
      : isRepeated(path, sent.map(withoutQuery))
        ? path
        : undefined;
    const poll = polled ? `${pollHint(polled)}; if not, ` : "";
    return new Error(
      `${name} was sent ${delay} ms after race() ended; ${poll}raise \`quiet\` above the page's delay, such as { quiet: ${Math.ceil(delay / 100) * 100 + 100} }, or send it in race()`,
    );
  }

  /** @param {string} reason */
  function unrepeatable(reason) {
    run.isUnrepeatable = true;
    return new Error(`the order cannot be repeated: ${reason}`);
  }

  /** Return the next choice; undefined if nothing is held. */
  function choose() {
    held.sort((one, other) => one.issuedAt - other.issuedAt);
    if (held.length > MAX_SET) return choicesOf(held.slice(0, 1))[0];
    const choices = choicesOf(held, {
      previous,
      kinds: isDamaged ? [] : kinds,
    });
    const [natural] = choices;
    if (choices.length <= 1 || run.made.length === MAX_CHOICES) return natural;
    const wanted = run.choices[run.made.length];
    const choice =
      wanted === undefined
        ? natural
        : choices.find(({ token }) => token === wanted);
    if (!choice)
      throw unrepeatable(
        `'${wanted}' did not come up; the choices were ${choices.map(({ token }) => `'${token}'`).join(", ")}`,
      );
    run.made.push({
      choice: choice.token,
      others: choices
        .map(({ token }) => token)
        .filter((token) => token !== choice.token),
    });
    return choice;
  }

  /** @param {Choice<HeldRequest>} choice */
  async function apply({ kind, one, token }) {
    const { route, request, name } = one;
    log(token, KINDS[kind](name, one.isAnswered));
    previous = token;
    if (kind !== "fail" && !one.isAnswered) {
      one.response = await route
        .fetch({ maxRedirects: 0, timeout: Math.max(1, RACE_MS - elapsed()) })
        .catch(() => undefined); // the connection broke
      if (elapsed() >= RACE_MS)
        throw new Error(
          `the server did not respond to ${name} while race() lasted, ${RACE_MS / 1000} s`,
        );
      one.isAnswered = true;
    }
    if (kind === "later") return;
    held = held.filter((other) => other !== one);
    isDamaged ||= kind !== "deliver";
    const origin = request.headers().origin ?? "*";
    const headers = {
      "Access-Control-Allow-Origin": origin,
      "Access-Control-Allow-Credentials": "true",
    };
    const json = {
      code: "failed",
      message: "interleavings() lets this request fail",
      status: settings.fail ?? 0, // set if this kind is possible
    };
    // A page that has gone, or has cancelled the request meanwhile, gets nothing.
    const { response } = one;
    if (kind === "fail")
      await failure(() =>
        route.fulfill({ status: json.status, headers, json }),
      );
    else if (kind === "lose" || !response)
      await failure(() => route.abort("connectionreset"));
    else await failure(() => route.fulfill({ response }));
    await within(
      failure(async () => (await request.response())?.finished()),
      ARRIVAL_MS,
    );
  }

  /** @param {() => unknown} actions */
  async function racing(actions) {
    if (typeof actions !== "function")
      throw new TypeError(
        "race() expects a function with the actions: await race(async () => { ... })",
      );
    if (startedAt)
      throw new Error(
        "race() was called twice; call it once in the body, with all actions that compete",
      );
    startedAt = Date.now();
    await quiet(); // earlier requests do not take part
    isHolding = isPending = true;
    const ended = () => {
      isPending = false;
      disturb();
    };
    Promise.resolve()
      .then(actions)
      .catch((error) => (problem = { error }))
      .finally(ended);
    for (;;) {
      await quiet();
      if (problem) throw problem.error;
      const choice = choose();
      if (choice) await apply(choice);
      else if (!isPending) break;
    }
    isHolding = false;
    endedAt = Date.now();
    const wanted = run.choices[run.made.length];
    if (wanted !== undefined)
      throw unrepeatable(
        `race() ended before '${wanted}' came up; the requests of the page differ from run to run`,
      );
  }

  return {
    race: (/** @type {() => unknown} */ actions) => {
      const result = racing(actions);
      result.catch(() => {}); // `finish` reports a body that does not wait
      return result;
    },
    /** Return why `race()` has not ended; undefined if it has ended or was not called. */
    tooLong: () =>
      startedAt && !endedAt
        ? `race() has not ended: ${reasonOfLength()}`
        : undefined,
    /** Check what a body has done; throw Error. */
    async finish() {
      if (!startedAt)
        throw new Error(
          "the body never called race(); write `await race(async () => { ... })` around the actions that compete",
        );
      if (!endedAt)
        throw new Error(
          "the body ended before race() did; write `await race(...)`",
        );
      // A delay of the page is the same in all orders, so one order waits for it.
      if (run.number === 1)
        await new Promise((resolve) =>
          setTimeout(resolve, LATE_MS - (Date.now() - endedAt)),
        );
      if (late) throw lateError(late);
    },
  };
}

/**
 * Return a title without the query, which may differ in each request of a poll.
 * @param {string} title
 */
function withoutQuery(title) {
  return title.replace(/\?.*/s, "");
}

/** @param {string} name */
function pollHint(name) {
  return `if the page polls, pass { ignore: ["${name}"] }`;
}

/**
 * Return the most frequent name and its count.
 * @param {string[]} names
 * @returns {[name: string, count: number]}
 */
function mostFrequent(names) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].reduce(
    (most, one) => (one[1] > most[1] ? one : most),
    ["", 0],
  );
}

/**
 * Return what a promise resolves to, or undefined after a time.
 * @template Result
 * @param {Promise<Result>} promise
 * @param {number} ms
 */
async function within(promise, ms) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  /** @type {Promise<undefined>} */
  const timeout = new Promise((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  return Promise.race([promise, timeout]).finally(() => clearTimeout(timer));
}

/**
 * What `countCalls` keeps in the page.
 * @typedef {object} Calls
 * @property {Map<string, number[]>} unsettled the times of the calls, by method and URL
 * @property {(call: () => void, ms: number) => unknown} wait
 */

/**
 * In the page: return the calls that have not settled after some milliseconds, in steps because a page may be busy.
 * @param {{ name: string, ms: number }} options
 */
async function callsAfter({ name, ms }) {
  /** @type {{ [symbol: symbol]: Calls | undefined }} */
  const globals = globalThis;
  const { unsettled, wait = setTimeout } = globals[Symbol.for(name)] ?? {};
  for (let steps = 4; steps > 0; steps--)
    await new Promise((resolve) => wait(() => resolve(undefined), ms / 4));
  return [...(unsettled ?? [])];
}

/**
 * In the page: keep the times of the calls of `fetch` and `XMLHttpRequest` that have not settled, by method and URL.
 * @param {string} name
 */
function countCalls(name) {
  /** @type {Map<string, number[]>} */
  const unsettled = new Map();
  /** @type {{ [symbol: symbol]: Calls | undefined }} */
  const globals = globalThis;
  globals[Symbol.for(name)] = { unsettled, wait: setTimeout }; // a clock of the test does not replace this one
  const now = performance.now.bind(performance);
  const began = performance.timeOrigin;
  let last = 0;
  /**
   * Count a call until the returned function is called.
   * @param {string | undefined} method
   * @param {string | URL} url
   */
  const start = (method, url) => {
    if (!URL.canParse(url, document.baseURI)) return () => {};
    const call = `${String(method ?? "GET").toUpperCase()} ${new URL(url, document.baseURI).href.split("#")[0]}`;
    const time = (last = Math.max(began + now(), last + 0.001)); // two calls have no equal time
    const times = () => unsettled.get(call) ?? [];
    unsettled.set(call, [...times(), time]);
    return () => {
      unsettled.set(
        call,
        times().filter((one) => one !== time),
      );
    };
  };
  globalThis.fetch = new Proxy(globalThis.fetch, {
    /**
     * @param {unknown} self
     * @param {Parameters<typeof fetch>} values
     */
    apply(target, self, values) {
      const [resource, options] = values;
      const request = /** @type {Partial<globalThis.Request> | undefined} */ (
        resource
      );
      const settle = start(
        options?.method ?? request?.method,
        request?.url ?? /** @type {string | URL} */ (resource),
      );
      const result = Reflect.apply(target, self, values);
      result.then(settle, settle);
      return result;
    },
  });
  /** @type {WeakMap<XMLHttpRequest, Parameters<XMLHttpRequest["open"]>>} */
  const opened = new WeakMap();
  const { prototype } = XMLHttpRequest;
  /* eslint-disable @typescript-eslint/unbound-method -- the proxies pass `this` on */
  prototype.open = new Proxy(prototype.open, {
    /**
     * @param {XMLHttpRequest} request
     * @param {Parameters<XMLHttpRequest["open"]>} values
     */
    apply(target, request, values) {
      opened.set(request, values);
      return Reflect.apply(target, request, values);
    },
  });
  prototype.send = new Proxy(prototype.send, {
    /**
     * @param {XMLHttpRequest} request
     * @param {Parameters<XMLHttpRequest["send"]>} values
     */
    apply(target, request, values) {
      const [method, url] = opened.get(request) ?? [];
      request.addEventListener("loadend", start(method, String(url)), {
        once: true,
      });
      return Reflect.apply(target, request, values);
    },
  });
}
