// Tests of kit/client.js with servers of other contracts; test_node.py runs them.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { after, describe, it } from "node:test";
import { Mockpets } from "../../kit/client.js";
import { callsTo } from "../../kit/shared.js";

const HEALTH = { status: "ok", version: "9", protocol: 2 };
const servers = [];

/** Start a server below a path; return its URL, and the paths of its requests. */
async function start(health, prefix = "") {
  const paths = [];
  const server = createServer((request, response) => {
    paths.push(request.url);
    const known = { [`${prefix}/__mockpets/health`]: health, [`${prefix}/__mockpets/reset`]: {} }[request.url];
    response.writeHead(known ? 200 : 404).end(JSON.stringify(known ?? { code: "not_found", message: "unknown path", status: 404 }));
  });
  servers.push(server.listen(0, "127.0.0.1"));
  await once(server, "listening");
  return { root: `http://127.0.0.1:${server.address().port}`, paths };
}

after(() => servers.forEach((server) => server.close()));

describe("the base paths", () => {
  it("are those of the server after the first call, for every client of its URL", async () => {
    const { root, paths } = await start({ ...HEALTH, bases: ["/api/v2", "/blog", ""] });
    const [mock, other] = [new Mockpets({ url: root, session: "w1" }), new Mockpets({ url: root })];
    assert.deepEqual([mock.baseUrl, mock.bases], [`${root}/~w1/v1`, ["/v1"]]);
    await mock.reset();
    assert.deepEqual([mock.baseUrl, mock.bases], [`${root}/~w1/api/v2`, ["/api/v2", "/blog", ""]]);
    assert.equal(new Mockpets({ url: root }).baseUrl, `${root}/api/v2`);
    await other.reset();
    assert.equal(other.baseUrl, `${root}/api/v2`);
    assert.equal(paths.filter((path) => path.endsWith("/health")).length, 1);
  });
  it("may be empty", async () => {
    const { root } = await start({ ...HEALTH, bases: [""] });
    const mock = new Mockpets({ url: root });
    await mock.reset();
    assert.equal(mock.baseUrl, root);
  });
  it("may end the URL of a client, also where the server is below a path", async () => {
    const cases = [["", "/api/v2"], ["", "/api/v2/articles"], ["/mock", "/mock/api/v2"], ["/v1/mock", "/v1/mock"], ["/v1/mock", "/v1/mock/blog"]];
    for (const [prefix, path] of cases) {
      const { root } = await start({ ...HEALTH, bases: ["/api/v2", "/blog"] }, prefix);
      const mock = new Mockpets({ url: `${root}${path}/` });
      await mock.reset();
      assert.deepEqual([mock.url, mock.baseUrl], [root + prefix, `${root}${prefix}/api/v2`]);
    }
  });
  it("are the only paths that may end the URL, and not after a session, which would be ignored", async () => {
    const { root } = await start({ ...HEALTH, bases: ["/api"] });
    const message = (path, use) => new TypeError(`the URL '${root}${path}' is not one of the server at ${root}; use '${root}${use}'`);
    await assert.rejects(new Mockpets({ url: `${root}/apis` }).reset(), message("/apis", ""));
    await assert.rejects(new Mockpets({ url: `${root}/~w1/api` }).reset(), message("/~w1/api", "/~w1"));
  });
  it("select the requests that interleavings() holds", () => {
    const held = (bases, path) => bases.some((base) => callsTo("http://localhost:7387", base).test(`http://127.0.0.1:7387${path}`));
    const cases = { "/api/v2.1": ["", "/", "/pets?a=b", "?a"], "/blog": ["/a"] };
    for (const [base, ends] of Object.entries(cases)) {
      for (const end of ends) {
        for (const session of ["", "/~w1+empty"]) assert(held(["/api/v2.1", "/blog"], `${session}${base}${end}`), base + end);
      }
    }
    for (const path of ["/api/v2", "/api/v211/a", "/blogs", "/x/blog/a", "/__mockpets/state", "/v1/pets"]) assert(!held(["/api/v2.1", "/blog"], path), path);
    for (const path of ["/", "/a", "/~w1/a"]) assert(held([""], path), path);
    for (const path of ["/__mockpets/state", "/~w1/__mockpets"]) assert(!held([""], path), path);
    assert(!callsTo("http://localhost:7387", "/v1").test("http://localhost:1/v1/pets"));
  });
  it("must be texts, like the version, and the protocol a number", async () => {
    const changes = [...[[], [1], "/api", null, undefined].map((bases) => ({ bases })), { protocol: undefined }, { protocol: "2" }, { version: 9 }];
    for (const change of changes) {
      const { root } = await start({ ...HEALTH, bases: ["/api"], ...change });
      await assert.rejects(new Mockpets({ url: root }).reset(), { code: "unreachable", message: `${root} is not a mockpets server (status 200)` });
    }
  });
});
