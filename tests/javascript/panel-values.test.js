import { describe, expect, it, vi } from "vitest";

/** @import { RequestSummary } from "../../kit/control.js" */

import { duration, waitsFor } from "../../kit/toolbar/shown.js";

// The modules read the address of the page when they are loaded.
vi.stubGlobal("location", new URL("http://mock/__mockpets/"));
const values = await import("../../mockpets/web/panel/values.js");

describe("duration", () => {
  it.each([
    [0, "0.0 ms"],
    [9.94, "9.9 ms"],
    [9.95, "10 ms"],
    [999.4, "999 ms"],
    [999.5, "1.00 s"],
    [61_000, "61.00 s"],
  ])("of %d is %s", (ms, text) => {
    expect(duration(ms)).toBe(text);
  });
});

describe("size and count", () => {
  it.each([
    [0, "0 B"],
    [1023, "1023 B"],
    [1024, "1.0 KiB"],
    [1_234_567, "1205.6 KiB"],
  ])("of %d is %s", (bytes, text) => {
    expect(values.size(bytes)).toBe(text);
  });

  it.each([
    [0, "0 pets"],
    [1, "1 pet"],
    [1_234, "1,234 pets"],
  ])("of %d is %s", (number, text) => {
    expect(values.count(number, "pet")).toBe(text);
  });
});

describe("ago", () => {
  it.each([
    [-5, "now"],
    [2.9, "now"],
    [3, "3 s"],
    [59.9, "59 s"],
    [60, "1 min"],
    [3_599, "59 min"],
    [3_600, "1 h"],
    [100_000, "27 h"],
  ])("of %d s is %s", (seconds, text) => {
    expect(values.ago(seconds)).toBe(text);
  });
});

describe("shorten", () => {
  it.each([
    ["/v1/pets", 8, "/v1/pets"],
    ["/v1/pets", 7, "/v1…ets"],
    ["/v1/pets?status=available", 18, "/v1/pets?stat…able"],
    ["/v1/pets?status=available", 12, "/v1/pets?…"],
    ["/v1/pets/1234567890?a=b", 10, "/v1/p…?a=b"],
    ["", 5, ""],
  ])("of %j to %i is %j", (target, most, text) => {
    expect(values.shorten(target, most)).toBe(text);
  });

  it("never gets longer", () => {
    const target = "/v1/pets?status=available&limit=20";
    for (let most = 5; most < 40; most += 1)
      expect(String(values.shorten(target, most)).length).toBeLessThanOrEqual(
        most,
      );
  });
});

describe("the state of a request", () => {
  /** @typedef {Pick<RequestSummary, "outcome" | "waits" | "hold" | "status">} Row */
  /** @type {Row} */
  const SENT = { outcome: "sent", waits: null, hold: null, status: 200 };

  /** @type {[Row, string | null][]} */
  const waiting = [
    [SENT, null],
    [{ ...SENT, outcome: "pending" }, "delayed"],
    [{ ...SENT, outcome: "pending", hold: "before" }, "held"],
    [{ ...SENT, outcome: "pending", waits: "throttled" }, "throttled"],
    [{ ...SENT, waits: "held" }, null],
  ];
  it.each(waiting)("%j waits for %s", (row, result) => {
    expect(waitsFor(row)).toBe(result);
  });

  /** @type {[Row, boolean][]} */
  const ended = [
    [{ ...SENT, status: 399 }, false],
    [{ ...SENT, status: 400 }, true],
    [{ ...SENT, status: 503, outcome: "pending" }, false],
    [{ ...SENT, status: null, outcome: "broken" }, true],
    [{ ...SENT, outcome: "client_left" }, true],
    [{ ...SENT, status: null }, false],
  ];
  it.each(ended)("%j has failed: %s", (row, result) => {
    expect(values.hasFailed(row)).toBe(result);
  });
});
