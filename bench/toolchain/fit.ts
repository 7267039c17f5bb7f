/**
 * Time of the fit checker, after compilation. How it grows with the number of tables and with their sizes, and the
 * exact solver for 60 tables. The last two points of a curve are reported as a ratio, which is 2 for linear growth.
 * Many small tables that fit, and the same with a stage too few, whose reasons are sought, too, as the command does.
 */
import { explain, findReasons, fitExactly, fitProgram, QUICK } from "../../src/toolchain/fit/index.js";
import { compileText, loadTarget } from "../../test/toolchain/fit/golden.js";
import { oneTable, type RandomTable, randomProgram } from "../../test/toolchain/fit/programs.js";
import type { Benchmark } from "../benchmark.js";

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

/** Tables of one header's field that wait for nothing, every second behind a condition. */
function smallTables(count: number): RandomTable[] {
  return Array.from({ length: count }, (_, i) => ({
    key: -1,
    writes: i,
    ternary: false,
    size: 64,
    guarded: i % 2 === 0,
  }));
}

function compiled(text: string) {
  const { program, error } = compileText(text);
  if (program === undefined) throw new Error(error);
  return program;
}

function milliseconds(action: () => unknown): number {
  action();
  const start = performance.now();
  action();
  return performance.now() - start;
}

/** Milliseconds of this process, its collection of garbage included. */
function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

export const run: Benchmark = async (report) => {
  const tofino2 = loadTarget("tofino2");
  let before = 0;
  for (const count of [60, 125, 250, 500, 1000]) {
    const program = compiled(randomProgram(tables(count)));
    const value = milliseconds(() => fitProgram(program, tofino2));
    report({ name: `fit heuristic ${count} tables`, unit: "ms", value });
    if (count === 1000) report({ name: "fit heuristic 1000 tables / 500", unit: "x", value: value / before });
    before = value;
    if (count > 60) continue;
    const result = fitProgram(program, tofino2);
    report({ name: `fit explain ${count} tables`, unit: "ms", value: milliseconds(() => explain(result)) });
    const start = performance.now();
    const { exact } = await fitExactly(result, { timeLimit: 60 });
    report({ name: `fit exact ${count} tables`, unit: "ms", value: performance.now() - start });
    report({ name: `fit exact ${count} tables, gap`, unit: "%", value: 100 * exact.gap });
    report({ name: `fit exact ${count} tables, stages`, unit: "stages", value: exact.stages });
    report({ name: `fit heuristic ${count} tables, stages`, unit: "stages", value: result.stages });
  }
  for (const count of [10, 75, 150, 300]) {
    const program = compiled(randomProgram(smallTables(count)));
    let start = processorTime();
    const { stages } = fitProgram(program, tofino2);
    report({ name: `fit ${count} small tables`, unit: "processor ms", value: processorTime() - start });
    start = processorTime();
    const refused = fitProgram(program, { ...tofino2, stages: stages - 1 });
    await findReasons(refused, QUICK);
    const value = processorTime() - start;
    report({ name: `fit ${count} small tables, a stage too few`, unit: "processor ms", value });
  }
  for (const kind of ["exact", "ternary"] as const) {
    for (const size of [1e3, 1e6, 1e9, 1e12, 1e15]) {
      const program = compiled(oneTable({ kind, keyBits: 48, size }));
      const value = milliseconds(() => fitProgram(program, tofino2));
      report({ name: `fit ${kind} table of ${size.toExponential(0)} entries`, unit: "ms", value });
    }
  }
};
