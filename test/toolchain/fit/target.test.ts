import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { Diagnostics, SourceFile } from "../../../src/base/index.js";
import { loadDocument } from "../../../src/toolchain/documents/index.js";
import { targetSchema } from "../../../src/toolchain/fit/index.js";
import { loadTarget } from "./golden.js";

const folder = join(import.meta.dirname, "../../../data/targets");
const document = (name: string) => parse(readFileSync(join(folder, `${name}.yaml`), "utf8"));

describe("target files", () => {
  it("say what the array of SRAM must be where it has other blocks", () => {
    const sram = { ...document("tofino").sram, blocks: { value: 96, source: "x" } };
    const text = JSON.stringify({ ...document("tofino"), sram });
    const diagnostics = new Diagnostics();
    loadDocument(new SourceFile("mine.json", text), targetSchema, diagnostics);
    expect(diagnostics.list[0]!.message).toMatch(
      /sram\.tofino_array.*: must be false where sram\.blocks is not 80, since the array has 8 rows of 10, got true$/,
    );
  });

  it.each(readdirSync(folder).filter((name) => name.endsWith(".yaml")))(
    "%s has the name of its file",
    (name) => {
      const target = loadTarget(name.replace(".yaml", ""));
      expect(`${target.name}.yaml`).toBe(name);
    },
  );

  it("have the stages of the devices", () => {
    expect(
      ["tofino", "tofino2", "tofino2m", "tofino2h", "rmt"].map((name) => loadTarget(name).stages),
    ).toEqual([12, 20, 12, 6, 32]);
  });

  it("have null for what no source states, and there is no Tofino 3", () => {
    expect(loadTarget("rmt").per_stage.gateways).toBeNull();
    expect(readdirSync(folder).join(" ")).not.toContain("tofino3");
  });

  it.each([
    ["P43004", "a number without its source", "stages", 12],
    ["P43002", "an unknown key", "colour", 1],
    ["P43004", "a negative number", "stages", { value: -1, source: "x" }],
    ["P43004", "a number that no chip has", "stages", { value: 1e12, source: "x" }],
    ["P43004", "no name", "name", ""],
    // Rows and columns are those of one array.
    [
      "P43002",
      "columns of SRAM",
      "sram",
      { ...document("tofino").sram, columns: { value: 10, source: "x" } },
    ],
    [
      "P43004",
      "more blocks in the array of a Tofino",
      "sram",
      { ...document("tofino").sram, blocks: { value: 96, source: "x" } },
    ],
  ])("are refused (%s) with %s", (code, _what, key, value) => {
    const text = JSON.stringify({ ...document("tofino"), [key]: value });
    const diagnostics = new Diagnostics();
    expect(loadDocument(new SourceFile("mine.json", text), targetSchema, diagnostics)).toBeUndefined();
    const [first] = diagnostics.list;
    expect(first!.code).toBe(code);
    expect(first!.message).toContain(key);
    expect(first!.span!.start).toBeGreaterThan(0);
  });
});
