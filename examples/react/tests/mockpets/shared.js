// mockpets 0.2.0: written by "mockpets kit"; run it again, do not edit; agents: mockpets skill
/* eslint-disable */
// @ts-nocheck: the declarations have the types

// What the integrations with test runners share. It is not an interface of the kit.

import { MockpetsError, redacted } from "./client.js";
import { scenarios } from "./scenarios.js";

const LOOPBACK = "(?:(?:[^/]+\\.)?localhost|127(?:\\.\\d+){3}|\\[::1\\])";
const IN_BAGGAGE = /(?:^|,)\s*mockpets\.session\s*=/;
const IN_KEY = /~[^~+][^~]*$/;
const IS_LOOPBACK = new RegExp(`^${LOOPBACK}$`);
/** The options that decide what sessions see, with their defaults: what `GET state` leaves out. */
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

/** Return the origin of a URL; all loopback names are the same. */
export function origin(url) {
  if (typeof url === "string" && !URL.canParse(url))
    throw new TypeError(`not a valid origin: '${redacted(url)}'`);
  const { protocol, hostname, port } = new URL(url);
  return `${protocol}//${IS_LOOPBACK.test(hostname) ? "localhost" : hostname}:${port}`;
}

/** Return a regular expression for the URLs that have the origin of a URL. */
export function urlsOf(url) {
  const { protocol, hostname, port } = new URL(origin(url));
  const host =
    hostname === "localhost" ? LOOPBACK : hostname.replace(/[.[\]]/g, "\\$&");
  return new RegExp(`^${protocol}//${host}${port && `:${port}`}/`);
}

/** Return a regular expression for the URLs of a contract's operations, below a URL and in any session. */
export function callsTo(url, base) {
  const escaped = (path) => path.replace(/[^\w/-]/g, "\\$&").replace(/^\//, "");
  const root = escaped(new URL(url).pathname.replace(/\/?$/, "/"));
  const rest = base
    ? `${escaped(base)}(?:[/?#]|$)`
    : "(?!~|__mockpets(?:[/?#]|$))";
  return new RegExp(`${urlsOf(url).source}${root}(?:~[^/]*/)?${rest}`);
}

/** Return headers to which a session is added, in a header and in baggage; unchanged if they name one. */
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

/** Return whether headers name a session. A base path that does takes precedence over all headers. */
export function namesSession(headers) {
  return (
    valueOf(headers, "mockpets-session") !== "" ||
    IN_BAGGAGE.test(valueOf(headers, "baggage")) ||
    IN_KEY.test(valueOf(headers, "authorization"))
  );
}

/** Return a header of `Headers`, or of an object with names in any case. `Headers` rejects some that browsers report. */
function valueOf(headers, name) {
  if (headers instanceof Headers) return headers.get(name) ?? "";
  return String(
    Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1] ??
      "",
  );
}

/** Call a function; return what it throws. */
export async function failure(call) {
  try {
    await call();
    return undefined;
  } catch (error) {
    return error;
  }
}

/** Return the contents of a test's session: whatever the server was started with, scenario `default` is active. */
export function contentsOf({ scenario, ...contents } = {}) {
  return { scenario: scenario ?? "default", ...contents };
}

/** Return the options in the arguments of `mockpets serve`: pairs of a name and a value, which switches lack. */
export function optionsIn(args) {
  const words = (args.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? []).map(
    (word) => word.replace(/["']/g, ""),
  );
  return words.flatMap((word, index) => {
    if (!word.startsWith("--")) return [];
    const [name, value] = word.split(/=(.*)/s);
    const next = words[index + 1] ?? "--";
    return [[name, value ?? (next.startsWith("--") ? "" : next)]];
  });
}

/** Return the folders with scenarios in the arguments of `mockpets serve`. */
export function foldersIn(args) {
  return optionsIn(args).flatMap(([name, value]) =>
    name === "--scenarios-dir" ? [value] : [],
  );
}

/** Return the name of the scenario that a file has; undefined for another file. */
export function scenarioName(file) {
  return /^([a-z0-9]+(?:-[a-z0-9]+)*)\.(?:yaml|yml|json)$/i.exec(file)?.[1];
}

/**
 * Return how a server differs from the one that tests expect; empty if it does not.
 * @param args the options that the tests expect, besides `--sessions declared`
 * @param files the texts of the scenario files that the tests expect, by name; empty if they are unknown
 */
export async function differences(mock, args = "", files = {}) {
  const server = await mock.state().catch(() => undefined); // a test that needs the call fails with the reason
  if (!server) return "";
  const { settings, scenarios: known } = server;
  // The last one applies; of `--data`, the last one for each collection; of `--contract`, all.
  const keyOf = ([name, value]) =>
    ({
      "--data": `${name} ${value.split("=")[0]}`,
      "--contract": `${name} ${value}`,
    })[name] ?? name;
  const wanted = new Map(
    [["--sessions", "declared"], ...optionsIn(args)].map((option) => [
      keyOf(option),
      option,
    ]),
  );
  const expected = [...wanted.values()]
    .filter(
      ([name, value]) =>
        name in DEFAULTS && comparable(value) !== comparable(DEFAULTS[name]),
    )
    .filter(([name, value]) => name !== "--api-key" || value === "*") // the tests read other keys from the server
    .map(([name, value]) => `${name} ${value}`.trim());
  const onlyIn = (ones, others) =>
    ones.filter((one) => !others.map(comparable).includes(comparable(one)));
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

/** Return a warning about such differences, once for each server, or an empty text. */
export async function warningOf(mock, args, place) {
  if (checked.has(mock.url)) return "";
  checked.add(mock.url);
  const found = await differences(mock, args);
  return (
    found &&
    `the server at ${mock.url} is not as the tests expect: ${found}; restart it, or name its options in ${place}`
  );
}

/** Return a text in which equal durations, such as `300ms` and `0.3s`, are equal. */
function comparable(text) {
  return (
    text?.replace(/([\d.]+) ?(ms|s|m)$/, (_, number, unit) =>
      Math.round(number * UNITS[unit]),
    ) ?? text
  );
}

/** Return the name of the state under which a test runs, from its annotations; undefined without one. */
export function stateOf({ annotations }) {
  return annotations.find(({ type }) => type === STATE)?.description;
}

/** Create the session of a test in a state; return why the server does not allow this state, or null. */
export async function makeInState(mock, contents, state) {
  if (contents.scenario !== undefined) {
    const names = JSON.stringify(contents.scenario);
    throw new TypeError(
      `the test runs in state '${state}', so its session cannot start with scenario ${names} too; remove it`,
    );
  }
  const problem = await failure(() =>
    mock.make({ ...contents, scenario: state }),
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

/** Delete a session, unless the test has already done so; throw if it was lost. */
export async function dropSession(mock) {
  let problem = await failure(() => mock.drop({ checkLost: true }));
  // Only a call that reads the session tells whether it was lost or deleted.
  if (problem?.code === "not_found")
    problem = await failure(() => mock.requests({ limit: 1 }));
  if (problem && problem.code !== "session_dropped") throw problem;
}

/**
 * Return the request log of a session, for the report of a failed test.
 * @param hint what lets requests name no session in this test runner
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

/** Return number, time, method, target, status, milliseconds (plus those added), stubs and notes of a request. */
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
  const isMeasured = total_ms !== null && (hold || throttle);
  const added = isMeasured ? total_ms - app_ms : Math.max(delay_ms, held_ms);
  const remarks = [
    outcome === "sent" ? "" : outcome.replace("_", " "),
    fault ? `fault ${fault}` : "",
    hold ? `held at ${hold} for ${(held_ms / 1000).toFixed(1)} s` : "",
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

/** Return the name with the fewest changes to a word, or undefined if it is another word. */
export function nearest(word, names) {
  const changes = (name) => distance(word.toLowerCase(), name);
  const near = names.reduce((best, name) =>
    changes(name) < changes(best) ? name : best,
  );
  return changes(near) <= Math.max(2, word.length * 0.4) ? near : undefined;
}

/** Return how many letters must be changed, added or removed to get from one word to another (Levenshtein). */
function distance(word, other) {
  let row = [...Array(other.length + 1).keys()];
  for (const [index, letter] of [...word].entries()) {
    const next = [index + 1];
    for (let column = 0; column < other.length; column++) {
      const replaced = row[column] + Number(other[column] !== letter);
      next.push(Math.min(replaced, row[column + 1] + 1, next[column] + 1));
    }
    row = next;
  }
  return row.at(-1);
}
