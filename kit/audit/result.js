// The result of an audit, as audit.json has it; mockpets/audit/result.py has the types.

import { causesOf } from "./causes.js";
import { stepsOf, pathOf } from "./probe.js";

/** @import { Discovery } from "./discover.js" */
/** @import { Probing } from "./probe.js" */
/** @import { Target } from "./types.d.ts" */

const FORMAT = 1;

/**
 * @param {Discovery} discovery @param {Probing} probing
 * @param {{ version: string, titles: string[], started: Date, isCut: boolean }} facts
 */
export function resultOf(
  discovery,
  probing,
  { version, titles, started, isCut },
) {
  const { targets, signIn, config, opener } = discovery;
  const { findings, matrix, skipped, planned } = probing;
  const called = new Set(targets.flatMap(({ operations }) => operations));
  const wasCut = isCut || probing.isStopped || discovery.outOfTime;
  return {
    format: FORMAT,
    version,
    app: config.app,
    contracts: titles,
    started: started.toISOString(),
    seconds: Math.round((Date.now() - started.getTime()) / 100) / 10,
    complete: !wasCut && matrix.length + skipped >= planned,
    signed_in: signIn?.name ?? null,
    sign_in: signIn?.steps.length
      ? { url: pathOf(signIn.url), steps: stepsOf(signIn.steps) }
      : null,
    notes: [
      ...(called.size || wasCut ? [] : [nothingCalled(opener.bases)]),
      ...discovery.notes,
    ],
    pages: targets.filter(({ action }) => !action).map(pageOf),
    actions: targets.flatMap(({ shape, action, operations }) =>
      action ? [{ page: shape, name: action.name, operations }] : [],
    ),
    not_reached: opener.operations
      .map(({ name }) => name)
      .filter((name) => !called.has(name)),
    probes: { run: matrix.length, planned: planned - skipped },
    matrix,
    causes: causesOf(
      findings,
      opener.operations.filter(({ name }) => called.has(name)),
    ),
    findings,
  };
}

/** @param {Target} page */
function pageOf({ shape, url, signedIn, title, operations, healthy }) {
  return {
    page: shape,
    url: pathOf(url),
    signed_in: signedIn,
    title,
    operations,
    screenshot: healthy.screenshot,
  };
}

/** @param {string[]} bases */
function nothingCalled(bases) {
  const below = bases.join(" or ") || "/";
  return `No page has called an operation below ${below}. If your API has another base path, name its URL with --base-url.`;
}
