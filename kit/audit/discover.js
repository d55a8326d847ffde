// Find the pages of an app, and what is usual on them.

import { resolve } from "node:path";
import { failure } from "../shared.js";
import { findActions } from "./actions.js";
import { AuditError, isOfPage } from "./browser.js";
import { healthyOf, problemOf } from "./healthy.js";
import { findLinks } from "./observe.js";
import { signIn } from "./sign-in.js";
import { normalLines, shapeOf, textsByOperation } from "./texts.js";

/** @import { Config, SignIn, Target, Visit } from "./types.d.ts" */
/** @import { Opener } from "./browser.js" */

const FILE = /\.(?!html?$)[a-z0-9]{2,5}$/i; // a link to a download, such as a PDF
const SHOT_MS = 5_000;

/** What was found out about an app. */
export class Discovery {
  /** The pages, and the actions on them. @type {Target[]} */
  targets = [];
  /** @type {Set<string>} */
  notes = new Set();
  /** All lines that a healthy page has shown. @type {Set<string>} */
  usual = new Set();
  /** Those of pages that were quiet. @type {Set<string>} */
  settled = new Set();
  /** Lines that only pages without a user show. @type {Set<string>} */
  signedOut = new Set();
  /** All texts and numbers of responses. @type {Set<string>} */
  values = new Set();
  /** @type {SignIn | null} */
  signIn = null;
  outOfTime = false;
  #shots = 0;

  /** @param {Opener} opener @param {Config} config @param {(text: string) => void} progress */
  constructor(opener, config, progress) {
    this.opener = opener;
    this.config = config;
    this.progress = progress;
  }

  /** @param {number} deadline in milliseconds since 1970, when to stop looking for more */
  async run(deadline) {
    await this.#pages([this.config.app], false, deadline);
    const signedOut = this.targets;
    await this.attempt(async () => {
      this.signIn = await signIn(this);
    });
    if (this.signIn) {
      this.targets = [];
      await this.#pages([this.config.app], true, deadline);
      const linesOf = (/** @type {Target[]} */ targets) =>
        targets.flatMap(({ healthy }) => [...healthy.lines]);
      const shown = new Set(linesOf(this.targets));
      this.signedOut = new Set(
        linesOf(signedOut).filter((line) => !shown.has(line)),
      );
      this.#add(signedOut);
    }
    const pages = [...this.targets];
    await this.#compare(pages);
    const found = await findActions(this, pages, deadline);
    // Pages to which buttons lead, and not links.
    for (const isSignedIn of [false, true]) {
      await this.#pages(
        found.addresses
          .filter(({ signedIn }) => signedIn === isSignedIn)
          .map(({ url }) => url),
        isSignedIn,
        deadline,
      );
    }
    const others = this.targets.filter((target) => !pages.includes(target));
    await this.#compare(others);
    const more = await findActions(this, others, deadline);
    this.targets.push(...distinct([...found.actions, ...more.actions]));
    this.outOfTime = Date.now() > deadline;
  }

  get workers() {
    return this.opener.serverSide ? 1 : this.config.workers;
  }

  /** Call a function; a page that does not load is a note. @param {() => Promise<void>} call */
  async attempt(call) {
    const problem = await failure(call);
    if (problem && !isOfPage(problem)) throw problem;
    if (problem)
      this.notes.add("Some pages did not load in time, or no longer.");
  }

  /**
   * Call a function for each item, by several workers.
   * @template T
   * @param {T[]} items
   * @param {(item: T) => Promise<void>} call
   */
  async each(items, call) {
    const queue = [...items];
    const work = async () => {
      for (let item = queue.shift(); item !== undefined; item = queue.shift()) {
        const own = item;
        await this.attempt(() => call(own));
      }
    };
    await Promise.all(Array.from({ length: this.workers }, work));
  }

  /**
   * Save a screenshot of a page; return its path in the folder of the output, empty if that fails.
   * @param {Visit} visit
   * @param {string} name
   */
  async screenshot({ page }, name) {
    const path = `shots/${name}-${++this.#shots}.png`;
    const place = resolve(this.config.output, path);
    const problem = await failure(() =>
      page.screenshot({
        path: place,
        animations: "disabled",
        timeout: SHOT_MS,
      }),
    );
    return problem ? "" : path;
  }

  /** Remember the lines of a page on which nothing fails. @param {Visit} visit */
  remember({ observation: { seen, last, broken } }) {
    if (broken) return; // the message of a failure is not usual
    for (const line of normalLines(last)) this.settled.add(line);
    for (const snapshot of seen)
      for (const line of normalLines(snapshot)) this.usual.add(line);
  }

  // --- Pages ---

  /** Add pages with shapes that are not known yet. @param {Target[]} targets */
  #add(targets) {
    for (const target of targets) {
      // A page may be one with a log-in form for those without a user.
      const isKnown =
        !target.asksPassword &&
        this.targets.some(({ shape }) => shape === target.shape);
      if (!isKnown && this.targets.length < this.config.pages)
        this.targets.push(target);
    }
  }

  /**
   * Find the pages at some addresses, and those to which links lead.
   * @param {string[]} addresses
   * @param {boolean} signedIn
   * @param {number} deadline
   */
  async #pages(addresses, signedIn, deadline) {
    const shapes = new Set(this.targets.map(({ shape }) => shape));
    const queue = [...addresses];
    let running = 0;
    const work = async () => {
      while (queue.length || running) {
        const url = queue.shift();
        if (url === undefined) {
          await new Promise((done) => setTimeout(done, 50));
          continue;
        }
        const shape = shapeOf(url, this.values);
        const isFull =
          this.targets.length + running >= this.config.pages ||
          Date.now() > deadline;
        if (isFull || shapes.has(shape)) continue;
        shapes.add(shape);
        running++;
        try {
          queue.push(...(await this.#page(url, signedIn, shapes)));
        } catch (error) {
          if (url === this.config.app || !isOfPage(error))
            throw unreachable(url, error);
          this.notes.add(`${shape} does not load.`);
        } finally {
          running--;
        }
        this.progress(
          `${this.targets.length} pages${signedIn ? ", signed in" : ""}`,
        );
      }
    };
    await Promise.all(Array.from({ length: this.workers }, work));
  }

  /**
   * Visit a page; return the addresses to which it links.
   * @param {string} url
   * @param {boolean} signedIn
   * @param {Set<string>} shapes
   */
  async #page(url, signedIn, shapes) {
    const isFirst = !this.targets.length && !signedIn;
    const before = isFirst ? await this.#unnamed() : 0;
    return this.opener.visit(url, { signedIn }, async (visit) => {
      const responses = await textsByOperation(visit);
      if (isFirst && !responses.size && (await this.#unnamed()) > before) {
        await this.opener.useDefaultSession();
        this.notes.add(
          "The app's server calls the mock without a session, so pages are probed one at a time, and held responses are left out. To pass on the session, see the recipe for server-side rendering.",
        );
        shapes.clear();
        return [url];
      }
      for (const value of [...responses.values()].flat())
        this.values.add(value);
      this.remember(visit);
      const { title, links, hasWorker } = await visit.page.evaluate(findLinks);
      if (hasWorker)
        this.notes.add(
          "The app registers a service worker. What it answers from its cache cannot fail.",
        );
      const shape = shapeOf(visit.observation.last.url, this.values);
      shapes.add(shape);
      const problem = problemOf(visit, responses.size > 0);
      const healthy = healthyOf(visit, shape, responses);
      const isSame = this.targets.some((target) =>
        haveSame(target.healthy.lines, healthy.lines),
      );
      if (problem)
        this.notes.add(
          `${shape} is broken when nothing fails (${problem}), so it was not probed.`,
        );
      else if (!isSame) {
        const { url: address, asksPassword } = visit.observation.last;
        const operations = [...responses.keys()];
        this.#add([
          {
            shape,
            url: address,
            signedIn,
            title,
            operations,
            healthy,
            asksPassword,
            action: null,
            loading: new Map(),
            empty: new Map(),
          },
        ]);
      }
      const { origin } = new URL(this.config.app);
      const isPage = (/** @type {string} */ link) =>
        new URL(link).origin === origin && !FILE.test(new URL(link).pathname);
      return links.filter(isPage).map(withoutAnchor);
    });
  }

  /** Return how many requests the default session has, in which those without a session are. */
  async #unnamed() {
    const [last] = await this.opener.newMock("default").requests({ limit: 1 });
    return last?.number ?? 0;
  }

  /** Visit pages again: what differs changes by itself. @param {Target[]} targets */
  async #compare(targets) {
    await this.each(targets, ({ url, signedIn, healthy }) =>
      this.opener.visit(url, { signedIn }, async (visit) => {
        this.remember(visit);
        const again = healthyOf(
          visit,
          healthy.shape,
          await textsByOperation(visit),
        );
        healthy.lines = new Set(
          [...healthy.lines].filter((line) => again.lines.has(line)),
        );
        healthy.texts = new Map(
          [...again.texts].filter(([line]) => healthy.lines.has(line)),
        );
        for (const error of again.errors) healthy.errors.add(error);
        for (const [operation, count] of again.counts) {
          healthy.counts.set(
            operation,
            Math.max(count, healthy.counts.get(operation) ?? 0),
          );
        }
        healthy.screenshot = await this.screenshot(visit, "page");
      }),
    );
  }
}

/**
 * Return actions without those that call the same operations of the same page by an equal button.
 * @param {Target[]} actions
 */
function distinct(actions) {
  const keyOf = (/** @type {Target} */ { operations, shape, action }) =>
    `${operations.join()} ${shape} ${action?.name.replace(/\d+/g, "")}`;
  return [
    ...new Map(actions.map((action) => [keyOf(action), action])).values(),
  ];
}

/** @param {string} url @param {unknown} error */
function unreachable(url, error) {
  if (!isOfPage(error)) return error;
  const [reason] = /** @type {Error} */ (error).message
    .replace(/^page\.goto: /, "")
    .split("\n");
  return new AuditError(
    `cannot open ${url}: ${reason}`,
    "start your app, and name the URL that you open in a browser",
  );
}

/** @param {string} url */
function withoutAnchor(url) {
  return url.replace(/#(?!!?\/).*$/, "");
}

/** @param {Set<string>} one @param {Set<string>} other */
function haveSame(one, other) {
  return one.size === other.size && [...one].every((line) => other.has(line));
}
