import { describe, expect, it } from "vitest";
import { RULES, causesOf } from "../../kit/audit/causes.js";
import { OPERATIONS, finding } from "./audit-pages.js";

/** @import { Finding } from "../../kit/audit/types.d.ts" */

const ACTION = { action: "Save" };
/** @param {Finding[]} findings */
const causes = (...findings) => causesOf(findings, OPERATIONS);
/** @param {Finding[]} findings */
const ids = (...findings) => causes(...findings).map(({ id }) => id);

describe("causesOf", () => {
  it("finds nothing in nothing", () => {
    expect(causesOf([], [])).toEqual([]);
  });

  it("joins the same rule of three operations that read", () => {
    const [first, second] = causes(
      finding("silent", "listPets"),
      finding("silent", "listToys"),
      finding("blocked", "getTags"),
      finding("silent", "getTags"),
    );
    expect(first).toMatchObject({
      id: "silent/reads",
      title: "No message when a request that reads fails (3 of 3 operations)",
      operations: ["getTags", "listPets", "listToys"],
      findings: [0, 1, 3],
    });
    expect(second).toMatchObject({
      id: "blocked/getTags",
      title: "getTags holds up other content",
      findings: [2],
    });
  });

  it("keeps two of three operations apart", () => {
    expect(
      ids(finding("silent", "listPets"), finding("silent", "listToys")),
    ).toEqual(["silent/listPets", "silent/listToys"]);
  });

  it("joins two operations if there are only two", () => {
    const two = OPERATIONS.filter(({ name }) => /create|rename/.test(name));
    const findings = [
      finding("silent", "createPet", ACTION),
      finding("silent", "renamePet", ACTION),
    ];
    expect(causesOf(findings, two).map(({ id }) => id)).toEqual([
      "silent/writes",
    ]);
  });

  it("does not call one operation of one all of them", () => {
    const one = OPERATIONS.slice(0, 1);
    const [cause] = causesOf([finding("silent", "listPets")], one);
    expect(cause?.id).toBe("silent/listPets");
  });

  it("counts an operation once, however often it fails", () => {
    expect(
      ids(
        finding("silent", "listPets"),
        finding("silent", "listPets", { state: "401" }),
        finding("silent", "listPets", { state: "offline" }),
      ),
    ).toEqual(["silent/listPets"]);
  });

  it("names the failures if a failed server is none of them", () => {
    const states = ["offline", "401"].map((state) =>
      finding("silent", "listPets", { state }),
    );
    expect(causes(...states)[0]?.title).toBe(
      "No message when listPets fails (401, offline)",
    );
    expect(
      causes(...states, finding("silent", "listPets", { state: "500" }))[0]
        ?.title,
    ).toBe("No message when listPets fails");
    const others = ["listToys", "getTags"].map((name) =>
      finding("silent", name, { state: "401" }),
    );
    expect(causes(...states, ...others)[0]?.title).toBe(
      "No message when a request that reads fails (3 of 3 operations; 401, offline)",
    );
  });

  it("names no states of what does not fail", () => {
    const [cause] = causes(finding("no-empty", "listPets", { state: "empty" }));
    expect(cause?.title).toBe(
      "No empty state when listPets returns an empty list",
    );
  });

  it("does not count the reads of an action among those of pages", () => {
    expect(
      ids(
        finding("silent", "listPets"),
        finding("silent", "listToys"),
        finding("silent", "getTags", ACTION),
      ),
    ).toEqual(["silent/getTags", "silent/listPets", "silent/listToys"]);
  });

  it("takes an unknown operation for one that writes", () => {
    expect(ids(finding("silent", "dropPets"))).toEqual(["silent/dropPets"]);
  });

  it("puts errors first, then what was found most, then by name", () => {
    expect(
      ids(
        finding("no-empty", "listPets"),
        finding("moved", "getTags"),
        finding("silent", "listToys"),
        finding("silent", "getTags"),
        finding("stuck", "getTags"),
        finding("stuck", "getTags"),
      ),
    ).toEqual([
      "stuck/getTags",
      "silent/getTags",
      "silent/listToys",
      "moved/getTags",
      "no-empty/listPets",
    ]);
  });

  it("puts the smallest example first", () => {
    /** @type {Finding["steps"]} */
    const steps = [{ do: "click", locator: "x" }];
    const [cause] = causes(
      finding("silent", "listPets", { steps }),
      finding("silent", "listPets", { page: "/pets/{}" }),
      finding("silent", "listPets", { state: "401" }),
      finding("silent", "listPets"),
      finding("silent", "listPets"),
    );
    expect(cause?.findings).toEqual([3, 4, 2, 1, 0]);
    expect(cause?.pages).toEqual(["/", "/pets/{}"]);
  });
});

describe("RULES", () => {
  it.each(Object.entries(RULES))("names what fails in %s", (_, { title }) => {
    expect(title.split("{}")).toHaveLength(2);
  });
});
