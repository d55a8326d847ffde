// Sign in by the app's own form, as a user of the mock.

import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { AuditError, perform, settle } from "./browser.js";
import { findCandidates } from "./observe.js";
import { valuesIn } from "./texts.js";

/** @import { Opener } from "./browser.js" */
/** @import { Discovery } from "./discover.js" */
/** @import { Candidate, SignIn, Step, Target } from "./types.d.ts" */

const CANDIDATES = 12; // of a page
/** The properties that a log-in form may want, the most likely first. */
const NAMES = [/mail/i, /user_?name|login|handle/i, /name/i, /^id$/i];

/**
 * Sign in, so that the opener's pages are those of the user.
 * @param {Discovery} discovery
 * @returns {Promise<SignIn | null>} null if no page asks for a password, or no form accepts the user
 */
export async function signIn({ opener, config, targets, notes }) {
  if (config.storageState) {
    const text = await readFile(
      resolve(config.cwd, config.storageState),
      "utf8",
    );
    /** @type {unknown} */
    const state = JSON.parse(text);
    opener.storageState = /** @type {Opener["storageState"]} */ (state);
    return { name: "the user of --storage-state", url: "", steps: [] };
  }
  const pages = targets.filter(({ asksPassword }) => asksPassword);
  if (!pages.length) return null;
  const names = namesOf(await userOf(opener, config.user));
  for (const { target, form } of await formsOf(opener, pages)) {
    for (const name of names) {
      const steps = form.steps.map((step) =>
        step.do === "fill" && !step.secret ? { ...step, value: name } : step,
      );
      if (await submit(opener, target.url, steps))
        return { name, url: target.url, steps };
    }
  }
  notes.add(
    "Not signed in: no log-in form accepted a user of the mock. Save a signed-in state with Playwright, and name it with --storage-state.",
  );
  return null;
}

/**
 * Return the forms that ask for a password, first the one with the fewest fields: a registration has more.
 * @param {Opener} opener
 * @param {Target[]} pages
 */
async function formsOf(opener, pages) {
  /** @type {{ target: Target, form: Candidate }[]} */
  const forms = [];
  for (const target of pages) {
    const candidates = await opener.visit(target.url, {}, ({ page }) =>
      page.evaluate(findCandidates, CANDIDATES),
    );
    forms.push(
      ...candidates
        .filter(({ asksPassword }) => asksPassword)
        .map((form) => ({ target, form })),
    );
  }
  return forms.sort(
    (one, other) => one.form.steps.length - other.form.steps.length,
  );
}

/**
 * Submit a log-in; if it calls an operation that logs in, keep what the app has stored.
 * @param {Opener} opener
 * @param {string} url
 * @param {Step[]} steps
 */
async function submit(opener, url, steps) {
  const logins = new Set(
    opener.operations
      .filter(({ role }) => role === "login")
      .map(({ name }) => name),
  );
  return opener.visit(url, {}, async (visit) => {
    try {
      for (const step of steps) await perform(visit.page, step);
    } catch {
      return false; // the form wants something else first
    }
    await settle(visit);
    const requests = await visit.mock.requests();
    if (
      !requests.some(
        ({ operation, status }) =>
          operation && logins.has(operation) && status && status < 300,
      )
    )
      return false;
    opener.storageState = await visit.context.storageState();
    opener.sessionStorage = await visit.page.evaluate(() => {
      /** @type {{ [name: string]: string }} */
      const items = sessionStorage;
      return Object.entries(items);
    });
    return true;
  });
}

/**
 * Return the record of the user to sign in as.
 * @param {Opener} opener
 * @param {string | null} text one of its values
 * @returns {Promise<{ [property: string]: unknown }>}
 */
async function userOf(opener, text) {
  const mock = opener.newMock("default");
  if (text === null) return (await mock.as().catch(() => ({ user: {} }))).user; // without a log-in in the contract
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

/** Return what a log-in form may want. @param {{ [property: string]: unknown }} user @returns {string[]} */
function namesOf(user) {
  return NAMES.flatMap((pattern) =>
    Object.entries(user).flatMap(([name, value]) =>
      typeof value === "string" && value && pattern.test(name) ? [value] : [],
    ),
  );
}
