/** `docs/fit/accuracy.md`: how well `p4loom fit` agrees with the open Tofino compiler on `test/golden/fit`. */
import type { Comparison, Outcome } from "./golden.js";
import { summarize } from "./golden.js";

/** Why the two differ; the test fails for a difference that is not listed. */
export const CAUSES: Readonly<Record<string, string>> = {
  cnt_direct_partial:
    "the BMv2 JSON does not say which actions execute a direct counter, so the rule (all hit actions must) cannot be checked",
  reg_w32_n131072_rmw:
    "a register split over stages: the compiler also makes the match table larger (10 blocks instead of 4); the reason is not known",
  reg_w32_n143360_rmw:
    "a register split over stages: the compiler also makes the match table larger (10 blocks instead of 4); the reason is not known",
  real_heavy_hitter:
    "the compiler puts two of four equal registers (5 blocks each) in a stage, on Tofino 2 all four; no resource that it reports is used up",
};

export function accuracyPage(rows: readonly Comparison[]): string {
  const summary = summarize(rows);
  const percent = (part: number, whole: number) => `${((100 * part) / whole).toFixed(1)} %`;
  const measures: readonly [name: string, equal: number, of: number][] = [
    ["verdict (placed, over its stages, refused) equal", summary.verdicts, summary.results],
    ["stages equal", summary.stages, summary.placed],
    ["stages within one", summary.within, summary.placed],
    ["SRAM blocks equal", summary.srams, summary.placed],
    ["TCAM blocks equal", summary.tcams, summary.placed],
    ["map RAM blocks equal", summary.mapRams, summary.placed],
    ["critical path equal", summary.criticalPath, summary.placed],
  ];
  const pair = (ours: number | undefined, theirs: number | undefined) =>
    ours === undefined || theirs === undefined ? "-" : `${ours} / ${theirs}`;
  return [
    "# Agreement with the open Tofino compiler",
    "",
    "Written by `make golden`; do not edit. The reference is `test/golden/fit`: 259 programs, each for Tofino 1 and",
    "Tofino 2. `test/golden/fit/agreement.txt` has both results of every row, and a test compares all of them.",
    "Measures other than the verdict cover the results that the compiler placed within the device and that",
    "`p4loom fit` did not refuse.",
    "",
    "<!-- compared by: test/toolchain/fit/accuracy.test.ts -->",
    "| measure | equal | of | share |",
    "|---|---|---|---|",
    ...measures.map(([name, part, whole]) => `| ${name} | ${part} | ${whole} | ${percent(part, whole)} |`),
    "",
    "## Every difference and its cause",
    "",
    "Stages, SRAM and TCAM as `p4loom fit / compiler`.",
    "",
    "<!-- compared by: test/toolchain/fit/accuracy.test.ts -->",
    "| program | target | verdict | stages | SRAM | TCAM | cause |",
    "|---|---|---|---|---|---|---|",
    ...rows
      .filter((row) => !row.same)
      .map(
        ({ program, target, ours, theirs, note }) =>
          `| ${program} | ${target} | ${ours.verdict} / ${theirs.verdict} | ${pair(ours.stages, theirs.stages)} | ${pair(ours.srams, theirs.srams)} | ${pair(ours.tcams, theirs.tcams)} | ${note ?? CAUSES[program] ?? "not known"} |`,
      ),
    "",
  ].join("\n");
}

/** One line a row: program, target, and per measure our figure and the compiler's; `=` marks equal rows. */
export function agreementText(rows: readonly Comparison[]): string {
  const figure = (value: number | undefined) => (value === undefined ? "-" : String(value));
  return `${[
    "# mark program target verdict stages SRAM TCAM map-RAM critical-path (p4loom fit/compiler); written by `make golden`",
    ...rows.map(({ program, target, ours, theirs, same }) =>
      [
        same ? "=" : "!",
        program,
        target,
        `${ours.verdict}/${theirs.verdict}`,
        ...(["stages", "srams", "tcams", "mapRams", "criticalPath"] as const).map(
          (name) => `${figure(ours[name])}/${figure(theirs[name])}`,
        ),
      ].join(" "),
    ),
  ].join("\n")}\n`;
}

/** Our side of the lines that {@link agreementText} writes, without its head. */
export function readAgreement(lines: readonly string[]): Outcome[] {
  return lines.map((line) => {
    const [verdict, ...figures] = line
      .split(" ")
      .slice(3)
      .map((pair) => pair.split("/")[0]!);
    const names = ["stages", "srams", "tcams", "mapRams", "criticalPath"] as const;
    const known = names.flatMap((name, i) => (figures[i] === "-" ? [] : [[name, Number(figures[i])]]));
    return { verdict: verdict as Outcome["verdict"], ...Object.fromEntries(known) };
  });
}
