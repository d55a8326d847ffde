// Open a page in a context and a session of its own, with its requests to the contract routed to the mock.

import { createRequire } from "node:module";
import { join } from "node:path";
import { Mockpets } from "../client.js";
import { addSession, callsTo, failure, origin, urlsOf } from "../shared.js";
import { BINDING, NOW, observe } from "./observe.js";
import { isQuiet } from "./quiet.js";
import { normalLines } from "./texts.js";

/** @import { BrowserContext, Page, Request, Route } from "@playwright/test" */
/** @import { Call, Config, Observation, Operation, Place, Report, Snapshot, Step, Visit } from "./types.d.ts" */
/** @import { Expectations } from "./quiet.js" */

/**
 * @typedef {object} OwnOptions
 * @property {Parameters<Mockpets["use"]>[0]} [scenario]
 * @property {boolean} [signedIn]
 * @property {string | null} [proxied] an operation whose responses are those of a broken proxy
 */
/** @typedef {Expectations & OwnOptions} OpenOptions */

const HOLD = ":hold";
const CALLS = new Set(["fetch", "xhr", "eventsource", "other"]); // of Playwright's resource types
const LOADED_MS = 5_000;
const SIZE = { width: 1280, height: 800 };
const LOAD_MS = 15_000;
const CLICK_MS = 2_000;
const LONGEST_MS = 15_000; // TanStack Query's three retries take seven seconds
const POLL_MS = 50;
const MUTED = "Script error.";
const CHANNELS = /^(?:chrome|msedge|chromium)(?:-\w+)*$/;
const INSTALL =
  "install it in this project: npm install --save-dev @playwright/test";
/** What a proxy sends when the service behind it is down. No expression can name it. */
export const PROXY_PAGE = [
  "<html><head><title>502 Bad Gateway</title></head><body>",
  "<center><h1>502 Bad Gateway</h1></center><hr><center>nginx/1.27</center>",
  "</body></html>",
].join("");

export class AuditError extends Error {
  /** @param {string} what @param {string} [hint] */
  constructor(what, hint = "") {
    super(what);
    this.hint = hint;
  }
}

/**
 * Start Chromium with the Playwright of the project in the working directory.
 * @param {Config} config
 */
export async function launch({ cwd, browser }) {
  /** @type {typeof import("@playwright/test")} */
  let playwright;
  try {
    const load = createRequire(join(cwd, "package.json"));
    /** @type {unknown} */
    const loaded = load("@playwright/test");
    playwright = /** @type {typeof playwright} */ (loaded);
  } catch {
    throw new AuditError(
      "the project in the working directory has no @playwright/test",
      INSTALL,
    );
  }
  const place =
    browser === null
      ? {}
      : CHANNELS.test(browser)
        ? { channel: browser }
        : { executablePath: browser };
  // Chromium has no sandbox for root, such as in a container.
  const args =
    process.platform === "linux" && process.getuid?.() === 0
      ? ["--no-sandbox"]
      : [];
  try {
    return await playwright.chromium.launch({
      ...place,
      args,
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    });
  } catch (error) {
    const [reason] = String(/** @type {Error} */ (error).message)
      .replace(/^browserType\.launch: /, "")
      .split("\n");
    throw new AuditError(
      `cannot start Chromium: ${reason}`,
      "run 'npx playwright install chromium', or name one with --browser",
    );
  }
}

/** Opens pages of one app, with its requests routed to one mock. */
export class Opener {
  #number = 0;
  /** The active scenarios of the default session. @type {string[]} */
  #before = [];
  /** The path of the API, if it is not a base path of the mock. @type {string | null} */
  #base;
  #calls;
  #pages;

  /**
   * @param {import("@playwright/test").Browser} browser
   * @param {Config} config
   * @param {Operation[]} operations
   * @param {string[]} bases
   */
  constructor(browser, config, operations, bases) {
    this.browser = browser;
    this.config = config;
    this.operations = operations;
    this.bases = bases;
    /** Where the app's own server calls the mock without a session, so that only the default one is left. */
    this.serverSide = false;
    /** @type {Awaited<ReturnType<BrowserContext["storageState"]>> | undefined} */
    this.storageState = undefined;
    /** @type {[string, string][]} */
    this.sessionStorage = [];
    /** @type {Set<string>} */
    this.origins = new Set([new URL(config.app).origin]);
    const { baseUrl } = config;
    this.#base =
      baseUrl === null ? null : new URL(baseUrl).pathname.replace(/\/$/, "");
    this.#calls = new RegExp(
      baseUrl === null || this.#base === null
        ? bases.map((base) => anywhere(base, operations)).join("|")
        : callsTo(origin(baseUrl), this.#base).source,
    );
    this.#pages = urlsOf(config.app);
  }

  /** Return a client for a new session, or for the default one. */
  newMock(
    session = this.serverSide
      ? "default"
      : `audit-${process.pid}-${++this.#number}`,
  ) {
    const { url, token } = this.config;
    return new Mockpets({ url, session, token: token ?? undefined });
  }

  /**
   * Open a page in a new context and a new session with a scenario, and wait until it is quiet.
   * @param {string} url
   * @param {OpenOptions} [options]
   * @returns {Promise<Visit>}
   */
  async #open(
    url,
    { scenario = "default", signedIn = false, proxied = null, ...wait } = {},
  ) {
    const mock = this.newMock();
    if (this.serverSide) {
      await mock.reset();
      await mock.use(scenario);
    } else await mock.make({ scenario });
    const context = await this.browser.newContext({
      viewport: SIZE,
      locale: "en-US",
      ...(signedIn && this.storageState && { storageState: this.storageState }),
    });
    const visit = this.#record(context, mock, await context.newPage());
    visit.proxied = proxied;
    if (typeof scenario === "string" && scenario.endsWith(HOLD))
      visit.held = scenario.slice(0, -HOLD.length);
    await context.exposeBinding(
      BINDING,
      ({ page, frame }, /** @type {Report} */ report) => {
        if (page === visit.page && frame === page.mainFrame())
          note(visit, report);
      },
    );
    await context.addInitScript(observe, BINDING);
    if (signedIn && this.sessionStorage.length) {
      await context.addInitScript(
        (items) =>
          items.forEach(
            ([name, value]) =>
              sessionStorage.getItem(name) ??
              sessionStorage.setItem(name, value),
          ),
        this.sessionStorage,
      );
    }
    await context.route(this.#calls, (route) => this.#toMock(route, visit));
    if (!this.serverSide)
      await context.route(this.#pages, (route) => this.#toApp(route, mock));
    try {
      await visit.page.goto(url, {
        waitUntil: "domcontentloaded",
        timeout: visit.held === null ? LOAD_MS : LOADED_MS,
      });
    } catch (error) {
      // A held call of the app's own server keeps the page from coming.
      if (visit.held === null) {
        await this.#close(visit);
        throw error;
      }
    }
    await visit.page
      .waitForLoadState("load", { timeout: LOADED_MS })
      .catch(() => {});
    await settle(visit, wait);
    return visit;
  }

  /**
   * Open a page, call a function with it, and close it again.
   * @template T
   * @param {string} url @param {OpenOptions} options @param {(visit: Visit) => Promise<T>} call
   */
  async visit(url, options, call) {
    const visit = await this.#open(url, options);
    try {
      return await call(visit);
    } finally {
      await this.#close(visit);
    }
  }

  /** Close the context, and delete the session. @param {Visit} visit */
  async #close({ context, mock }) {
    await failure(() => context.close()); // the browser may be closed
    if (mock.session !== "default") await failure(() => mock.drop());
  }

  /** Use the default session for all pages from now on; `restore` activates its scenarios again. */
  async useDefaultSession() {
    this.serverSide = true;
    this.#before = await this.newMock().active();
  }

  async restore() {
    if (this.serverSide)
      await failure(() =>
        this.newMock().use(.../** @type {any[]} */ (this.#before)),
      );
  }

  /** @param {BrowserContext} context @param {Mockpets} mock @param {Page} page @returns {Visit} */
  #record(context, mock, page) {
    /** @type {Snapshot} */
    const nothing = {
      at: Date.now(),
      url: "about:blank",
      lines: [],
      fields: 0,
      visuals: [],
      busy: false,
      kept: [],
      controls: 0,
      asksPassword: false,
    };
    /** @type {Visit} */
    const visit = {
      context,
      page,
      mock,
      bodies: [],
      held: null,
      proxied: null,
      thrown: null,
      observation: observationFrom(nothing),
    };
    /** @type {Map<import("@playwright/test").Request, Call>} */
    const calls = new Map();
    page.on("request", (request) => {
      const target = this.#target(request);
      if (!target) return;
      const call = {
        operation: target.operation,
        method: request.method(),
        path: target.path,
        begun: Date.now(),
        ended: null,
        status: null,
      };
      calls.set(request, call);
      visit.observation.calls.push(call);
    });
    // Not "requestfinished", which never comes for a body that the page does not read.
    page.on("response", (response) => {
      const call = calls.get(response.request());
      end(call, response.status());
      if (call?.operation)
        visit.bodies.push({
          operation: call.operation,
          text: response.text().catch(() => ""),
        });
      visit.observation.broken ||=
        CALLS.has(response.request().resourceType()) &&
        response.status() >= 400;
    });
    page.on("requestfailed", (request) => {
      end(calls.get(request), null);
      visit.observation.broken ||= CALLS.has(request.resourceType());
    });
    // The page gets no text of some exceptions, but Playwright does.
    // Without a place in the app, they are a third party's.
    page.on("pageerror", ({ name, message, stack }) => {
      const isOwn = stack?.includes(new URL(this.config.app).origin);
      visit.thrown = isOwn ? `${name}: ${message}` : null;
    });
    page.on("dialog", (dialog) => {
      visit.observation.dialogs.push(dialog.message());
      dialog.accept().catch(() => {});
    });
    return visit;
  }

  /**
   * Return the operation that a request calls, empty for one that the contract does not have, and the path with its
   * query at the mock; undefined for other requests.
   * @param {Request} request
   */
  #target(request) {
    const url = request.url();
    if (!this.#calls.test(url) || !CALLS.has(request.resourceType()))
      return undefined;
    const { pathname, search, origin: place } = new URL(url);
    for (const base of this.bases) {
      const start = base && `${pathname}/`.indexOf(`${base}/`);
      if (this.#base === null && start === -1) continue;
      const path =
        this.#base === null
          ? pathname.slice(start || 0)
          : base + pathname.slice(this.#base.length);
      const operation = this.#operation(request.method(), withoutSlash(path));
      if (operation) this.origins.add(place);
      // Of other origins, such as that of a third party, only the operations are routed.
      if (operation || (base && this.origins.has(place)))
        return { operation: operation?.name ?? "", path: path + search };
    }
    return undefined;
  }

  /** @param {string} method @param {string} path */
  #operation(method, path) {
    // The path with the fewest parameters comes first: /articles/feed is not /articles/{slug}.
    const parameters = (/** @type {Operation} */ { path: own }) =>
      own.split("{}").length;
    const matching = this.operations.filter(
      (each) => each.method === method && each.pattern.test(path),
    );
    return matching.sort(
      (one, other) => parameters(one) - parameters(other),
    )[0];
  }

  /** @param {Route} route @param {Visit} visit */
  async #toMock(route, { mock, proxied }) {
    const request = route.request();
    const target = this.#target(request);
    if (!target) return route.fallback();
    if (target.operation === proxied) {
      return ignore(
        route.fulfill({
          status: 502,
          contentType: "text/html",
          body: PROXY_PAGE,
        }),
      );
    }
    const url = mock.url + target.path;
    const headers = addSession(await request.allHeaders(), mock);
    if (new URL(request.url()).protocol === new URL(url).protocol)
      return ignore(route.continue({ url, headers }));
    // `continue` keeps the scheme.
    try {
      const response = await route.fetch({
        url,
        headers,
        timeout: 0,
        maxRedirects: 0,
      });
      await route.fulfill({ response });
    } catch {
      await ignore(route.abort("failed")); // a fault of the connection
    }
  }

  /** Let the app's own server pass on the session. @param {Route} route @param {Mockpets} mock */
  async #toApp(route, mock) {
    const request = route.request();
    if (!["document", "fetch", "xhr"].includes(request.resourceType()))
      return route.fallback();
    return ignore(
      route.fallback({ headers: addSession(await request.allHeaders(), mock) }),
    );
  }
}

/**
 * Return whether an error is one of a page, such as a timeout, and not of the browser or the mock.
 * @param {unknown} error
 */
export function isOfPage(error) {
  const { name, message } = /** @type {Error} */ (error);
  return (
    name === "TimeoutError" ||
    /net::ERR_|page\.(?:goto|evaluate)|locator\.|Execution context was destroyed/.test(
      message,
    )
  );
}

/** @param {Call | undefined} call @param {number | null} status */
function end(call, status) {
  if (call && call.ended === null)
    Object.assign(call, { ended: Date.now(), status });
}

/** A route that is answered while its page closes. @param {Promise<void>} done */
function ignore(done) {
  return done.catch(() => {});
}

/**
 * Return a regular expression for the URLs below a base path at any origin.
 * @param {string} base
 * @param {Operation[]} operations
 */
function anywhere(base, operations) {
  if (base)
    return `^https?://[^/?#]+(?:/[^?#]*)?${sourceOfPath(base)}(?:[/?#]|$)`;
  return `^https?://[^/?#]+(?:${operations.map(({ path }) => sourceOfPath(path)).join("|")})/?(?:[?#]|$)`;
}

/** Return the regular expression of the paths of an operation, in which `{}` is any segment. @param {string} path */
export function sourceOfPath(path) {
  return path
    .split("{}")
    .map((part) => part.replace(/[^\w/-]/g, "\\$&"))
    .join("[^/?#]+");
}

const withoutSlash = (/** @type {string} */ path) =>
  path.replace(/(.)\/$/, "$1");

/** Return an observation that begins with a snapshot. @param {Snapshot} last @returns {Observation} */
export function observationFrom(last) {
  return {
    last,
    seen: [],
    calls: [],
    exceptions: [],
    rejections: [],
    dialogs: [],
    failures: [],
    changed: Date.now(),
    broken: false,
  };
}

/** Add what the page has reported. @param {Visit} visit @param {Report} report */
function note({ observation, thrown }, report) {
  const exception = report.exception === MUTED ? thrown : report.exception;
  if (exception) observation.exceptions.push(exception);
  if (report.rejection !== undefined)
    observation.rejections.push(report.rejection);
  if (!report.snapshot) return;
  const snapshot = { at: Date.now(), ...report.snapshot };
  if (textOf(snapshot) !== textOf(observation.last))
    observation.changed = snapshot.at;
  observation.seen.push(snapshot);
  observation.last = snapshot;
}

/** @param {Snapshot} snapshot */
function textOf(snapshot) {
  return [...normalLines(snapshot)].join("\n");
}

/**
 * Wait until a page is quiet.
 * @param {Visit} visit
 * @param {Expectations & { since?: number }} [options] `since`: earlier requests do not count
 */
export async function settle(visit, { since = 0, ...expectations } = {}) {
  const begun = Date.now();
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    const now = Date.now();
    if (now - begun > LONGEST_MS || visit.page.isClosed()) break;
    const { calls, changed, last } = visit.observation;
    const seen = {
      calls: calls.filter((call) => call.begun >= since),
      held: visit.held,
      changed,
      last,
      begun,
    };
    if (isQuiet(seen, now, expectations)) break;
  }
  const snapshot = await visit.page
    .evaluate((name) => window[name]?.(), NOW)
    .catch(() => null);
  if (snapshot) note(visit, { snapshot });
}

/** @param {Page} page @param {Place} place */
export function locate(page, { by, name, nth, role }) {
  const exact = { exact: true };
  const all = {
    role: () =>
      page.getByRole(/** @type {"button"} */ (role), { name, ...exact }),
    label: () => page.getByLabel(name, exact),
    placeholder: () => page.getByPlaceholder(name, exact),
    css: () => page.locator(name),
  }[by]();
  return nth === null ? all : all.nth(nth);
}

/** Return how a test finds an element, after `page.`. @param {Place} place */
export function sourceOf({ by, name, nth, role }) {
  const text = JSON.stringify(name);
  const all = {
    role: `getByRole(${JSON.stringify(role)}, { name: ${text}, exact: true })`,
    label: `getByLabel(${text}, { exact: true })`,
    placeholder: `getByPlaceholder(${text}, { exact: true })`,
    css: `locator(${text})`,
  }[by];
  return nth === null ? all : `${all}${nth ? `.nth(${nth})` : ".first()"}`;
}

/**
 * Do a step of an action; throws if the element is missing, covered or disabled.
 * @param {Page} page
 * @param {Step} step
 */
export async function perform(page, { do: what, place, value = "" }) {
  const locator = locate(page, place);
  const timeout = CLICK_MS;
  if (what === "fill") {
    await locator.fill(value, { timeout });
    // What a form does when a field loses the focus can move the button, and the click would miss it.
    await locator.blur({ timeout });
  }
  if (what === "select") await locator.selectOption(value, { timeout });
  if (what === "check") await locator.check({ timeout });
  if (what === "click") await locator.click({ timeout });
}
