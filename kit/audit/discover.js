// Find the pages of an app, sign in, and find the actions that write.

import { isAbsolute, resolve } from "node:path";
import { readFile } from "node:fs/promises";
import { failure } from "../shared.js";
import { AuditError, normal, normalLines, perform, settle } from "./browser.js";
import { findCandidates, findLinks } from "./observe.js";
import { shapeOf, textsByOperation, textsOf, valuesIn } from "./texts.js";

/** @import { Candidate, Config, Healthy, Operation, Step, Target, Visit } from "./types.d.ts" */
/** @import { Opener } from "./browser.js" */

const FILE = /\.(?!html?$)[a-z0-9]{2,5}$/i; // a link to a download, such as a PDF
const CANDIDATES = 12; // of a page
const REPEATS = 2; // how often equal candidates of several pages are tried
const DEPTH = 2; // a button that opens a form, and the form

/** What was found out about an app. */
export class Discovery {
  /** @param {Opener} opener @param {Config} config @param {(text: string) => void} progress */
  constructor(opener, config, progress) {
    this.opener = opener;
    this.config = config;
    this.progress = progress;
    /** @type {Target[]} */
    this.targets = [];
    /** @type {Set<string>} */
    this.notes = new Set();
    /** All lines that a healthy page has shown. @type {Set<string>} */
    this.usual = new Set();
    /** All texts and numbers of responses. @type {Set<string>} */
    this.values = new Set();
    /** Lines that only pages without a user show. @type {Set<string>} */
    this.signedOut = new Set();
    /** @type {{ name: string, url: string, steps: Step[] } | null} */
    this.signIn = null;
    this.outOfTime = false;
  }

  /** @param {number} deadline when to stop looking for more */
  async run(deadline) {
    await this.#pages(deadline, false);
    const hasState = await this.#useStorageState();
    if (hasState || (await this.#signIn())) {
      const signedOut = this.targets;
      this.targets = [];
      await this.#pages(deadline, true);
      for (const line of signedOut.flatMap(({ healthy }) => [...healthy.lines]))
        this.signedOut.add(line);
      for (const line of this.targets.flatMap(({ healthy }) => [
        ...healthy.lines,
      ]))
        this.signedOut.delete(line);
      const shapes = new Set(this.targets.map(({ shape }) => shape));
      this.targets.push(...signedOut.filter(({ shape }) => !shapes.has(shape)));
      this.targets.splice(this.config.pages);
    }
    await this.#compare();
    await this.#actions(deadline);
    this.outOfTime = Date.now() > deadline;
  }

  /** Find the pages that links lead to. @param {number} deadline @param {boolean} signedIn */
  async #pages(deadline, signedIn) {
    /** @type {Set<string>} */
    const shapes = new Set();
    const queue = [this.config.app];
    let running = 0;
    let failed = 0;
    const work = async () => {
      while (queue.length || running) {
        const url = queue.shift();
        if (url === undefined) {
          await new Promise((done) => setTimeout(done, 50));
          continue;
        }
        const shape = shapeOf(url, this.values);
        if (
          shapes.has(shape) ||
          this.targets.length + running >= this.config.pages ||
          Date.now() > deadline
        )
          continue;
        shapes.add(shape);
        running++;
        try {
          queue.push(...(await this.#page(url, signedIn, shapes)));
        } catch (error) {
          if (url === this.config.app) throw unreachable(url, error);
          failed++;
        } finally {
          running--;
        }
        this.progress(
          `${this.targets.length} pages${signedIn ? ", signed in" : ""}`,
        );
      }
    };
    await Promise.all(Array.from({ length: this.workers }, work));
    if (failed)
      this.notes.add(`${failed} links lead to pages that do not load.`);
  }

  get workers() {
    return this.opener.serverSide ? 1 : this.config.workers;
  }

  /** Visit a page; return the addresses to which it links. @param {string} url @param {boolean} signedIn @param {Set<string>} shapes */
  async #page(url, signedIn, shapes) {
    const isFirst = !this.targets.length && !signedIn;
    const before = isFirst ? await this.#unnamed() : 0;
    const visit = await this.opener.open(url, { signedIn });
    try {
      const responses = await textsByOperation(visit);
      if (isFirst && !responses.size && (await this.#unnamed()) > before) {
        this.opener.serverSide = true;
        this.notes.add(
          "The app's server calls the mock without a session, so pages are probed one at a time, and held responses are left out. To pass on the session, see the recipe for server-side rendering.",
        );
        return [url].filter(() => shapes.delete(shapeOf(url, this.values)));
      }
      for (const value of [...responses.values()].flat())
        this.values.add(value);
      const found = await visit.page.evaluate(findLinks);
      const { last, exceptions, rejections } = visit.observation;
      const shape = shapeOf(last.url, this.values);
      shapes.add(shape);
      const lines = normalLines(last);
      this.#remember(visit);
      const isKnown = this.targets.some(
        (each) => each.shape === shape || isSame(each.healthy.lines, lines),
      );
      const isBlank =
        !lines.size && !last.visuals.length && !last.fields.length;
      if (isBlank || (exceptions.length && !responses.size)) {
        this.notes.add(
          `${shape} is broken when nothing fails (${exceptions[0] ?? "it shows nothing"}), so it was not probed.`,
        );
      } else if (!isKnown) {
        /** @type {Healthy} */
        const healthy = {
          url: shape,
          lines,
          originals: new Map(
            last.lines.map(({ text }) => [normal(text), text]),
          ),
          texts: textsOf(lines, responses),
          visuals: new Set(last.visuals),
          fields: last.fields,
          controls: last.controls,
          errors: new Set([...exceptions, ...rejections].map(normal)),
          counts: countsOf(visit),
          screenshot: "",
        };
        const operations = [...responses.keys()];
        this.targets.push({
          shape,
          url: last.url,
          signedIn,
          title: found.title,
          operations,
          healthy,
          action: null,
          loading: new Map(),
          empty: new Map(),
          asksPassword: last.asksPassword,
        });
      }
      if (
        await visit.page
          .evaluate(
            async () =>
              ((await navigator.serviceWorker?.getRegistrations()) ?? [])
                .length,
          )
          .catch(() => 0)
      ) {
        this.notes.add(
          "The app registers a service worker. What it answers from its cache cannot fail.",
        );
      }
      const { origin } = new URL(this.config.app);
      return found.links
        .filter(
          (link) =>
            new URL(link).origin === origin &&
            !FILE.test(new URL(link).pathname),
        )
        .map(withoutAnchor);
    } finally {
      await this.opener.close(visit);
    }
  }

  /** Return how many requests the default session has, in which those without a session are. */
  async #unnamed() {
    const [last] = await this.opener.newMock("default").requests({ limit: 1 });
    return last?.number ?? 0;
  }

  /** @param {Visit} visit */
  #remember({ observation: { seen, broken } }) {
    if (broken) return; // the message of a failure must not count as usual text
    for (const snapshot of seen)
      for (const line of normalLines(snapshot)) this.usual.add(line);
  }

  // --- Signing in ---

  async #useStorageState() {
    const { storageState } = this.config;
    if (!storageState) return false;
    const path = isAbsolute(storageState)
      ? storageState
      : resolve(this.config.cwd, storageState);
    this.opener.storageState = JSON.parse(await readFile(path, "utf8"));
    this.signIn = { name: "the user of --storage-state", url: "", steps: [] };
    return true;
  }

  /** Sign in by the form with the fewest fields of those that ask for a password; return whether that worked. */
  async #signIn() {
    const pages = this.targets.filter((target) => target.asksPassword);
    if (!pages.length) return false;
    const user = await this.#user();
    /** @type {{ target: Target, form: Candidate }[]} */
    const forms = [];
    for (const target of pages) {
      const visit = await this.opener.open(target.url);
      const candidates = await visit.page
        .evaluate(findCandidates, CANDIDATES)
        .catch(() => []);
      await this.opener.close(visit);
      for (const form of candidates.filter(
        ({ isForm, asksPassword }) => isForm && asksPassword,
      ))
        forms.push({ target, form });
    }
    forms.sort((one, other) => one.form.steps.length - other.form.steps.length);
    for (const { target, form } of forms) {
      for (const value of namesOf(user)) {
        const steps = form.steps.map((step) =>
          step.do === "fill" && !step.secret ? { ...step, value } : step,
        );
        if (!(await this.#submit(target, steps))) continue;
        this.signIn = { name: value, url: target.url, steps };
        return true;
      }
    }
    this.notes.add(
      "Not signed in: no log-in form accepted a user of the mock. Save a signed-in state with Playwright, and name it with --storage-state.",
    );
    return false;
  }

  /** Submit a log-in; keep what the app has stored if it calls an operation that logs in. @param {Target} target @param {Step[]} steps */
  async #submit(target, steps) {
    const visit = await this.opener.open(target.url);
    try {
      for (const step of steps) await perform(visit.page, step);
      await settle(visit);
      const requests = await visit.mock.requests();
      const isLogin = (
        /** @type {{ operation: string | null, method: string, status: number | null }} */ {
          operation,
          method,
          status,
        },
      ) =>
        method !== "GET" &&
        (status ?? 500) < 300 &&
        this.opener.operations.some(
          ({ name, role }) => name === operation && role === "login",
        );
      if (!requests.some(isLogin)) return false;
      this.opener.storageState = await visit.context.storageState();
      this.opener.sessionStorage = await visit.page.evaluate(() =>
        Object.entries(sessionStorage),
      );
      return true;
    } catch {
      return false;
    } finally {
      await this.opener.close(visit);
    }
  }

  /** Return the record of the user to sign in as. */
  async #user() {
    const mock = this.opener.newMock("default");
    const { user: text } = this.config;
    if (text === null)
      return (await mock.as().catch(() => ({ user: {} }))).user;
    const contracts = await mock.contract();
    const people = contracts
      .flatMap(({ collections }) => collections)
      .filter((each) => each.people);
    for (const { name } of people) {
      const records = await mock.data(/** @type {"pets"} */ (name)).all();
      const user = records.find((record) => valuesIn(record).includes(text));
      if (user) return user;
    }
    throw new AuditError(
      `--user: the mock has no user with '${text}'`,
      `see 'mockpets data ${people[0]?.name ?? "NAME"}'`,
    );
  }

  // --- What changes by itself ---

  /** Visit each page again: what differs changes by itself. */
  async #compare() {
    await this.each(this.targets, async (target) => {
      const visit = await this.opener.open(target.url, {
        signedIn: target.signedIn,
      });
      const { last, exceptions, rejections } = visit.observation;
      const { healthy } = target;
      this.#remember(visit);
      healthy.lines = new Set(
        [...healthy.lines].filter((line) => normalLines(last).has(line)),
      );
      healthy.texts = textsOf(healthy.lines, await textsByOperation(visit));
      for (const error of [...exceptions, ...rejections])
        healthy.errors.add(normal(error));
      for (const [operation, count] of countsOf(visit))
        healthy.counts.set(
          operation,
          Math.max(count, healthy.counts.get(operation) ?? 0),
        );
      healthy.screenshot = await this.screenshot(visit, "page");
      await this.opener.close(visit);
    });
  }

  #shots = 0;
  /** @type {string} */
  folder = "";
  /** Save a screenshot of a page; return its path in the folder of the output. @param {Visit} visit @param {string} name */
  async screenshot({ page }, name) {
    const path = `shots/${name}-${++this.#shots}.png`;
    const problem = await failure(() =>
      page.screenshot({
        path: resolve(this.config.output, path),
        animations: "disabled",
        timeout: 5_000,
      }),
    );
    return problem ? "" : path;
  }

  /** Call a function for each item, by several workers. @template T @param {T[]} items @param {(item: T) => Promise<void>} call */
  async each(items, call) {
    const queue = [...items];
    const work = async () => {
      for (let item = queue.shift(); item !== undefined; item = queue.shift())
        await call(item);
    };
    await Promise.all(Array.from({ length: this.workers }, work));
  }

  // --- Actions ---

  /** Press what can be pressed on each page, and keep what writes. @param {number} deadline */
  async #actions(deadline) {
    /** @type {Map<string, number>} */
    const tried = new Map();
    /** @type {Target[]} */
    const found = [];
    await this.each([...this.targets], async (target) => {
      if (Date.now() > deadline) return;
      const visit = await this.opener.open(target.url, {
        signedIn: target.signedIn,
      });
      const candidates = await visit.page
        .evaluate(findCandidates, CANDIDATES)
        .catch(() => []);
      await this.opener.close(visit);
      const queue = candidates.map((candidate) => ({
        candidate,
        steps: this.#stepsOf(candidate, target),
        depth: 1,
      }));
      for (
        let each = queue.shift();
        each && Date.now() < deadline;
        each = queue.shift()
      ) {
        const { candidate, steps, depth } = each;
        const count = tried.get(candidate.key) ?? 0;
        if (count >= REPEATS) continue;
        tried.set(candidate.key, count + 1);
        const { action, opened } = await this.#press(
          target,
          candidate,
          steps,
          candidates,
        );
        if (action) found.push(action);
        this.progress(`${this.targets.length} pages, ${found.length} actions`);
        if (depth < DEPTH)
          queue.push(
            ...opened.map((inner) => ({
              candidate: inner,
              steps: [...steps, ...inner.steps],
              depth: depth + 1,
            })),
          );
      }
    });
    // Those of several pages that call the same operation in the same way are one.
    const keys = new Set();
    for (const action of found) {
      const key = `${action.operations.join()} ${action.shape} ${action.action?.name.replace(/\d+/g, "")}`;
      if (!keys.has(key)) this.targets.push(action);
      keys.add(key);
    }
  }

  /** Return the steps of a candidate: of the log-in those that worked. @param {Candidate} candidate @param {Target} target */
  #stepsOf({ asksPassword, steps }, { url }) {
    const { signIn } = this;
    return asksPassword && signIn?.url === url ? signIn.steps : steps;
  }

  /**
   * Do steps on a healthy page; return the action if it writes, and else what it has opened.
   * @param {Target} target @param {Candidate} candidate @param {Step[]} steps @param {Candidate[]} known
   * @returns {Promise<{ action: Target | null, opened: Candidate[] }>}
   */
  async #press(target, candidate, steps, known) {
    const visit = await this.opener.open(target.url, {
      signedIn: target.signedIn,
    });
    try {
      const before = await visit.mock.requests();
      for (const step of steps) await perform(visit.page, step);
      await settle(visit, { since: Date.now() - 100 });
      const calls = (await visit.mock.requests()).slice(before.length);
      this.#remember(visit);
      const writes = calls.filter(
        ({ method, operation, status }) =>
          operation && method !== "GET" && (status ?? 500) < 400,
      );
      const operations = [
        ...new Set(
          writes.map(({ operation }) => /** @type {string} */ (operation)),
        ),
      ];
      for (const value of [...(await textsByOperation(visit)).values()].flat())
        this.values.add(value);
      if (operations.length) {
        const action = { name: candidate.name, steps };
        const healthy = {
          ...target.healthy,
          url: shapeOf(visit.observation.last.url, this.values),
          counts: countsOf(visit),
        };
        const found = {
          ...target,
          operations,
          healthy,
          action,
          loading: new Map(),
          empty: new Map(),
        };
        return { action: found, opened: [] };
      }
      if (shapeOf(visit.observation.last.url, this.values) !== target.shape)
        return { action: null, opened: [] };
      const keys = new Set(known.map(({ key }) => key));
      const now = await visit.page
        .evaluate(findCandidates, 2 * CANDIDATES)
        .catch(() => []);
      return { action: null, opened: now.filter(({ key }) => !keys.has(key)) };
    } catch {
      return { action: null, opened: [] }; // something covers the button, or it is disabled
    } finally {
      await this.opener.close(visit);
    }
  }
}

/** @param {string} url @param {unknown} error */
function unreachable(url, error) {
  if (
    error instanceof AuditError ||
    /** @type {any} */ (error).name === "MockpetsError"
  )
    return error;
  const [reason] = String(/** @type {Error} */ (error).message)
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
function isSame(one, other) {
  return one.size === other.size && [...one].every((line) => other.has(line));
}

/** @param {Visit} visit */
function countsOf({ observation: { calls } }) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const { operation } of calls)
    counts.set(operation, (counts.get(operation) ?? 0) + 1);
  return counts;
}

/** Return what a log-in form may want: the e-mail address first. @param {Record<string, unknown>} user @returns {string[]} */
function namesOf(user) {
  const texts = Object.entries(user).filter(
    ([, value]) =>
      typeof value === "string" && value.length > 0 && value.length < 100,
  );
  const rank = (/** @type {string} */ name) =>
    [/mail/i, /user_?name|login|handle/i, /name/i, /^id$/i].findIndex(
      (pattern) => pattern.test(name),
    );
  const named = texts
    .filter(([name]) => rank(name) !== -1)
    .sort(([one], [other]) => rank(one) - rank(other));
  return named.map(([, value]) => /** @type {string} */ (value));
}
