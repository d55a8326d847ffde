import { describe, expect, it } from "vitest";
import { resultOf } from "../../kit/audit/result.js";
import { OPERATIONS, finding, target } from "./audit-pages.js";

/** @import { Discovery } from "../../kit/audit/discover.js" */
/** @import { Probing } from "../../kit/audit/probe.js" */
/** @import { SignIn, Target } from "../../kit/audit/types.d.ts" */

/**
 * @typedef {object} Facts
 * @property {Target[]} [targets]
 * @property {SignIn | null} [signIn]
 * @property {string[]} [bases]
 * @property {string[]} [notes]
 * @property {boolean} [outOfTime]
 * @property {Partial<Pick<Probing, "findings" | "matrix" | "planned" | "skipped" | "isStopped">>} [probing]
 * @property {boolean} [isCut]
 */

/** @param {Facts} [facts] */
function result({ probing, isCut = false, ...facts } = {}) {
  const { targets = [], signIn = null, bases = ["/v1"], notes = [] } = facts;
  /** @type {unknown} */
  const discovery = {
    targets,
    signIn,
    notes: new Set(notes),
    outOfTime: facts.outOfTime ?? false,
    config: { app: "http://app/" },
    opener: { bases, operations: OPERATIONS },
  };
  /** @type {unknown} */
  const probes = {
    findings: [],
    matrix: [],
    skipped: 0,
    planned: 0,
    isStopped: false,
    ...probing,
  };
  return resultOf(
    /** @type {Discovery} */ (discovery),
    /** @type {Probing} */ (probes),
    {
      version: "1.0",
      titles: ["Pets"],
      started: new Date("2030-01-15T10:30:00Z"),
      isCut,
    },
  );
}

const PROBE = {
  page: "/",
  action: null,
  operation: "listPets",
  state: "500",
  level: "ok",
};
const LIST = { ...target(), operations: ["listPets"] };

describe("resultOf", () => {
  it("hints at the base path if no page has called the mock", () => {
    expect(result({ notes: ["A note"] }).notes).toEqual([
      "No page has called an operation below /v1. If your API has another base path, name its URL with --base-url.",
      "A note",
    ]);
    expect(result({ bases: ["/v1", "/v2"] }).notes[0]).toContain("/v1 or /v2.");
    expect(result({ bases: [""] }).notes[0]).toContain("below /.");
  });

  it("has no such hint if a page has, or if the audit was cut off", () => {
    expect(result({ targets: [LIST] }).notes).toEqual([]);
    expect(result({ isCut: true }).notes).toEqual([]);
    expect(result({ outOfTime: true }).notes).toEqual([]);
    expect(result({ probing: { isStopped: true } }).notes).toEqual([]);
  });

  it("is complete if all probes have run or were skipped", () => {
    const probing = { matrix: [PROBE], skipped: 2, planned: 3 };
    expect(result({ probing })).toMatchObject({
      complete: true,
      probes: { run: 1, planned: 1 },
    });
    const missing = { ...probing, planned: 4 };
    expect(result({ probing: missing }).complete).toBe(false);
    expect(result({ probing, isCut: true }).complete).toBe(false);
    expect(result({ probing, outOfTime: true }).complete).toBe(false);
  });

  it("lists pages and actions apart, and what no one has called", () => {
    const action = { name: "Save", steps: [] };
    const save = { ...target({ action }), operations: ["createPet"] };
    const { pages, actions, not_reached } = result({ targets: [LIST, save] });
    expect(pages.map(({ operations }) => operations)).toEqual([["listPets"]]);
    expect(actions).toEqual([
      { page: "/pets", name: "Save", operations: ["createPet"] },
    ]);
    expect(not_reached).toEqual(["listToys", "getTags", "renamePet", "logIn"]);
  });

  it("counts only the operations that were called in the title of a cause", () => {
    const findings = [finding("silent", "listPets"), finding("silent", "x")];
    const other = { ...target(), operations: ["listToys"] };
    const { causes } = result({
      targets: [LIST, other],
      probing: {
        findings: [...findings, finding("silent", "listToys")],
      },
    });
    expect(causes.map(({ title }) => title)).toContain(
      "No message when a request that reads fails (2 of 2 operations)",
    );
  });

  it("has the steps of the log-in, unless its state was saved", () => {
    const place = /** @type {const} */ ({ by: "css", name: "#in", nth: 0 });
    const signIn = {
      name: "jo",
      url: "http://app/login?next=%2F#in",
      steps: [{ do: /** @type {const} */ ("click"), place }],
    };
    expect(result({ signIn })).toMatchObject({
      signed_in: "jo",
      sign_in: {
        url: "/login?next=%2F#in",
        steps: [{ do: "click", locator: 'locator("#in").first()' }],
      },
    });
    expect(result({ signIn: { ...signIn, url: "", steps: [] } })).toMatchObject(
      { signed_in: "jo", sign_in: null },
    );
    expect(result().signed_in).toBeNull();
  });
});
