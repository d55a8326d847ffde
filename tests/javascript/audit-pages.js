// Pages, probes and findings for the tests of the audit.

/** @import { Action, Call, Finding, Healthy, Observation, Operation, Probe, Snapshot, Target, Verdict } from "../../kit/audit/types.d.ts" */
/** @import { Known } from "../../kit/audit/judge.js" */

const PATTERN = /^$/; // which only the browser part uses

/** @type {Operation[]} */
export const OPERATIONS = [
  {
    name: "listPets",
    method: "GET",
    path: "/v1/pets",
    role: "list",
    states: ["401"],
    reads: true,
    pattern: PATTERN,
  },
  {
    name: "listToys",
    method: "GET",
    path: "/v1/pets/toys",
    role: "list",
    states: [],
    reads: true,
    pattern: PATTERN,
  },
  {
    name: "getTags",
    method: "GET",
    path: "/v1/tags",
    role: "values",
    states: [],
    reads: true,
    pattern: PATTERN,
  },
  {
    name: "createPet",
    method: "POST",
    path: "/v1/pets",
    role: "create",
    states: ["400"],
    reads: false,
    pattern: PATTERN,
  },
  {
    name: "renamePet",
    method: "PUT",
    path: "/v1/pets/{}",
    role: "update",
    states: ["400"],
    reads: false,
    pattern: PATTERN,
  },
  {
    name: "logIn",
    method: "POST",
    path: "/v1/login",
    role: "login",
    states: ["401"],
    reads: false,
    pattern: PATTERN,
  },
];
export const HEALTHY = [
  "Pets",
  "Miso the cat",
  "cats dogs",
  "Ball",
  "Write to us",
];
/** The page without the texts of `listPets`. */
export const REST = ["Pets", "cats dogs", "Ball", "Write to us"];

/** @type {Known} */
export const KNOWN = {
  settled: new Set([...HEALTHY, "Read more…"]),
  usual: new Set([...HEALTHY, "About us"]),
  signedOut: new Set(["Sign in"]),
  values: new Set(["miso"]),
  operations: OPERATIONS,
};

/** @param {string} name @returns {Operation} */
export function operation(name) {
  const found = OPERATIONS.find((each) => each.name === name);
  if (!found) throw new Error(`no operation ${name}`);
  return found;
}

/**
 * Return what a user sees: `!text` is announced, `[text]` the label of a button, `<name>` something painted.
 * @param {string[]} lines
 * @param {Partial<Snapshot>} [more]
 * @returns {Snapshot}
 */
export function page(lines, more = {}) {
  const isVisual = (/** @type {string} */ line) => line.startsWith("<");
  return {
    at: 0,
    url: "http://app/pets",
    kept: [],
    fields: 0,
    busy: false,
    controls: 1,
    asksPassword: false,
    lines: lines
      .filter((line) => !isVisual(line))
      .map((line) => ({
        text: line.replace(/^!|^\[|\]$/g, ""),
        announced: line.startsWith("!"),
        control: line.startsWith("["),
      })),
    visuals: lines.filter(isVisual).map((line) => line.slice(1)),
    ...more,
  };
}

/**
 * @typedef {object} Pages
 * @property {Action | null} [action]
 * @property {Snapshot} [loading] the page while listPets or createPet is held
 * @property {Snapshot} [empty] the page without pets
 * @property {Partial<Healthy>} [healthy]
 */

/** @param {Pages} [pages] @returns {Target} */
export function target({ action = null, loading, empty, healthy } = {}) {
  return {
    shape: "/pets",
    url: "http://app/pets",
    signedIn: false,
    title: "",
    operations: [],
    asksPassword: false,
    action,
    healthy: {
      shape: "/pets",
      lines: new Set(HEALTHY),
      after: new Set(HEALTHY),
      originals: new Map(),
      visuals: new Set(),
      controls: 1,
      errors: new Set(),
      counts: new Map(),
      screenshot: "",
      texts: new Map([
        ["Miso the cat", new Set(["listPets"])],
        ["cats dogs", new Set(["getTags"])],
        ["Ball", new Set(["listToys"])],
      ]),
      ...healthy,
    },
    loading: new Map(
      loading ? ["listPets", "createPet"].map((name) => [name, loading]) : [],
    ),
    empty: new Map(empty ? [["listPets", empty]] : []),
  };
}

/** @param {string} name @param {string} state @param {Pages} [pages] @returns {Probe} */
export function probe(name, state, pages) {
  return { target: target(pages), operation: operation(name), state, stage: 1 };
}

/** @param {string} name @param {Partial<Call>} [more] @returns {Call} */
export function call(name, more = {}) {
  const { begun = 0 } = more;
  const { method, path } = operation(name);
  return {
    operation: name,
    method,
    path,
    begun,
    ended: begun + 1,
    status: 200,
    ...more,
  };
}

/** Return failed calls of listPets that began at some times. @param {number[]} times */
export function failures(...times) {
  return times.map((begun) => call("listPets", { begun, status: 500 }));
}

/**
 * Return what is observed: snapshots, one second after the other, or with their own times.
 * @param {Snapshot[]} snapshots
 * @param {Partial<Observation>} [more]
 * @returns {Observation}
 */
export function observed(snapshots, more = {}) {
  const seen = snapshots.map((each, index) => ({
    ...each,
    at: each.at || index * 1_000,
  }));
  const last = seen.at(-1) ?? page([]);
  return {
    last,
    seen,
    calls: [call("listToys"), call("getTags")],
    exceptions: [],
    rejections: [],
    dialogs: [],
    failures: [],
    changed: last.at,
    broken: false,
    ...more,
  };
}

/** @param {Verdict[]} verdicts */
export function rulesOf(verdicts) {
  return verdicts.map(({ rule }) => rule);
}

/** @param {Finding["rule"]} rule @param {string} name of the operation @param {Partial<Finding>} [more] @returns {Finding} */
export function finding(rule, name, more = {}) {
  return {
    rule,
    level: "error",
    page: "/",
    url: "/",
    signed_in: false,
    action: null,
    steps: [],
    operation: name,
    state: "500",
    expression: "",
    message: "",
    lost: [],
    shown: [],
    requests: [],
    healthy: "",
    failing: "",
    ...more,
  };
}
