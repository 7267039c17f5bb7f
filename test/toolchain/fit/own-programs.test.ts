/** The table of docs/fit/programs.md: verdict and stages of the project's own programs, which are for v1model. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../../src/base/index.js";
import { fitProgram } from "../../../src/toolchain/fit/index.js";
import { compile } from "../../../src/toolchain/p4/index.js";
import { loadTarget } from "./golden.js";

const ROOT = join(import.meta.dirname, "../../..");
const rows = readFileSync(join(ROOT, "docs/fit/programs.md"), "utf8")
  .split("\n")
  .filter((line) => line.startsWith("| "))
  .map((line) => line.split("|").map((cell) => cell.trim()));
const [head, ...programs] = rows;
const targets = head!.slice(2, -1);

describe("docs/fit/programs.md", () => {
  it("has the programs of each scheme", () => {
    expect(targets).toEqual(["tofino", "tofino2", "rmt"]);
    expect(programs.length).toBeGreaterThan(20);
  });

  it.each(programs.map(([, path, ...cells]) => ({ path: path!, cells: cells.slice(0, -1) })))(
    "$path",
    ({ path, cells }) => {
      const file = new SourceFile(path, readFileSync(join(ROOT, path), "utf8"));
      const { program } = compile({ file }, new Diagnostics())!;
      const found = targets.map((name) => {
        const { verdict, stages, target } = fitProgram(program, loadTarget(name), { sources: () => file });
        return `${verdict}, ${stages} of ${target.stages}`;
      });
      expect(found).toEqual(cells);
    },
  );
});
