import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { scenarios } from "../../kit/scenarios.js";
import { ARGS } from "../../kit/shared.js";
import { states } from "../../kit/states.js";

const SHIPPED = scenarios.map(({ name }) => name);
/** @param {object} options also invalid ones @returns {string[]} */
const names = (options) => {
  /** @type {unknown} */
  const made = Reflect.apply(states, undefined, [options]);
  return /** @type {ReturnType<typeof states>} */ (made).map(
    ({ name }) => name,
  );
};

describe("states", () => {
  beforeEach(() => void vi.stubEnv(ARGS, ""));
  afterEach(() => void vi.unstubAllEnvs());

  it("has every scenario once, with its annotation", () => {
    expect(names({})).toEqual(SHIPPED);
    expect(states({ only: ["empty"] })).toEqual([
      {
        name: "empty",
        description: scenarios.find(({ name }) => name === "empty")
          ?.description,
        details: {
          annotation: { type: "mockpets state", description: "empty" },
        },
      },
    ]);
  });

  it("excludes from those that are selected", () => {
    const only = ["empty", "no-status", "empty"];
    expect(names({ only }).sort()).toEqual(["empty", "no-status"]);
    expect(names({ only, exclude: ["empty", "empty"] })).toEqual(["no-status"]);
    expect(names({ only: [] })).toEqual([]);
    expect(names({ exclude: ["empty"] })).toHaveLength(SHIPPED.length - 1);
  });

  it("has the expressions of a selection once, after its scenarios", () => {
    const only = ["listPets:500", "empty", "listPets:500", "getPet:3s"];
    expect(names({ only })).toEqual(["empty", "listPets:500", "getPet:3s"]);
    expect(names({ only, exclude: ["empty"] })).toHaveLength(2);
    expect(states({ only: ["all:offline"] })).toEqual([
      {
        name: "all:offline",
        description: "",
        details: {
          annotation: { type: "mockpets state", description: "all:offline" },
        },
      },
    ]);
  });

  it.each([
    [{ only: ["emtpy"] }, "unknown scenario 'emtpy'; did you mean 'empty'?"],
    [{ exclude: ["emtpy"] }, "did you mean 'empty'?"],
    [
      { only: ["a scenario that is not there"] },
      "if it is new, write the kit again with 'mockpets kit'",
    ],
    [{ only: [""] }, "unknown scenario ''"],
    [{ only: [null] }, "unknown scenario 'null'"],
    [{ exclude: ["listPets:500"] }, "unknown scenario 'listPets:500'"],
    [{ onyl: [] }, "unknown option 'onyl' of states(); use 'only' or"],
  ])("rejects %j", (options, message) => {
    expect(() => names(options)).toThrow(TypeError);
    expect(() => names(options)).toThrow(message);
  });

  describe("with folders of scenarios", () => {
    /** @type {string[]} */
    let folders;
    beforeEach(() => {
      folders = [1, 2].map(() => mkdtempSync(join(tmpdir(), "states-")));
    });
    afterEach(() => {
      for (const folder of folders) rmSync(folder, { recursive: true });
    });

    /** @param {string[][]} files those of each folder */
    function own(...files) {
      for (const [index, folder] of folders.entries())
        for (const file of files[index] ?? [])
          writeFileSync(join(folder, file), "");
      const args = [...folders, "/nowhere"].map(
        (folder) => `--scenarios-dir '${folder}'`,
      );
      vi.stubEnv(ARGS, args.join(" "));
      return states().slice(SHIPPED.length);
    }

    it("adds your own scenarios, each once, without a description", () => {
      const added = own(["mine.yaml", "mine.json"], ["mine.yml", "other.yaml"]);
      expect(added.map(({ name, description }) => [name, description])).toEqual(
        [
          ["mine", ""],
          ["other", ""],
        ],
      );
    });

    it("adds neither a file that replaces a scenario nor other files", () => {
      const files = ["empty.yaml", "notes.txt", ".yaml", "a b.yaml", "x.yaml~"];
      expect(own(files)).toEqual([]);
    });
  });
});
