// Find the actions of pages: forms and buttons that call operations that write.

import { perform, settle } from "./browser.js";
import { healthyOf } from "./healthy.js";
import { findCandidates } from "./observe.js";
import { shapeOf, textsByOperation } from "./texts.js";

/** @import { Discovery } from "./discover.js" */
/** @import { Candidate, Step, Target, Visit } from "./types.d.ts" */

const CANDIDATES = 12; // of a page
const REPEATS = 2; // how often equal candidates of several pages are tried
const DEPTH = 2; // a button that opens a form, and the form

/**
 * @typedef {object} Pressed
 * @property {Target | null} action if it writes
 * @property {Candidate[]} opened what has appeared
 * @property {string | null} address where it leads, if that is another page
 */

/**
 * Press what can be pressed on healthy pages.
 * @param {Discovery} discovery @param {Target[]} targets @param {number} deadline
 */
export async function findActions(discovery, targets, deadline) {
  /** @type {Map<string, number>} */
  const tried = new Map();
  /** @type {Target[]} */
  const actions = [];
  /** @type {{ url: string, signedIn: boolean }[]} */
  const addresses = [];
  await discovery.each(targets, async (target) => {
    const { url, signedIn } = target;
    if (Date.now() > deadline) return;
    const candidates = await discovery.opener.visit(
      url,
      { signedIn },
      ({ page }) => page.evaluate(findCandidates, CANDIDATES),
    );
    const queue = candidates.map((candidate) => ({
      candidate,
      steps: stepsOf(discovery, candidate, target),
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
      const { action, opened, address } = await press(
        discovery,
        target,
        { name: candidate.name, steps },
        candidates,
      );
      if (action) actions.push(action);
      if (address) addresses.push({ url: address, signedIn });
      if (depth < DEPTH)
        queue.push(
          ...opened.map((inner) => ({
            candidate: inner,
            steps: [...steps, ...inner.steps],
            depth: depth + 1,
          })),
        );
      discovery.progress(
        `${discovery.targets.length} pages, ${actions.length} actions`,
      );
    }
  });
  return { actions, addresses };
}

/**
 * Return the steps of a candidate: of the log-in those that have worked.
 * @param {Discovery} discovery
 * @param {Candidate} candidate
 * @param {Target} target
 */
function stepsOf({ signIn }, { asksPassword, steps }, { url }) {
  return asksPassword && signIn?.url === url ? signIn.steps : steps;
}

/**
 * Do steps on a healthy page.
 * @param {Discovery} discovery @param {Target} target @param {{ name: string, steps: Step[] }} action
 * @param {Candidate[]} known those of the page without the steps
 * @returns {Promise<Pressed>}
 */
async function press(discovery, target, action, known) {
  const nothing = { action: null, opened: [], address: null };
  const { url, signedIn, shape } = target;
  return discovery.opener.visit(url, { signedIn }, async (visit) => {
    const before = await visit.mock.requests();
    try {
      for (const step of action.steps) await perform(visit.page, step);
    } catch {
      return nothing; // something covers the button, or it is disabled
    }
    await settle(visit, { since: Date.now() - 100 });
    discovery.remember(visit);
    const responses = await textsByOperation(visit);
    for (const value of [...responses.values()].flat())
      discovery.values.add(value);
    const address = visit.observation.last.url;
    const now = shapeOf(address, discovery.values);
    const operations = writesIn(
      (await visit.mock.requests()).slice(before.length),
    );
    if (operations.length) {
      const { counts, lines: after } = healthyOf(visit, now, responses);
      const healthy = { ...target.healthy, shape: now, after, counts };
      return {
        ...nothing,
        action: {
          ...target,
          operations,
          healthy,
          action,
          loading: new Map(),
          empty: new Map(),
        },
      };
    }
    if (now !== shape) return { ...nothing, address };
    const keys = new Set(known.map(({ key }) => key));
    const all = await visit.page.evaluate(findCandidates, 2 * CANDIDATES);
    return { ...nothing, opened: all.filter(({ key }) => !keys.has(key)) };
  });
}

/**
 * Return the operations of requests that have written something.
 * @param {Awaited<ReturnType<Visit["mock"]["requests"]>>} requests
 */
function writesIn(requests) {
  const writes = requests.filter(
    ({ method, status }) => method !== "GET" && status !== null && status < 400,
  );
  return [...new Set(writes.flatMap(({ operation }) => operation ?? []))];
}
