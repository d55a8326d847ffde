// Fail each operation of each page and action in each state, and judge what is seen.

import { failure } from "../shared.js";
import {
  isOfPage,
  observationFrom,
  perform,
  settle,
  sourceOf,
} from "./browser.js";
import {
  judgeAction,
  judgeEmpty,
  judgeLoading,
  judgeRead,
  judgeSecondClick,
  loadingSigns,
} from "./judge.js";
import { RULES } from "./causes.js";
import { jsonOf } from "./texts.js";

/** @import { Finding, Observation, Operation, Probe, Step, Target, Verdict, Visit } from "./types.d.ts" */
/** @import { Discovery } from "./discover.js" */
/** @import { Known } from "./judge.js" */

const PROXY = "html"; // a 502 by a proxy, which no expression can name
const ARRIVES_MS = 5_000;
const MARK = "quagmire in shard 7391";
/** @typedef {Parameters<import("../client.js").Mockpets["use"]>[0]} Scenario */
/** @typedef {[first: number, again: number]} Stages */

/**
 * When each state is probed: on the first page with an operation, and on others. Held and 500 find most.
 * @type {{ [state: string]: Stages }}
 */
const STAGES = {
  hold: [0, 3],
  empty: [0, 3],
  500: [1, 4],
  offline: [5, 9],
  malformed_json: [6, 10],
  [PROXY]: [7, 11],
};
/** @type {Stages} */
const DOCUMENTED = [2, 8]; // the statuses that the contract documents

/** What probes have found. */
export class Probing {
  /** @type {Set<string>} */
  #confirmed = new Set();

  /** @param {Discovery} discovery */
  constructor(discovery) {
    this.discovery = discovery;
    this.opener = discovery.opener;
    /** @type {Finding[]} */
    this.findings = [];
    /** @type {{ page: string, action: string | null, operation: string, state: string, level: string }[]} */
    this.matrix = [];
    this.planned = 0;
    this.skipped = 0;
    this.isStopped = false;
  }

  /** What judgements need. @returns {Known} */
  get known() {
    const { usual, settled, signedOut, values, opener } = this.discovery;
    const { operations } = opener;
    return { usual, settled, signedOut, values, operations };
  }

  /** Run the probes, most telling first, until the deadline. @param {number} deadline */
  async run(deadline) {
    const probes = this.plan();
    this.planned = probes.length;
    const stages = [...new Set(probes.map(({ stage }) => stage))].sort(
      (one, other) => one - other,
    );
    for (const stage of stages) {
      await this.discovery.each(
        probes.filter((probe) => probe.stage === stage),
        async (probe) => {
          if (Date.now() > deadline || this.isStopped) return;
          await this.#probe(probe);
          const errors = this.findings.filter(
            ({ level }) => level === "error",
          ).length;
          this.discovery.progress(
            `${this.matrix.length} of ${this.planned} probes, ${errors} errors`,
          );
        },
      );
    }
  }

  /** Return all probes. Loading and empty come before failures, which are compared with them. @returns {Probe[]} */
  plan() {
    /** @type {Set<string>} */
    const known = new Set(); // operations of earlier pages
    return this.discovery.targets.flatMap((target) =>
      target.operations.flatMap((name) => {
        const operation = this.known.operations.find(
          (each) => each.name === name,
        );
        if (!operation || (!target.action && !operation.reads)) return [];
        const isAgain = known.has(name);
        known.add(name);
        return statesOf(operation, target, this.opener.serverSide).map(
          (state) => {
            const [first, again] = STAGES[state] ?? DOCUMENTED;
            return { target, operation, state, stage: isAgain ? again : first };
          },
        );
      }),
    );
  }

  /** @param {Probe} probe */
  async #probe(probe) {
    const first = await this.#attempt(probe);
    if (!first) {
      this.skipped++;
      return;
    }
    let { verdicts } = first;
    // Something may have gone wrong by itself: an error must happen twice.
    // Once is enough for an operation and a rule.
    const isNew = (/** @type {Verdict} */ { rule }) =>
      RULES[rule].level === "error" && !this.#confirmed.has(keyOf(probe, rule));
    if (verdicts.some(isNew)) {
      const second = await this.#attempt(probe, { isFirst: false });
      verdicts = verdicts.filter(
        (verdict) =>
          !isNew(verdict) ||
          second?.verdicts.some(({ rule }) => rule === verdict.rule),
      );
      for (const { rule } of verdicts) this.#confirmed.add(keyOf(probe, rule));
    }
    // The usual text of a status is perhaps the app's own, so an unmistakable one must appear, too.
    if (
      verdicts.some(({ rule }) => rule === "raw-response") &&
      first.failures.length
    ) {
      const marked = await this.#attempt(probe, {
        isFirst: false,
        body: mark(first.failures[0]),
      });
      verdicts = verdicts.filter(
        ({ rule }) =>
          rule !== "raw-response" ||
          marked?.verdicts.some((each) => each.rule === rule),
      );
    }
    const found = verdicts.map((verdict) =>
      this.#finding(probe, verdict, first),
    );
    this.findings.push(...found);
    const level =
      ["error", "warning", "note"].find((each) =>
        found.some((finding) => finding.level === each),
      ) ?? "ok";
    const { target, operation, state } = probe;
    this.matrix.push({
      page: target.shape,
      action: target.action?.name ?? null,
      operation: operation.name,
      state: statusOf(state),
      level,
    });
  }

  /**
   * Open the page in the state, and judge it; undefined if the operation was not called.
   * @param {Probe} probe
   * @param {{ isFirst?: boolean, body?: unknown }} [options] `isFirst` if a screenshot is wanted, and loading and empty pages are
   *   remembered; `body` that of the failing response in place of the mock's
   */
  async #attempt(probe, { isFirst = true, body } = {}) {
    const { target } = probe;
    const options = target.action
      ? { signedIn: target.signedIn }
      : this.#failing(probe, body);
    try {
      return await this.opener.visit(target.url, options, async (visit) => {
        const verdicts = await (target.action
          ? this.#act(visit, probe, isFirst, body)
          : this.#look(visit, probe, isFirst));
        if (!verdicts) return undefined;
        const screenshot =
          isFirst && verdicts.length
            ? await this.discovery.screenshot(visit, "probe")
            : "";
        const { calls, failures } = visit.observation;
        return { verdicts, screenshot, calls, failures };
      });
    } catch (error) {
      if (!isOfPage(error)) throw error;
      this.isStopped ||= /ERR_CONNECTION_REFUSED/.test(String(error));
      const note = this.isStopped
        ? "The app stopped responding"
        : "Some pages did not load in time";
      this.discovery.notes.add(`${note}, so probes are missing.`);
      return undefined;
    }
  }

  /** @param {Probe} probe @param {unknown} body @returns {import("./browser.js").OpenOptions} */
  #failing({ target, operation: { name }, state }, body) {
    const isFailing = state !== "hold" && state !== "empty";
    return {
      signedIn: target.signedIn,
      scenario: state === PROXY ? "default" : scenarioOf(name, state, body),
      proxied: state === PROXY ? name : null,
      expected: this.opener.serverSide ? undefined : name,
      failing: isFailing ? name : undefined,
      seemsToLoad: (snapshot) =>
        loadingSigns(target, name, snapshot, this.known).length > 0,
    };
  }

  /** @param {Visit} visit @param {Probe} probe @param {boolean} isFirst */
  async #look(visit, probe, isFirst) {
    const { target, operation, state } = probe;
    const { observation } = visit;
    await this.#addServers(visit);
    if (!observation.calls.some((call) => call.operation === operation.name))
      return undefined;
    if (state === "hold") {
      // While the app's own server waits, the browser shows the page before.
      if (observation.last.url === "about:blank") return undefined;
      if (isFirst) target.loading.set(operation.name, observation.last);
      return judgeLoading(probe, observation, this.known);
    }
    if (state === "empty") {
      if (isFirst) target.empty.set(operation.name, observation.last);
      return judgeEmpty(probe, observation);
    }
    observation.failures = await jsonOf(visit, operation.name);
    return judgeRead(probe, observation, this.known);
  }

  /** Add the calls of the app's own server, which do not pass the browser. @param {Visit} visit */
  async #addServers({ mock, observation }) {
    const begun = Date.now();
    for (const { operation, method, path, status } of await mock.requests({
      limit: 200,
    })) {
      if (
        operation &&
        !observation.calls.some((call) => call.operation === operation)
      ) {
        observation.calls.push({
          operation,
          method,
          path,
          begun,
          ended: begun,
          status,
        });
      }
    }
  }

  /** @param {Visit} visit @param {Probe} probe @param {boolean} isFirst @param {unknown} body */
  async #act(visit, probe, isFirst, body) {
    const {
      target,
      operation: { name },
      state,
    } = probe;
    const steps = target.action?.steps ?? [];
    const press = steps.at(-1);
    if (!press) return undefined; // nothing to do calls nothing
    for (const step of steps.slice(0, -1)) await perform(visit.page, step);
    await settle(visit, {});
    const before = visit.observation.last;
    const since = observationFrom(before);
    visit.observation = since;
    if (state === PROXY) visit.proxied = name;
    else await visit.mock.use(scenarioOf(name, state, body));
    if (state === "hold") visit.held = name;
    const isHeld = state === "hold";
    await perform(visit.page, press);
    await arrives(since, name);
    await settle(visit, {
      failing: isHeld ? undefined : name,
      seemsToLoad: (snapshot) =>
        loadingSigns(target, name, snapshot, this.known, before).length > 0,
    });
    if (!since.calls.some((call) => call.operation === name)) return undefined;
    if (isHeld) {
      if (isFirst) target.loading.set(name, since.last);
      await failure(() => perform(visit.page, press));
      await settle(visit, {});
      return judgeSecondClick(probe, since);
    }
    since.failures = await jsonOf(visit, name);
    return judgeAction(probe, since, before, this.known);
  }

  /**
   * @param {Probe} probe
   * @param {Verdict} verdict
   * @param {{ screenshot: string, calls: import("./types.d.ts").Call[] }} attempt
   * @returns {Finding}
   */
  #finding(
    { target, operation, state },
    { rule, message, lost, shown },
    { screenshot, calls },
  ) {
    const { action, healthy } = target;
    const sent = calls.filter((call) => call.operation === operation.name);
    const requests = sent.slice(0, 1).map(({ method, path, status }) => ({
      method,
      path,
      status,
      count: sent.length,
    }));
    return {
      rule,
      level: RULES[rule].level,
      page: target.shape,
      url: pathOf(target.url),
      signed_in: target.signedIn,
      action: action?.name ?? null,
      steps: stepsOf(action?.steps ?? []),
      operation: operation.name,
      state: statusOf(state),
      expression: state === PROXY ? null : `${operation.name}:${state}`,
      message,
      lost: lost.map((line) => healthy.originals.get(line) ?? line),
      shown,
      requests,
      healthy: healthy.screenshot,
      failing: screenshot,
    };
  }
}

/** @param {Operation} operation @param {Target} target @param {boolean} isServerSide */
function statesOf({ role, states }, { action }, isServerSide) {
  const documented = states.filter((state) => state >= "400" && state < "500");
  const all = [
    "hold",
    ...(role === "list" && !action ? ["empty"] : []),
    "500",
    ...documented,
    "offline",
    "malformed_json",
    PROXY,
  ];
  // The app's own server would hold the page, and its calls do not pass the browser.
  return isServerSide
    ? all.filter((state) => state !== "hold" && state !== PROXY)
    : all;
}

/** @param {Probe} probe @param {string} rule */
function keyOf({ target, operation }, rule) {
  return `${rule} ${operation.name} ${target.action !== null}`;
}

/**
 * Return what makes an operation fail.
 * @param {string} name
 * @param {string} state
 * @param {unknown} body of the response in place of the mock's
 */
function scenarioOf(name, state, body) {
  if (body === undefined) return /** @type {Scenario} */ (`${name}:${state}`);
  const reply = { status: Number(state), body };
  return /** @type {Scenario} */ ({
    description: "A marked error.",
    stubs: [{ match: { operation: name }, reply, off_contract: true }],
  });
}

/** Return a body with unmistakable texts. @param {unknown} body @returns {unknown} */
function mark(body) {
  if (typeof body === "string") return MARK;
  if (Array.isArray(body)) return body.map(mark);
  return body instanceof Object
    ? Object.fromEntries(
        Object.entries(body).map(([name, value]) => [name, mark(value)]),
      )
    : body;
}

/** Return a state as people know it. @param {string} state */
function statusOf(state) {
  return state === PROXY ? "502" : state;
}

/** Return steps as audit.json has them. @param {Step[]} steps */
export function stepsOf(steps) {
  return steps.map(({ do: what, place, value }) => ({
    do: what,
    locator: sourceOf(place),
    ...(value !== undefined && { value }),
  }));
}

/** @param {string} url */
export function pathOf(url) {
  const { pathname, search, hash } = new URL(url);
  return pathname + search + hash;
}

/** Wait until an operation is called. @param {Observation} observation @param {string} name */
async function arrives({ calls }, name) {
  for (
    const deadline = Date.now() + ARRIVES_MS;
    Date.now() < deadline && !calls.some(({ operation }) => operation === name);
  ) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
