import { describe, expect, it } from "vitest";
import { changes, compare, readSheet, toHtml } from "../../kit/states-sheet.js";

/** @import { Row, Shot } from "../../kit/states-sheet.js" */

const CREATED = "2030-01-15T10:30:00.000Z";
/** @param {string} png @param {Partial<Shot>} [more] @returns {Shot} */
const shot = (png, more) => ({
  width: 390,
  theme: "light",
  png: Buffer.from(png),
  ...more,
});
/** @param {Partial<Row>} [more] @returns {Row} */
const row = (more) => ({
  state: "empty",
  result: "passed",
  test: "pets",
  reason: "",
  description: "",
  findings: [],
  shots: [],
  ...more,
});
/** @param {Row[]} rows @param {ReturnType<typeof readSheet>} [last] */
const sheet = (rows, last) =>
  toHtml("States", compare(rows, last), last, CREATED);
/** @param {Row[]} rows */
function written(...rows) {
  const result = readSheet(sheet(rows));
  if (!result) throw new Error("the sheet cannot be read");
  return result;
}

describe("readSheet", () => {
  it("reads what was written", () => {
    const { created, shots, pictures } = written(
      row({ shots: [shot("a"), shot("b", { theme: "dark" })] }),
    );
    expect(created).toBe(CREATED);
    expect([...shots.keys()]).toEqual([
      "empty · pets · 390 · light",
      "empty · pets · 390 · dark",
    ]);
    expect([...pictures.values()].sort()).toEqual(["YQ==", "Yg=="]);
    expect([...pictures.keys()].sort()).toEqual([...shots.values()].sort());
  });

  it("is not mistaken by hostile texts", () => {
    const state = `" data-shot="x" data-now="0123456789abcdef"><b>&'`;
    const { shots } = written(row({ state, test: state, shots: [shot("a")] }));
    expect(shots.size).toBe(1);
  });

  it.each([
    "",
    "</html>",
    "<html><time datetime='x'></html>",
    `<time datetime="${CREATED}">`,
    sheet([row()]).slice(0, -10),
  ])("reads no other file: %#", (html) => {
    expect(readSheet(html)).toBeUndefined();
  });
});

describe("compare", () => {
  /** @param {Row[]} rows @param {ReturnType<typeof readSheet>} [last] */
  const kinds = (rows, last) =>
    compare(rows, last).rows.flatMap(({ shots }) =>
      shots.map(({ change }) => change),
    );

  it("knows no change without a last sheet", () => {
    expect(kinds([row({ shots: [shot("a")] })])).toEqual([undefined]);
    expect(changes(compare([row()], undefined), undefined)).toBe("");
  });

  it("distinguishes what is the same, changed, new and gone", () => {
    const last = written(
      row({ shots: [shot("a"), shot("b", { width: 900 })] }),
      row({ state: "retry", shots: [shot("c")] }),
    );
    const rows = [
      row({ shots: [shot("a"), shot("B", { width: 900 })] }),
      row({ state: "slow", shots: [shot("c")] }),
    ];
    expect(kinds(rows, last)).toEqual(["same", "changed", "new"]);
    const compared = compare(rows, last);
    expect(compared.gone).toEqual(["retry · pets · 390 · light"]);
    expect(changes(compared, last)).toBe(
      "1 screenshots changed, 1 new, 1 gone since 2030-01-15 10:30 UTC",
    );
  });

  it("takes a screenshot of another test, width or theme for a new one", () => {
    const last = written(row({ shots: [shot("a")] }));
    const rows = [
      row({ test: "other", shots: [shot("a")] }),
      row({
        shots: [shot("a", { width: 391 }), shot("a", { theme: "dark" })],
      }),
    ];
    expect(kinds(rows, last)).toEqual(["new", "new", "new"]);
  });

  it("takes everything for new after an empty sheet, and gone in one", () => {
    const empty = written();
    const full = written(row({ shots: [shot("a")] }));
    expect(kinds([row({ shots: [shot("a")] })], empty)).toEqual(["new"]);
    expect(compare([], full).gone).toHaveLength(1);
  });
});

describe("toHtml", () => {
  it("has each picture once", () => {
    const html = sheet([
      row({ shots: [shot("a"), shot("a", { theme: "dark" })] }),
      row({ state: "retry", shots: [shot("a")] }),
    ]);
    expect(html.match(/src="data:image/g)).toHaveLength(1);
    expect(html.match(/<img data-of=/g)).toHaveLength(2);
  });

  it("has columns by width, light before dark, and says what is missing", () => {
    const shots = [
      shot("a", { width: 900 }),
      shot("b", { theme: "dark" }),
      shot("c"),
    ];
    const html = sheet([row({ shots }), row({ state: "retry" })]);
    const columns = [...html.matchAll(/<th scope="col">([^<\n]+)/g)];
    expect(columns.map(([, name]) => name)).toEqual([
      "State",
      "390 light",
      "390 dark",
      "900 light",
    ]);
    expect(html.match(/no screenshot/g)).toHaveLength(3);
  });

  it("keeps the picture of the last sheet only of what changed", () => {
    const last = written(
      row({ shots: [shot("a"), shot("b", { width: 900 })] }),
    );
    const html = sheet(
      [row({ shots: [shot("a"), shot("B", { width: 900 })] })],
      last,
    );
    expect([...(readSheet(html)?.pictures.values() ?? [])].sort()).toEqual([
      "Qg==",
      "YQ==",
      "Yg==",
    ]);
  });

  it.each([
    ["passed", {}, true],
    ["skipped", { reason: "not allowed" }, true],
    ["failed", {}, false],
    ["flaky", {}, false],
    ["did not run", {}, false],
    ["passed", { findings: ["uncaught"] }, false],
  ])("hides what %s with the filter: %j", (result, more, isHidden) => {
    const html = sheet([row({ result, ...more })]);
    const [, kind = ""] = /<tr id="1" class="([^"]*)"/.exec(html) ?? [];
    expect(kind.split(" ").includes("quiet")).toBe(isHidden);
    expect(kind).toContain(result.replaceAll(" ", "-"));
  });
});
