// Tests of kit/cypress.js with a real server; test_node.py runs them, and names the server in variables.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, beforeEach, describe, it } from "node:test";
import { browse, runBefore, runTest, setApp } from "./fake.mjs";
import { Mockpets, MockpetsError } from "../../../kit/cypress.js";

const { DECLARED_URL } = process.env; // a server with --sessions declared
const KEY = { Authorization: "Bearer mockpets" };
const HELD = { description: "Held.", stubs: [{ match: { operation: "listPets" }, hold: "list" }] };

let received; // by the servers of the app and of a third party
const servers = [1, 2].map(() =>
  createServer((request, response) => {
    received.push(request);
    response.end("<!doctype html>");
  }),
);
let APP, THIRD_PARTY;

before(async () => {
  for (const server of servers) await new Promise((done) => server.listen(0, "127.0.0.1", done));
  [APP, THIRD_PARTY] = servers.map((server) => `http://localhost:${server.address().port}`);
});
after(() => servers.forEach((server) => server.close()));
beforeEach(() => {
  received = [];
  Object.assign(Cypress.settings, { baseUrl: APP });
  Cypress.variables = { MOCKPETS_URL: DECLARED_URL };
  setApp(undefined);
});

/** Run a test that must pass. */
async function passes(title, body) {
  const [{ error, hookError, logs }] = await runTest(title, body);
  assert.equal(error, undefined);
  assert.equal(hookError, undefined);
  assert.deepEqual(logs, []);
}
/** Run a test that must fail; return its error. */
async function fails(title, body) {
  const [{ error }] = await runTest(title, body);
  assert(error, "the test passes");
  return error;
}
const list = (headers = {}) => browse(`${DECLARED_URL}/v1/pets`, { headers: { ...KEY, ...headers } });
const listed = async (headers) => (await list(headers)).json();

describe("cy.mockpets", () => {
  it("creates a session for the test, and yields it", async () => {
    let mock;
    await passes("An empty list: says so", () => {
      cy.mockpets("empty").then(async (yielded) => {
        mock = yielded;
        assert(mock instanceof Mockpets);
        assert.match(mock.session, /^an-empty-list-says-so-[a-z0-9]+$/);
        assert.deepEqual(await mock.pets(), []);
      });
    });
    await assert.rejects(mock.pets(), { code: "session_dropped" });
  });
  it("activates more scenarios, and keeps the session, when it is called again", async () => {
    await passes("again", () => {
      cy.mockpets().then(async (first) => {
        assert.equal((await listed()).length, 16);
        cy.mockpets(["sold-out", "empty"]).then(async (second) => {
          assert.equal(second, first);
          assert.equal((await listed()).length, 12);
        });
        cy.mockpets(HELD);
        cy.mockpets().then(async () => {
          const responses = [list(), list()];
          await first.gate("list").held(2);
          await first.gate("list").open();
          await Promise.all(responses);
        });
      });
    });
  });
  it("creates other sessions for other tests and for each attempt", async () => {
    const sessions = [];
    const body = () => {
      cy.mockpets("empty").then((mock) => {
        sessions.push(mock.session);
        throw new Error("fails");
      });
    };
    await runTest("one", body, { retries: 2 });
    await runTest("two", body);
    assert.equal(new Set(sessions).size, 4);
  });
  it("rejects an unknown scenario with the nearest name, and the next test is not affected", async () => {
    const [{ error, hookError }] = await runTest("typo", () => void cy.mockpets("emtpy"));
    assert(error instanceof MockpetsError);
    assert.match(error.message, /did you mean 'empty'\?/);
    assert.equal(hookError, undefined);
    await passes("typo", () => void cy.mockpets("empty"));
  });
  it("fails before and after tests, and outside of them", async () => {
    const message = /^Error: call cy\.mockpets\(\) in a test or in beforeEach, not in before or after$/;
    assert.match(String(await runBefore(() => void cy.mockpets())), message);
    await passes("a test", () => void cy.mockpets());
    assert.match(String(await runBefore(() => void cy.mockpets())), message);
  });
});

describe("options", () => {
  it("come from the variables of Cypress", async () => {
    Cypress.variables = { MOCKPETS_URL: `${DECLARED_URL}/`, MOCKPETS_KEY: "secret", MOCKPETS_CONTROL_TOKEN: "t" };
    await passes("variables", () => {
      cy.mockpets().then((mock) => {
        assert.equal(mock.url, DECLARED_URL);
        assert.equal(mock.key, `secret~${mock.session}`);
      });
    });
  });
  it("of a server that the tests do not expect are one warning in the command log", async () => {
    Cypress.variables = { MOCKPETS_URL: process.env.OTHER_URL, MOCKPETS_ARGS: "--pets 3" };
    const warnings = [];
    for (const title of ["one", "two"]) warnings.push(...(await runTest(title, () => void cy.mockpets()))[0].logs);
    assert.deepEqual(warnings, [
      `mockpets the server at ${process.env.OTHER_URL} is not as the tests expect: it has --seed 4, it lacks ` +
        "--sessions declared, it lacks --pets 3; restart it, or name its options in MOCKPETS_ARGS",
    ]);
  });
  it("send the token", async () => {
    Cypress.variables = { MOCKPETS_URL: process.env.TOKEN_URL };
    assert.equal((await fails("token", () => void cy.mockpets())).code, "unauthorized");
    await passes("token", () => void cy.mockpets("empty", { token: "secret-token" }));
    Cypress.variables.MOCKPETS_CONTROL_TOKEN = "secret-token";
    await passes("token", () => void cy.mockpets("empty"));
  });
  it("are rejected in a second call, and if an origin is not valid", async () => {
    const twice = await fails("twice", () => void cy.mockpets().then(() => cy.mockpets("empty", { key: "late" })));
    assert.match(String(twice), /^TypeError: only the first cy\.mockpets\(\) of a test accepts options$/);
    const invalid = await fails("origin", () => void cy.mockpets("empty", { origins: ["topsecret@localhost"] }));
    assert.match(String(invalid), /not a valid origin: '\[redacted\]@localhost'/);
  });
});

describe("the page sends the session", () => {
  it("to mockpets, to the app and to further origins, and to no third party", async () => {
    await passes("origins", () => {
      cy.mockpets("empty").then(async (mock) => {
        const named = await list();
        assert.equal(named.headers.get("Mockpets-Session"), mock.session);
        await browse(`${APP}/`);
        await browse(`${THIRD_PARTY}/font.woff2`);
        assert.deepEqual(received.map(({ headers }) => headers["mockpets-session"]), [mock.session, undefined]);
        assert.deepEqual(received.map(({ headers }) => headers.baggage), [mock.baggage, undefined]);
      });
    });
    received = [];
    await passes("further origins", () => {
      cy.mockpets("empty", { origins: [THIRD_PARTY] }).then(async (mock) => {
        await browse(`${THIRD_PARTY}/`);
        assert.equal(received[0].headers["mockpets-session"], mock.session);
      });
    });
  });
  it("in the request of cy.visit, so that a server can render with it", async () => {
    let session;
    await passes("document", () => {
      cy.mockpets().then((mock) => (session = mock.session));
      cy.visit("/");
    });
    assert.deepEqual(received.map(({ url, headers }) => [url, headers["mockpets-session"]]), [["/", session]]);
  });
  it("by every loopback name, and not to names or ports that only begin alike", async () => {
    const { port } = new URL(DECLARED_URL);
    await passes("names", () => {
      cy.mockpets("empty").then(async (mock) => {
        const named = await browse(`http://127.0.0.1:${port}/v1/pets`, { headers: KEY });
        assert.equal(named.headers.get("Mockpets-Session"), mock.session);
        const other = new URL(THIRD_PARTY).port;
        await browse(`http://localhost:${other}/?url=http://localhost:${port}/`);
        assert.equal(received[0].headers["mockpets-session"], undefined);
      });
    });
  });
  it("unless the request names one itself, such as that of a second client in the test", async () => {
    await passes("two sessions", () => {
      cy.mockpets().then(async (mock) => {
        const fetch = (url, { signal, credentials, ...init }) =>
          browse(url, { ...init, headers: Object.fromEntries(new Headers(init.headers)) });
        const second = new Mockpets({ url: DECLARED_URL, session: `${mock.session.slice(0, 50)}-2`, fetch });
        await second.make({ scenario: "empty" });
        assert.deepEqual(await second.pets(), []);
        assert.equal((await mock.pets()).length, 16);
        await second.drop();
      });
    });
  });
  it("and leaves CORS preflights to the server", async () => {
    await passes("preflight", () => {
      cy.mockpets().then(async () => {
        const headers = { origin: "http://localhost:5173", "access-control-request-method": "GET" };
        const response = await browse(`${DECLARED_URL}/v1/pets`, { method: "OPTIONS", headers });
        assert.equal(response.headers.get("X-From"), null);
        assert(response.headers.get("Access-Control-Allow-Origin"));
      });
    });
  });
});

describe("after the test", () => {
  /** Replace the session by another one of the same name, as if the server had been restarted. */
  async function lose({ session }) {
    const other = new Mockpets({ url: DECLARED_URL, session });
    await other.drop();
    await other.make();
  }
  it("a lost session comes before the failure that it has caused", async () => {
    const [{ hookError }] = await runTest("lost", () => {
      cy.mockpets().then(lose);
      cy.then(() => {
        throw new Error("expected to find 'No pets yet'");
      });
    });
    assert.match(hookError.message, /^session lost-.* was lost: [^]*\n\nThe test failed with: expected to find 'No pets yet'$/);
    assert.equal(hookError.code, "session_lost");
  });
  it("a lost session that a call of the test has reported is not reported again", async () => {
    const [{ error, hookError }] = await runTest("lost", () => {
      cy.mockpets().then(lose);
      cy.mockpets().then((mock) => mock.pets());
    });
    assert.equal(error.code, "session_lost");
    assert.equal(hookError, undefined);
  });
  it("a failed test logs its requests", async () => {
    const [{ logs }] = await runTest("failed", () => {
      cy.mockpets("empty").then(list);
      cy.then(() => {
        throw new Error("fails");
      });
    });
    assert.equal(logs.length, 1);
    assert.match(logs[0], /^mockpets +1 .* GET +\/v1\/pets .* 200 /);
  });
});
