// Tests of kit/cypress.js with a real server; test_node.py runs them, and names the servers in variables.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, beforeEach, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { browse, runBefore, runTest } from "./fake.mjs";
import { Mockpets, MockpetsError } from "../../../kit/cypress.js";

const { DECLARED_URL, NOTES_URL, OTHER_URL, TOKEN_URL } = process.env; // the first is a server with --sessions declared
const NOTES_FILE = fileURLToPath(new URL("../notes.yaml", import.meta.url));
const KEY = { Authorization: "Bearer mockpets" };

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
});

/** Run a test that must pass. */
async function passes(title, body) {
  const [{ error, hookError, logs }] = await runTest(title, body);
  assert.deepEqual([error, hookError, logs], [undefined, undefined, []]);
}
const list = () => browse(`${DECLARED_URL}/v1/pets`, { headers: KEY });
const listed = async () => (await list()).json();
const fail = () => {
  throw new Error("the test fails");
};

describe("cy.mockpets", () => {
  it("creates a session for the test, which a second call keeps", async () => {
    let mock;
    await passes("An empty list: says so", () => {
      cy.mockpets("empty").then(async (first) => {
        mock = first;
        assert(mock instanceof Mockpets);
        assert.match(mock.session, /^an-empty-list-says-so-[a-z0-9]+$/);
        assert.deepEqual(await listed(), []);
        cy.mockpets(["sold-out", "empty"]).then(async (second) => {
          assert.equal(second, first);
          assert.equal((await listed()).length, 12);
        });
      });
    });
    await assert.rejects(mock.pets.all(), { code: "session_dropped" });
  });
  it("creates other sessions for other tests and for each attempt", async () => {
    const sessions = [];
    const body = () => void cy.mockpets("empty").then((mock) => sessions.push(mock.session)).then(fail);
    await runTest("one", body, { retries: 2 });
    await runTest("two", body);
    assert.equal(new Set(sessions).size, 4);
  });
  it("rejects an unknown scenario, and the next test is not affected", async () => {
    const [{ error, hookError }] = await runTest("typo", () => void cy.mockpets("emtpy"));
    assert(error instanceof MockpetsError);
    assert.match(error.message, /did you mean 'empty'\?/);
    assert.equal(hookError, undefined);
    await passes("typo", () => void cy.mockpets("empty"));
  });
  it("fails before and after tests", async () => {
    const message = /^Error: call cy\.mockpets\(\) in a test or in beforeEach, not in before or after$/;
    assert.match(String(await runBefore(() => void cy.mockpets())), message);
    await passes("a test", () => void cy.mockpets());
    assert.match(String(await runBefore(() => void cy.mockpets())), message);
  });
});

describe("options", () => {
  it("come from the variables of Cypress, or from the first call", async () => {
    Cypress.variables = { MOCKPETS_URL: `${DECLARED_URL}/`, MOCKPETS_KEY: "secret", MOCKPETS_CONTROL_TOKEN: "t" };
    await passes("variables", () => void cy.mockpets().then((mock) => assert.equal(mock.key, `secret~${mock.session}`)));
    await passes("call", () => void cy.mockpets("empty", { key: "own" }).then((mock) => assert.equal(mock.key, `own~${mock.session}`)));
    Cypress.variables = { MOCKPETS_URL: TOKEN_URL, MOCKPETS_CONTROL_TOKEN: "secret-token" };
    await passes("token", () => void cy.mockpets("empty"));
  });
  it("of a server that the tests do not expect are one warning in the command log", async () => {
    Cypress.variables = { MOCKPETS_URL: OTHER_URL, MOCKPETS_ARGS: "--data pets=3" };
    const warnings = [];
    for (const title of ["one", "two"]) warnings.push(...(await runTest(title, () => void cy.mockpets()))[0].logs);
    assert.deepEqual(warnings, [
      `mockpets the server at ${OTHER_URL} is not as the tests expect: it has --seed 4, it lacks ` +
        "--sessions declared, it lacks --data pets=3; restart it, or name its options in MOCKPETS_ARGS",
    ]);
  });
  it("are rejected in a second call, and if an origin is not valid", async () => {
    const [twice] = await runTest("twice", () => void cy.mockpets().then(() => cy.mockpets("empty", { key: "late" })));
    assert.match(String(twice.error), /^TypeError: only the first cy\.mockpets\(\) of a test accepts options$/);
    const [invalid] = await runTest("origin", () => void cy.mockpets("empty", { origins: ["topsecret@localhost"] }));
    assert.match(String(invalid.error), /not a valid origin: '\[redacted\]@localhost'/);
  });
});

describe("the page sends the session", () => {
  it("to mockpets, to the app and to further origins, and to no third party", async () => {
    await passes("origins", () => {
      cy.mockpets("empty").then(async (mock) => {
        assert.equal((await list()).headers.get("Mockpets-Session"), mock.session);
        cy.visit("/"); // so that a server can render with it
        cy.then(async () => {
          await browse(`${THIRD_PARTY}/font.woff2`);
          assert.deepEqual(received.map(({ headers }) => headers["mockpets-session"]), [mock.session, undefined]);
          assert.deepEqual(received.map(({ headers }) => headers.baggage), [mock.baggage, undefined]);
        });
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
  it("to each contract, wherever it is", async () => {
    Cypress.variables = { MOCKPETS_URL: NOTES_URL, MOCKPETS_ARGS: `--contract /api/v2=${NOTES_FILE} --contract pet-store` };
    await passes("contracts", () => {
      cy.mockpets("empty").then(async (mock) => {
        assert.equal(mock.baseUrl, `${mock.rootUrl}/api/v2`);
        for (const path of ["/api/v2/notes", "/v1/pets"]) {
          assert.deepEqual(await (await browse(NOTES_URL + path, { headers: KEY })).json(), []);
        }
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
  it("a lost session comes before the failure that it has caused, unless a call has reported it", async () => {
    const [{ hookError }] = await runTest("lost", () => void cy.mockpets().then(lose).then(fail));
    assert.match(hookError.message, /^session lost-.* was lost: [^]*\n\nThe test failed with: the test fails$/);
    assert.equal(hookError.code, "session_lost");
    const [reported] = await runTest("lost", () => {
      cy.mockpets().then(lose);
      cy.mockpets().then((mock) => mock.pets.all());
    });
    assert.deepEqual([reported.error.code, reported.hookError], ["session_lost", undefined]);
  });
  it("a failed test logs its requests", async () => {
    const [{ logs }] = await runTest("failed", () => void cy.mockpets("empty").then(list).then(fail));
    assert.equal(logs.length, 1);
    assert.match(logs[0], /^mockpets +1 .* GET +\/v1\/pets .* 200 /);
  });
});
