/**
 * `npm run bench -- fuzz-switch [--minutes=N] [--seed=N]`: random bytes as packets, mutated programs, valid and
 * invalid writes, and commands, on the programs of the golden data; with `P4LOOM_FUZZ_PROGRAMS=FOLDER` on the v1model
 * programs of that folder too (for example p4c's `testdata/p4_16_samples`). Faults are written to stderr, each with its
 * seed and number; the exit status is 1 if there was a fault.
 */
import { join } from "node:path";
import type { Benchmark } from "../benchmark.js";
import { option } from "./fuzz/options.js";
import { fuzz } from "./fuzz/runner.js";

const KINDS = ["packets", "config", "writes", "commands"] as const;

export const run: Benchmark = async (report) => {
  const result = await fuzz({
    module: join(import.meta.dirname, "fuzz/switch-cases.ts"),
    kinds: KINDS,
    seed: option("seed", 1),
    minutes: option("minutes", 0.5),
    tell: (line) => console.error(line),
  });
  for (const kind of KINDS)
    report({ name: `fuzz-switch/${kind}`, unit: "cases", value: result.cases[kind] ?? 0 });
  report({ name: "fuzz-switch/faults", unit: "faults", value: result.faults.length });
  report({ name: "fuzz-switch/time", unit: "s", value: result.seconds });
  if (result.faults.length > 0) process.exitCode = 1;
};
