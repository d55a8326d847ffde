import { describe, expect, it } from "vitest";
import { interleavingsOf } from "../../kit/interleavings.js";
import {
  choicesOf,
  formatOrder,
  parseOrder,
  search,
} from "../../kit/orders.js";

/** @import { Kind, Made } from "../../kit/orders.js" */

/** Return held requests; `*` marks one with a response. @param {string[]} names */
const held = (...names) =>
  names.map((name) => ({
    name: name.replace("*", ""),
    method: name.split(" ")[0] ?? "",
    isAnswered: name.endsWith("*"),
  }));
/** @param {Parameters<typeof choicesOf>} values */
const tokens = (...values) => choicesOf(...values).map(({ token }) => token);

/**
 * Run every order of requests that are all held at once.
 * @param {string[]} requests
 * @param {{ kinds?: Kind[], orders?: number, seed?: number }} [options]
 * @returns {{ runs: string[], left: number }} the events of each order, and how many orders were not tried
 */
function explore(requests, { kinds = [], orders = 1_000, seed = 1 } = {}) {
  const exploration = search({ orders, seed });
  const runs = [];
  for (let order = exploration.next(); order; order = exploration.next()) {
    const { made, events } = runOne(requests, order.choices, kinds);
    exploration.add(order, made);
    runs.push(events.join(", "));
  }
  return { runs, left: exploration.left() };
}

/** @param {string[]} requests @param {string[]} wanted @param {Kind[]} kinds */
function runOne(requests, wanted, kinds) {
  let set = held(...requests);
  /** @type {{ previous?: string }} */
  let before = {};
  /** @type {Made[]} */
  const made = [];
  /** @type {string[]} */
  const events = [];
  while (set.length) {
    const isDamaged = events.some((event) => /^(?:lose|fail) /.test(event));
    const choices = choicesOf(set, {
      ...before,
      kinds: isDamaged ? [] : kinds,
    });
    const next = wanted[made.length];
    const choice =
      choices.find(({ token }) => choices.length > 1 && token === next) ??
      choices[0];
    if (!choice) throw new Error("no choice");
    const { kind, one, token } = choice;
    const others = choices.filter((each) => each !== choice);
    if (others.length)
      made.push({
        choice: token,
        others: others.map((each) => each.token),
      });
    if (kind === "later") one.isAnswered = true;
    else set = set.filter((other) => other !== one);
    before = { previous: token };
    events.push(`${kind} ${one.name}`);
  }
  return { made, events };
}

describe("choicesOf", () => {
  it("has no choice for nothing", () => {
    expect(choicesOf([])).toEqual([]);
  });

  it("does not delay the response to a read beside reads", () => {
    expect(tokens(held("GET /a", "GET /b", "HEAD /c"))).toEqual([
      "deliver:GET:/a",
      "deliver:GET:/b",
      "deliver:HEAD:/c",
    ]);
  });

  it("can delay a response if one of two is a write", () => {
    expect(tokens(held("GET /a", "PUT /b"))).toEqual([
      "deliver:GET:/a",
      "deliver:PUT:/b",
      "later:GET:/a",
      "later:PUT:/b",
    ]);
  });

  it("delays no response to a single write", () => {
    expect(tokens(held("PUT /b"))).toEqual(["deliver:PUT:/b"]);
  });

  it("delays no response if the other one is answered", () => {
    expect(tokens(held("GET /a*", "POST /b"))).toEqual([
      "deliver:POST:/b",
      "deliver:GET:/a",
    ]);
  });

  it("does not deliver at once what was to be delivered later", () => {
    const previous = "later:GET:/a";
    expect(tokens(held("GET /a*", "POST /b"), { previous })).toEqual([
      "deliver:POST:/b",
    ]);
    expect(tokens(held("GET /a*"), { previous })).toEqual(["deliver:GET:/a"]);
  });

  it("loses or fails a request that waits, also a single one", () => {
    expect(
      tokens(held("GET /a", "GET /b*"), { kinds: ["lose", "fail"] }),
    ).toEqual([
      "deliver:GET:/a",
      "deliver:GET:/b",
      "lose:GET:/a",
      "fail:GET:/a",
    ]);
    expect(tokens(held("GET /a"), { kinds: ["fail"] })).toContain(
      "fail:GET:/a",
    );
  });

  it("distinguishes requests of the same name, and can be quoted", () => {
    expect(tokens(held("GET /a?x='1'", "GET /a?x='1'#2"))).toEqual([
      "deliver:GET:/a?x=%271%27",
      "deliver:GET:/a?x=%271%27#2",
    ]);
  });
});

describe("search", () => {
  it("tries each order of two reads once, the natural one first", () => {
    expect(explore(["GET /a", "GET /b"]).runs).toEqual([
      "deliver GET /a, deliver GET /b",
      "deliver GET /b, deliver GET /a",
    ]);
  });

  it("tries four orders of a read and a write", () => {
    expect(explore(["GET /a", "POST /b"]).runs).toEqual([
      "deliver GET /a, deliver POST /b",
      "deliver POST /b, deliver GET /a",
      "later GET /a, deliver POST /b, deliver GET /a",
      "later POST /b, deliver GET /a, deliver POST /b",
    ]);
  });

  it("damages at most one request of an order", () => {
    const { runs } = explore(["GET /a", "GET /b"], { kinds: ["lose"] });
    expect(runs).toHaveLength(new Set(runs).size);
    expect(runs.filter((run) => run.includes("lose"))).toHaveLength(4);
    expect(runs.filter((run) => /lose.*lose/.test(run))).toEqual([]);
  });

  it.each([
    [["GET /a", "GET /b", "GET /c"], 6],
    [["GET /a", "GET /b", "GET /c", "GET /d"], 24],
  ])("tries all orders of %j", (names, count) => {
    const { runs, left } = explore(names);
    expect(new Set(runs).size).toBe(count);
    expect(runs).toHaveLength(count);
    expect(left).toBe(0);
  });

  it("stops at its limit and counts what is left", () => {
    const names = ["GET /a", "GET /b", "GET /c", "POST /d"];
    const { runs, left } = explore(names, { orders: 40 });
    expect(runs).toHaveLength(40);
    expect(new Set(runs).size).toBe(40);
    expect(left).toBeGreaterThan(0);
    // The fewest changes first, then a sample, which is the same every time.
    expect(explore(names, { orders: 40 }).runs).toEqual(runs);
    const other = explore(names, { orders: 40, seed: 2 }).runs;
    expect(other.slice(0, 30)).toEqual(runs.slice(0, 30));
    expect(other[30]).not.toBe(runs[30]);
  });

  it("tries nothing with a limit of 0", () => {
    expect(search({ orders: 0, seed: 1 }).next()).toBeUndefined();
  });
});

describe("MOCKPETS_ORDER", () => {
  it.each([
    [[], "natural"],
    [
      ["deliver:GET:/v1/pets?status=sold#2", "later:POST:/v1/pets"],
      "deliver:GET:/v1/pets?status=sold#2 later:POST:/v1/pets",
    ],
  ])("for %j is what a failed test shows", (choices, text) => {
    expect(formatOrder(choices)).toBe(text);
    expect(parseOrder(` ${text}\n`)).toEqual(choices);
  });

  it.each([
    [
      "delivr:GET:/v1/pets",
      /'delivr:GET:\/v1\/pets' is not a choice.*did you mean 'deliver'\?/,
    ],
    [
      "deliver:GET:v1/pets",
      /'deliver:GET:v1\/pets' is not a choice such as 'deliver:GET:\/v1\/pets'; copy the value/,
    ],
    ["constructor:GET:/", /'constructor:GET:\/' is not a choice/],
    ["natural deliver:GET:/a", /'natural' is not a choice/],
    ["deliver", /'deliver' is not a choice/],
    ["", /'' is not a choice/],
  ])("rejects %j", (value, message) => {
    expect(() => parseOrder(value)).toThrow(TypeError);
    expect(() => parseOrder(value)).toThrow(message);
  });
});

describe("interleavings", () => {
  /** @type {unknown[]} */
  const declared = [];
  const test = (/** @type {unknown} */ title) => declared.push(title);
  /** @type {unknown} */
  const made = Reflect.apply(interleavingsOf, undefined, [test, {}]);
  const interleavings = /** @type {(...values: unknown[]) => void} */ (made);

  it.each([
    [
      { quit: 100 },
      /^unknown option 'quit' of interleavings\(\); did you mean 'quiet'\?$/,
    ],
    [
      { constructor: 1 },
      /unknown option 'constructor'.*use atLeast, fail, ignore, lose, orders, quiet, seed$/,
    ],
    [
      { quiet: "50ms" },
      /^option 'quiet' of interleavings\(\) must be milliseconds from 10 to 10000, got "50ms"$/,
    ],
    [{ quiet: 9 }, /'quiet'.*got 9$/],
    [{ quiet: 10_001 }, /'quiet'.*got 10001$/],
    [{ orders: 0 }, /'orders'.*a whole number from 1 to 10000, got 0/],
    [{ orders: 10_001 }, /'orders'.*got 10001/],
    [{ orders: null }, /'orders'.*got null/],
    [{ atLeast: 1.5 }, /'atLeast'.*got 1.5/],
    [{ fail: 200 }, /'fail'.*a status from 400 to 599, got 200/],
    [{ fail: 600 }, /'fail'.*got 600/],
    [{ lose: 1 }, /'lose'.*true or false, got 1/],
    [
      { ignore: "/v1/poll" },
      /'ignore'.*an array of texts and regular expressions, got "\/v1\/poll"/,
    ],
    [{ ignore: [""] }, /'ignore'.*got \[""\]/],
    [{ seed: "a" }, /'seed'.*a whole number, got "a"/],
    [null, /the options of interleavings\(\) must be an object, got null/],
    [3, /must be an object, got a number/],
  ])("rejects the options %j", (options, message) => {
    const declare = () => interleavings("a", () => {}, options);
    expect(declare).toThrow(TypeError);
    expect(declare).toThrow(message);
  });

  it.each([[], ["a"], ["a", {}], [() => {}], ["a", { lose: true }, () => {}]])(
    "rejects other values than a title and a body",
    (...values) => {
      expect(() => interleavings(...values)).toThrow(
        /^interleavings\(\) expects a title and a function/,
      );
    },
  );

  it("declares one test for valid options", () => {
    declared.length = 0;
    const options = { ignore: ["/v1/poll", /x/g], lose: true, fail: 503 };
    interleavings("a", () => {}, { ...options, seed: -1 });
    expect(declared).toEqual(["a"]);
  });
});
