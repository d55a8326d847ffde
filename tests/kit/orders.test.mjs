// Tests of the search for orders, kit/orders.js, without a browser.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { interleavingsOf } from "../../kit/interleavings.js";
import { choicesOf, formatOrder, parseOrder, search } from "../../kit/orders.js";

const held = (...names) =>
  names.map((name) => ({ name: name.replace("*", ""), method: name.split(" ")[0], isAnswered: name.endsWith("*") }));
const tokens = (...values) => choicesOf(...values).map(({ token }) => token);

/** Run every order of requests that are all held at once; return the events that each order consists of. */
function explore(requests, { kinds, orders = 1_000, seed = 1 } = {}) {
  const exploration = search({ orders, seed });
  const runs = [];
  for (let order = exploration.next(); order; order = exploration.next()) {
    let [set, previous] = [held(...requests)];
    const [made, events] = [[], []];
    while (set.length) {
      const choices = choicesOf(set, { previous, kinds: events.some((event) => /lose|fail/.test(event)) ? [] : kinds });
      const wanted = order.choices[made.length];
      const choice = choices.length === 1 || !wanted ? choices[0] : choices.find(({ token }) => token === wanted);
      if (choices.length > 1) made.push({ choice: choice.token, others: choices.map(({ token }) => token).filter((one) => one !== choice.token) });
      const { kind, one } = choice;
      if (kind === "later") one.isAnswered = true;
      else set = set.filter((other) => other !== one);
      previous = choice.token;
      events.push(`${kind} ${one.name}`);
    }
    exploration.add(order, made);
    runs.push(events.join(", "));
  }
  return { runs, left: exploration.left() };
}

describe("the choices for held requests", () => {
  it("do not delay the response to a read beside reads", () => {
    assert.deepEqual(tokens(held("GET /a", "GET /b", "HEAD /c")), ["deliver:GET:/a", "deliver:GET:/b", "deliver:HEAD:/c"]);
  });

  it("can delay a response if one of two is a write", () => {
    assert.deepEqual(tokens(held("GET /a", "PUT /b")), ["deliver:GET:/a", "deliver:PUT:/b", "later:GET:/a", "later:PUT:/b"]);
  });

  it("delay no response if the other one is answered", () => {
    assert.deepEqual(tokens(held("GET /a*", "POST /b")), ["deliver:POST:/b", "deliver:GET:/a"]);
  });

  it("do not deliver at once what was to be delivered later", () => {
    assert.deepEqual(tokens(held("GET /a*", "POST /b"), { previous: "later:GET:/a" }), ["deliver:POST:/b"]);
    assert.deepEqual(tokens(held("GET /a*"), { previous: "later:GET:/a" }), ["deliver:GET:/a"]);
  });

  it("lose or fail a request, also a single one", () => {
    assert.deepEqual(tokens(held("GET /a", "GET /b*"), { kinds: ["lose", "fail"] }), ["deliver:GET:/a", "deliver:GET:/b", "lose:GET:/a", "fail:GET:/a"]);
  });

  it("tell requests of the same name apart, and can be quoted", () => {
    assert.deepEqual(tokens(held("GET /a?x='1'", "GET /a?x='1'#2")), ["deliver:GET:/a?x=%271%27", "deliver:GET:/a?x=%271%27#2"]);
  });
});

describe("the search", () => {
  it("tries each order of two reads once, the natural one first", () => {
    assert.deepEqual(explore(["GET /a", "GET /b"]).runs, ["deliver GET /a, deliver GET /b", "deliver GET /b, deliver GET /a"]);
  });

  it("tries four orders of a read and a write", () => {
    assert.deepEqual(explore(["GET /a", "POST /b"]).runs, [
      "deliver GET /a, deliver POST /b",
      "deliver POST /b, deliver GET /a",
      "later GET /a, deliver POST /b, deliver GET /a",
      "later POST /b, deliver GET /a, deliver POST /b",
    ]);
  });

  it("tries all orders of three and four reads", () => {
    for (const [names, count] of [[["GET /a", "GET /b", "GET /c"], 6], [["GET /a", "GET /b", "GET /c", "GET /d"], 24]]) {
      const { runs, left } = explore(names);
      assert.equal(runs.length, count);
      assert.equal(new Set(runs).size, count);
      assert.equal(left, 0);
    }
  });

  it("stops at its limit and counts what is left", () => {
    const names = ["GET /a", "GET /b", "GET /c", "POST /d"];
    const { runs, left } = explore(names, { orders: 40 });
    assert.equal(runs.length, 40);
    assert.equal(new Set(runs).size, 40);
    assert.ok(left > 0);
    assert.deepEqual(explore(names, { orders: 40 }).runs, runs, "it is the same every time");
    const other = explore(names, { orders: 40, seed: 2 }).runs;
    assert.deepEqual(other.slice(0, 30), runs.slice(0, 30), "the fewest changes first");
    assert.notDeepEqual(other.slice(30), runs.slice(30), "then a sample");
  });

});

describe("MOCKPETS_ORDER", () => {
  it("is what a failed test shows", () => {
    for (const choices of [[], ["deliver:GET:/v1/pets?status=sold#2", "later:POST:/v1/pets"]]) assert.deepEqual(parseOrder(formatOrder(choices)), choices);
    assert.equal(formatOrder([]), "natural");
  });

  for (const [value, message] of [
    ["delivr:GET:/v1/pets", /'delivr:GET:\/v1\/pets' is not a choice.*did you mean 'deliver'\?/],
    ["deliver:GET:v1/pets", /'deliver:GET:v1\/pets' is not a choice such as 'deliver:GET:\/v1\/pets'; copy the value/],
    ["constructor:GET:/", /'constructor:GET:\/' is not a choice/],
  ]) {
    it(`rejects ${value}`, () => assert.throws(() => parseOrder(value), { name: "TypeError", message }));
  }

});

describe("the options of interleavings()", () => {
  const declared = [];
  const interleavings = interleavingsOf((title) => declared.push(title), {});

  for (const [options, message] of [
    [{ quit: 100 }, /^unknown option 'quit' of interleavings\(\); did you mean 'quiet'\?$/],
    [{ constructor: 1 }, /unknown option 'constructor'.*use atLeast, fail, ignore, lose, orders, quiet, seed$/],
    [{ quiet: "50ms" }, /^option 'quiet' of interleavings\(\) must be milliseconds from 10 to 10000, got "50ms"$/],
    [{ orders: 0 }, /'orders'.*a whole number from 1 to 10000, got 0/],
    [{ atLeast: 1.5 }, /'atLeast'.*got 1.5/],
    [{ fail: 200 }, /'fail'.*a status from 400 to 599, got 200/],
    [{ lose: 1 }, /'lose'.*true or false, got 1/],
    [{ ignore: "/v1/poll" }, /'ignore'.*an array of texts and regular expressions, got "\/v1\/poll"/],
    [{ seed: "a" }, /'seed'.*a whole number, got "a"/],
    [null, /the options of interleavings\(\) must be an object, got null/],
  ]) {
    it(`reject ${message}`, () => assert.throws(() => interleavings("a", () => {}, options), { name: "TypeError", message }));
  }

  it("need a title and a body", () => {
    for (const values of [[], ["a"], ["a", {}], [() => {}], ["a", { lose: true }, () => {}]]) {
      assert.throws(() => interleavings(...values), { name: "TypeError", message: /^interleavings\(\) expects a title and a function/ });
    }
    assert.deepEqual(declared, []);
    interleavings("a", () => {}, { ignore: ["/v1/poll", /x/g], lose: true, fail: 503, seed: -1 });
    assert.deepEqual(declared, ["a"]);
  });
});
