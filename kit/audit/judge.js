// Judge what a user sees while an operation fails, by comparison with the page healthy, loading and empty. Pure functions.

import { ELLIPSIS, normal, normalLines, shapeOf, valuesIn } from "./texts.js";

/** @import { Line, Observation, Operation, Probe, Rule, Snapshot, Target, Verdict } from "./types.d.ts" */

const READABLE_MS = 600;
const STORM = 5; // requests
const STORM_MS = 2_000;
/** The texts of engines and HTTP libraries, which are for developers. */
const EXCEPTION =
  /\b[A-Z]\w*(?:Error|Exception)\b|Unexpected (?:token|end of)|" is not valid JSON|Cannot read prop|Failed to fetch|NetworkError when|Load failed|Request failed with status|Network Error|is not (?:a function|iterable|defined)\b|JSON\.parse/;
const ARTEFACT = /\bundefined\b|\[object \w+\]|\bNaN\b|\bInvalid Date\b/;
/** The texts of the page of `browser.js` that a front end has no other source for. */
const PROXY_TEXTS = ["nginx/", "<html"];
const TYPED = 3; // characters: shorter values of fields are found by chance

/**
 * @typedef {object} Known what discovery has found out
 * @property {Set<string>} usual all lines that a healthy page has shown
 * @property {Set<string>} settled those of pages that were quiet
 * @property {Set<string>} signedOut lines that only pages without a user show
 * @property {Set<string>} values
 * @property {Operation[]} operations
 */

/**
 * Return what is wrong with a page while an operation of it fails.
 * @param {Probe} probe
 * @param {Observation} seen
 * @param {Known} known
 * @returns {Verdict[]}
 */
export function judgeRead(probe, seen, known) {
  const { target, operation, state } = probe;
  const { healthy } = target;
  const { last } = seen;
  const now = normalLines(last);
  const own = linesOf(target, (operations) => operations.has(operation.name));
  const lost = own.filter((line) => !now.has(line));
  if (isBlank(last))
    return [
      verdict("blank", "The page shows nothing at all.", lost),
      ...errorsOf(probe, seen),
    ];
  const said = messagesOf(probe, seen, known);
  const verdicts = [
    ...errorsOf(probe, seen),
    ...textVerdicts(probe, seen, said, known),
  ];
  if (asksToSignIn(state, last, known)) return verdicts;
  const shape = shapeOf(last.url, known.values);
  const isElsewhere = shape !== healthy.shape;
  if (!said.length && !seen.dialogs.length && lost.length)
    verdicts.push(silentVerdict(probe, seen, known, { lost, isElsewhere }));
  if (state !== "401" && state !== "404")
    verdicts.push(...collateral(probe, seen, known, said));
  if (isElsewhere && state !== "404")
    verdicts.push(verdict("moved", `The app went to ${shape}.`, [], [shape]));
  if (lost.length && healthy.controls && !last.controls)
    verdicts.push(
      verdict("dead-end", "No link or button is left.", lost, textsIn(last)),
    );
  if (lost.length) verdicts.push(...notAnnounced(said, seen));
  return verdicts;
}

/**
 * Return what a page without a message looks like: one that loads, one whose list is empty, or neither.
 * @param {Probe} probe @param {Observation} seen @param {Known} known
 * @param {{ lost: string[], isElsewhere: boolean }} page
 */
function silentVerdict(
  { target, operation },
  { last },
  known,
  { lost, isElsewhere },
) {
  const loading = loadingSigns(target, operation.name, last, known);
  if (!isElsewhere && loading.length)
    return verdict("stuck", "The page keeps loading.", lost, loading);
  const now = normalLines(last);
  const empty = [...linesIn(target.empty.get(operation.name))].filter(
    (line) => !target.healthy.lines.has(line) && now.has(line),
  );
  if (!isElsewhere && empty.length)
    return verdict(
      "looks-empty",
      "The page shows what it shows for an empty list.",
      lost,
      empty,
    );
  return verdict(
    "silent",
    "Texts are missing, and no message says why.",
    lost,
    textsIn(last),
  );
}

/**
 * Return that data of other operations is missing, if it is.
 * @param {Probe} probe @param {Observation} seen @param {Known} known @param {Line[]} said
 */
function collateral(probe, seen, known, said) {
  const now = normalLines(seen.last);
  const others = othersOf(probe, seen, known).filter((line) => !now.has(line));
  const message = "Data of successful requests is missing, too.";
  const texts = said.map(({ text }) => text);
  return others.length ? [verdict("collateral", message, others, texts)] : [];
}

/**
 * Return what is wrong with a page while an operation of it is held.
 * @param {Probe} probe @param {Observation} seen @param {Known} known @returns {Verdict[]}
 */
export function judgeLoading(probe, seen, known) {
  const { target, operation } = probe;
  const now = normalLines(seen.last);
  const own = linesOf(target, (operations) => operations.has(operation.name));
  if (!own.length) return [];
  const lost = own.filter((line) => !now.has(line));
  if (isBlank(seen.last))
    return [
      verdict("blank-loading", "The page shows nothing while it loads.", lost),
    ];
  /** @type {Verdict[]} */
  const verdicts = [];
  if (
    lost.length &&
    !loadingSigns(target, operation.name, seen.last, known).length
  ) {
    verdicts.push(
      verdict("no-loading", "Nothing shows that the page is loading.", lost),
    );
  }
  const others = othersOf(probe, seen, known).filter((line) => !now.has(line));
  if (others.length)
    verdicts.push(
      verdict(
        "blocked",
        "Texts of other operations wait for this one.",
        others,
      ),
    );
  return verdicts;
}

/**
 * Return what is wrong with a page while its list is empty.
 * @param {Probe} probe
 * @param {Observation} seen
 * @returns {Verdict[]}
 */
export function judgeEmpty({ target, operation }, { last }) {
  const now = normalLines(last);
  const own = linesOf(target, (operations) =>
    operations.has(operation.name),
  ).filter((line) => !now.has(line));
  const isNew = last.lines.some(
    ({ text, control }) => !control && !target.healthy.lines.has(normal(text)),
  );
  return own.length && !isNew
    ? [verdict("no-empty", "No text takes the place of the empty list.", own)]
    : [];
}

/**
 * Return what is wrong after an action whose request fails.
 * @param {Probe} probe
 * @param {Observation} seen since the action began
 * @param {Snapshot} before
 * @param {Known} known
 * @returns {Verdict[]}
 */
export function judgeAction(probe, seen, before, known) {
  const { target, state, operation } = probe;
  const { last } = seen;
  const now = normalLines(last);
  const isSignedOut = asksToSignIn(state, last, known) && !before.asksPassword;
  const earlier = normalLines(before);
  const said = messagesOf(probe, seen, known).filter(
    ({ text }) => !earlier.has(normal(text)),
  );
  const verdicts = [
    ...errorsOf(probe, seen),
    ...textVerdicts(probe, seen, said, known),
  ];
  // The server has done it, and an app that does not read the body is right.
  if (state === "malformed_json" && isDone(target, now, earlier))
    return verdicts;
  verdicts.push(...lostInput(probe, last));
  if (isBlank(last))
    return [
      ...verdicts,
      verdict("blank", "The page shows nothing at all.", [...earlier]),
    ];
  if (isSignedOut) return verdicts;
  if (said.length || seen.dialogs.length)
    return [...verdicts, ...notAnnounced(said, seen)];
  const loading = loadingSigns(target, operation.name, last, known, before);
  if (loading.length)
    return [
      ...verdicts,
      verdict("stuck", "The page keeps waiting.", [], loading),
    ];
  return [
    ...verdicts,
    verdict(
      "silent",
      "No message says that the action has failed.",
      [],
      textsIn(last),
    ),
  ];
}

/** Return that typed text is gone, if it is. @param {Probe} probe @param {Snapshot} last */
function lostInput({ target, operation }, last) {
  const typed = (target.action?.steps ?? []).flatMap(
    ({ do: what, secret, value = "" }) =>
      what === "fill" && !secret && value.length > TYPED ? [value] : [],
  );
  const isKept = (/** @type {string} */ value) =>
    last.kept.includes(value) ||
    last.lines.some(({ text }) => text.includes(value));
  const lost = typed.filter((value) => !isKept(value));
  const message = "What the user has typed is gone.";
  return lost.length && operation.role !== "login"
    ? [verdict("input-lost", message, lost, textsIn(last))]
    : [];
}

/**
 * Return whether a page has changed as after a success.
 * @param {Target} target
 * @param {Set<string>} now
 * @param {Set<string>} before
 */
function isDone({ healthy: { after } }, now, before) {
  const come = [...after].filter((line) => !before.has(line));
  const gone = [...before].filter((line) => !after.has(line));
  return (
    come.length + gone.length > 0 &&
    come.every((line) => now.has(line)) &&
    !gone.some((line) => now.has(line))
  );
}

/**
 * Return whether a second click sent a second request.
 * @param {Probe} probe
 * @param {Observation} seen
 * @returns {Verdict[]}
 */
export function judgeSecondClick({ operation }, { calls }) {
  const count = calls.filter(
    (call) => call.operation === operation.name,
  ).length;
  const isCreating = operation.method === "POST" && operation.role === "create";
  return isCreating && count > 1
    ? [
        verdict(
          "double-send",
          `A second click sends the request again: ${count} requests.`,
        ),
      ]
    : [];
}

// --- What a page shows ---

/**
 * Return the new texts that a user can read: not those of a healthy, loading or empty page, nor labels or templates without their data.
 * @param {Probe} probe @param {Observation} seen @param {Known} known
 * @returns {Line[]}
 */
export function messagesOf({ target, operation }, seen, known) {
  const usual = [
    known.usual,
    ...[target.loading, target.empty].map((each) =>
      linesIn(each.get(operation.name)),
    ),
  ];
  const healthy = [...target.healthy.lines];
  const isAgain = sendsAgain(target, operation, seen);
  return readable(seen).filter(({ text, control }) => {
    const line = normal(text);
    if (
      control ||
      !/\p{L}/u.test(line) ||
      (ELLIPSIS.test(line) && !isAgain) ||
      isArtefact(line)
    )
      return false;
    return (
      !usual.some((lines) => lines.has(line)) &&
      !healthy.some((each) => isPartOf(line, each))
    );
  });
}

/**
 * Return whether a page has sent a request more often than a healthy one.
 * @param {Target} target
 * @param {Operation} operation
 * @param {Observation} seen
 */
function sendsAgain({ healthy }, { name }, { calls }) {
  const count = calls.filter((call) => call.operation === name).length;
  return count > (healthy.counts.get(name) ?? 1);
}

/** @param {string} text */
function isArtefact(text) {
  return ARTEFACT.test(text) && !EXCEPTION.test(text);
}

/** @param {Snapshot | undefined} snapshot @returns {Set<string>} */
function linesIn(snapshot) {
  return snapshot ? normalLines(snapshot) : new Set();
}

/**
 * Return the lines of the last snapshot, and those that stayed long enough to be read.
 * @param {Observation} seen
 * @returns {Line[]}
 */
function readable({ seen, last }) {
  /** @type {Map<string, { line: Line, since: number, longest: number }>} */
  const lines = new Map();
  const end = Math.max(last.at, ...seen.map(({ at }) => at));
  for (const [index, snapshot] of seen.entries()) {
    const until = seen[index + 1]?.at ?? end;
    const before = linesIn(seen[index - 1]);
    for (const line of snapshot.lines) {
      const key = normal(line.text);
      const known = lines.get(key);
      const since = known && before.has(key) ? known.since : snapshot.at;
      lines.set(key, {
        line: known?.line.announced ? known.line : line,
        since,
        longest: Math.max(known?.longest ?? 0, until - since),
      });
    }
  }
  const now = normalLines(last);
  return [...lines]
    .filter(([key, { longest }]) => now.has(key) || longest >= READABLE_MS)
    .map(([, { line }]) => line);
}

/**
 * Return whether a line has only words of another, in its order: a template whose data is missing.
 * @param {string} line
 * @param {string} whole
 */
function isPartOf(line, whole) {
  const words = line.split(" ");
  let index = 0;
  for (const word of whole.split(" "))
    index += Number(index < words.length && word === words[index]);
  return index === words.length && line.length < whole.length;
}

/**
 * Return what a page shows only while an operation is held.
 * @param {Target} target @param {string} operation @param {Snapshot} now @param {Known} known @param {Snapshot} [before] the action
 */
export function loadingSigns(target, operation, now, known, before) {
  const usual = before ? normalLines(before) : target.healthy.lines;
  const visuals = before ? new Set(before.visuals) : target.healthy.visuals;
  const held = target.loading.get(operation);
  const heldLines = linesIn(held);
  const isLoading = (/** @type {Line} */ { text }) =>
    !usual.has(normal(text)) &&
    (heldLines.has(normal(text)) ||
      (ELLIPSIS.test(text) && !known.settled.has(normal(text))));
  const lines = now.lines.filter(isLoading).map(({ text }) => text);
  const heldVisuals = new Set(held?.visuals);
  const shown = now.visuals
    .filter((visual) => !visuals.has(visual) && heldVisuals.has(visual))
    .map((visual) => `<${visual.replace(/\.$/, "").replace(".", " class=")}>`);
  const isBusy = now.busy && (held?.busy ?? true) && !(before?.busy ?? false);
  return [
    ...new Set([
      ...lines,
      ...shown,
      ...(isBusy && !lines.length && !shown.length ? ["aria-busy"] : []),
    ]),
  ];
}

/** @param {Target} target @param {(operations: Set<string>) => boolean} isWanted */
function linesOf({ healthy }, isWanted) {
  return [...healthy.texts]
    .filter(([, operations]) => isWanted(operations))
    .map(([line]) => line);
}

/**
 * Return the lines of operations that have nothing to do with the one that fails, and have succeeded.
 * @param {Probe} probe
 * @param {Observation} seen
 * @param {Known} known
 */
function othersOf({ target, operation }, seen, known) {
  const succeeded = new Set(
    seen.calls
      .filter(({ status }) => status !== null && status < 400)
      .map((call) => call.operation),
  );
  const isBelow = (/** @type {string} */ name) =>
    known.operations.some(
      (each) =>
        each.name === name && each.path.startsWith(`${operation.path}/`),
    );
  const isOther = (/** @type {string} */ name) =>
    name !== operation.name && succeeded.has(name) && !isBelow(name);
  return linesOf(
    target,
    (operations) =>
      !operations.has(operation.name) && [...operations].every(isOther),
  );
}

/**
 * Return whether a page is right after a 401: it is that of a user who is not signed in.
 * @param {string} state
 * @param {Snapshot} last
 * @param {Known} known
 */
function asksToSignIn(state, last, known) {
  const isSignedOut = () =>
    [...normalLines(last)].some((line) => known.signedOut.has(line));
  return state === "401" && (last.asksPassword || isSignedOut());
}

/**
 * Return the note that messages are not announced.
 * @param {Line[]} said
 * @param {Observation} seen
 * @returns {Verdict[]}
 */
function notAnnounced(said, { dialogs }) {
  const isAnnounced =
    dialogs.length > 0 || said.some(({ announced }) => announced);
  const message =
    "No screen reader announces the message: it is in no live region or heading.";
  return isAnnounced
    ? []
    : shows(
        "not-announced",
        message,
        said.map(({ text }) => text),
      );
}

/** @param {Snapshot} snapshot */
function isBlank({ lines, visuals, fields }) {
  return !lines.length && !visuals.length && !fields;
}

/** @param {Snapshot} snapshot */
function textsIn({ lines }) {
  return lines.filter(({ control }) => !control).map(({ text }) => text);
}

// --- Errors ---

/** Return exceptions, rejections and storms. @param {Probe} probe @param {Observation} seen @returns {Verdict[]} */
function errorsOf({ target, operation }, { exceptions, rejections, calls }) {
  const { errors, counts } = target.healthy;
  const isNew = (/** @type {string} */ text) => !errors.has(normal(text));
  const rejected = rejections.filter(
    (text) => isNew(text) && !exceptions.includes(text),
  );
  const times = calls
    .filter((call) => call.operation === operation.name)
    .map(({ begun }) => begun);
  const isStorm = times.some(
    (time, index) => (times[index + STORM - 1] ?? Infinity) - time <= STORM_MS,
  );
  const storm = `The page sends ${times.length} requests, at least ${STORM} of them within two seconds.`;
  return [
    ...shows(
      "uncaught",
      "An exception was not caught.",
      exceptions.filter(isNew),
    ),
    ...shows(
      "unhandled-rejection",
      "A rejected promise was not handled.",
      rejected,
    ),
    ...(isStorm && times.length - (counts.get(operation.name) ?? 0) >= STORM - 1
      ? [verdict("storm", storm)]
      : []),
  ];
}

/**
 * Return what is wrong with the new texts.
 * @param {Probe} probe
 * @param {Observation} seen
 * @param {Line[]} said
 * @param {Known} known
 * @returns {Verdict[]}
 */
function textVerdicts({ state, target }, seen, said, known) {
  const texts = [...said.map(({ text }) => text), ...seen.dialogs];
  const raw = texts.filter((text) => EXCEPTION.test(text));
  const bodies = state.startsWith("5")
    ? valuesIn(seen.failures).filter((text) => text.length > 5)
    : [];
  const servers = state === "html" ? PROXY_TEXTS : bodies;
  const sent = texts.filter(
    (text) =>
      !raw.includes(text) && servers.some((each) => text.includes(each)),
  );
  const isUsual = (/** @type {string} */ line) =>
    target.healthy.lines.has(line) || known.usual.has(line);
  const artefacts = seen.last.lines
    .map(({ text }) => text)
    .filter((text) => isArtefact(text) && !isUsual(normal(text)));
  return [
    ...shows("raw-exception", "The page shows the text of an exception.", raw),
    ...shows("raw-response", "The page shows the server's own text.", sent),
    ...shows("artefact", "The page shows a missing value as text.", artefacts),
  ];
}

/**
 * Return a verdict if there are texts that show it.
 * @param {Rule} rule
 * @param {string} message
 * @param {string[]} texts
 * @returns {Verdict[]}
 */
function shows(rule, message, texts) {
  return texts.length ? [verdict(rule, message, [], texts)] : [];
}

/** @param {Rule} rule @param {string} message @param {string[]} [lost] @param {string[]} [shown] @returns {Verdict} */
function verdict(rule, message, lost = [], shown = []) {
  return {
    rule,
    message,
    lost: lost.slice(0, 5),
    shown: [...new Set(shown)].slice(0, 5),
  };
}
