/**
 * `[CORPUS=DIR] npm run bench -- fuzz-pipelines [--minutes=N | --batches=N] [--seed=N]`: programs for TNA, PSA and PNA with random entries and packets,
 * valid and invalid writes. The programs are those of this repository and, with CORPUS (tools/tna/corpus.ts), the public ones of that
 * folder, one for each batch of cases. A run by the number of batches writes the digest of all that came out to stderr: it is the same in
 * every run with that seed. Faults are written to stderr, each with its seed and number; the exit status is 1 if there was a fault.
 */
import { join } from "node:path";
import type { Benchmark } from "../benchmark.js";
import { option } from "./fuzz/options.js";
import { pipelineCount } from "./fuzz/pipeline-programs.js";
import { fuzz } from "./fuzz/runner.js";

const KINDS = ["again", "traced", "counted", "writes"] as const;

/** A day: a run by the number of batches ends by that number. */
const LONG = 1440;

export const run: Benchmark = async (report) => {
  const batches = option("batches", 0);
  const seed = option("seed", 1);
  const result = await fuzz({
    module: join(import.meta.dirname, "fuzz/pipeline-cases.ts"),
    kinds: KINDS,
    seed,
    minutes: option("minutes", batches > 0 ? LONG : 0.5),
    ...(batches > 0 && { batches }),
    hangMs: 900_000,
    tell: (line) => console.error(line),
  });
  if (batches > 0) console.error(`${batches} batches of each kind, seed ${seed}: ${result.digest}`);
  for (const kind of KINDS)
    report({ name: `fuzz-pipelines/${kind}`, unit: "cases", value: result.cases[kind] ?? 0 });
  report({ name: "fuzz-pipelines/programs", unit: "programs", value: pipelineCount });
  report({ name: "fuzz-pipelines/faults", unit: "faults", value: result.faults.length });
  report({ name: "fuzz-pipelines/time", unit: "s", value: result.seconds });
  if (result.faults.length > 0) process.exitCode = 1;
};
