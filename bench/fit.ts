/** Time of the fit checker, after compilation: the heuristic for 60 to 500 tables, the exact solver for 60. */
import { fitProgram, placeExactly } from "../src/fit/index.js";
import { compileText, loadTarget } from "../test/fit/golden.js";
import { type RandomTable, randomProgram } from "../test/fit/programs.js";
import type { Benchmark } from "./main.js";

/** Groups of dependent tables: chains of five, every third table ternary, every second guarded. */
function tables(count: number): RandomTable[] {
  return Array.from({ length: count }, (_, i) => ({
    key: i % 5 === 0 ? -1 : i - 1,
    writes: i,
    ternary: i % 3 === 0,
    size: [64, 512, 1024, 4096, 16_384][i % 5]!,
    guarded: i % 2 === 0,
  }));
}

export const run: Benchmark = async (report) => {
  const tofino2 = loadTarget("tofino2");
  for (const count of [60, 125, 250, 500]) {
    const { program, error } = compileText(randomProgram(tables(count)));
    if (program === undefined) throw new Error(error);
    fitProgram(program, tofino2);
    const start = performance.now();
    const result = fitProgram(program, tofino2);
    report({ name: `fit heuristic ${count} tables`, unit: "ms", value: performance.now() - start });
    if (count > 60) continue;
    const before = performance.now();
    const exact = await placeExactly(result.problem, result.placement, { timeLimit: 60 });
    report({ name: `fit exact ${count} tables`, unit: "ms", value: performance.now() - before });
    report({ name: `fit exact ${count} tables, gap`, unit: "%", value: 100 * exact.gap });
    report({ name: `fit exact ${count} tables, stages`, unit: "stages", value: exact.stages });
    report({ name: `fit heuristic ${count} tables, stages`, unit: "stages", value: result.stages });
  }
};
