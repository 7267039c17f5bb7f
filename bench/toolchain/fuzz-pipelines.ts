/**
 * `[CORPUS=DIR] npm run bench -- fuzz-pipelines [--minutes=N] [--seed=N]`: programs for TNA, PSA and PNA with random entries and packets,
 * valid and invalid writes. The programs are those of this repository and, with CORPUS (tools/tna/corpus.ts), the public ones of that
 * folder. Faults are written to stderr, each with its seed and number; the exit status is 1 if there was a fault.
 */
import { join } from "node:path";
import type { Benchmark } from "../benchmark.js";
import { option } from "./fuzz/options.js";
import { pipelineCount } from "./fuzz/pipeline-programs.js";
import { fuzz } from "./fuzz/runner.js";

const KINDS = ["again", "traced", "counted", "writes"] as const;

export const run: Benchmark = async (report) => {
  const result = await fuzz({
    module: join(import.meta.dirname, "fuzz/pipeline-cases.ts"),
    kinds: KINDS,
    seed: option("seed", 1),
    minutes: option("minutes", 0.5),
    hangMs: 900_000,
    tell: (line) => console.error(line),
  });
  for (const kind of KINDS)
    report({ name: `fuzz-pipelines/${kind}`, unit: "cases", value: result.cases[kind] ?? 0 });
  report({ name: "fuzz-pipelines/programs", unit: "programs", value: pipelineCount });
  report({ name: "fuzz-pipelines/faults", unit: "faults", value: result.faults.length });
  report({ name: "fuzz-pipelines/time", unit: "s", value: result.seconds });
  if (result.faults.length > 0) process.exitCode = 1;
};
