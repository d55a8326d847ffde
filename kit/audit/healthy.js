// What is usual on a page on which nothing fails.

import { normal, normalLines, textsOf } from "./texts.js";

/** @import { Healthy, Visit } from "./types.d.ts" */

/** @param {Visit} visit @param {string} shape @param {Map<string, string[]>} responses @returns {Healthy} */
export function healthyOf(
  { observation: { last, calls, exceptions, rejections } },
  shape,
  responses,
) {
  const lines = normalLines(last);
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const { operation } of calls)
    counts.set(operation, (counts.get(operation) ?? 0) + 1);
  return {
    shape,
    lines,
    after: lines,
    originals: new Map(last.lines.map(({ text }) => [normal(text), text])),
    texts: textsOf(
      last.lines.map(({ text }) => text),
      responses,
    ),
    visuals: new Set(last.visuals),
    controls: last.controls,
    errors: new Set([...exceptions, ...rejections].map(normal)),
    counts,
    screenshot: "",
  };
}

/**
 * Return what is wrong with a page on which nothing fails, if it cannot be compared with.
 * @param {Visit} visit
 * @param {boolean} hasResponses
 */
export function problemOf({ observation: { last, exceptions } }, hasResponses) {
  const isBlank = !last.lines.length && !last.visuals.length && !last.fields;
  if (isBlank) return exceptions[0] ?? "it shows nothing";
  return hasResponses ? undefined : exceptions[0];
}
