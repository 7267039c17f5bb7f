/**
 * Measures the reasons that `p4loom fit` gives for designs that it refuses: how many are proven minimal.
 *
 *     CORPUS=DIR [EXACT=SECONDS] npx tsx tools/tna/reasons.ts [NAME ...]
 *
 * CORPUS holds `corpus.tsv` and the programs as `OWNER+NAME/PATH`. A line a reason goes to standard output; with names, only designs whose name
 * contains one are tried.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { DiagnosticError } from "../../src/base/index.js";
import { loadTarget } from "../../src/cli/targets.js";
import {
  type FitResult,
  findReasons,
  fitExactly,
  fitProgram,
  onePipe,
  pipesOf,
  QUICK,
  reasonsText,
} from "../../src/toolchain/fit/index.js";
import { type Case, caseName, loadCase, readCases } from "./corpus.js";

const { CORPUS: corpus, EXACT: exact } = process.env;
const limits =
  exact === undefined
    ? QUICK
    : { work: 10 * QUICK.work, solver: { questions: 16, nodes: 20_000, seconds: Number(exact) } };

/** As `p4loom fit --exact` does: the solver places what the heuristic does not, before anything is asked for a reason. */
async function improved(result: FitResult): Promise<FitResult> {
  if (exact === undefined || result.stages <= result.target.stages) return result;
  return (await fitExactly(result, { timeLimit: Number(exact) })).result;
}

async function reasonsOf(folder: string, one: Case, isAlone: boolean): Promise<[number, number]> {
  const program = await loadCase(folder, one);
  const counts: [number, number] = [0, 0];
  for (const pipe of pipesOf(program)) {
    const result = await improved(fitProgram(onePipe(program, pipe), loadTarget(one.chip)));
    if (result.verdict === "placed") continue;
    const start = performance.now();
    const reasons = await findReasons(result, limits);
    const ms = Math.round(performance.now() - start);
    for (const { kind, size, isMinimal } of reasons) {
      counts[0]++;
      if (isMinimal) counts[1]++;
      console.log(
        JSON.stringify({ case: caseName(one), pipe, verdict: result.verdict, kind, size, isMinimal, ms }),
      );
    }
    if (isAlone) console.log(reasonsText(reasons));
  }
  return counts;
}

if (corpus === undefined || !existsSync(join(corpus, "corpus.tsv"))) {
  console.error("reasons: skipped; CORPUS names no folder with corpus.tsv");
} else {
  const names = process.argv.slice(2);
  const sum: [number, number] = [0, 0];
  for (const one of readCases(corpus).filter(({ class: kind }) => kind === "design")) {
    if (names.length > 0 && !names.some((part) => caseName(one).includes(part))) continue;
    try {
      const [all, minimal] = await reasonsOf(corpus, one, names.length > 0);
      sum[0] += all;
      sum[1] += minimal;
    } catch (error) {
      // A design that does not compile has no fit: docs/tna/accuracy.md has the reasons.
      if (!(error instanceof DiagnosticError)) throw error;
    }
  }
  console.log(`${sum[1]} of ${sum[0]} reasons are proven minimal`);
}
