import { beforeEach, describe, expect, it, vi } from "vitest";

/**
 * @import { State } from "../../kit/control.js"
 * @import { Row, Source } from "../../mockpets/web/panel/log.js"
 */

// The modules read the address of the page when they are loaded.
vi.stubGlobal("location", new URL("http://mock/__mockpets/"));
const { keyOf, log, merged } = await import("../../mockpets/web/panel/log.js");
const { filtered, ONLY, parseFilter } =
  await import("../../mockpets/web/panel/log-filter.js");
const { placed, HEIGHTS } = await import("../../mockpets/web/panel/rows.js");
const { store } = await import("../../mockpets/web/panel/store.js");

/**
 * Return a request of the log; the time of each is its number in seconds.
 * @param {number} number
 * @param {Partial<Row>} [more]
 * @returns {Row}
 */
const row = (number, more) => ({
  number,
  at: new Date(number * 1000).toISOString(),
  session: "default",
  method: "GET",
  target: "/v1/pets",
  path: "/v1/pets",
  operation: "listPets",
  status: 200,
  outcome: "sent",
  scenarios: ["default"],
  stubs: [],
  fault: null,
  off_contract: null,
  app_ms: 1,
  delay_ms: 0,
  held_ms: null,
  total_ms: 1,
  waits: null,
  hold: null,
  throttle: null,
  notes: [],
  seen: 0,
  waited: 0,
  start: number * 1000,
  arrival: number,
  fresh: 0,
  ...more,
});

/**
 * @param {Row[]} rows
 * @param {Partial<Source>} [more]
 * @returns {Source}
 */
const source = (rows, more) => ({
  rows,
  last: rows.at(-1)?.number ?? 0,
  cleared: 0,
  ...more,
});

const numbers = (/** @type {Row[]} */ rows) => rows.map(({ number }) => number);

const NOTHING_CLEARED = { since: 0, cleared: 0 };

beforeEach(() => {
  store.state = /** @type {State} */ ({
    faults: /** @type {Record<string, string>} */ ({ connection_reset: "cut" }),
  });
});

describe("keyOf", () => {
  it("names the session of another one only", () => {
    expect(keyOf({ number: 3, session: "default" })).toBe("3");
    expect(keyOf({ number: 3, session: "w1" })).toBe("3@w1");
  });
});

describe("merged", () => {
  it("adds the first requests as those that were there", () => {
    const { rows, added } = merged(
      source([]),
      [row(2), row(1)],
      NOTHING_CLEARED,
    );
    expect(numbers(rows)).toEqual([1, 2]);
    expect(numbers(added)).toEqual([2, 1]);
    expect(rows.map(({ fresh }) => fresh)).toEqual([0, 0]);
  });

  it("marks later ones as new, in the order of their arrival", () => {
    log.arrivals = 7;
    const { rows, added } = merged(source([row(1)]), [row(3), row(2)], {
      since: 1,
      cleared: 0,
    });
    expect(numbers(rows)).toEqual([1, 2, 3]);
    expect(added.map(({ arrival }) => arrival)).toEqual([8, 9]);
    expect(added.every(({ fresh }) => fresh > 0)).toBe(true);
  });

  it("keeps the place of a request that has ended", () => {
    const pending = row(1, { outcome: "pending", status: null, arrival: 5 });
    const { rows, added } = merged(
      source([pending]),
      [row(1, { status: 404, arrival: 9, start: 9 })],
      NOTHING_CLEARED,
    );
    expect(added).toEqual([]);
    expect(rows[0]).toMatchObject({ status: 404, outcome: "sent" });
  });

  it("takes the last of two answers about a request", () => {
    const before = row(1, { outcome: "pending" });
    const { rows } = merged(
      source([before]),
      [before, row(1, { status: 500 })],
      NOTHING_CLEARED,
    );
    expect(rows[0]).toMatchObject({ outcome: "sent", status: 500 });
    expect(rows).toHaveLength(1);
  });

  it("ends a pending request that no list has", () => {
    const pending = row(1, { outcome: "pending" });
    const later = row(2, { outcome: "pending" });
    const { rows } = merged(source([pending, later]), [], {
      since: 1,
      cleared: 0,
    });
    expect(rows.map(({ outcome }) => outcome)).toEqual(["sent", "pending"]);
  });

  it("drops what was cleared, also of an empty list", () => {
    const range = { since: 3, cleared: 2 };
    const { rows } = merged(source([row(1), row(2), row(3)]), [], range);
    expect(numbers(rows)).toEqual([3]);
    expect(merged(source([]), [], range).rows).toEqual([]);
  });

  it("knows how long a held response has waited", () => {
    const held = row(1, { outcome: "pending", held_ms: 400, app_ms: 2 });
    const { rows } = merged(source([]), [held], NOTHING_CLEARED);
    expect(rows[0]?.waited).toBe(402);
  });
});

describe("a filter of the log", () => {
  const rows = [
    row(1),
    row(2, { method: "POST", status: 404, path: "/v1/pets/9" }),
    row(3, { status: 503, stubs: ["retry/first", "retry/second"] }),
    row(4, { status: null, outcome: "broken", fault: "connection_reset" }),
    row(5, { status: null, outcome: "pending", waits: "held", hold: "gate" }),
    row(6, {
      session: "w1",
      operation: null,
      notes: [{ code: "unmatched", text: "No stub." }],
    }),
  ];
  const found = (/** @type {string} */ text) =>
    numbers(filtered(rows, parseFilter(text)));

  it.each([
    ["", [1, 2, 3, 4, 5, 6]],
    ["status:404", [2]],
    ["status:4xx", [2]],
    ["status:5XX", [3]],
    ["status:9xx", []],
    ["status:held", [5]],
    ["status:cut", [4]],
    ["method:post", [2]],
    ["path:/v1/pets", [1, 3, 4, 5, 6]],
    ["path:/v1/*/9", [2]],
    ["path:/V1/PETS/*", [2]],
    ["path:.*", []],
    ["stub:retry/*", [3]],
    ["stub:-", [1, 2, 4, 5, 6]],
    ["stub:retry", []],
    ["session:w1", [6]],
    ["session:*", [1, 2, 3, 4, 5, 6]],
    ["operation:listPets status:503", [3]],
    ["note:unmatched", [6]],
    ["outcome:broken", [4]],
    ["unknown:broken", []],
    ["constructor:x", []],
    ["retry", [3]],
    ['"no stub"', [6]],
    ["CONNECTION_RESET", [4]],
    ["(", []],
    ["body:Miso", []],
  ])("%j finds %j", (text, result) => {
    expect(found(text)).toEqual(result);
  });

  it("finds bodies, once they are loaded", () => {
    log.bodies.set("2", "name: miso");
    expect(found("body:Miso")).toEqual([2]);
    log.bodies.clear();
  });

  it.each([
    ["all", [1, 2, 3, 4, 5, 6]],
    ["failed", [2, 3, 4]],
    ["held", [5]],
    ["unmatched", [6]],
  ])("shows of %s only %j", (name, result) => {
    const test = ONLY[/** @type {keyof typeof ONLY} */ (name)];
    expect(numbers(rows.filter(test))).toEqual(result);
  });
});

describe("placed", () => {
  const at = (/** @type {number[]} */ ...starts) =>
    starts.map((start, index) => row(index + 1, { start }));
  const kinds = (/** @type {ReturnType<typeof placed>} */ { items }) =>
    items.map((item) => (item.row ? item.row.number : "run"));

  it("begins a run after more than two seconds without a request", () => {
    expect(kinds(placed(at(0, 2000, 4001), false, false))).toEqual([
      ...["run", 1, 2],
      ...["run", 3],
    ]);
  });

  it("groups by operation, whatever the time", () => {
    const rows = [row(1), row(2, { start: 9e6 }), row(3, { operation: null })];
    expect(kinds(placed(rows, false, true))).toEqual(["run", 1, 2, "run", 3]);
  });

  it("adds up the heights", () => {
    const { tops, height } = placed(at(0, 1), false, false);
    const { run, row: one } = HEIGHTS;
    expect(tops).toEqual([0, run, run + one]);
    expect(height).toBe(run + 2 * one);
    expect(placed([], true, false)).toMatchObject({ items: [], height: 0 });
  });

  it("scales a run to its longest request, between 50 ms and 10 s", () => {
    const ms = (/** @type {Partial<Row>} */ more) =>
      placed([row(1, more)], false, false).items[0]?.run.ms;
    expect(ms({ total_ms: 3 })).toBe(50);
    expect(ms({ total_ms: 700 })).toBe(700);
    expect(ms({ total_ms: 99_000 })).toBe(10_000);
    expect(ms({ total_ms: null, app_ms: 60, delay_ms: 40 })).toBe(100);
    const held = { outcome: "pending", waits: "held", delay_ms: 900 };
    expect(
      ms(/** @type {Partial<Row>} */ ({ ...held, total_ms: null, app_ms: 60 })),
    ).toBe(60);
  });

  it("counts failures, and finds requests by their keys", () => {
    const rows = [row(1, { status: 500 }), row(2, { session: "w1" })];
    const { items, indexes } = placed(rows, false, false);
    expect(items[0]?.run).toMatchObject({ rows: 2, failed: 1 });
    expect([...indexes]).toEqual([
      ["1", 1],
      ["2@w1", 2],
    ]);
  });
});
