// Tests of kit/client.js; test_node.py runs them, and starts the servers that the variables name.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { Mockpets, MockpetsError } from "../../kit/client.js";

const { MOCKPETS_URL, OTHER_URL, DECLARED_URL, FILES_URL } = process.env;
const FILE = fileURLToPath(import.meta.url);
const HELD = { description: "Held.", stubs: [{ match: { operation: "listPets" }, hold: "door" }] };

/** A client of a new session. */
const client = (options) => new Mockpets({ session: Mockpets.slug("test", Math.random()), ...options });
const list = (mock, query = "") =>
  fetch(`${mock.baseUrl}/pets${query}`, { headers: { Authorization: `Bearer ${mock.key}` } });
const rejects = (promise, code, message) =>
  assert.rejects(promise, (error) => {
    assert(error instanceof MockpetsError && error instanceof Error);
    assert.equal(error.code, code);
    assert.match(error.message, message);
    return true;
  });
/** A promise, and the function that resolves it. */
function signal() {
  let resolve;
  const promise = new Promise((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

describe("slug", () => {
  it("returns valid, readable names for all titles", async () => {
    for (const title of ["", "A b", "ÄÖÜ ß", "日本", "-", "x".repeat(500), "../..", "\ud800", "~+%2f"]) {
      const session = Mockpets.slug(title);
      assert.match(session, /^[a-z0-9][a-z0-9._-]{0,63}$/, title);
      const mock = client({ session });
      await mock.use("empty");
      assert.equal((await list(mock)).headers.get("Mockpets-Session"), session);
    }
    assert.match(Mockpets.slug("An empty list: says so!"), /^an-empty-list-says-so-[a-z0-9]+$/);
    const calls = [["a"], ["A"], ["a", 1], ["a", 1, 2], ["a", 12], ["a", "b"], ["ab"], ["a", "b", ""]];
    const names = calls.map((call) => Mockpets.slug(...call));
    assert.equal(new Set(names).size, calls.length);
    assert.deepEqual(calls.map((call) => Mockpets.slug(...call)), names);
  });
});

describe("the constructor", () => {
  it("accepts the root, a base URL and the URLs of pets and panel", () => {
    for (const path of ["", "/", "/v1/", "/v1/pets", "/__mockpets"]) {
      assert.equal(new Mockpets({ url: `http://localhost:7387${path}` }).baseUrl, "http://localhost:7387/v1");
      const named = new Mockpets({ url: `https://host.example/mock/~W-1${path}` });
      assert.equal(named.session, "w-1");
      assert.equal(named.baseUrl, "https://host.example/mock/~w-1/v1");
      assert.equal(named.url, "https://host.example/mock");
    }
    assert.equal(new Mockpets().url, MOCKPETS_URL);
  });
  it("names the session in the key and the headers", () => {
    const mock = new Mockpets({ url: "http://localhost:7387/~other", session: "W1", key: "secret" });
    assert.equal(mock.key, "secret~w1");
    assert.deepEqual(mock.headers, { "Mockpets-Session": "w1" });
  });
  it("rejects invalid URLs without their secrets, and invalid session names", () => {
    for (const [url, shown] of Object.entries({
      "localhost:7387": "localhost:7387",
      "http://x/?a": "http://x/?[redacted]",
      "http://x:99999": "http://x:99999",
      "http://me:topsecret@x": "http://[redacted]@x",
      "http://me:8/~topsecret@x": "http://[redacted]@x",
      "me:topsecret@x": "[redacted]@x",
      "http://x/__mockpets/#token=topsecret": "http://x/__mockpets/#token=[redacted]",
      "http://x/~a#topsecret": "http://x/~a#[redacted]",
    })) {
      assert.throws(() => new Mockpets({ url }), { name: "TypeError", message: `not a valid server URL: '${shown}'; use a URL such as http://localhost:7387` });
    }
    assert.throws(() => new Mockpets({ url: "http://x/~a+empty" }), /names scenarios; activate them with use\(\)/);
    for (const session of ["a b", "ü", "-a", "x".repeat(65), "a/b", "~"]) {
      assert.throws(() => new Mockpets({ session }), /invalid session name .*Mockpets\.slug/, session);
    }
  });
});

describe("a session", () => {
  it("is taken to another server", async () => {
    const [mock, copy] = [client(), client({ url: OTHER_URL })];
    await mock.make({ scenario: "retry", data: { pets: [{ id: 7, name: "Miso", categoryId: 2 }] }, clock: { now: "2031-01-01", frozen: true } });
    await list(mock);
    const exported = await mock.export({ log: true });
    assert.equal(exported.log.log.entries.length, 1);
    await copy.import(exported);
    const { log, session, ...contents } = exported;
    assert.deepEqual(await copy.export(), { ...contents, session: copy.session });
    await rejects(copy.import({ ...contents, format: 9 }), "invalid_request", /format 9/);
  });

  it("is selected by baseUrl, key, headers and baggage", async () => {
    const mock = client();
    await mock.use("sold-out");
    const Authorization = "Bearer mockpets";
    const requests = [
      [mock.baseUrl, { Authorization }],
      [`${MOCKPETS_URL}/v1`, { Authorization: `Bearer ${mock.key}` }],
      [`${MOCKPETS_URL}/v1`, { Authorization, ...mock.headers }],
      [`${MOCKPETS_URL}/v1`, { Authorization, baggage: mock.baggage }],
    ];
    for (const [url, headers] of requests) {
      const response = await fetch(`${url}/pets`, { headers });
      assert.equal(response.headers.get("Mockpets-Session"), mock.session);
      assert((await response.json()).every(({ status }) => status === "sold"));
    }
    assert.equal((await mock.requests()).length, 4);
  });
  it("is made with scenarios, a seed and data", async () => {
    const mock = client();
    await mock.make({ scenario: ["retry", "slow"], data: { pets: [{ id: 7, name: "Miso", categoryId: 2 }] }, seed: 3 });
    assert.deepEqual(await mock.pets.all(), [{ id: 7, name: "Miso", categoryId: 2 }]);
    assert.equal((await list(mock)).status, 503);
    await mock.make({ scenario: "default" });
    assert.equal((await list(mock)).status, 200);
  });
  it("has a clock that can be set, frozen and advanced", async () => {
    const mock = client();
    const date = new Date("2031-02-03T04:05:06.789Z");
    assert.equal((await mock.clock.get()).set, false);
    assert.deepEqual(await mock.clock.freeze(date), { now: date.toISOString(), frozen: true, set: true });
    assert.equal((await mock.clock.advance(30 * 86_400_000 + 0.4)).now, "2031-03-05T04:05:06.789Z");
    assert.equal((await list(mock)).headers.get("Date"), "Wed, 05 Mar 2031 04:05:06 GMT");
    assert.equal((await mock.clock.set(date.getTime())).frozen, true);
    assert.match((await mock.clock.set("2031-01-01", { frozen: false })).now, /^2031-01-01T00:0/);
    assert.equal((await mock.clock.set(null)).set, false);
    await rejects(mock.clock.set("2031-01-01T00:00"), "invalid_request", /add the offset: Z for UTC/);
  });
  it("names itself by header on every call, with the token", async () => {
    const calls = [];
    const mock = client({
      token: "t",
      fetch: async (url, init) => {
        calls.push([init.method, new URL(url).pathname, init.headers]);
        const body = { next: null, data: [], records: [], requests: [], released: 0, log: {} };
        return new Response(JSON.stringify(body), { headers: { "Mockpets-Session-Id": "1" } });
      },
    });
    const { make, use, reset, drop, collections, requests, har, verify } = Mockpets.prototype;
    for (const call of [make, use, reset, drop, collections, requests, har]) await call.call(mock);
    await verify.call(mock, "x");
    const { all, set, add, get, change, delete: remove } = mock.data("orders");
    for (const call of [all, set, add, get, change, remove]) await call("x", {});
    await mock.gate("g").held();
    await mock.gate("g").open();
    assert.equal(calls.length, 16);
    for (const [, path, headers] of calls) {
      assert.equal(headers["Mockpets-Session"], mock.session, path);
      assert.equal(headers.Authorization, "Bearer t", path);
    }
  });
  it("must be made first if the server has --sessions declared, and needs its token", async () => {
    const mock = client({ url: DECLARED_URL, token: "secret-token" });
    await rejects(mock.use("empty"), "unknown_session", /unknown session/);
    await mock.make();
    await mock.use("empty");
    await rejects(client({ url: DECLARED_URL }).make(), "unauthorized", /token is missing/);
    await rejects(client({ url: DECLARED_URL, token: "x" }).make(), "unauthorized", /token is invalid/);
  });
  it("is lost if drop deletes another one, which it always does", async () => {
    const mock = client();
    const other = client({ session: mock.session });
    const replace = async () => {
      await mock.make();
      await other.drop();
      await other.make();
    };
    await replace();
    await mock.drop();
    await replace();
    await rejects(mock.drop({ checkLost: true }), "session_lost", /was lost/);
    await rejects(other.pets.all(), "session_dropped", /deleted/);
    await mock.make();
    await mock.drop({ checkLost: true });
  });
});

describe("use", () => {
  it("activates names and inline scenarios, the first with precedence", async () => {
    const mock = client();
    await mock.use({ description: "Down.", stubs: [{ match: { params: { petId: 1 } }, reply: { status: 503 } }] }, "empty");
    assert.equal((await fetch(`${mock.baseUrl}/pets/1`, { headers: { Authorization: "Bearer mockpets" } })).status, 503);
    assert.deepEqual(await (await list(mock)).json(), []);
  });
  it("lists every problem of an inline scenario", async () => {
    const scenario = { stubs: [{ macth: {}, fault: "x" }] };
    await rejects(client().use(scenario), "invalid_scenario", /did you mean 'match'[^]*\n.*must be connection_reset/);
  });
});

describe("pets", () => {
  it("are listed beyond the first 1000, and by status", async () => {
    const mock = client();
    await mock.pets.set(1500);
    assert.equal((await mock.pets.all()).length, 1500);
    await mock.pets.set([1, 2].map((id) => ({ id, name: "Miso", categoryId: 2, status: id > 1 ? "sold" : "pending" })));
    assert.deepEqual((await mock.pets.all({ status: "sold" })).map(({ id }) => id), [2]);
    assert.deepEqual(await mock.data("pets").all({ categoryId: 2, status: "sold" }), await mock.pets.all({ id: 2 }));
    await rejects(mock.pets.all({ stats: "sold" }), "invalid_request", /did you mean 'status'/);
  });
  it("are set as a list, a number, what to generate, a fixture, or an object with the list", async () => {
    const mock = client();
    const one = [{ id: 7, name: "Miso", categoryId: 2 }];
    const contents = [[one, 1], [3, 3], [{ count: 5, seed: 2, locale: "de_DE" }, 5], ["sold-out", 12], [{ records: one }, 1]];
    for (const [content, total] of contents) {
      await mock.pets.set(content);
      assert.equal((await mock.pets.all()).length, total, JSON.stringify(content));
    }
    assert.deepEqual(await mock.pets.get(7), one[0]);
    await rejects(mock.pets.set([{ id: 7, nmae: "Miso", categoryId: 2 }]), "invalid_request", /did you mean 'name'/);
  });
  it("are added, changed and deleted, whatever the scenarios respond", async () => {
    const mock = client();
    await mock.use("create-rejected");
    await mock.pets.set([{ id: 7, name: "Miso", categoryId: 2, status: "sold" }]);
    const { id } = await mock.pets.add({ name: "Rex", categoryId: 3 });
    assert.deepEqual(await mock.pets.change(7, { status: null }), { id: 7, name: "Miso", categoryId: 2 });
    await mock.pets.delete(7);
    assert.deepEqual(await mock.pets.all(), [{ id, name: "Rex", categoryId: 3 }]);
    assert.deepEqual(await mock.requests(), []);
    assert.equal(typeof (await mock.pets.add()).name, "string");
    await rejects(mock.pets.add({ nmae: "x", categoryId: 3 }), "invalid_request", /did you mean 'name'/);
    await rejects(mock.pets.delete(7), "pet_not_found", /7/);
    for (const name of ["", ".", "..", "a/b"]) {
      await assert.rejects(mock.pets.delete(name), /invalid name .*must not be empty or contain '\/'/, name);
    }
  });
});

describe("scenario files", () => {
  const text = "description: Mine.\nstubs: [{reply: {status: 503}}]\n";
  it("are checked", async () => {
    const { problems, warnings } = await client().checkScenario("description: d\nstub: []\n", "mine");
    assert.deepEqual([problems[0].file, problems[0].line, warnings], ["mine.yaml", 2, []]);
    assert.deepEqual((await client().checkScenario(text)).scenarios, ["scenario"]);
    await rejects(client().checkScenario(text, "A b"), "invalid_request", /kebab-case/);
  });
  it("are saved, unless they changed meanwhile or are invalid", async () => {
    const mock = client({ url: FILES_URL });
    const { digest } = await mock.saveScenario("mine", text);
    await rejects(mock.saveScenario("mine", text), "conflict", /was created/);
    const changed = await mock.saveScenario("mine", text.replace("503", "502"), digest);
    await rejects(mock.saveScenario("mine", text, digest), "conflict", /has changed/);
    await rejects(mock.saveScenario("mine", "stubs: 3", changed.digest), "invalid_scenario", /description/);
    assert.equal((await mock.scenario("mine")).text, text.replace("503", "502"));
    await rejects(mock.saveScenario("retry", text), "forbidden", /another name/);
    await rejects(client().saveScenario("mine", text), "forbidden", /no writable scenario folder/);
  });
  it("are overridden in one session", async () => {
    const [mock, other] = [client(), client()];
    assert.equal((await mock.overrideScenario("retry", text)).override, true);
    for (const [session, status] of [[mock, 503], [other, 200]]) {
      await session.use(session === mock ? "retry" : "default");
      assert.equal((await list(session)).status, status);
    }
    await mock.dropOverride("retry");
    assert.match((await mock.scenario("retry")).text, /fail-twice/);
    await rejects(mock.dropOverride("retry"), "not_found", /no override/);
    await rejects(mock.overrideScenario("mine", "stubs: 3"), "invalid_scenario", /description/);
  });
});

describe("the contract", () => {
  it("says what each operation does", async () => {
    const [{ base, operations }] = await client().contract();
    assert.equal(base, "/v1");
    assert.deepEqual(operations.map(({ name, role }) => [name, role]), [["listPets", "list"], ["createPet", "create"], ["getPet", "get"]]);
  });
});

describe("findings", () => {
  it("are those of the session", async () => {
    const mock = client();
    await list(mock, "?sort=name");
    const { report } = await mock.findings();
    assert.deepEqual(report.findings.map(({ rule }) => rule), ["unknown-parameter"]);
    assert.deepEqual((await client().findings()).report.findings, []);
  });
});

describe("records", () => {
  it("are read and changed, whatever the stubs respond", async () => {
    const mock = client();
    const items = Array.from({ length: 1500 }, (_, index) => ({ id: `o-${index}`, petId: 3 }));
    const stubs = [{ match: { method: "POST", path: "/v1/store/orders" }, reply: { status: 503 } }];
    await mock.use({ description: "d", stubs, resources: [{ path: "/v1/store/orders" }], data: { orders: items } });
    const orders = mock.data("orders");
    assert.equal((await orders.all()).length, 1500);
    assert.deepEqual(await orders.all({ id: "o-1499", petId: 3 }), [items[1499]]);
    await rejects(orders.all({ petid: 3 }), "invalid_request", /no record of orders has the property 'petid'/);
    await orders.set([{ petId: 1, id: "a b" }, { petId: 2, id: "ü" }]);
    assert.deepEqual(await orders.change("a b", { petId: null, note: "x" }), { id: "a b", note: "x" });
    assert.deepEqual(await orders.get("ü"), { id: "ü", petId: 2 });
    const { id } = await orders.add({ petId: 4 });
    await orders.delete("a b");
    assert.deepEqual((await orders.all()).map((order) => order.id), ["ü", id]);
    const [pets, { name, path, total, changed, hidden_by }] = await mock.collections();
    assert.deepEqual([pets.name, pets.scenario, pets.total, pets.content_of], ["pets", null, 16, null]);
    assert.deepEqual([name, path, total, changed, hidden_by], ["orders", "/v1/store/orders", 2, true, null]);
    await rejects(orders.get("x"), "not_found", /orders has no record with the id x/);
    await rejects(orders.add({ petId: "x" }), "invalid_request", /petId must be a number, got "x"/);
    await rejects(mock.data("order").all(), "not_found", /did you mean 'orders'/);
    assert.throws(() => mock.data("a/b"), /must not be empty or contain '\/'/);
  });
});

describe("requests and verify", () => {
  it("filter, and return entries", async () => {
    const mock = client();
    await list(mock, "?limit=1");
    await list(mock, "?limit=0");
    assert.deepEqual((await mock.requests()).map(({ status }) => status), [200, 400]);
    assert.deepEqual((await mock.requests({ status: "4xx", stub: undefined })).map(({ number }) => number), [2]);
    assert.equal((await mock.har({ status: 200 })).log.entries.length, 1);
    const [entry] = await mock.verify({ operation: "listPets", query: { limit: 1 } }, 1);
    assert.equal(entry.number, 1);
    await mock.verify({ operation: "createPet" }, 0);
    await mock.verify({ outcome: "sent" }, { at_least: 1, at_most: 2 });
    await mock.verify({ status: ["4xx", 503], outcome: "sent" }, 1);
    await rejects(mock.requests({ opration: "x" }), "invalid_request", /did you mean 'operation'/);
    await mock.reset();
    assert.deepEqual(await mock.requests(), []);
  });
  it("are explained, also before they are sent", async () => {
    const mock = client();
    await rejects(mock.explain(), "not_found", /it is empty/);
    await mock.use("create-rejected");
    const create = { method: "POST", path: "/v1/pets", body: { name: "Miso", categoryId: 2 } };
    const unsent = await mock.explainRequest(create);
    assert.equal(unsent.summary, "stub create-rejected/reject responds with 400");
    assert.deepEqual(await mock.requests(), []);
    await list(mock, "?limit=1");
    await list(mock, "?limit=0");
    assert.deepEqual([(await mock.explain()).request.number, (await mock.explain(1)).nearest], [2, null]);
    await rejects(mock.explainRequest({ ...create, metod: "GET" }), "invalid_request", /unknown key 'metod'/);
    await rejects(mock.verify({ operation: "getPet" }, 1, { within: 1 }), "verification_failed", /0 of 2 matched/);
    await rejects(mock.verify({}, 1, { within: 40_000 }), "invalid_request", /within.*30s/);
  });
  it("become stubs and recordings", async () => {
    const mock = client();
    const { after } = await mock.startRecording();
    await list(mock, "?limit=2");
    const [entry] = await mock.requests();
    assert.deepEqual((await mock.stub(entry.number, { delay: 1500, times: 2 })).stub, {
      match: { operation: "listPets", query: { limit: "2" } },
      times: 2,
      delay: "1500ms",
    });
    const { matches, active } = await mock.respondLike(entry, { status: 503 });
    assert.deepEqual([after, matches, active], [0, [1], ["like-request-1", "default"]]);
    assert.deepEqual([(await list(mock, "?limit=2")).status, (await list(mock)).status], [503, 200]);
    assert.deepEqual((await mock.dropStub(entry.number)).active, ["default"]);
    assert.equal((await list(mock, "?limit=2")).status, 200);
    const { requests, stubs, notes, yaml } = await mock.recording();
    assert.deepEqual([requests, stubs, notes], [4, 1, []]);
    assert.match(yaml, /sequence: \[pass, \{status: 503\}, pass\]/);
  });
});

describe("a response that waits", () => {
  it("is listed, and released by its number", async () => {
    const mock = client();
    await mock.use(HELD);
    const responses = [list(mock, "?limit=1"), list(mock, "?limit=2")];
    await mock.gate("door").held(2);
    const [first, second] = await mock.held();
    assert.deepEqual([first.waits, first.gate, second.request], ["held", "door", 2]);
    await rejects(mock.release([2, 9]), "not_found", /request 9 does not wait/);
    await mock.release([1, 2], { reply: { error: "unauthorized" }, delay: 1 });
    for (const response of await Promise.all(responses)) assert.equal(response.status, 401);
    await rejects(mock.gate("door").held(1, 1), "not_held", /door/);
    await rejects(mock.gate("dor").held(1, 1), "not_held", /'dor', got 0; did you mean 'door'\?/);
    await rejects(mock.gate("lodaing").held(1, 1), "not_held", /did you mean 'loading'\?/);
  });
});

describe("on", () => {
  it("passes each request to a listener once, when its response is sent", async () => {
    const mock = client();
    await mock.use(HELD);
    await fetch(`${mock.baseUrl}/pets/1`, { headers: { Authorization: `Bearer ${mock.key}` } });
    const [entries, three] = [[], signal()];
    const stop = mock.on("request", ({ number, path, status }) => entries.push([number, path, status]) === 3 && three.resolve());
    const held = list(mock);
    await mock.gate("door").held();
    await fetch(`${mock.baseUrl}/pets/999`, { headers: { Authorization: `Bearer ${mock.key}` } });
    await mock.gate("door").open();
    await held;
    await three.promise;
    stop();
    assert.deepEqual(entries.sort(([one], [other]) => one - other), [[1, "/v1/pets/1", 200], [2, "/v1/pets", 200], [3, "/v1/pets/999", 404]]);
  });
  it("reports a held response, and rejects an unknown kind", async () => {
    const mock = client();
    await mock.use("loading");
    const held = signal();
    const stop = mock.on("held", async () => (await mock.held()).length && held.resolve());
    const response = list(mock);
    await held.promise;
    stop();
    await mock.gate("loading").open();
    await response;
    assert.throws(() => mock.on("hold", () => {}), { name: "TypeError", message: /'hold'; use one of .*data, .*held/ });
  });
  it("lets the process end once nobody listens, and ends it if the server rejects the call", () => {
    const run = (text) => spawnSync(process.execPath, ["--input-type=module", "-e", text], { cwd: new URL(".", import.meta.url), encoding: "utf8", timeout: 30_000 });
    const begin = `import { Mockpets } from "${new URL("../../kit/client.js", import.meta.url)}";`;
    const ended = run(`${begin} const stop = new Mockpets({ session: "ends" }).on("data", () => stop());`);
    assert.deepEqual([ended.status, ended.stderr], [0, ""]);
    const rejected = run(`${begin} new Mockpets({ url: "${DECLARED_URL}" }).on("data", () => {});`);
    assert.equal(rejected.status, 1);
    assert.match(rejected.stderr, /MockpetsError: the control token is missing/);
    assert(rejected.stderr.includes(`; the server is ${DECLARED_URL}`));
  });
});

describe("a lost session", () => {
  /** A client whose server is replaced by another one. */
  async function restarted() {
    let url = MOCKPETS_URL;
    const mock = client({ fetch: (target, init) => fetch(target.replace(MOCKPETS_URL, url), init) });
    await mock.make();
    await mock.pets.all();
    url = OTHER_URL;
    return mock;
  }
  it("is reported by each call, until it is made again", async () => {
    const mock = await restarted();
    const lost = new RegExp(`^session ${mock.session} was lost: the server was restarted`);
    await rejects(mock.pets.all(), "session_lost", lost);
    await rejects(mock.use("empty"), "session_lost", lost);
    await rejects(mock.verify({ operation: "getPet" }, 0), "session_lost", lost);
    await rejects(mock.gate("door").held(1, 1), "session_lost", lost);
    await mock.make({ scenario: "default" });
    assert.equal((await mock.pets.all()).length, 16);
  });
});

describe("errors", () => {
  it("say that no server is there", async () => {
    await rejects(client({ url: "http://localhost:1" }).pets.all(), "unreachable", /^cannot connect to http:\/\/localhost:1 \(.+\); is mockpets running/);
    for (const [body, status] of [["<html>", 200], ["[]", 500], ["{}", 404], ["null", 200], ["", 204 + 300]]) {
      const mock = client({ fetch: async () => new Response(body, { status }) });
      await rejects(mock.requests(), "unreachable", new RegExp(`is not a mockpets server \\(status ${status}\\)`)).catch((error) => {
        throw new Error(`${body} ${status}`, { cause: error });
      });
    }
  });
  it("say which side is older before any other call, and how to update it", async () => {
    const older = { status: "ok", version: "0.1.0", protocol: 1, bases: ["/v1"] };
    const update = /older than this kit: the server is mockpets 0\.1\.0 \(protocol 1\), the kit mockpets \S+ \(protocol 2\); where the server runs, run 'pip install \.' in a current checkout of mockpets$/;
    const newer = { status: "ok", version: "0.9.0+g16b7e1f", protocol: 3, bases: ["/v1"] };
    const write = /newer than this kit: the server is mockpets 0\.9\.0\+g16b7e1f \(protocol 3\), .*; update the kit with 'mockpets kit DIR' of/;
    for (const [port, health, message] of [[1, older, update], [2, newer, write]]) {
      const asked = [];
      const fetch = async (url, init) => {
        asked.push([init.method, new URL(url).pathname, init.headers]);
        return Response.json(url.endsWith("/health") ? health : {});
      };
      const mock = client({ url: `http://localhost:${port}`, fetch });
      await rejects(mock.make(), "incompatible", message);
      await rejects(mock.drop({ checkLost: true }), "incompatible", message);
      assert.deepEqual(asked, Array(2).fill(["GET", "/__mockpets/health", {}]));
    }
  });
  it("do not come from a newer server with the same protocol, which one client asks for all", async () => {
    const asked = [];
    const fetch = async (url) => {
      asked.push(new URL(url).pathname);
      const health = { status: "ok", version: "9.9.9", protocol: 2, bases: ["/v1"], more: [] };
      return Response.json(url.endsWith("/health") ? health : { requests: [] });
    };
    const [one, two] = [1, 2].map(() => client({ url: "http://localhost:3", fetch }));
    await Promise.all([one.requests(), two.requests()]);
    await one.requests();
    assert.deepEqual(asked.filter((path) => path.endsWith("/health")).length, 1);
    assert.equal(asked.length, 4);
  });
  it("point to the line that made the call", async () => {
    for (const call of [() => client().use("emtpy"), () => client().gate("x").held(1, 1)]) {
      const error = await call().catch((caught) => caught);
      assert.match(error.stack, /^MockpetsError: /);
      assert.doesNotMatch(error.stack, /kit\/client\.js:/);
      assert(error.stack.includes(FILE), error.stack);
    }
  });
});
