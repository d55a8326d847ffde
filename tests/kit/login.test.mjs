// Tests of `as()` in kit/client.js; test_node.py starts a server with clinic.yaml, whose log-in returns a token, and
// members.yaml, whose log-in also sets a cookie.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Mockpets } from "../../kit/client.js";

const { PEOPLE_URL, MOCKPETS_URL } = process.env;
const APP = "http://app.test:5173";

/** A new session with a member of each contract. */
async function session() {
  const mock = new Mockpets({ url: PEOPLE_URL, session: Mockpets.slug("people", Math.random()) });
  await mock.make();
  await mock.data("clinic.members").add({ name: "Kim", email: "kim@example.com", role: "nurse" });
  await mock.data("members.members").add({ email: "kim@example.com" });
  return mock;
}

const clinic = { contract: "clinic" };
const staff = { contract: "members" };
const KIM = { email: "kim@example.com" };

describe("as", () => {
  it("returns the user and the headers of the user's requests", async () => {
    const mock = await session();
    for (const [contract, path] of [[clinic, "/api/me"], [staff, "/staff/me"]]) {
      const { user, headers, key, collection } = await mock.as(KIM, contract);
      assert.equal(user.email, KIM.email);
      assert.deepEqual(await (await fetch(mock.rootUrl + path, { headers })).json(), user);
      assert.equal((await mock.data(collection).get(key)).email, KIM.email);
    }
  });
  it("returns the first user by default", async () => {
    const mock = await session();
    const [first] = await mock.data("clinic.members").all();
    for (const user of [undefined, {}]) assert.equal((await mock.as(user, clinic)).key, first.id);
  });
  it("rejects unknown users, properties and contracts, and values that are undefined", async () => {
    const mock = await session();
    const rejects = (call, expected) => assert.rejects(call, (error) => {
      assert.deepEqual([error.name, error.code], expected.slice(0, 2));
      assert.match(error.message, expected[2]);
      return true;
    });
    await rejects(mock.as({ name: "Kimm" }, clinic), ["MockpetsError", "not_found", /^no record of clinic\.members has the name 'Kimm'; known: 'Kim', /]);
    await rejects(mock.as({ nane: "Kim" }, clinic), ["MockpetsError", "invalid_request", /did you mean 'name'\?$/]);
    await rejects(mock.as(KIM), ["MockpetsError", "invalid_request", /^several contracts have a log-in; .*clinic or members$/]);
    await rejects(mock.as(KIM, { contract: "clinik" }), ["MockpetsError", "invalid_request", /did you mean 'clinic'\?$/]);
    await rejects(mock.as({ name: process.env.NOBODY }, clinic), ["TypeError", undefined, /^user\.name is undefined$/]);
    const pets = new Mockpets({ url: MOCKPETS_URL, session: Mockpets.slug("people", Math.random()) });
    await rejects(pets.as(), ["MockpetsError", "not_found", /^no contract has a log-in \(pet-store\): a log-in is a POST /]);
  });
});

describe("storageState", () => {
  it("has the items of localStorage, as text or JSON", async () => {
    const login = await (await session()).as(KIM, clinic);
    const { token, user } = login;
    assert.deepEqual(login.storageState({ origin: `${APP}/shop/`, localStorage: { jwt: token, session: { token, user }, count: 3 } }), {
      cookies: [],
      origins: [{
        origin: APP,
        localStorage: [
          { name: "jwt", value: token },
          { name: "session", value: JSON.stringify({ token, user }) },
          { name: "count", value: "3" },
        ],
      }],
    });
  });
  it("has the cookie of the log-in and others, for the hosts of mockpets and the app", async () => {
    const login = await (await session()).as(KIM, staff);
    const cookie = (name, value, domain) => ({ name, value, domain, path: "/", expires: -1, httpOnly: false, secure: false, sameSite: "Lax" });
    assert.deepEqual(login.storageState(), { cookies: [cookie("sid", login.token, "localhost")], origins: [] });
    assert.deepEqual(login.storageState({ origin: "http://localhost:5173" }), login.storageState());
    assert.deepEqual(login.storageState({ origin: APP, cookies: { theme: "dark" } }).cookies, [
      cookie("sid", login.token, "localhost"),
      cookie("theme", "dark", "localhost"),
      cookie("sid", login.token, "app.test"),
      cookie("theme", "dark", "app.test"),
    ]);
  });
  it("rejects places that keep no token", async () => {
    const login = await (await session()).as(KIM, clinic);
    const throws = (places, message) => assert.throws(() => login.storageState(places), { name: "TypeError", message });
    throws(undefined, /^the log-in sets no cookie; add where your app keeps the token, such as localStorage: \{ token: login\.token \}$/);
    throws({ origin: APP, localStorage: {} }, /^the log-in sets no cookie/);
    throws({ localStorage: { jwt: "t" } }, /^origin must be the URL of your app, such as http:\/\/localhost:5173, got undefined; in Playwright, set baseURL$/);
    for (const origin of ["", "localhost:5173", "/", "file:///app.html", "http://"]) throws({ origin, localStorage: { jwt: "t" } }, /^origin must be the URL/);
    throws({ origin: APP, localStorage: { jwt: login.user.token } }, /^localStorage\.jwt is undefined$/);
    throws({ origin: APP, cookies: { sid: undefined } }, /^cookies\.sid is undefined$/);
    throws({ origin: APP, localstorage: { jwt: "t" } }, /^unknown property 'localstorage' of storageState; use origin, localStorage or cookies$/);
  });
});
