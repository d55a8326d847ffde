// Tests of the audit's judgements, kit/audit/judge.js, its causes and shapes of addresses, without a browser.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { causesOf } from "../../kit/audit/causes.js";
import { judgeAction, judgeEmpty, judgeLoading, judgeRead, judgeSecondClick } from "../../kit/audit/judge.js";
import { shapeOf, textsOf } from "../../kit/audit/texts.js";

const OPERATIONS = [
  { name: "listPets", method: "GET", path: "/v1/pets", role: "list", states: ["401"], reads: true },
  { name: "listToys", method: "GET", path: "/v1/pets/toys", role: "list", states: [], reads: true },
  { name: "getTags", method: "GET", path: "/v1/tags", role: "values", states: [], reads: true },
  { name: "createPet", method: "POST", path: "/v1/pets", role: "create", states: ["400"], reads: false },
  { name: "renamePet", method: "PUT", path: "/v1/pets/{}", role: "update", states: ["400"], reads: false },
];
const HEALTHY = ["Pets", "Miso the cat", "cats dogs", "Ball", "Write to us"];

/** Return what a user sees: `!text` is announced, `[text]` the label of a button, `<name>` something painted. */
function page(lines, { at = 0, kept = [], url = "http://app/pets", ...more } = {}) {
  const isVisual = (line) => line.startsWith("<");
  return {
    at, url, kept, fields: 0, busy: false, controls: 1, asksPassword: false,
    lines: lines.filter((line) => !isVisual(line)).map((line) => ({ text: line.replace(/^!|^\[|\]$/g, ""), announced: line.startsWith("!"), control: line.startsWith("[") })),
    visuals: lines.filter(isVisual),
    ...more,
  };
}

function target({ action = null, loading, empty, ...healthy } = {}) {
  return {
    shape: "/pets", url: "http://app/pets", signedIn: false, title: "", operations: [], asksPassword: false, action,
    healthy: {
      shape: "/pets", lines: new Set(HEALTHY), after: new Set(HEALTHY), originals: new Map(), visuals: new Set(), controls: 1, errors: new Set(), counts: new Map(), screenshot: "",
      texts: new Map([["Miso the cat", new Set(["listPets"])], ["cats dogs", new Set(["getTags"])], ["Ball", new Set(["listToys"])]]),
      ...healthy,
    },
    loading: new Map(loading ? [["listPets", loading], ["createPet", loading]] : []),
    empty: new Map(empty ? [["listPets", empty]] : []),
  };
}

const KNOWN = {
  settled: new Set([...HEALTHY, "Read more…"]),
  usual: new Set([...HEALTHY, "About us"]), signedOut: new Set(["Sign in"]), values: new Set(["miso"]), operations: OPERATIONS };
const CALLS = OPERATIONS.slice(1, 3).map(({ name }) => ({ operation: name, method: "GET", path: "", begun: 0, ended: 1, status: 200 }));

/** Return what is observed: snapshots, one second after the other, or with their own times. */
function observed(snapshots, more = {}) {
  const seen = snapshots.map((each, index) => ({ ...each, at: each.at || index * 1_000 }));
  return { last: seen.at(-1), seen, calls: CALLS, exceptions: [], rejections: [], dialogs: [], failures: [], broken: false, ...more };
}

const operation = (name) => OPERATIONS.find((each) => each.name === name);
const rules = (verdicts) => verdicts.map(({ rule }) => rule);

/** Return the rules that a failing read breaks. */
function read(lines, { state = "500", seen = [], observation = {}, snapshot = {}, ...more } = {}) {
  const probe = { target: target(more), operation: operation("listPets"), state, stage: 1 };
  return rules(judgeRead(probe, observed([...seen, page(lines, snapshot)], observation), KNOWN));
}

/** Return the rules that a failing action breaks. */
function act(lines, { state = "500", seen = [], observation = {}, snapshot = {}, before = page(HEALTHY), steps = [], name = "createPet", ...more } = {}) {
  const probe = { target: target({ action: { name: "Save", steps }, ...more }), operation: operation(name), state, stage: 1 };
  return rules(judgeAction(probe, observed([...seen, page(lines, snapshot)], { calls: [], ...observation }), before, KNOWN));
}

const REST = ["Pets", "cats dogs", "Ball", "Write to us"];
const LOADING = page([...REST, "Please wait", "<div.spinner"]);
const EMPTY = page([...REST, "No pets yet"]);

describe("a failing read", () => {
  it("is right with a message", () => assert.deepEqual(read([...REST, "!Pets are not available"]), []));
  it("is right with a message that stays for a second", () => assert.deepEqual(read(REST, { seen: [page([...REST, "!Try later"])] }), []));
  it("is right with a dialog of the browser", () => assert.deepEqual(read(REST, { observation: { dialogs: ["Try later"] } }), []));
  it("is right if the page does not show its data", () => assert.deepEqual(read(HEALTHY), []));
  it("is right with the log-in page for a 401", () => assert.deepEqual(read(["Log in"], { state: "401", snapshot: { url: "http://app/login", asksPassword: true } }), []));
  it("is right without a user after a 401", () => assert.deepEqual(read(["Pets", "Sign in"], { state: "401" }), []));
  it("is right with a page of its own for a 404", () => assert.deepEqual(read(["!Page not found"], { state: "404" }), []));
  it("is silent if its texts are gone", () => assert.deepEqual(read(REST), ["silent"]));
  it("is silent with a message that nobody can read", () => {
    assert.deepEqual(read(REST, { seen: [page([...REST, "!Try later"], { at: 10 })], snapshot: { at: 310 } }), ["silent"]);
  });
  it("is silent with a text of another page", () => assert.deepEqual(read([...REST, "About us"]), ["silent"]));
  it("is silent with a template without its data", () => assert.deepEqual(read([...REST, "the cat"]), ["silent"]));
  it("is silent with the label of a new button", () => assert.deepEqual(read([...REST, "[Reload]"]), ["silent"]));
  it("is blank", () => assert.deepEqual(read([]), ["blank"]));
  it("is not blank with a picture", () => assert.deepEqual(read(["<img."]), ["silent", "collateral"]));
  it("is stuck with the text of loading", () => assert.deepEqual(read([...REST, "Please wait"], { loading: LOADING }), ["stuck"]));
  it("is stuck with a spinner", () => assert.deepEqual(read([...REST, "<div.spinner"], { loading: LOADING }), ["stuck"]));
  it("is stuck with an ellipsis, before loading is known", () => assert.deepEqual(read([...REST, "Connecting…"]), ["stuck"]));
  it("is not stuck with an ellipsis of a healthy page", () => assert.deepEqual(read([...REST, "Read more…"]), ["silent"]));
  it("is elsewhere, where a list is empty", () => {
    assert.deepEqual(read([...REST, "No pets yet"], { empty: EMPTY, snapshot: { url: "http://app/" } }), ["silent", "moved"]);
  });
  it("is not stuck with an ellipsis while it tries again", () => {
    const calls = [...CALLS, ...[0, 9_000].map((begun) => ({ operation: "listPets", begun, ended: begun, status: 500 }))];
    assert.deepEqual(read([...REST, "!Connecting…"], { observation: { calls } }), []);
  });
  it("is not stuck with a message beside the spinner", () => assert.deepEqual(read([...REST, "<div.spinner", "!Try later"], { loading: LOADING }), []));
  it("looks empty", () => assert.deepEqual(read([...REST, "No pets yet"], { empty: EMPTY }), ["looks-empty"]));
  it("takes other texts along", () => assert.deepEqual(read(["!Try later"]), ["collateral"]));
  it("may take along what is below it in the contract", () => assert.deepEqual(read(["cats dogs", "!Try later"]), []));
  it("throws", () => assert.deepEqual(read([...REST, "!Try later"], { observation: { exceptions: ["TypeError: x"] } }), ["uncaught"]));
  it("does not throw what a healthy page throws", () => {
    assert.deepEqual(read([...REST, "!Try later"], { observation: { exceptions: ["TypeError: x"] }, errors: new Set(["TypeError: x"]) }), []);
  });
  it("rejects", () => assert.deepEqual(read([...REST, "!Try later"], { observation: { rejections: ["Error: 1"] } }), ["unhandled-rejection"]));
  it("rejects and throws the same only once", () => {
    assert.deepEqual(read([...REST, "!Try later"], { observation: { rejections: ["Error: 1"], exceptions: ["Error: 1"] } }), ["uncaught"]);
  });
  it("storms", () => {
    const calls = [0, 100, 200, 300, 400].map((begun) => ({ operation: "listPets", begun, ended: begun, status: 500 }));
    assert.deepEqual(read([...REST, "!Try later"], { observation: { calls } }), ["storm"]);
    const slow = calls.map((call) => ({ ...call, begun: call.begun * 10 }));
    assert.deepEqual(read([...REST, "!Try later"], { observation: { calls: slow } }), []);
    assert.deepEqual(read([...REST, "!Try later"], { observation: { calls }, counts: new Map([["listPets", 4]]) }), []);
  });
  for (const text of ["TypeError: pets is undefined", "Unexpected token '<', \"<html>\" is not valid JSON", "Request failed with status code 500", "Failed to fetch"]) {
    it(`shows an exception: ${text}`, () => assert.deepEqual(read([...REST, `!${text}`]).slice(0, 1), ["raw-exception"]));
  }
  it("shows the server's text", () => {
    const observation = { failures: [{ error: { message: "shard 7 is gone" } }] };
    assert.deepEqual(read([...REST, "!Error: shard 7 is gone"], { observation }), ["raw-response"]);
    assert.deepEqual(read([...REST, "!shard 7 is gone"], { observation, state: "400" }), [], "a 4xx is for people");
  });
  it("shows the page of a proxy", () => assert.deepEqual(read([...REST, "!<html><body>nginx/1.27"], { state: "html" }), ["raw-response"]));
  it("shows a missing value", () => assert.deepEqual(read([...REST, "undefined pets", "!Try later"]), ["artefact"]));
  it("leads away", () => assert.deepEqual(read([...REST, "!Try later"], { snapshot: { url: "http://app/oops" } }), ["moved"]));
  it("does not lead away to another record of the page", () => {
    assert.deepEqual(read([...REST, "!Try later"], { snapshot: { url: "http://app/pets/miso" }, shape: "/pets/{}" }), []);
  });
  it("has no way on", () => assert.deepEqual(read([...REST, "!Try later"], { snapshot: { controls: 0 } }), ["dead-end"]));
  it("is not announced", () => assert.deepEqual(read([...REST, "Try later"]), ["not-announced"]));
});

describe("a page that waits", () => {
  const judge = (lines, more = {}) => {
    const probe = { target: target(), operation: operation("listPets"), state: "hold", stage: 0 };
    return rules(judgeLoading({ ...probe, target: target({ loading: page(lines, more) }) }, observed([page(lines, more)]), KNOWN));
  };
  it("is right with a text", () => assert.deepEqual(judge([...REST, "Please wait"]), []));
  it("is right with a skeleton", () => assert.deepEqual(judge([...REST, "<div.grey"]), []));
  it("is right if it says that it is busy", () => assert.deepEqual(judge(REST, { busy: true }), []));
  it("shows nothing at all", () => assert.deepEqual(judge([]), ["blank-loading"]));
  it("shows nothing of its loading", () => assert.deepEqual(judge(REST), ["no-loading"]));
  it("holds up others", () => assert.deepEqual(judge(["Please wait"]), ["blocked"]));
});

describe("an empty list", () => {
  const judge = (lines) => rules(judgeEmpty({ target: target(), operation: operation("listPets"), state: "empty", stage: 0 }, observed([page(lines)])));
  it("is right with a text", () => assert.deepEqual(judge([...REST, "No pets yet"]), []));
  it("is nothing", () => assert.deepEqual(judge(REST), ["no-empty"]));
});

describe("a failing action", () => {
  const steps = [{ do: "fill", value: "Audit text 1" }, { do: "fill", value: "Audit-passw0rd", secret: true }, { do: "click" }];
  it("is right with a message and what was typed", () => assert.deepEqual(act([...HEALTHY, "!The name is taken"], { steps, snapshot: { kept: ["Audit text 1"] } }), []));
  it("is right with a toast", () => assert.deepEqual(act(HEALTHY, { seen: [page([...HEALTHY, "!Try later"])] }), []));
  it("is right with the log-in page for a 401", () => assert.deepEqual(act(["Log in"], { state: "401", snapshot: { asksPassword: true } }), []));
  it("keeps what was typed in a form that is hidden", () => assert.deepEqual(act(["!Sign in"], { steps, state: "401", snapshot: { kept: ["Audit text 1"] } }), []));
  it("is silent", () => assert.deepEqual(act(HEALTHY), ["silent"]));
  it("is silent with a message that was there before", () => {
    const lines = [...HEALTHY, "!Try later"];
    assert.deepEqual(act(lines, { before: page(lines) }), ["silent"]);
  });
  it("keeps what was typed as a text", () => assert.deepEqual(act([...HEALTHY, "!Try later", "Audit text 1 x"], { steps }), []));
  it("loses what was typed", () => assert.deepEqual(act([...HEALTHY, "!Try later"], { steps }), ["input-lost"]));
  it("has succeeded if only its body is malformed", () => {
    const after = new Set([...HEALTHY, "Nori the dog"]);
    assert.deepEqual(act([...after], { steps, after, state: "malformed_json" }), []);
    assert.deepEqual(act([...after], { after }), ["not-announced"], "a 500 is no success");
    assert.deepEqual(act(HEALTHY, { after, state: "malformed_json" }), ["silent"]);
  });
  it("waits forever", () => assert.deepEqual(act([...HEALTHY, "Please wait"], { loading: LOADING }), ["stuck"]));
  it("is blank", () => assert.deepEqual(act([]), ["blank"]));
  it("is not announced", () => assert.deepEqual(act([...HEALTHY, "Try later"]), ["not-announced"]));
});

describe("a second click", () => {
  const judge = (name, count) => {
    const calls = Array.from({ length: count }, () => ({ operation: name }));
    return rules(judgeSecondClick({ target: target(), operation: operation(name), state: "hold", stage: 0 }, observed([page([])], { calls })));
  };
  it("sends nothing", () => assert.deepEqual(judge("createPet", 1), []));
  it("creates again", () => assert.deepEqual(judge("createPet", 2), ["double-send"]));
  it("may change the same again", () => assert.deepEqual(judge("renamePet", 2), []));
});

describe("causes", () => {
  const finding = (rule, name, more = {}) => ({
    rule, level: rule === "silent" ? "error" : "note", page: "/", url: "/", signed_in: false, action: null, steps: [], operation: name, state: "500",
    expression: "", message: "", lost: [], shown: [], requests: [], healthy: "", failing: "", ...more,
  });
  it("are one for three reads, and one for each operation else", () => {
    const causes = causesOf([finding("silent", "listPets"), finding("silent", "listToys"), finding("silent", "getTags"), finding("blocked", "getTags")], OPERATIONS);
    assert.deepEqual(causes.map(({ id, findings }) => [id, findings]), [["silent/reads", [0, 1, 2]], ["blocked/getTags", [3]]]);
    assert.equal(causes[0].title, "No message when a request that reads fails (3 of 3 operations)");
  });
  it("are one for all writes", () => {
    const action = { action: "Save" };
    const causes = causesOf([finding("silent", "createPet", action), finding("silent", "renamePet", action)], OPERATIONS);
    assert.deepEqual(causes.map(({ id }) => id), ["silent/writes"]);
  });
  it("are told by the smallest example", () => {
    const [cause] = causesOf([finding("silent", "listPets", { page: "/pets/{}" }), finding("silent", "listPets", { state: "401" }), finding("silent", "listPets")], OPERATIONS);
    assert.deepEqual(cause.findings, [2, 1, 0]);
  });
  it("begin with errors", () => {
    const causes = causesOf([finding("blocked", "getTags"), finding("blocked", "getTags"), finding("silent", "listPets")], OPERATIONS);
    assert.deepEqual(causes.map(({ level }) => level), ["error", "note"]);
  });
});

describe("shapes", () => {
  const values = new Set(["how-to", "anna", "news"]);
  for (const [url, shape] of [
    ["http://app/article/how-to", "/article/{}"],
    ["http://app/@anna", "/@{}"],
    ["http://app/pets/3", "/pets/{}"],
    ["http://app/about", "/about"],
    ["http://app/about#team", "/about"],
    ["http://app/#/pets/3", "/#/pets/{}"],
    ["http://app/?tag=news&tab=all", "/?tab=all&tag={}"],
    ["http://app/%E0%A4%A", "/%E0%A4%A"],
  ]) {
    it(`of ${url}`, () => assert.equal(shapeOf(url, values), shape));
  }
});

describe("texts of responses", () => {
  const responses = new Map([["getPet", ["Miso", "555-0143", "1200", "A very long description of a cat that sleeps all day", "cat"]], ["getTags", ["Misology", "design"]]]);
  const of = (line) => [...textsOf([line], responses).values()].flatMap((operations) => [...operations]);
  it("stand in a line", () => assert.deepEqual(of("Name: Miso"), ["getPet"]));
  it("may be cut off", () => assert.deepEqual(of("A very long description of a…"), ["getPet"]));
  it("may be several operations'", () => assert.deepEqual(of("Miso, a Misology"), ["getPet", "getTags"]));
  it("are whole words", () => assert.deepEqual(of("Hiring a designer"), []));
  it("may be numbers, which are longer", () => {
    assert.deepEqual(of("Call 555-0143"), ["getPet"]);
    assert.deepEqual(of("1200 visits"), []);
  });
  it("are not too short", () => assert.deepEqual(of("The cat food"), []));
});
