// What each JavaScript runtime must be able to do with kit/client.js; test_runtimes.py runs this.
// It uses only what all runtimes have, and throws an error at the first difference.

const TOUR = {
  name: "tour",
  description: "Responses to getPet are held.",
  stubs: [{ match: { operation: "getPet" }, hold: "door" }],
};

/** Use every part of a session; return what was done. */
export async function tour({ Mockpets, MockpetsError }, options = {}) {
  const session = Mockpets.slug("A tour: to all parts", Math.random());
  const mock = new Mockpets({ ...options, session });
  const done = [];
  const check = (what, actual, expected) => {
    if (JSON.stringify(actual) !== JSON.stringify(expected)) {
      throw new Error(`${what}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`);
    }
    done.push(what);
  };
  const failure = async (promise) => {
    const error = await promise.then(() => undefined, (reason) => reason);
    if (!(error instanceof MockpetsError)) throw new Error(`expected a MockpetsError, got ${error}`);
    return error;
  };

  await mock.make({ seed: 3, data: { pets: 2 } });
  await mock.use(TOUR);

  // Three ways of the app to name the session
  const authorization = { Authorization: "Bearer mockpets" };
  const ways = [
    fetch(`${mock.baseUrl}/pets`, { headers: authorization }),
    fetch(`${mock.url}/v1/pets`, { headers: { ...authorization, ...mock.headers } }),
    fetch(`${mock.url}/v1/pets`, { headers: { Authorization: `Bearer ${mock.key}` } }),
  ];
  const responses = await Promise.all(ways);
  check("base URL, header and key", responses.map((each) => each.headers.get("Mockpets-Session")), Array(3).fill(session));
  check("the app's pets", (await responses[0].json()).length, 2);

  const two = await mock.pets.all();
  await mock.pets.set([{ id: 7, name: "Miso", categoryId: 2, status: "sold" }]);
  check("pets.set and a filter", (await mock.pets.all({ status: "sold" })).map((pet) => pet.name), ["Miso"]);
  await mock.pets.set(two);
  check("pets.set with what pets.all returned", await mock.pets.all(), two);

  const listener = signal();
  const stop = mock.on("requests", () => listener.call());
  await listener.next(); // called once when the connection is made
  const requested = listener.next();
  const verified = mock.verify({ operation: "createPet", body: { name: "Miso" } }, 1, { within: 20_000 });
  const created = await fetch(`${mock.baseUrl}/pets`, {
    method: "POST",
    headers: { ...authorization, "Content-Type": "application/json" },
    body: JSON.stringify({ name: "Miso", categoryId: 2 }),
  });
  check("createPet", created.status, 201);
  check("verify with within", (await verified).map((entry) => entry.status), [201]);
  await requested;
  stop();
  check("on", true, true);

  const held = fetch(`${mock.baseUrl}/pets/1`, { headers: authorization });
  const gate = mock.gate("door");
  await gate.held(1, 20_000);
  check("gate", await gate.open(), 1);
  check("the held response", (await held).status, 200);

  check("requests", (await mock.requests({ operation: "createPet" })).map((entry) => entry.status), [201]);
  check("har", (await mock.har()).log.entries.length, 5);
  check("explain", (await mock.explain(1)).sent, true);
  check("explainRequest", (await mock.explainRequest({ method: "GET", path: "/v1/pets" })).request.status, 200);

  const missing = await failure(mock.verify({ operation: "createPet", body: { name: "Mio" } }));
  check("a failed verify", [missing.code, missing.status], ["verification_failed", 409]);
  check("nearest", missing.details.nearest[0].differences[0].got, '"Miso"');
  check("its message", missing.message.includes('body.name: expected "Mio", got "Miso"'), true);
  const unknown = await failure(mock.use("emty"));
  check("an unknown scenario", [unknown.code, unknown.message.includes("'empty'")], ["unknown_scenario", true]);
  const unreachable = await failure(new Mockpets({ url: "http://127.0.0.1:1" }).reset());
  check("no server", [unreachable.code, unreachable.status], ["unreachable", 0]);

  // A page can read the session's ID only if CORS exposes it.
  const other = new Mockpets({ ...options, session });
  await other.drop();
  await other.make();
  check("a lost session", (await failure(mock.pets.all())).code, "session_lost");
  await other.drop();
  check("drop", (await failure(other.requests())).code, "session_dropped");
  return done;
}

/** A function to call, and promises of the next call. */
function signal() {
  let calls = 0;
  let waiting = [];
  let last = 0;
  return {
    call() {
      calls++;
      waiting.splice(0).forEach((resolve) => resolve());
    },
    async next() {
      if (calls === last) await new Promise((resolve) => waiting.push(resolve));
      last = calls;
    },
  };
}
