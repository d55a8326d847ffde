import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

/** @import { HeadersFor } from "../../kit/requests.js" */

const STATE = Symbol.for("mockpets.requests");

describe("wrapRequests", () => {
  /** @type {import("vitest").Mock<typeof globalThis.fetch>} */
  let original;
  /** @type {typeof import("../../kit/requests.js").wrapRequests} */
  let wrapRequests;

  beforeEach(async () => {
    original = vi.fn(() => Promise.resolve(new Response()));
    vi.stubGlobal("fetch", original);
    vi.resetModules();
    Reflect.deleteProperty(globalThis, STATE);
    ({ wrapRequests } = await import("../../kit/requests.js"));
  });
  afterEach(() => {
    vi.unstubAllGlobals();
    Reflect.deleteProperty(globalThis, STATE);
  });

  /** @type {HeadersFor} */
  const session = (url) =>
    url.host === "mock" ? [["Mockpets-Session", "w1"]] : [];
  const sent = () => new Headers(original.mock.lastCall?.[1]?.headers);

  it("adds headers to those of a request", async () => {
    wrapRequests("a", session, { cache: "no-store" });
    await fetch("http://mock/v1", { headers: { Accept: "a/b" } });
    expect(Object.fromEntries(sent())).toEqual({
      accept: "a/b",
      "mockpets-session": "w1",
    });
    expect(original.mock.lastCall?.[1]?.cache).toBe("no-store");
  });

  it("keeps the headers of a Request", async () => {
    wrapRequests("a", session);
    const headers = { Accept: "a/b" };
    await fetch(new Request("http://mock/v1", { headers }));
    expect(sent().get("accept")).toBe("a/b");
  });

  it("prefers the options of the request to its own", async () => {
    wrapRequests("a", session, { cache: "no-store" });
    await fetch("http://mock/v1", { cache: "reload" });
    expect(original.mock.lastCall?.[1]?.cache).toBe("reload");
  });

  it.each(["http://other/v1", "/relative", "http://["])(
    "passes on a request to %s as it is",
    async (url) => {
      wrapRequests("a", session, { cache: "no-store" });
      await fetch(url);
      expect(original).toHaveBeenCalledExactlyOnceWith(url, undefined);
    },
  );

  it("replaces the source of the same name; the last source wins", async () => {
    wrapRequests("a", () => [
      ["X-A", "1"],
      ["X-Old", "1"],
    ]);
    wrapRequests("b", () => [["X-A", "2"]]);
    wrapRequests("a", () => [["X-A", "3"]]);
    await fetch("http://mock/v1");
    expect(Object.fromEntries(sent())).toEqual({ "x-a": "2" });
  });

  it("wraps once, and returns the original", async () => {
    expect(wrapRequests("a", session)).toBe(original);
    expect(wrapRequests("a", session)).toBe(original);
    await fetch("http://mock/v1");
    expect(original).toHaveBeenCalledOnce();
  });
});
