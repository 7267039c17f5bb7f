import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import type { DiagnosticError } from "../../src/base/index.js";
import { parseTarget } from "../../src/fit/index.js";
import { loadTarget } from "./golden.js";

const folder = join(import.meta.dirname, "../../data/targets");
const document = (name: string) => parse(readFileSync(join(folder, `${name}.yaml`), "utf8"));

describe("target files", () => {
  it.each(readdirSync(folder).filter((name) => name.endsWith(".yaml")))("%s says what it is", (name) => {
    const target = loadTarget(name.replace(".yaml", ""));
    expect(`${target.name}.yaml`).toBe(name);
  });

  it("have the stages of the devices", () => {
    expect(
      ["tofino", "tofino2", "tofino2m", "tofino2h", "rmt"].map((name) => loadTarget(name).stages),
    ).toEqual([12, 20, 12, 6, 32]);
  });

  it("leave open what no source says, and know no Tofino 3", () => {
    expect(loadTarget("rmt").per_stage.gateways).toBeNull();
    expect(readdirSync(folder).join(" ")).not.toContain("tofino3");
  });

  it.each([
    [
      "a number without its source",
      (d: Record<string, unknown>) => Object.assign(d, { stages: 12 }),
      "stages",
    ],
    ["an unknown key", (d: Record<string, unknown>) => Object.assign(d, { colour: 1 }), "colour"],
    [
      "a negative number",
      (d: Record<string, unknown>) => Object.assign(d, { stages: { value: -1, source: "x" } }),
      "stages",
    ],
    ["no name", (d: Record<string, unknown>) => Object.assign(d, { name: "" }), "name"],
  ])("are refused with %s", (_what, change, word) => {
    try {
      parseTarget(change(document("tofino")));
      expect.unreachable();
    } catch (error) {
      const [first] = (error as DiagnosticError).diagnostics;
      expect(first!.code).toBe("P44001");
      expect(JSON.stringify([first!.message, first!.notes])).toContain(word);
    }
  });
});
