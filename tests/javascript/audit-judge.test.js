import { describe, expect, it } from "vitest";
import {
  judgeAction,
  judgeEmpty,
  judgeLoading,
  judgeRead,
  judgeSecondClick,
  loadingSigns,
} from "../../kit/audit/judge.js";
import {
  HEALTHY,
  KNOWN,
  REST,
  call,
  failures,
  observed,
  page,
  probe,
  rulesOf,
  target,
} from "./audit-pages.js";

/** @import { Observation, Snapshot, Step } from "../../kit/audit/types.d.ts" */
/** @import { Pages } from "./audit-pages.js" */

/**
 * @typedef {object} Failure
 * @property {string} [state]
 * @property {Snapshot[]} [seen] what was seen before
 * @property {Partial<Observation>} [observation]
 * @property {Partial<Snapshot>} [snapshot]
 * @property {Pages} [pages]
 */

const LOADING = page([...REST, "Please wait", "<div.spinner"]);
const EMPTY = page([...REST, "No pets yet"]);
const MESSAGE = [...REST, "!Try later"];

/**
 * Return the rules that a page breaks while listPets fails.
 * @param {string[]} lines
 * @param {Failure} [failure]
 */
function read(
  lines,
  { state = "500", seen = [], observation, snapshot, pages } = {},
) {
  const seenAll = observed([...seen, page(lines, snapshot)], observation);
  return rulesOf(judgeRead(probe("listPets", state, pages), seenAll, KNOWN));
}

/** @type {[title: string, lines: string[], failure: Failure, rules: string[]][]} */
const READS = [
  ["a message", [...REST, "!Pets are not available"], {}, []],
  ["a message for a second", REST, { seen: [page(MESSAGE)] }, []],
  ["a dialog", REST, { observation: { dialogs: ["Try later"] } }, []],
  ["all of its data", HEALTHY, {}, []],
  [
    "the log-in page after a 401",
    ["Log in"],
    {
      state: "401",
      snapshot: { url: "http://app/login", asksPassword: true },
    },
    [],
  ],
  [
    "the log-in page after a 500",
    ["Log in"],
    { snapshot: { url: "http://app/login", asksPassword: true } },
    ["collateral", "moved", "not-announced"],
  ],
  ["the page of nobody after a 401", ["Sign in"], { state: "401" }, []],
  ["its own page for a 404", ["!Not found"], { state: "404" }, []],
  ["nothing instead of the data", REST, {}, ["silent"]],
  [
    "a message too short to read",
    REST,
    {
      seen: [page(MESSAGE, { at: 10 })],
      snapshot: { at: 609 },
    },
    ["silent"],
  ],
  [
    "a message just long enough to read",
    REST,
    {
      seen: [page(MESSAGE, { at: 10 })],
      snapshot: { at: 610 },
    },
    [],
  ],
  ["a text of another page", [...REST, "About us"], {}, ["silent"]],
  ["a template without its data", [...REST, "the cat"], {}, ["silent"]],
  ["the label of a new button", [...REST, "[Reload]"], {}, ["silent"]],
  ["digits as the only new text", [...REST, "!503"], {}, ["silent"]],
  ["nothing at all", [], {}, ["blank"]],
  [
    "nothing at all, and an exception",
    [],
    { observation: { exceptions: ["Error: 1"] } },
    ["blank", "uncaught"],
  ],
  ["only a picture", ["<img."], {}, ["silent", "collateral"]],
  ["only a field", [], { snapshot: { fields: 1 } }, ["silent", "collateral"]],
  [
    "the text of loading",
    [...REST, "Please wait"],
    { pages: { loading: LOADING } },
    ["stuck"],
  ],
  [
    "a spinner",
    [...REST, "<div.spinner"],
    { pages: { loading: LOADING } },
    ["stuck"],
  ],
  ["a spinner of other pages", [...REST, "<div.spinner"], {}, ["silent"]],
  ["an ellipsis, loading unknown", [...REST, "Connecting…"], {}, ["stuck"]],
  ["the ellipsis of a healthy page", [...REST, "Read more…"], {}, ["silent"]],
  [
    "an ellipsis while it tries again",
    [...REST, "!Connecting…"],
    { observation: { calls: failures(0, 9_000) } },
    [],
  ],
  [
    "a spinner and a message",
    [...MESSAGE, "<div.spinner"],
    { pages: { loading: LOADING } },
    [],
  ],
  [
    "the text for an empty list",
    [...REST, "No pets yet"],
    { pages: { empty: EMPTY } },
    ["looks-empty"],
  ],
  [
    "the text for an empty list, elsewhere",
    [...REST, "No pets yet"],
    { pages: { empty: EMPTY }, snapshot: { url: "http://app/" } },
    ["silent", "moved"],
  ],
  ["a message in place of everything", ["!Try later"], {}, ["collateral"]],
  [
    "a message in place of what has not arrived either",
    ["!Try later"],
    { observation: { calls: [] } },
    [],
  ],
  [
    "a message in place of what has failed, too",
    ["cats dogs", "!Try later"],
    { observation: { calls: [call("listToys", { status: 500 })] } },
    [],
  ],
  // The path of listToys begins with that of listPets.
  ["no data of operations below", ["cats dogs", "!Try later"], {}, []],
  [
    "an exception",
    MESSAGE,
    { observation: { exceptions: ["TypeError: x"] } },
    ["uncaught"],
  ],
  [
    "an exception of the healthy page with another number",
    MESSAGE,
    {
      observation: { exceptions: ["TypeError: 17"] },
      pages: { healthy: { errors: new Set(["TypeError: 0"]) } },
    },
    [],
  ],
  [
    "a rejection",
    MESSAGE,
    { observation: { rejections: ["Error: 1"] } },
    ["unhandled-rejection"],
  ],
  [
    "a rejection that is an exception, too",
    MESSAGE,
    { observation: { rejections: ["Error: 1"], exceptions: ["Error: 1"] } },
    ["uncaught"],
  ],
  [
    "five requests within two seconds",
    MESSAGE,
    { observation: { calls: failures(0, 500, 1_000, 1_500, 2_000) } },
    ["storm"],
  ],
  [
    "five requests within more than two seconds",
    MESSAGE,
    { observation: { calls: failures(0, 500, 1_000, 1_500, 2_001) } },
    [],
  ],
  [
    "four requests at once",
    MESSAGE,
    { observation: { calls: failures(0, 0, 0, 0) } },
    [],
  ],
  [
    "five requests, of which a healthy page sends four",
    MESSAGE,
    {
      observation: { calls: failures(0, 1, 2, 3, 4) },
      pages: { healthy: { counts: new Map([["listPets", 4]]) } },
    },
    [],
  ],
  [
    "the server's text after a 500",
    [...REST, "!Error: shard 7 is gone"],
    { observation: { failures: [{ error: { message: "shard 7 is gone" } }] } },
    ["raw-response"],
  ],
  [
    "the server's text after a 400, which is for people",
    [...REST, "!shard 7 is gone"],
    {
      observation: { failures: [{ error: { message: "shard 7 is gone" } }] },
      state: "400",
    },
    [],
  ],
  [
    "a text as short as any word of the server's",
    [...REST, "!Sorry, error"],
    { observation: { failures: [{ code: "error" }] } },
    [],
  ],
  [
    "the page of a proxy",
    [...REST, "!<html><body>nginx/1.27"],
    { state: "html" },
    ["raw-response"],
  ],
  [
    "a missing value",
    [...REST, "undefined pets", "!Try later"],
    {},
    ["artefact"],
  ],
  [
    "a missing value that is always there",
    [...MESSAGE, "undefined pets"],
    { pages: { healthy: { lines: new Set([...HEALTHY, "undefined pets"]) } } },
    [],
  ],
  [
    "another page",
    MESSAGE,
    { snapshot: { url: "http://app/oops" } },
    ["moved"],
  ],
  [
    "another page after a 404",
    MESSAGE,
    { snapshot: { url: "http://app/oops" }, state: "404" },
    [],
  ],
  [
    "another record of the page",
    MESSAGE,
    {
      snapshot: { url: "http://app/pets/miso" },
      pages: { healthy: { shape: "/pets/{}" } },
    },
    [],
  ],
  ["no control", MESSAGE, { snapshot: { controls: 0 } }, ["dead-end"]],
  [
    "no control, like the healthy page",
    MESSAGE,
    { snapshot: { controls: 0 }, pages: { healthy: { controls: 0 } } },
    [],
  ],
  ["a silent message", [...REST, "Try later"], {}, ["not-announced"]],
];

describe("judgeRead", () => {
  it.each(READS)("judges %s", (_, lines, failure, rules) => {
    expect(read(lines, failure)).toEqual(rules);
  });

  it.each([
    "TypeError: pets is undefined",
    "Unexpected token '<', \"<html>\" is not valid JSON",
    "Request failed with status code 500",
    "Failed to fetch",
    "pets.map is not a function",
  ])("takes %s for an exception", (text) => {
    expect(read([...REST, `!${text}`])).toContain("raw-exception");
  });

  it.each(["An error occurred", "Loading failed", "Function: vet"])(
    "takes %s for a message",
    (text) => {
      expect(read([...REST, `!${text}`])).toEqual([]);
    },
  );

  it("shows at most five texts, each once", () => {
    const texts = [1, 1, 2, 3, 4, 5, 6].map((number) => `Error: ${number}`);
    const seen = observed([page(MESSAGE)], { exceptions: texts });
    const [verdict] = judgeRead(probe("listPets", "500"), seen, KNOWN);
    expect(verdict?.shown).toEqual(
      [1, 2, 3, 4, 5].map((number) => `Error: ${number}`),
    );
  });
});

describe("judgeLoading", () => {
  /** @param {string[]} lines @param {Partial<Snapshot>} [more] */
  const judge = (lines, more) => {
    const now = page(lines, more);
    const held = probe("listPets", "hold", { loading: now });
    return rulesOf(judgeLoading(held, observed([now]), KNOWN));
  };

  it.each([
    ["a text", [...REST, "Please wait"], []],
    ["a skeleton", [...REST, "<div.grey"], []],
    ["nothing at all", [], ["blank-loading"]],
    ["nothing in place of the data", REST, ["no-loading"]],
    ["the data itself", HEALTHY, []],
    ["a text in place of everything", ["Please wait"], ["blocked"]],
  ])("judges %s", (_, lines, rules) => {
    expect(judge(lines)).toEqual(rules);
  });

  it("accepts a page that says that it is busy", () => {
    expect(judge(REST, { busy: true })).toEqual([]);
  });

  it("does not judge a page without texts of the operation", () => {
    const held = probe("createPet", "hold");
    expect(judgeLoading(held, observed([page([])]), KNOWN)).toEqual([]);
  });
});

describe("judgeEmpty", () => {
  it.each([
    ["a text", [...REST, "No pets yet"], []],
    ["nothing", REST, ["no-empty"]],
    ["only a button", [...REST, "[Add a pet]"], ["no-empty"]],
    ["the data", HEALTHY, []],
  ])("judges %s in place of the list", (_, lines, rules) => {
    const seen = observed([page(lines)]);
    expect(rulesOf(judgeEmpty(probe("listPets", "empty"), seen))).toEqual(
      rules,
    );
  });
});

/** @type {Step[]} */
const STEPS = [
  {
    do: "fill",
    value: "Audit text 1",
    place: { by: "label", name: "Name", nth: null },
  },
  {
    do: "fill",
    value: "Audit-passw0rd",
    secret: true,
    place: { by: "label", name: "Password", nth: null },
  },
  { do: "fill", value: "abc", place: { by: "label", name: "Tag", nth: null } },
  {
    do: "click",
    place: { by: "role", role: "button", name: "Save", nth: null },
  },
];

/**
 * Return the rules that a page breaks after an action whose request fails.
 * @param {string[]} lines
 * @param {Failure & { before?: Snapshot, name?: string, steps?: Step[] }} failure
 */
function act(lines, failure) {
  const { before = page(HEALTHY), name = "createPet", steps = [] } = failure;
  const { state = "500", seen = [], observation, snapshot, pages } = failure;
  const action = { name: "Save", steps };
  const seenAll = observed([...seen, page(lines, snapshot)], {
    calls: [],
    ...observation,
  });
  const acted = probe(name, state, { ...pages, action });
  return rulesOf(judgeAction(acted, seenAll, before, KNOWN));
}

const SAVED = [...HEALTHY, "Nori the dog"];
const AFTER = { healthy: { after: new Set(SAVED) } };

/** @type {[title: string, lines: string[], failure: Parameters<typeof act>[1], rules: string[]][]} */
const ACTIONS = [
  [
    "a message, with the typed text in its field",
    [...HEALTHY, "!The name is taken"],
    { steps: STEPS, snapshot: { kept: ["Audit text 1"] } },
    [],
  ],
  [
    "a message, with the typed text on the page",
    [...HEALTHY, "!Try later", "Audit text 1 x"],
    { steps: STEPS },
    [],
  ],
  ["a toast", HEALTHY, { seen: [page([...HEALTHY, "!Try later"])] }, []],
  ["a dialog", HEALTHY, { observation: { dialogs: ["Try later"] } }, []],
  [
    "the log-in page after a 401",
    ["Log in"],
    { state: "401", snapshot: { asksPassword: true } },
    [],
  ],
  [
    "a log-in page that was there before the 401",
    ["Log in"],
    {
      state: "401",
      snapshot: { asksPassword: true },
      before: page(["Log in"], { asksPassword: true }),
    },
    ["silent"],
  ],
  ["no message", HEALTHY, {}, ["silent"]],
  [
    "a message that was there before",
    [...HEALTHY, "!Try later"],
    { before: page([...HEALTHY, "!Try later"]) },
    ["silent"],
  ],
  [
    "a message without the typed text",
    [...HEALTHY, "!Try later"],
    { steps: STEPS },
    ["input-lost"],
  ],
  [
    "a failed log-in without the typed text",
    [...HEALTHY, "!Try later"],
    { steps: STEPS, name: "logIn" },
    [],
  ],
  [
    "a success whose body is malformed",
    SAVED,
    { steps: STEPS, pages: AFTER, state: "malformed_json" },
    [],
  ],
  ["a success after a 500", SAVED, { pages: AFTER }, ["not-announced"]],
  [
    "nothing after a malformed body",
    HEALTHY,
    { pages: AFTER, state: "malformed_json" },
    ["silent"],
  ],
  [
    "the text of loading",
    [...HEALTHY, "Please wait"],
    { pages: { loading: LOADING } },
    ["stuck"],
  ],
  ["nothing at all", [], {}, ["blank"]],
  ["a silent message", [...HEALTHY, "Try later"], {}, ["not-announced"]],
];

describe("judgeAction", () => {
  it.each(ACTIONS)("judges %s", (_, lines, failure, rules) => {
    expect(act(lines, failure)).toEqual(rules);
  });
});

describe("judgeSecondClick", () => {
  it.each([
    ["createPet", 0, []],
    ["createPet", 1, []],
    ["createPet", 2, ["double-send"]],
    ["renamePet", 2, []], // which changes the same record again
    ["logIn", 2, []],
  ])("judges %s sent %i times", (name, count, rules) => {
    const calls = Array.from({ length: count }, () => call(name));
    const seen = observed([page([])], { calls: [...calls, call("getTags")] });
    expect(rulesOf(judgeSecondClick(probe(name, "hold"), seen))).toEqual(rules);
  });
});

describe("loadingSigns", () => {
  it("names each text and visual of a held page once", () => {
    const now = page([
      ...REST,
      "Please wait",
      "Please wait",
      "<div.spinner",
      "<hr.",
      "Something else",
    ]);
    const loading = page([...REST, "Please wait", "<div.spinner", "<hr."]);
    expect(loadingSigns(target({ loading }), "listPets", now, KNOWN)).toEqual([
      "Please wait",
      "<div class=spinner>",
      "<hr>",
    ]);
  });

  it("names aria-busy only without another sign, if it is new", () => {
    const busy = page(REST, { busy: true });
    const signs = (
      /** @type {Pages} */ pages,
      /** @type {Snapshot | undefined} */ before,
    ) => loadingSigns(target(pages), "listPets", busy, KNOWN, before);
    expect(signs({}, undefined)).toEqual(["aria-busy"]);
    expect(signs({ loading: page(REST) }, undefined)).toEqual([]);
    expect(signs({}, busy)).toEqual([]);
  });
});
