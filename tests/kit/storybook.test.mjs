// Tests of kit/storybook.js in Node; test_node.py runs them, and starts the server that MOCKPETS_URL names.
// The tests of examples/react run it in Storybook.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Mockpets, mockpetsLoader } from "../../kit/storybook.js";

/** Call the loader as Storybook does, by default for a new mount of a story on a Docs page. */
function load(mockpets, { id = "pets--list", viewMode = "docs", abortSignal = new AbortController().signal } = {}) {
  return mockpetsLoader({ id, viewMode, abortSignal, parameters: { mockpets } });
}
/** Like openapi-fetch, whose clients keep the `fetch` that they find when a module of the app makes them. */
const keptFetch = globalThis.fetch;
const list = (mock) => fetch(`${mock.baseUrl}/pets`, { headers: { Authorization: `Bearer ${mock.key}` } });
/** Wait until a session no longer exists. */
function dropped({ session }) {
  const server = new Mockpets();
  return new Promise((resolve) => {
    const stop = server.on("sessions", async () => {
      if ((await fetch(`${server.url}/__mockpets/sessions/${session}`)).ok) return;
      stop();
      resolve();
    });
  });
}

describe("mockpetsLoader", () => {
  it("makes no session without parameters", async () => {
    assert.deepEqual(await load(undefined), {});
    assert.deepEqual(await load(false), {});
  });

  it("makes a session with the contents of the parameters", async () => {
    const contents = { scenario: "retry", data: { pets: [{ id: 7, name: "Miso", categoryId: 2 }] } };
    const { mockpets } = await load(contents, { id: "shop-petlist--empty" });
    assert(mockpets instanceof Mockpets);
    assert.match(mockpets.session, /^shop-petlist-empty-[a-z0-9]+$/);
    assert.equal((await list(mockpets)).status, 503);
    assert.deepEqual(await mockpets.pets.all(), [{ id: 7, name: "Miso", categoryId: 2 }]);
  });

  it("shows two variants at once", async () => {
    const shown = await Promise.all(["empty", "server-error"].map((scenario) => load({ scenario })));
    const responses = await Promise.all(shown.map(({ mockpets }) => list(mockpets)));
    assert.deepEqual(await responses[0].json(), []);
    assert.equal(responses[1].status, 500);
  });

  it("gives each mount its own session, as long as the story is mounted", async () => {
    const { signal: abortSignal } = new AbortController();
    const { mockpets: one } = await load({ scenario: "empty" }, { abortSignal });
    const { mockpets: other } = await load({ scenario: "empty" });
    await one.pets.set([{ id: 7, name: "Miso", categoryId: 2 }]);
    assert.notEqual(one.session, other.session);
    assert.deepEqual(await other.pets.all(), []);
    const { mockpets: again } = await load({ scenario: "empty" }, { abortSignal });
    assert.equal(again, one);
    assert.equal((await again.pets.all()).length, 1);
  });

  it("deletes the session when the story is unmounted, also while it loads", async () => {
    const [early, late] = [new AbortController(), new AbortController()];
    const loading = load({}, { abortSignal: early.signal });
    early.abort();
    const { mockpets } = await load({}, { abortSignal: late.signal });
    late.abort();
    await Promise.all([dropped(mockpets), dropped((await loading).mockpets)]);
  });

  it("deletes the session of the last story when a portable story follows", async () => {
    const { mockpets: docs } = await load({});
    const { mockpets: first } = await load({}, { viewMode: "story" });
    const { mockpets: second } = await load({}, { viewMode: "story" });
    await dropped(first);
    assert.equal((await list(second)).status, 200);
    assert.equal((await list(docs)).status, 200);
  });

  it("warns once of a server that the stories do not expect", async (context) => {
    const warn = context.mock.method(console, "warn", () => {});
    for (const args of ["--seed=4 --delay 1s", ""]) await load({ url: process.env.OTHER_URL, args });
    assert.deepEqual(warn.mock.calls.map((call) => call.arguments), [[
      `mockpets: the server at ${process.env.OTHER_URL} is not as the tests expect: it lacks --sessions declared, ` +
        "it lacks --delay 1s; restart it, or name its options in parameters.mockpets.args",
    ]]);
  });

  it("has the base path of each contract, and warns of other contracts than the stories expect", async (context) => {
    const warn = context.mock.method(console, "warn", () => {});
    const url = process.env.NOTES_URL;
    const { mockpets } = await load({ scenario: "empty", url, args: "--contract other.yaml --contract pet-store" });
    assert.deepEqual([mockpets.baseUrl, mockpets.bases], [`${mockpets.rootUrl}/api/v2`, ["/api/v2", "/v1"]]);
    assert.deepEqual(await (await fetch(`${mockpets.baseUrl}/notes`)).json(), []);
    const [[message]] = warn.mock.calls.map((call) => call.arguments);
    assert.match(message, /: it has --contract \/api\/v2=[^ ]*notes\.yaml, it lacks --contract other\.yaml; restart/);
  });

  it("rejects typos in the parameters", async () => {
    await assert.rejects(load({ scenaro: "empty" }), /scenaro/);
    await assert.rejects(load({ scenario: "emtpy" }), /'emtpy'.*'empty'/);
    await assert.rejects(load({ sessionIn: "heder" }), { name: "TypeError", message: /'props' or 'header', got 'heder'/ });
  });

  describe("with sessionIn: header", () => {
    const parameters = { scenario: "empty", sessionIn: "header", url: process.env.MOCKPETS_URL };
    const get = async (headers) => {
      const response = await globalThis.fetch(`${process.env.MOCKPETS_URL}/v1/pets`, { headers });
      return response.headers.get("Mockpets-Session");
    };
    const page = (test) => async () => {
      globalThis.location = { href: "http://localhost:6006/iframe.html" };
      try {
        await test();
      } finally {
        await load(undefined, { viewMode: "story" }); // no story sends its session any more
        delete globalThis.location;
      }
    };

    it("the page's requests send the session, unless they name one", page(async () => {
      const { mockpets } = await load(parameters, { viewMode: "story" });
      assert.equal(await get({ Authorization: "Bearer mockpets" }), mockpets.session);
      assert.equal(await get({ Authorization: "Bearer mockpets~default" }), "default");
      assert.equal(await get({ Authorization: "Bearer mockpets", baggage: "mockpets.session=default" }), "default");
    }));

    it("also those to another base path", page(async () => {
      const url = process.env.NOTES_URL;
      await load({ ...parameters, url }, { viewMode: "story" });
      assert.deepEqual(await (await globalThis.fetch(`${url}/api/v2/notes`)).json(), []);
    }));

    it("also the requests of a client that keeps fetch when it is imported", page(async () => {
      const { mockpets } = await load(parameters, { viewMode: "story" });
      const request = new Request(`${parameters.url}/v1/pets`, { headers: { Authorization: "Bearer mockpets" } });
      const response = await keptFetch(request);
      assert.equal(response.headers.get("Mockpets-Session"), mockpets.session);
      assert.deepEqual(await response.json(), []);
    }));
  });

  it("rejects sessionIn: header on a page with several stories", async () => {
    const error = { name: "TypeError", message: /set parameters\.docs\.story\.inline to false/ };
    await assert.rejects(load({ sessionIn: "header" }), error);
  });
});
