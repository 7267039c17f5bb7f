/**
 * How well `p4loom fit` agrees with the open Tofino compiler on the programs of `test/golden/fit`:
 * `npx tsx bench/fit-accuracy.ts` writes `docs/fit/accuracy.md` and prints the summary; `--check` writes nothing.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { formatTable } from "../src/base/index.js";
import { compare, summarize } from "../test/fit/golden.js";

/** Why the two differ, where it is known; a program that is not listed says so. */
const CAUSES: Readonly<Record<string, string>> = {
  cnt_direct_partial:
    "the BMv2 JSON does not say which actions execute a direct counter, so the rule (all hit actions must) cannot be checked",
  reg_w32_n131072_rmw:
    "a register split over stages: the compiler also makes the match table larger (10 blocks instead of 4); why is not known",
  reg_w32_n143360_rmw:
    "a register split over stages: the compiler also makes the match table larger (10 blocks instead of 4); why is not known",
  real_heavy_hitter:
    "the compiler puts two of four equal registers (5 blocks each) in a stage, on Tofino 2 all four; no resource that it reports is used up",
};

const root = join(import.meta.dirname, "..");
const rows = compare();
const summary = summarize(rows);
const percent = (part: number, whole: number) => `${((100 * part) / whole).toFixed(1)} %`;
const measures: [string, number, number, string][] = [
  ["verdict (placed, over its stages, refused) equal", summary.verdicts, summary.results, "95 %"],
  ["stages equal", summary.stages, summary.placed, "90 %"],
  ["stages within one", summary.within, summary.placed, "98 %"],
  ["SRAM blocks equal", summary.srams, summary.placed, "90 %"],
  ["TCAM blocks equal", summary.tcams, summary.placed, "90 %"],
  ["map RAM blocks equal", summary.mapRams, summary.placed, "-"],
  ["critical path equal", summary.criticalPath, summary.placed, "-"],
];
const lines = [
  "# Agreement with the open Tofino compiler",
  "",
  "Written by `npx tsx bench/fit-accuracy.ts`; do not edit. The reference is `test/golden/fit`: 259 programs, each",
  "for Tofino 1 and Tofino 2. Measures other than the verdict are over the results that the compiler placed within",
  "the device and that `p4loom fit` did not refuse.",
  "",
  "| measure | equal | of | share | aim |",
  "|---|---|---|---|---|",
  ...measures.map(
    ([name, part, whole, aim]) => `| ${name} | ${part} | ${whole} | ${percent(part, whole)} | ${aim} |`,
  ),
  "",
  "## Every difference and its cause",
  "",
  "Stages, SRAM and TCAM as `ours / compiler's`.",
  "",
  "| program | target | verdict | stages | SRAM | TCAM | cause |",
  "|---|---|---|---|---|---|---|",
];
for (const row of rows) {
  if (row.same) continue;
  const pair = (ours: number | undefined, theirs: number | undefined) =>
    ours === undefined || theirs === undefined ? "-" : `${ours} / ${theirs}`;
  lines.push(
    `| ${row.program} | ${row.target} | ${row.ours.verdict} / ${row.theirs.verdict} | ${pair(row.ours.stages, row.theirs.stages)} | ${pair(row.ours.srams, row.theirs.srams)} | ${pair(row.ours.tcams, row.theirs.tcams)} | ${row.note ?? CAUSES[row.program] ?? "not known"} |`,
  );
}
lines.push("");
if (!process.argv.includes("--check")) writeFileSync(join(root, "docs/fit/accuracy.md"), lines.join("\n"));
console.log(
  formatTable(
    ["measure", "equal", "of", "share", "aim"],
    measures.map(([name, part, whole, aim]) => [name, part, whole, percent(part, whole), aim]),
  ),
);
for (const row of rows)
  if (!row.same)
    console.log(
      row.program,
      row.target,
      JSON.stringify(row.ours),
      JSON.stringify(row.theirs),
      row.note ?? "",
    );
