// Cypress, as far as kit/cypress.js and its tests use it: the queue of commands, hooks, attempts, intercepts and
// the command log. It has the rules of Cypress 13 to 15 for what a command may return, and for preflights.

import { setTimeout as after } from "node:timers/promises";

const hooks = { beforeEach: [], afterEach: [] };
const commands = {};
/** The tests of the spec files that were imported. */
export const tests = [];
let pending; // the commands that the running command enqueues
let intercepts;
let logs;
let app;
let page;

/** Set what the page does after it is loaded: a function that gets `fetch` and `show`. */
export function setApp(render) {
  app = render;
}

// --- Globals that a support file sees ---

globalThis.it = (title, body) => tests.push({ title, body });
globalThis.beforeEach = (hook) => hooks.beforeEach.push(hook);
globalThis.afterEach = (hook) => hooks.afterEach.push(hook);
globalThis.Cypress = {
  currentTest: undefined,
  currentRetry: 0,
  spec: { relative: "cypress/e2e/pets.cy.ts" },
  settings: { baseUrl: null, defaultCommandTimeout: 4_000 },
  variables: {},
  env: (name) => Cypress.variables[name],
  config: (name) => Cypress.settings[name],
  log: ({ name, message }) => logs.push(`${name} ${message}`),
  Commands: {
    add(name, run) {
      commands[name] = (subject, ...values) => run(...values);
    },
  },
};

class Chain {
  subject;
}

/** Return a chain of commands; `cy` begins a new one with each command. */
function chainable(chain) {
  return new Proxy(chain, {
    get: (target, name) =>
      Object.hasOwn(commands, name)
        ? (...values) => {
            const own = target ?? new Chain();
            if (!pending) throw new Error(`cy.${name}() was called outside of a running test`);
            pending.push({ name, values, chain: own });
            return chainable(own);
          }
        : target[name],
    getPrototypeOf: () => Chain.prototype,
  });
}
globalThis.cy = new Proxy({}, { get: (_, name) => (...values) => chainable(new Chain())[name](...values) });

// --- The queue ---

async function drain(queue) {
  let last;
  while (queue.length) {
    last = queue.shift();
    await execute(last);
  }
  return last?.chain.subject;
}

async function execute({ name, values, chain }) {
  const outer = pending;
  pending = [];
  try {
    const result = commands[name](chain.subject, ...values);
    const isChain = result instanceof Chain;
    if (pending.length && result !== undefined && !isChain) {
      throw new Error(`cy.${name}() invoked cy commands but returned a different value`);
    }
    const value = isChain ? undefined : await result;
    const last = await drain(pending);
    if (isChain) chain.subject = result.subject;
    else if (value !== undefined) chain.subject = value;
    else if (last !== undefined) chain.subject = last;
  } finally {
    pending = outer;
  }
}

async function runBlock(block, context) {
  pending = [];
  try {
    const result = block.call(context);
    if (!(result instanceof Chain)) await result;
    await drain(pending);
  } finally {
    pending = undefined;
  }
}

async function retry(check) {
  const end = Date.now() + Cypress.config("defaultCommandTimeout");
  for (;;) {
    const error = check();
    if (!error) return;
    if (Date.now() > end) throw new Error(error);
    await after(20); // Cypress polls too
  }
}

Object.assign(commands, {
  then(subject, ...values) {
    const call = values.pop();
    const { timeout = Cypress.config("defaultCommandTimeout") } = values[0] ?? {};
    const result = call(subject);
    if (!(result instanceof Promise)) return result;
    const over = new AbortController();
    const late = after(timeout, undefined, { signal: over.signal }).then(
      () => Promise.reject(new Error(`cy.then() timed out after waiting ${timeout}ms`)),
      () => {},
    );
    return Promise.race([result.finally(() => over.abort()), late]);
  },
  wrap: (_, value) => value,
  intercept(_, matcher, handler) {
    intercepts.push({ ...matcher, handler });
    return null;
  },
  visit: (_, path) => load(new URL(path, Cypress.config("baseUrl")).href),
  contains: (_, text) =>
    retry(() => (page.text.includes(text) ? "" : `expected to find '${text}' but the page shows '${page.text}'`)),
});

// --- The browser ---

async function load(url) {
  page = { text: "", origin: new URL(url).origin };
  const current = page;
  await browse(url);
  // `load` does not wait for requests of scripts.
  current.done = app?.({ fetch: browse, show: (text) => (current.text = text) });
}

/** Send a request as a page does: with the changes of all intercepts that match. */
export async function browse(url, { method = "GET", headers = {}, ...rest } = {}) {
  const request = { url, method, headers: { ...headers } };
  if (page && new URL(url).origin !== page.origin) request.headers.origin = page.origin;
  const matching = intercepts.filter((each) => each.url.test(url));
  if (method === "OPTIONS" && matching.length && !matching.some((each) => /options/i.test(String(each.method)))) {
    return new Response(null, { status: 204, headers: { "X-From": "Cypress" } });
  }
  const middleware = matching.filter((each) => each.middleware && each.method.test(method));
  for (const { handler } of middleware) await handler(request);
  return fetch(url, { method, headers: request.headers, ...rest });
}

// --- Tests ---

/**
 * Run a test in a suite "pets", with the hooks of the support file around each attempt.
 * @param ownAfterEach a hook of the spec file; if it fails, those of the support file do not run, as in Mocha
 * @return its attempts, each with `error`, `hookError` and `logs`
 */
export async function runTest(title, body, { retries = 0, ownAfterEach } = {}) {
  const attempts = [];
  for (let attempt = 0; attempt <= retries; attempt += 1) {
    intercepts = [];
    logs = [];
    page = undefined;
    Object.assign(Cypress, { currentTest: { title, titlePath: ["pets", title] }, currentRetry: attempt });
    const test = { title, state: "passed" };
    const error = await failureOf(async () => {
      for (const hook of hooks.beforeEach) await runBlock(hook, {});
      await runBlock(body, {});
    });
    if (error) Object.assign(test, { state: "failed", err: error });
    const hookError = await failureOf(async () => {
      for (const hook of ownAfterEach ? [ownAfterEach, ...hooks.afterEach] : hooks.afterEach) await runBlock(hook, { currentTest: test });
    });
    await page?.done?.catch(() => {});
    attempts.push({ error, hookError, logs });
    if (!error && !hookError) break;
  }
  return attempts;
}

/** Run a hook such as `before`; return its error. */
export const runBefore = (hook) => failureOf(() => runBlock(hook, {}));

async function failureOf(call) {
  try {
    await call();
    return undefined;
  } catch (error) {
    return error;
  }
}
