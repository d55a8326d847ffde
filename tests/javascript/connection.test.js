import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  Connection,
  MockpetsError,
  parseObject,
  segment,
  watch,
} from "../../kit/connection.js";

/** @import { Change, Events } from "../../kit/control.js" */

describe("watch", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** @param {number} change @param {Change[]} [changed] @param {number} [resets] */
  const events = (change, changed = [], resets = 0) =>
    /** @type {Events} */ ({ change, changed, resets });

  /**
   * Wait for changes until the responses have come; return what was reported in turn, and the queries that were sent.
   * @param {(Events | Error)[]} responses
   * @param {Partial<Parameters<typeof watch>[1]>} [options]
   */
  async function watched(responses, options) {
    const controller = new AbortController();
    const queue = [...responses];
    /** @type {unknown[]} */
    const reports = [];
    /** @type {unknown[]} */
    const queries = [];
    const next = (/** @type {object} */ query) => {
      const response = queue.shift();
      if (response) queries.push(query);
      else controller.abort();
      return response instanceof Error || !response
        ? Promise.reject(response ?? new Error("aborted"))
        : Promise.resolve(response);
    };
    const ended = watch(next, {
      signal: controller.signal,
      changed: (kinds) => reports.push(kinds),
      failed: (error, failures) => reports.push([String(error), failures]),
      ...options,
    });
    await vi.runAllTimersAsync();
    return { last: await ended, reports, queries };
  }

  it("reports that anything may have changed at first", async () => {
    const { reports, queries } = await watched([events(3, ["data"])]);
    expect(reports).toEqual([null]);
    expect(queries).toEqual([{}]);
  });

  it("reports the kinds of later changes, and waits for what follows", async () => {
    const { reports, queries, last } = await watched([
      events(3),
      events(5, ["data", "gates"]),
      events(5, []),
    ]);
    expect(reports).toEqual([null, ["data", "gates"], []]);
    expect(queries.slice(1)).toEqual([
      { since: 3, wait: 25 },
      { since: 5, wait: 25 },
    ]);
    expect(last).toEqual(events(5, []));
  });

  it.each([
    ["another number of resets", events(9, ["data"], 1)],
    ["a lower number of changes", events(2, ["data"])],
  ])("reports that anything may have changed after %s", async (_, second) => {
    const { reports } = await watched([events(3), second]);
    expect(reports).toEqual([null, null]);
  });

  it("goes on from an earlier wait", async () => {
    const last = events(3, [], 7);
    const { reports, queries } = await watched([events(4, ["data"], 7)], {
      last,
    });
    expect(queries).toEqual([{ since: 3, wait: 25 }]);
    expect(reports).toEqual([["data"]]);
  });

  it("counts failures, and reports that anything may have changed after them", async () => {
    const gone = new Error("gone");
    const { reports, queries } = await watched([
      events(1),
      gone,
      gone,
      events(2, ["files"]),
      gone,
    ]);
    expect(reports).toEqual([
      null,
      ["Error: gone", 1],
      ["Error: gone", 2],
      null,
      ["Error: gone", 1],
    ]);
    // A server that was restarted may have the same number, and would wait for its next change.
    const waits = { since: 1, wait: 25 };
    expect(queries.slice(0, 4)).toEqual([{}, waits, {}, {}]);
  });

  it("reports an error of `changed`, and the change again", async () => {
    let isFirst = true;
    const changed = vi.fn(() => {
      if (isFirst) {
        isFirst = false;
        throw new Error("cannot load");
      }
    });
    const failed = vi.fn();
    await watched([events(3), events(3)], { changed, failed });
    expect(failed).toHaveBeenCalledExactlyOnceWith(new Error("cannot load"), 1);
    expect(changed.mock.calls).toEqual([[null], [null]]);
  });

  it("ends with what `failed` throws", async () => {
    const failed = () => {
      throw new Error("give up");
    };
    const { signal } = new AbortController();
    const ended = watch(() => Promise.reject(new Error("gone")), {
      signal,
      changed: () => {},
      failed,
    });
    await expect(ended).rejects.toThrow("give up");
  });

  it("sends nothing if it is aborted before it begins", async () => {
    const next = vi.fn();
    const signal = AbortSignal.abort();
    const last = events(1);
    const options = { signal, changed: () => {}, failed: () => {} };
    expect(await watch(next, options)).toBeUndefined();
    expect(await watch(next, { ...options, last })).toBe(last);
    expect(next).not.toHaveBeenCalled();
  });

  it("waits longer before each retry, at most four seconds", async () => {
    const controller = new AbortController();
    const began = Date.now();
    /** @type {number[]} */
    const times = [];
    const next = () => {
      times.push(Date.now() - began);
      if (times.length === 7) controller.abort();
      return Promise.reject(new Error("gone"));
    };
    const { signal } = controller;
    void watch(next, { signal, changed: () => {}, failed: () => {} });
    await vi.runAllTimersAsync();
    expect(times).toEqual([0, 500, 1_500, 3_500, 7_500, 11_500, 15_500]);
  });

  it("waits 100 ms after a response", async () => {
    const controller = new AbortController();
    const began = Date.now();
    /** @type {number[]} */
    const times = [];
    const next = () => {
      times.push(Date.now() - began);
      if (times.length === 3) controller.abort();
      return Promise.resolve(events(1));
    };
    const { signal } = controller;
    void watch(next, { signal, changed: () => {}, failed: () => {} });
    await vi.runAllTimersAsync();
    expect(times).toEqual([0, 100, 200]);
  });
});

describe("Connection", () => {
  /**
   * Return a connection to a server with one response, and the requests that it sends.
   * @param {string} text
   * @param {ResponseInit} [init]
   * @param {Partial<ConstructorParameters<typeof Connection>[0]>} [options]
   */
  function connected(text, init, options) {
    /** @type {Request[]} */
    const requests = [];
    /** @type {typeof globalThis.fetch} */
    const fetch = (input, request) => {
      requests.push(new Request(input, request));
      return Promise.resolve(new Response(text, init));
    };
    const root = "http://mock";
    const connection = new Connection({ root, fetch, ...options });
    return { connection, requests };
  }

  /** Return what a call throws. @param {string} text @param {ResponseInit} [init] */
  async function problem(text, init) {
    const { connection } = connected(text, init);
    /** @type {unknown} */
    const error = await connection
      .call("GET /state")
      .catch((/** @type {unknown} */ one) => one);
    if (error instanceof MockpetsError) return error;
    throw new Error("it has thrown no MockpetsError");
  }

  /** @param {number} status @param {object} [more] */
  const failed = (status, more) =>
    problem(
      JSON.stringify({ code: "invalid", message: "wrong", status, ...more }),
      {
        status,
      },
    );

  it("leaves out parameters without a value, and keeps empty ones", async () => {
    const { connection, requests } = connected('{"requests": []}');
    const query = { status: "5xx", path: "/v1/*", session: "", limit: 0 };
    await connection.call("GET /requests", {
      query: /** @type {object} */ ({ ...query, operation: undefined }),
    });
    const { searchParams } = new URL(requests[0]?.url ?? "");
    expect(Object.fromEntries(searchParams)).toEqual({
      ...query,
      limit: "0",
    });
  });

  it("escapes the values of a path", async () => {
    const { connection, requests } = connected("{}");
    const path = { name: "a b?#%ä" };
    await connection.call("GET /scenarios/{name}", { path });
    expect(requests[0]?.url).toBe(
      "http://mock/__mockpets/scenarios/a%20b%3F%23%25%C3%A4",
    );
  });

  it("sends session and token only if there are some", async () => {
    const plain = connected("{}");
    await plain.connection.call("GET /state");
    expect([...(plain.requests[0]?.headers ?? [])]).toEqual([]);
    const named = connected(
      "{}",
      {},
      {
        session: () => "größe 1",
        token: () => "secret",
      },
    );
    await named.connection.call("GET /state");
    expect([...(named.requests[0]?.headers ?? [])]).toEqual([
      ["authorization", "Bearer secret"],
      ["mockpets-session", "gr%C3%B6%C3%9Fe%201"],
    ]);
  });

  it.each(["", "null", "3", '"text"', "{", "<html>"])(
    "rejects the response %j, which is not of mockpets",
    async (text) => {
      expect(await problem(text)).toMatchObject({
        code: "unreachable",
        status: 200,
        message: "http://mock is not a mockpets server (status 200)",
      });
    },
  );

  it.each(["{}", '{"code": "x"}', '{"message": "x"}', "[]"])(
    "rejects the error %j of another server",
    async (text) => {
      const { code, status } = await problem(text, { status: 502 });
      expect({ code, status }).toEqual({ code: "unreachable", status: 502 });
    },
  );

  it("throws the error of the server", async () => {
    expect(await failed(400)).toMatchObject({
      code: "invalid",
      message: "wrong",
      status: 400,
      details: {},
    });
  });

  it("names the server that rejects the token", async () => {
    const { message } = await failed(401);
    expect(message).toBe("wrong; the server is http://mock");
  });

  it("lists several problems, with what is known of each", async () => {
    const one = { what: "not a number", line: null, column: null };
    const problems = [
      { ...one, where: "limit", hint: "" },
      { ...one, where: "", line: 3, column: 5, hint: "remove the quotes" },
      { ...one, where: "", hint: "" },
    ];
    const { message } = await failed(422, { details: { problems } });
    expect(message.split("\n")).toEqual([
      "wrong",
      "limit: not a number",
      "3:5: not a number; remove the quotes",
      "not a number",
    ]);
  });

  it("does not repeat a single problem", async () => {
    const problems = [{ where: "limit", what: "not a number" }];
    const { message } = await failed(422, { details: { problems } });
    expect(message).toBe("wrong");
  });

  it.each([
    [new TypeError("fetch failed"), "fetch failed"],
    [
      new TypeError("fetch failed", { cause: { code: "ECONNREFUSED" } }),
      "ECONNREFUSED",
    ],
    [new TypeError("x", { cause: new Error("closed") }), "closed"],
    [new DOMException("x", "TimeoutError"), "no response in time"],
    ["a text", "a text"],
  ])("reports why it cannot connect: %s", async (cause, reason) => {
    const fetch = vi.fn().mockRejectedValue(cause);
    const { connection } = connected("", {}, { fetch });
    await expect(connection.call("GET /state")).rejects.toMatchObject({
      code: "unreachable",
      status: 0,
      message: `cannot connect to http://mock (${reason}); is mockpets running there?`,
    });
  });
});

describe("segment", () => {
  it.each(["", ".", "..", "a/b", "/"])("rejects %j", (name) => {
    expect(() => segment(name)).toThrow(
      `invalid name '${name}'; it must not be empty or contain '/'`,
    );
  });

  it.each([
    ["...", "..."],
    ["a?b", "a%3Fb"],
    ["..%2f", "..%252f"],
  ])("escapes %j", (name, escaped) => {
    expect(segment(name)).toBe(escaped);
  });
});

describe("parseObject", () => {
  it.each(["", "null", "true", "1", '"a"', "{a: 1}", "undefined"])(
    "has no object in %j",
    (text) => {
      expect(parseObject(text)).toBeUndefined();
    },
  );

  it("uses another parser", () => {
    expect(parseObject("x", () => ({ a: 1n }))).toEqual({ a: 1n });
  });
});
