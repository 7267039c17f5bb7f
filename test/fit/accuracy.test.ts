import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { compare, summarize } from "./golden.js";

describe("agreement with the open Tofino compiler", () => {
  const rows = compare();
  const summary = summarize(rows);

  it("covers all results", () => {
    expect(summary.results).toBe(518);
    expect(summary.placed).toBeGreaterThanOrEqual(440);
  });

  it("gives the same verdict for at least 95 %", () => {
    expect(summary.verdicts / summary.results).toBeGreaterThanOrEqual(0.95);
  });

  it("gives the same number of stages for 90 %, within one for 98 %", () => {
    expect(summary.stages / summary.placed).toBeGreaterThanOrEqual(0.9);
    expect(summary.within / summary.placed).toBeGreaterThanOrEqual(0.98);
  });

  it("counts the same SRAM and TCAM blocks for 90 %", () => {
    expect(summary.srams / summary.placed).toBeGreaterThanOrEqual(0.9);
    expect(summary.tcams / summary.placed).toBeGreaterThanOrEqual(0.9);
  });

  it("finds the same critical path", () => {
    expect(summary.criticalPath / summary.placed).toBeGreaterThanOrEqual(0.98);
  });

  it("has every difference in docs/fit/accuracy.md", () => {
    const page = readFileSync(join(import.meta.dirname, "../../docs/fit/accuracy.md"), "utf8");
    for (const row of rows) {
      if (!row.same) expect(page).toContain(`| ${row.program} | ${row.target} |`);
    }
    expect(page).not.toContain("| not known |");
  });
});
