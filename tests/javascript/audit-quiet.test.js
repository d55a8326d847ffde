import { describe, expect, it } from "vitest";
import { isQuiet } from "../../kit/audit/quiet.js";
import { call, page } from "./audit-pages.js";

/** @import { Call } from "../../kit/audit/types.d.ts" */
/** @import { Expectations, Seen } from "../../kit/audit/quiet.js" */

/**
 * Return the first of some times, in milliseconds, at which a page is quiet; undefined if it never is.
 * @param {Partial<Seen>} seen
 * @param {Expectations} [expectations]
 */
function quietAt(seen, expectations) {
  const all = {
    calls: [],
    held: null,
    changed: 0,
    last: page([]),
    begun: 0,
    ...seen,
  };
  for (let now = 0; now <= 20_000; now += 50)
    if (isQuiet(all, now, expectations)) return now;
  return undefined;
}

/** Return failed calls of listPets. @param {[begun: number, ended: number][]} times */
const failed = (...times) =>
  times.map(([begun, ended]) =>
    call("listPets", { begun, ended, status: 500 }),
  );
/** @type {Call[]} */
const PENDING = [call("getTags", { ended: null, status: null })];
const FAILING = { failing: "listPets" };

describe("isQuiet", () => {
  it("takes 600 ms without calls", () => {
    expect(quietAt({})).toBe(600);
    expect(quietAt({ begun: 1_000 })).toBe(1_600);
  });

  it("takes 600 ms after the last response", () => {
    const calls = [
      call("getTags", { begun: 100, ended: 2_000 }),
      call("listToys", { begun: 200, ended: 300 }),
    ];
    expect(quietAt({ calls })).toBe(2_600);
  });

  it("does not come while a call waits", () => {
    expect(quietAt({ calls: PENDING })).toBeUndefined();
  });

  it("comes while only the held operation waits", () => {
    expect(quietAt({ calls: PENDING, held: "getTags" })).toBe(600);
    expect(quietAt({ calls: PENDING, held: "listPets" })).toBeUndefined();
  });

  it("takes 600 ms after the last change", () => {
    expect(quietAt({ changed: 1_000 })).toBe(1_600);
  });

  it("comes after three seconds to a page that changes all the time", () => {
    expect(quietAt({ changed: 100_000 })).toBe(3_000);
  });

  it("waits three seconds for an expected call", () => {
    const expectations = { expected: "listPets" };
    expect(quietAt({}, expectations)).toBe(3_000);
    expect(quietAt({ calls: [call("getTags")] }, expectations)).toBe(3_000);
    const calls = [call("listPets", { begun: 0, ended: 400 })];
    expect(quietAt({ calls }, expectations)).toBe(1_000);
  });

  it("takes longer after a failed call, which may be repeated", () => {
    const calls = failed([0, 0]);
    expect(quietAt({ calls })).toBe(600);
    expect(quietAt({ calls }, { failing: "getTags" })).toBe(600);
    expect(quietAt({ calls }, FAILING)).toBe(1_300);
  });

  it("takes longer still while the page seems to load", () => {
    const expectations = { ...FAILING, seemsToLoad: () => true };
    expect(quietAt({ calls: failed([0, 0]) }, expectations)).toBe(4_000);
    const other = { ...FAILING, seemsToLoad: () => false };
    expect(quietAt({ calls: failed([0, 0]) }, other)).toBe(1_300);
    expect(quietAt({}, expectations)).toBe(600);
  });

  it("shows the page to seemsToLoad", () => {
    const last = page(["Please wait"]);
    /** @type {unknown[]} */
    const shown = [];
    const seemsToLoad = (/** @type {unknown} */ one) => shown.push(one) > 0;
    const seen = { calls: failed([0, 0]), held: null, changed: 0, last };
    isQuiet({ ...seen, begun: 0 }, 100, { ...FAILING, seemsToLoad });
    expect(shown).toEqual([last]);
  });

  it("waits two and a half times the last pause between retries", () => {
    const pause = failed([0, 100], [1_100, 1_200], [3_200, 3_300]);
    expect(quietAt({ calls: pause }, FAILING)).toBe(3_300 + 5_000);
    const short = failed([0, 100], [200, 300]);
    expect(quietAt({ calls: short }, FAILING)).toBe(300 + 1_300);
  });

  it("does not wait for three seconds only, if retries take longer", () => {
    const calls = failed([0, 0], [2_000, 2_000]);
    expect(quietAt({ calls, changed: 100_000 }, FAILING)).toBe(7_000);
  });
});
