/**
 * Sweeps: the same points on one worker and on two, the start of a worker, and the cost of a job in addition to its
 * simulation. The load of the machine before is reported too: on a busy one, two workers are not twice as fast as one.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { COMMAND } from "../../test/built-command.js";
import type { Benchmark } from "../benchmark.js";

/** 15 points and 2 schemes: 30 jobs of about a second each. */
const LARGE = `name: sweep
topology: { kind: leaf_spine, tors: 8, leaves: 8 }
schemes: [pecmp, prr]
failures: [leaf]
runs: 40
observation: 1s
transport: { window_segments: 8 }
sweep:
  transport.rto_margin: [5ms, 10ms, 20ms]
  transport.segment_bytes: [200, 500, 1000, 1200, 1400]
`;

/** Jobs of a few milliseconds: almost all of their time is the cost of the sweep itself. */
const SMALL = `name: sweep
topology: { kind: leaf_spine, tors: 2, leaves: 2, homing: single }
schemes: [none]
failures: [leaf]
runs: 1
give_up: 100ms
sweep: { seeds: SEEDS }
`;

const ROUNDS = 2;

export const run: Benchmark = async (report) => {
  const folder = mkdtempSync(join(tmpdir(), "p4loom-bench-sweep-"));
  /** Wall time of a sweep in seconds; the text of its results. */
  const timed = (text: string, ...args: string[]): { seconds: number; results: string } => {
    const file = join(folder, "sweep.yaml");
    const out = join(folder, "out");
    writeFileSync(file, text);
    rmSync(out, { recursive: true, force: true });
    const begun = performance.now();
    const { status, stderr } = spawnSync(process.execPath, [COMMAND, "run", file, "--out", out, ...args], {
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(stderr);
    const seconds = (performance.now() - begun) / 1000;
    return { seconds, results: readFileSync(join(out, "results.json"), "utf8") };
  };
  const fastest = (count: number, measure: () => number) =>
    Math.min(...Array.from({ length: count }, () => measure()));
  try {
    report({ name: "sweep load of the machine before", unit: "processes", value: loadavg()[0]! });
    const times = { one: Number.POSITIVE_INFINITY, two: Number.POSITIVE_INFINITY };
    for (let round = 0; round < ROUNDS; round++) {
      const one = timed(LARGE, "--workers", "1");
      const two = timed(LARGE, "--workers", "2");
      if (one.results !== two.results) throw new Error("two workers give other results than one");
      times.one = Math.min(times.one, one.seconds);
      times.two = Math.min(times.two, two.seconds);
    }
    report({ name: "sweep 15 points, 30 jobs, 1 worker", unit: "s", value: times.one });
    report({ name: "sweep 15 points, 30 jobs, 2 workers", unit: "s", value: times.two });
    report({ name: "sweep speed-up of 2 workers", unit: "times", value: times.one / times.two });

    const small = (seeds: number, ...args: string[]) =>
      fastest(ROUNDS, () => timed(SMALL.replace("SEEDS", String(seeds)), ...args).seconds);
    const [few, many] = [2, 202];
    const base = small(few, "--workers", "1");
    report({
      name: "sweep cost of a small job",
      unit: "ms",
      value: (1000 * (small(many, "--workers", "1") - base)) / (many - few),
    });
    // Without `--workers`, a single job runs without a worker; a limit of time needs a worker.
    const inside = small(1);
    const worker = small(1, "--workers", "1", "--job-timeout", "1h");
    report({ name: "sweep start of a worker", unit: "ms", value: 1000 * (worker - inside) });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
