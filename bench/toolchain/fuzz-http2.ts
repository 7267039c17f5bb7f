/**
 * `npm run bench -- fuzz-http2 [--minutes=N] [--seed=N]`: frames, header blocks and noise for connections of the P4Runtime
 * server. Faults are written to stderr, each with its seed and number; the exit status is 1 if there was a fault.
 */
import { join } from "node:path";
import type { Benchmark } from "../benchmark.js";
import { option } from "./fuzz/options.js";
import { fuzz } from "./fuzz/runner.js";

const KINDS = ["frames", "changed", "headers", "noise"] as const;

export const run: Benchmark = async (report) => {
  const result = await fuzz({
    module: join(import.meta.dirname, "fuzz/http2-cases.ts"),
    kinds: KINDS,
    seed: option("seed", 1),
    minutes: option("minutes", 0.5),
    tell: (line) => console.error(line),
  });
  for (const kind of KINDS)
    report({ name: `fuzz-http2/${kind}`, unit: "cases", value: result.cases[kind] ?? 0 });
  report({ name: "fuzz-http2/faults", unit: "faults", value: result.faults.length });
  report({ name: "fuzz-http2/time", unit: "s", value: result.seconds });
  if (result.faults.length > 0) process.exitCode = 1;
};
