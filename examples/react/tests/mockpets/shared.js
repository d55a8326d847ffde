// mockpets 0.2.0: written by "mockpets kit"; run it again, do not edit; agents: mockpets skill
/* eslint-disable */
// @ts-nocheck: the declarations have the types

// What the integrations with test runners share. It is not an interface of the kit.

import { MockpetsError, redacted } from "./client.js";
import { scenarios } from "./scenarios.js";

/** @import { Contents, Entry, Mockpets, ScenarioName } from "./client.js" */

/**
 * What a call has thrown: mostly a `MockpetsError`, which has a code.
 * @typedef {Error & Partial<Pick<MockpetsError, "code" | "status">>} Problem
 */

/** @typedef {Headers | Record<string, string | string[] | undefined>} HeadersOrObject */

const LOOPBACK = "(?:(?:[^/]+\\.)?localhost|127(?:\\.\\d+){3}|\\[::1\\])";
const IN_BAGGAGE = /(?:^|,)\s*mockpets\.session\s*=/;
const IN_KEY = /~[^~+][^~]*$/;
const IS_LOOPBACK = new RegExp(`^${LOOPBACK}$`);
/**
 * The options that decide what sessions see, with their defaults: what `GET state` leaves out.
 * @type {Record<string, string>}
 */
const DEFAULTS = {
  "--contract": "",
  "--seed": "1",
  "--data": "pets=16",
  "--locale": "en_US",
  "--now": "",
  "--api-key": "mockpets",
  "--delay": "0s",
  "--sessions": "implicit",
};
/** @type {Set<string>} */
const checked = new Set(); // URLs
const UNITS = { ms: 1, s: 1_000, m: 60_000 };

/** The annotation of a test that runs under a state of `states()`; its description is the scenario's name. */
export const STATE = "mockpets state";
/** The names of the attachments with the page at the end of such a test: `state screenshot 390 dark`. */
export const SCREENSHOT = /^state screenshot (\d+) (light|dark)$/;
/** The name of the attachment with what is wrong with the page or its requests. */
export const FINDINGS = "state findings";

/** The variable in which `webServer` and `startServer` pass the options of the server on to the tests. */
export const ARGS = "PLAYWRIGHT_MOCKPETS_ARGS";

/** Random for each run: two runs of the same tests may use one server. */
export const RUN = Math.random().toString(36).slice(2);

/**
 * Return the origin of a URL; all loopback names are the same.
 * @param {string | URL} url
 */
export function origin(url) {
  if (typeof url === "string" && !URL.canParse(url))
    throw new TypeError(`not a valid origin: '${redacted(url)}'`);
  const { protocol, hostname, port } = new URL(url);
  return `${protocol}//${IS_LOOPBACK.test(hostname) ? "localhost" : hostname}:${port}`;
}

/**
 * Return a regular expression for the URLs that have the origin of a URL.
 * @param {string} url
 */
export function urlsOf(url) {
  const { protocol, hostname, port } = new URL(origin(url));
  const host =
    hostname === "localhost" ? LOOPBACK : hostname.replace(/[.[\]]/g, "\\$&");
  return new RegExp(`^${protocol}//${host}${port && `:${port}`}/`);
}

/**
 * Return a regular expression for the URLs of a contract's operations, below a URL and in any session.
 * @param {string} url
 * @param {string} base
 */
export function callsTo(url, base) {
  const escaped = (/** @type {string} */ path) =>
    path.replace(/[^\w/-]/g, "\\$&").replace(/^\//, "");
  const root = escaped(new URL(url).pathname.replace(/\/?$/, "/"));
  const rest = base
    ? `${escaped(base)}(?:[/?#]|$)`
    : "(?!~|__mockpets(?:[/?#]|$))";
  return new RegExp(`${urlsOf(url).source}${root}(?:~[^/]*/)?${rest}`);
}

/**
 * Return headers to which a session is added, in a header and in baggage; unchanged if they name one.
 * @template {string | string[]} Value
 * @param {Record<string, Value>} headers
 * @param {Mockpets} mock
 * @returns {Record<string, Value | string>}
 */
export function addSession(headers, mock) {
  if (namesSession(headers)) return headers;
  const baggage = valueOf(headers, "baggage");
  const own = Object.entries(headers).filter(
    ([name]) => name.toLowerCase() !== "baggage",
  );
  return {
    ...Object.fromEntries(own),
    ...mock.headers,
    baggage: baggage ? `${baggage},${mock.baggage}` : mock.baggage,
  };
}

/**
 * Return whether headers name a session. A base path that does takes precedence over all headers.
 * @param {HeadersOrObject} headers
 */
export function namesSession(headers) {
  return (
    valueOf(headers, "mockpets-session") !== "" ||
    IN_BAGGAGE.test(valueOf(headers, "baggage")) ||
    IN_KEY.test(valueOf(headers, "authorization"))
  );
}

/**
 * Return a header of `Headers`, or of an object with names in any case. `Headers` rejects some that browsers report.
 * @param {HeadersOrObject} headers
 * @param {string} name in lower case
 */
function valueOf(headers, name) {
  if (headers instanceof Headers) return headers.get(name) ?? "";
  return String(
    Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1] ??
      "",
  );
}

/**
 * Call a function; return what it throws.
 * @param {() => unknown} call
 */
export async function failure(call) {
  try {
    await call();
    return undefined;
  } catch (error) {
    return /** @type {Problem} */ (error);
  }
}

/**
 * Return the contents of a test's session: whatever the server was started with, scenario `default` is active.
 * @param {Contents} [contents]
 * @returns {Contents}
 */
export function contentsOf({ scenario, ...contents } = {}) {
  return { scenario: scenario ?? "default", ...contents };
}

/**
 * Return the options in the arguments of `mockpets serve`: pairs of a name and a value, which is empty for switches.
 * @param {string} args
 * @returns {[name: string, value: string][]}
 */
export function optionsIn(args) {
  const words = (args.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? []).map(
    (word) => word.replace(/["']/g, ""),
  );
  return words.flatMap((word, index) => {
    if (!word.startsWith("--")) return [];
    const [name = "", value] = word.split(/=(.*)/s);
    const next = words[index + 1] ?? "--";
    return [[name, value ?? (next.startsWith("--") ? "" : next)]];
  });
}

/**
 * Return the folders with scenarios in the arguments of `mockpets serve`.
 * @param {string} args
 */
export function foldersIn(args) {
  return optionsIn(args).flatMap(([name, value]) =>
    name === "--scenarios-dir" ? [value] : [],
  );
}

/**
 * Return the name of the scenario that a file has; undefined for another file.
 * @param {string} file
 */
export function scenarioName(file) {
  return /^([a-z0-9]+(?:-[a-z0-9]+)*)\.(?:yaml|yml|json)$/i.exec(file)?.[1];
}

/**
 * Return how a server differs from the one that tests expect; empty if it does not.
 * @param {Mockpets} mock
 * @param {string} [args] the options that the tests expect, besides `--sessions declared`
 * @param {Record<string, string>} [files] the texts of the scenario files that the tests expect, by name; empty if they are unknown
 */
export async function differences(mock, args = "", files = {}) {
  const server = await mock.state().catch(() => undefined); // a test that needs the call fails with the reason
  if (!server) return "";
  const { settings, scenarios: known } = server;
  // The last one applies; of `--data`, the last one for each collection; of `--contract`, all.
  const keyOf = (/** @type {string} */ name, /** @type {string} */ value) => {
    if (name === "--data") return `${name} ${value.split("=")[0]}`;
    return name === "--contract" ? `${name} ${value}` : name;
  };
  /** @type {Map<string, [name: string, value: string]>} */
  const wanted = new Map([["--sessions", ["--sessions", "declared"]]]);
  for (const [name, value] of optionsIn(args))
    wanted.set(keyOf(name, value), [name, value]);
  const expected = [...wanted.values()]
    .filter(([name, value]) => {
      const normal = DEFAULTS[name];
      return normal !== undefined && comparable(value) !== comparable(normal);
    })
    .filter(([name, value]) => name !== "--api-key" || value === "*") // the tests read other keys from the server
    .map(([name, value]) => `${name} ${value}`.trim());
  const onlyIn = (
    /** @type {string[]} */ ones,
    /** @type {string[]} */ others,
  ) => ones.filter((one) => !others.map(comparable).includes(comparable(one)));
  const [own, names] = [Object.keys(files), known.map(({ name }) => name)];
  // Other contracts have fewer of the shipped scenarios.
  const contracts = optionsIn(args).filter(([name]) => name === "--contract");
  const hasPets =
    !contracts.length ||
    contracts.some(([, value]) => /(?:^|=)pet-store$/.test(value));
  const shipped = hasPets ? scenarios.map(({ name }) => name) : [];
  const result = [
    ...onlyIn(settings.options, expected).map((option) => `it has ${option}`),
    ...onlyIn(expected, settings.options).map((option) => `it lacks ${option}`),
    ...onlyIn([...new Set([...shipped, ...own])], names).map(
      (name) => `it lacks the scenario '${name}'`,
    ),
  ];
  for (const { name, replaces } of own.length ? known : []) {
    const isOther =
      name in files
        ? (await mock.scenario(name)).text !== files[name]
        : replaces.length > 0;
    if (isOther) result.push(`its scenario '${name}' has another text`);
  }
  return result.join(", ");
}

/**
 * Return a warning about such differences, once for each server, or an empty text.
 * @param {Mockpets} mock
 * @param {string | undefined} args
 * @param {string} place where the tests name the options
 */
export async function warningOf(mock, args, place) {
  if (checked.has(mock.url)) return "";
  checked.add(mock.url);
  const found = await differences(mock, args);
  return (
    found &&
    `the server at ${mock.url} is not as the tests expect: ${found}; restart it, or name its options in ${place}`
  );
}

/**
 * Return a text in which equal durations, such as `300ms` and `0.3s`, are equal.
 * @param {string} text
 */
function comparable(text) {
  return text.replace(
    /([\d.]+) ?(ms|s|m)$/,
    (_, /** @type {string} */ number, /** @type {keyof typeof UNITS} */ unit) =>
      String(Math.round(Number(number) * UNITS[unit])),
  );
}

/**
 * Return the name of the state under which a test runs, from its annotations; undefined without one.
 * @param {{ annotations: { type: string, description?: string }[] }} test
 */
export function stateOf({ annotations }) {
  return annotations.find(({ type }) => type === STATE)?.description;
}

/**
 * Create the session of a test in a state; return why the server does not allow this state, or null.
 * @param {Mockpets} mock
 * @param {Contents} contents
 * @param {string} state
 */
export async function makeInState(mock, contents, state) {
  if (contents.scenario !== undefined) {
    const names = JSON.stringify(contents.scenario);
    throw new TypeError(
      `the test runs in state '${state}', so its session cannot start with scenario ${names} too; remove it`,
    );
  }
  const problem = await failure(() =>
    mock.make({
      ...contents,
      scenario: /** @type {ScenarioName} */ (state),
    }),
  );
  // The code is the same for a scenario whose file is invalid.
  if (
    problem?.code === "unknown_scenario" &&
    problem.message.startsWith("unknown scenario")
  ) {
    const hint =
      "write the kit again with 'mockpets kit', or start the server with the same --scenarios-dir";
    throw new MockpetsError(
      problem.code,
      `the server at ${mock.url} has no scenario '${state}', but the kit lists it; ${hint}`,
      problem.status,
    );
  }
  // The npm package lists all shipped scenarios, for some of which the server's contract has no place.
  const unfit =
    problem?.code === "unknown_scenario" &&
    /^the scenario '[^']*' is [^;]*/.exec(problem.message);
  if (unfit) {
    await mock.make({ ...contents, scenario: "default" });
    return unfit[0];
  }
  if (problem) throw problem;
  return (await mock.scenario(state)).disabled;
}

/**
 * Delete a session, unless the test has already done so; throw if it was lost.
 * @param {Mockpets} mock
 */
export async function dropSession(mock) {
  let problem = await failure(() => mock.drop({ checkLost: true }));
  // Only a call that reads the session tells whether it was lost or deleted.
  if (problem?.code === "not_found")
    problem = await failure(() => mock.requests({ limit: 1 }));
  if (problem && problem.code !== "session_dropped") throw problem;
}

/**
 * Return the request log of a session, for the report of a failed test.
 * @param {Mockpets} mock
 * @param {string} [hint] what lets requests name no session in this test runner
 */
export async function requestLog(mock, hint = "") {
  const entries = await mock.requests();
  if (entries.length) return entries.map(requestLine).join("\n");
  const { counts } = await mock.state();
  const { unnamed = 0 } = counts; // an older server has no number
  const urls = mock.bases.map((base) => mock.rootUrl + base).join(" or ");
  const none = `no requests to ${urls}; requests that name another session, or none, are not shown`;
  if (!unnamed) return none;
  const rejected =
    unnamed === 1
      ? "1 request that named no session was rejected"
      : `${unnamed} requests that named no session were rejected`;
  return `${none}\nmeanwhile, ${rejected}${hint && `: ${hint}`}`;
}

/**
 * Return number, time, method, target, status, milliseconds (plus those added), stubs and notes of a request.
 * @param {Entry} entry
 */
export function requestLine(entry) {
  const {
    number,
    at,
    method,
    target,
    status,
    app_ms,
    delay_ms,
    held_ms,
    total_ms,
    throttle,
    stubs,
    outcome,
    fault,
    hold,
    notes,
  } = entry;
  const heldMs = held_ms ?? 0;
  const isMeasured = total_ms !== null && (hold || throttle);
  const added = isMeasured ? total_ms - app_ms : Math.max(delay_ms, heldMs);
  const remarks = [
    outcome === "sent" ? "" : outcome.replace("_", " "),
    fault ? `fault ${fault}` : "",
    hold ? `held at ${hold} for ${(heldMs / 1000).toFixed(1)} s` : "",
    ...notes.map(({ text }) => text),
  ];
  return [
    String(number).padStart(4),
    at.slice(11, 23),
    `${method.padEnd(6)} ${target.replace(/^\/~[^/]*/, "").padEnd(28)}`,
    outcome === "pending" ? "..." : (status ?? "  -"),
    `${app_ms.toFixed(1)}${added ? ` +${Math.round(added)}` : ""} ms`,
    stubs.join(" ") || "-",
    remarks.filter(Boolean).join("; "),
  ]
    .join("  ")
    .trimEnd();
}

/**
 * Return the name with the fewest changes to a word, or undefined if it is another word.
 * @param {string} word
 * @param {string[]} names
 */
export function nearest(word, names) {
  const changes = (/** @type {string} */ name) =>
    distance(word.toLowerCase(), name);
  const near = names.reduce((best, name) =>
    changes(name) < changes(best) ? name : best,
  );
  return changes(near) <= Math.max(2, word.length * 0.4) ? near : undefined;
}

/**
 * Return how many letters must be changed, added or removed to get from one word to another (Levenshtein).
 * @param {string} word
 * @param {string} other
 */
function distance(word, other) {
  let row = [...Array(other.length + 1).keys()];
  for (const [index, letter] of [...word].entries()) {
    let [diagonal, left] = [0, 0];
    row = row.map((above, column) => {
      const replaced = diagonal + Number(other[column - 1] !== letter);
      left = column ? Math.min(replaced, above + 1, left + 1) : index + 1;
      diagonal = above;
      return left;
    });
  }
  return row.at(-1) ?? 0;
}
