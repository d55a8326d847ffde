// Tests of kit/ssr.js; test_ssr.py runs them in a project that has the package.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, request } from "node:http";
import { describe, it } from "node:test";
import { openLink, withSession } from "mockpets/ssr";

const NAMED = { "mockpets-session": "a-1", "mockpets-scenario": "retry, empty" };
const TITLED = { "Mockpets-Session": "a-1", "Mockpets-Scenario": "retry, empty", Cookie: "not passed on" };

/** Return what a handler of node:http makes of a request with some headers. */
async function inHandler(headers, handle) {
  const server = createServer((incoming, response) => response.end(JSON.stringify(handle(incoming))));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const [response] = await once(request({ port: server.address().port, headers, agent: false }).end(), "response");
  const text = (await response.toArray()).join("");
  await new Promise((done) => server.close(done));
  return JSON.parse(text);
}

describe("the session comes from", () => {
  const incoming = {
    "Headers": new Headers(TITLED),
    "a Request": new Request("http://localhost/", { headers: TITLED }),
    "an object in lower case": { ...NAMED, accept: undefined },
    "an object in any case": TITLED,
    "an object without a prototype": Object.assign(Object.create(null), TITLED),
    "lists of values": { "mockpets-session": ["a-1"], "mockpets-scenario": ["retry", "empty"] },
    "a request with an object": { headers: TITLED },
    "a request with a method like Express and Koa": { get: (name) => new Headers(TITLED).get(name) ?? "" },
  };
  for (const [kind, value] of Object.entries(incoming)) {
    it(kind, () => assert.deepEqual(withSession(value), NAMED));
  }
  it("a request of node:http", async () => {
    assert.deepEqual(await inHandler(TITLED, (incoming) => withSession(incoming)), NAMED);
    assert.deepEqual(await inHandler(TITLED, (incoming) => withSession(incoming.headers)), NAMED);
  });
});

describe("your own headers", () => {
  const own = { authorization: "Bearer key", "x-own": "1" };
  for (const [kind, value] of Object.entries({
    "Headers": new Headers(own),
    "an object": { Authorization: "Bearer key", "X-Own": "1" },
    "pairs": [["Authorization", "Bearer key"], ["x-own", "1"]],
  })) {
    it(`stay in the result: ${kind}`, () => {
      assert.deepEqual(withSession(new Headers(TITLED), value), { ...own, ...NAMED });
      assert.deepEqual(withSession(new Headers({ Cookie: "x" }), value), own);
    });
  }
  it("do not replace the test's session, in any case", () => {
    assert.deepEqual(withSession({}, { "Mockpets-Session": "mine" }), { "mockpets-session": "mine" });
    assert.deepEqual(withSession(TITLED, { "MOCKPETS-SESSION": "mine", "Mockpets-Scenario": "slow" }), NAMED);
  });
});

describe("only what is named is added", () => {
  it("a session or scenarios, or nothing", () => {
    assert.deepEqual(withSession({ "mockpets-session": "" }), {});
    for (const one of [{}, { "mockpets-session": "a" }, { "mockpets-scenario": "slow" }]) assert.deepEqual(withSession(one), one);
  });
  it("the cookie, without those of others", () => {
    for (const Cookie of ["mockpets=a%2Bretry", "theme=dark; mockpets=a%2Bretry; other=1", "xmockpets=b;mockpets=a%2Bretry"]) {
      assert.deepEqual(withSession({ Cookie }), { cookie: "mockpets=a%2Bretry" });
    }
    for (const Cookie of ["", "theme=dark", "xmockpets=a", "mockpets=", "a=mockpets=b"]) assert.deepEqual(withSession({ Cookie }), {});
  });
  it("the cookie, once, beside your own", () => {
    const incoming = new Headers({ Cookie: "a=1; mockpets=w1" });
    assert.deepEqual(withSession(incoming, { Cookie: "b=2" }), { cookie: "b=2; mockpets=w1" });
    assert.deepEqual(withSession(incoming, incoming), { cookie: "a=1; mockpets=w1" });
  });
});

describe("a wrong argument is explained", () => {
  for (const [value, got] of [
    [undefined, "undefined"],
    [null, "null"],
    ["a-1", "a-1"],
    [[["mockpets-session", "a-1"]], "an array; pass `new Headers(array)`"],
    [Promise.resolve(new Headers()), "a promise; await it, as in `await headers()`"],
  ]) {
    it(got, () => {
      const message = `withSession expects the incoming request or its headers, got ${got}`;
      assert.throws(() => withSession(value), { name: "TypeError", message });
    });
  }
});

describe("a link", () => {
  const keep = "mockpets=demo%2Bretry; Path=/; SameSite=Lax";
  for (const [url, location, cookie] of [
    ["/pets?mockpets=demo%2Bretry", "/pets", keep],
    ["/?a=1&mockpets=demo%2Bretry&b=%20+#top", "/?a=1&b=%20+", keep],
    ["https://app.example:8443/pets?x&mockpets=demo%2Bretry", "https://app.example:8443/pets?x", keep],
    ["/pets?mockpets=demo+retry", "/pets", "mockpets=demo%20retry; Path=/; SameSite=Lax"],
    ["/pets?mockpets=", "/pets", "mockpets=; Path=/; SameSite=Lax; Max-Age=0"],
    ["/pets?mockpets", "/pets", "mockpets=; Path=/; SameSite=Lax; Max-Age=0"],
    // Of attackers: another attribute, another header, another host.
    ["/?mockpets=a;%20Domain=evil.test%0d%0aX:%201", "/", "mockpets=a%3B%20Domain%3Devil.test%0D%0AX%3A%201; Path=/; SameSite=Lax"],
    ["/.//evil.test/?mockpets=demo%2Bretry", "/evil.test/", keep],
    ["/?%6dockpets=demo%2Bretry&mockpets=other", "/", keep],
    ["//evil.test/?mockpets=demo%2Bretry", "/evil.test/", keep],
    ["/\\evil.test/?mockpets=demo%2Bretry", "/evil.test/", keep],
  ]) {
    it(url, () => assert.deepEqual(openLink(url), { Location: location, "Set-Cookie": cookie }));
  }
  it("of another kind is not touched", () => {
    for (const url of ["/", "/pets?a=mockpets", "/pets?xmockpets=a", "https://app.example/mockpets=a"]) assert.equal(openLink(url), null);
  });
});
