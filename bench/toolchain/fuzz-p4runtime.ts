/**
 * `npm run bench -- fuzz-p4runtime [--minutes=N] [--seed=N]`: random and mutated messages for every call of a P4Runtime
 * server that controls the embedded switch. Faults are written to stderr, each with its seed and number; the exit status
 * is 1 if there was a fault.
 */
import { join } from "node:path";
import type { Benchmark } from "../benchmark.js";
import { option } from "./fuzz/options.js";
import { fuzz } from "./fuzz/runner.js";

const KINDS = ["write", "read", "config", "stream", "bytes"] as const;

export const run: Benchmark = async (report) => {
  const result = await fuzz({
    module: join(import.meta.dirname, "fuzz/p4runtime-cases.ts"),
    kinds: KINDS,
    seed: option("seed", 1),
    minutes: option("minutes", 0.5),
    tell: (line) => console.error(line),
  });
  for (const kind of KINDS)
    report({ name: `fuzz-p4runtime/${kind}`, unit: "cases", value: result.cases[kind] ?? 0 });
  report({ name: "fuzz-p4runtime/faults", unit: "faults", value: result.faults.length });
  report({ name: "fuzz-p4runtime/time", unit: "s", value: result.seconds });
  if (result.faults.length > 0) process.exitCode = 1;
};
