// Group findings by cause, so that one entry stands for what one change corrects. Pure functions.

/** @import { Cause, Finding, Level, Operation, Rule } from "./types.d.ts" */

const ALL = 3; // operations with the same rule are one cause
const ORDER = ["error", "warning", "note"];

/**
 * The rules: their level, the title for one operation and for many, where `{}` is what fails, and what to do.
 * @satisfies {{ [rule: string]: { level: Level, title: string, advice: string } }}
 */
export const RULES = {
  blank: {
    level: "error",
    title: "A blank page when {} fails",
    advice:
      "Catch the error, for example in an error boundary, and show a message in place of the part that failed.",
  },
  stuck: {
    level: "error",
    title: "Loads forever when {} fails",
    advice: "End the loading state when a request fails, and show a message.",
  },
  "looks-empty": {
    level: "error",
    title: "Looks like an empty list when {} fails",
    advice:
      "Distinguish a failed request from an empty list: show a message, and not the text for no data.",
  },
  silent: {
    level: "error",
    title: "No message when {} fails",
    advice: "Show a message when the request fails.",
  },
  collateral: {
    level: "error",
    title: "Other content disappears when {} fails",
    advice:
      "Handle the failure where its data is shown, and leave the rest of the page as it is.",
  },
  uncaught: {
    level: "error",
    title: "An uncaught exception when {} fails",
    advice:
      "Catch the error where the response is used, and show a message in place of its data.",
  },
  storm: {
    level: "error",
    title: "A storm of requests when {} fails",
    advice:
      "Wait before each retry, longer each time, and give up after a few.",
  },
  "input-lost": {
    level: "error",
    title: "Typed text is lost when {} fails",
    advice: "Clear or leave a form only after the request has succeeded.",
  },
  "double-send": {
    level: "error",
    title: "A second click sends {} again",
    advice:
      "Disable the button, or ignore further clicks, until the response arrives.",
  },
  "raw-exception": {
    level: "warning",
    title: "The text of an exception is shown when {} fails",
    advice: "Show a message for people; log the exception.",
  },
  "raw-response": {
    level: "warning",
    title: "The server's own text is shown when {} fails",
    advice: "Show your own message for a 5xx or an unreadable response.",
  },
  artefact: {
    level: "warning",
    title: "A missing value is shown as text when {} fails",
    advice: "Render this part only if its data is there.",
  },
  moved: {
    level: "warning",
    title: "Leads to another page when {} fails",
    advice: "Stay on the page, and show the message there.",
  },
  "dead-end": {
    level: "warning",
    title: "A dead end when {} fails",
    advice: "Keep the navigation, or offer a link or a button to try again.",
  },
  "unhandled-rejection": {
    level: "warning",
    title: "An unhandled rejection when {} fails",
    advice: "Await the promise in a try block, or add a catch.",
  },
  "blank-loading": {
    level: "warning",
    title: "A blank page while {} loads",
    advice: "Show the frame of the page, or a loading state, at once.",
  },
  "not-announced": {
    level: "note",
    title: "A message that screen readers do not announce when {} fails",
    advice: 'Put the message into an element with role="alert".',
  },
  "no-loading": {
    level: "note",
    title: "Nothing shows that {} is loading",
    advice: "Show a loading state until the response arrives.",
  },
  blocked: {
    level: "note",
    title: "{} holds up other content",
    advice: "Show each part when its own response arrives.",
  },
  "no-empty": {
    level: "note",
    title: "No empty state when {} returns an empty list",
    advice: "Say that there is nothing yet, and what to do.",
  },
};

/**
 * Findings of one cause.
 * @typedef {object} Group
 * @property {Rule} rule
 * @property {string} scope `reads` or `writes`, or the operation
 * @property {Found[]} found
 */
/** @typedef {{ index: number, finding: Finding }} Found */

/**
 * Return the causes of findings, errors first. The same rule for three reading operations, or for all of several, is one
 * cause, and so for those that write.
 * @param {Finding[]} findings
 * @param {Operation[]} operations those that were probed
 * @returns {Cause[]}
 */
export function causesOf(findings, operations) {
  const totals = new Map(
    ["reads", "writes"].map((kind) => [
      kind,
      operations.filter((each) => (each.reads ? "reads" : "writes") === kind)
        .length,
    ]),
  );
  const causes = groupsOf(findings, operations, totals).map((group) =>
    causeOf(group, totals.get(group.scope)),
  );
  const rank = (/** @type {Cause} */ { level }) => ORDER.indexOf(level);
  return causes.sort(
    (one, other) =>
      rank(one) - rank(other) ||
      other.findings.length - one.findings.length ||
      one.id.localeCompare(other.id),
  );
}

/**
 * @param {Finding[]} findings @param {Operation[]} operations
 * @param {Map<string, number>} totals how many operations read and write
 * @returns {Group[]}
 */
function groupsOf(findings, operations, totals) {
  const reads = new Map(
    operations.map(({ name, reads: isRead }) => [name, isRead]),
  );
  const kindOf = (/** @type {Finding} */ { operation, action }) =>
    reads.get(operation) && action === null ? "reads" : "writes";
  const named = (/** @type {Rule} */ rule, /** @type {string} */ kind) =>
    new Set(
      findings
        .filter((each) => each.rule === rule && kindOf(each) === kind)
        .map(({ operation }) => operation),
    );
  /** @type {Map<string, Group>} */
  const groups = new Map();
  for (const [index, finding] of findings.entries()) {
    const { rule, operation } = finding;
    const kind = kindOf(finding);
    const count = named(rule, kind).size;
    const isAll = count >= ALL || (count > 1 && count === totals.get(kind));
    const scope = isAll ? kind : operation;
    const key = `${rule}/${scope}`;
    const group = groups.get(key) ?? { rule, scope, found: [] };
    group.found.push({ index, finding });
    groups.set(key, group);
  }
  return [...groups.values()];
}

/**
 * @param {Group} group
 * @param {number | undefined} total how many operations read or write; undefined for the cause of one operation
 * @returns {Cause}
 */
function causeOf({ rule, scope, found }, total) {
  const { level, title, advice } = RULES[rule];
  const distinct = (/** @type {(finding: Finding) => string} */ of) =>
    [...new Set(found.map(({ finding }) => of(finding)))].sort();
  const operations = distinct(({ operation }) => operation);
  const what =
    total === undefined
      ? scope
      : `a request that ${scope === "reads" ? "reads" : "writes"}`;
  const share =
    total === undefined ? [] : [`${operations.length} of ${total} operations`];
  const states = distinct(({ state }) => state);
  const isUsual = states.includes("500") || !title.includes("fails");
  const facts = [...share, ...(isUsual ? [] : [states.join(", ")])];
  // The smallest example is the one with the fewest steps, on the page with the shortest address.
  const size = (/** @type {Found} */ { finding: { steps, page, state } }) =>
    steps.length * 100 + page.length + (state === "500" ? 0 : 1);
  const sorted = [...found].sort(
    (one, other) => size(one) - size(other) || one.index - other.index,
  );
  return {
    id: `${rule}/${scope}`,
    rule,
    level,
    title:
      title.replace("{}", what) + (facts[0] ? ` (${facts.join("; ")})` : ""),
    advice,
    operations,
    pages: distinct(({ page }) => page),
    findings: sorted.map(({ index }) => index),
    accepted: null,
    known: false,
  };
}
