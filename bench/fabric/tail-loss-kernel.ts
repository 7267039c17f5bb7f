/**
 * Losses near the end of a flow: the kernel's TCP against ours in both directions, over a TUN device in a network namespace (`transport/tail-losses.ts`),
 * beside the times that RFC 8985 gives. Needs root. The block `tail` of docs/transport.md shows all of it.
 */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { ascending, quantile } from "../../src/fabric/statistics/index.js";
import type { Benchmark } from "../benchmark.js";

const program = join(import.meta.dirname, "transport/tail-losses.ts");

const RTT_MS = 40;
/** Two rounds: ten segments, then twenty, of which the last one has the FIN. */
const SEGMENTS = 30;
const ALONE_MS = 2.5 * RTT_MS;
const REORDERING_MS = RTT_MS / 4;
const PROBE_MS = 2 * RTT_MS;
const REPEATS = 5;

/** What is lost, and when the receiver has all; our sender has no longest delay of acknowledgements to wait for. */
const CASES: readonly (readonly [lost: readonly number[], expectedMs: number])[] = [
  [[], ALONE_MS],
  [[26], ALONE_MS + RTT_MS],
  [[27], ALONE_MS + RTT_MS + REORDERING_MS],
  [[28], ALONE_MS + RTT_MS + REORDERING_MS],
  [[29], ALONE_MS + RTT_MS + PROBE_MS],
  [[27, 28], ALONE_MS + 2 * RTT_MS + REORDERING_MS],
  [[27, 28, 29], ALONE_MS + 3 * RTT_MS + PROBE_MS],
];

export const run: Benchmark = async (report) => {
  if (process.getuid?.() !== 0 || !existsSync("/dev/net/tun")) {
    console.error("tail-loss-kernel: skipped; it needs root and /dev/net/tun");
    return;
  }
  const namespace = `p4loom-tail-${process.pid}`;
  execFileSync("ip", ["netns", "add", namespace]);
  try {
    const cases = CASES.map(([lost]) => lost);
    const request = JSON.stringify({ segments: SEGMENTS, rttMs: RTT_MS, repeats: REPEATS, cases });
    const words = ["netns", "exec", namespace, process.execPath, "--import", "tsx", program, request];
    const results = JSON.parse(execFileSync("ip", words, { encoding: "utf8" })) as readonly {
      kernel: readonly number[];
      ours: readonly number[];
    }[];
    const median = (values: readonly number[]) => quantile(ascending(values), 0.5);
    for (const [i, [lost, expected]] of CASES.entries()) {
      const { kernel, ours } = results[i]!;
      const what = lost.length === 0 ? "none" : lost.map((one) => one + 1).join(", ");
      report({
        name: `tail-loss-kernel/${what} of ${SEGMENTS} lost`,
        unit: "ms",
        value: median(ours),
        rival: { name: "kernel", value: median(kernel) },
        more: { expected, load_of_machine: Number(loadavg()[0]!.toFixed(1)) },
      });
    }
  } finally {
    execFileSync("ip", ["netns", "del", namespace]);
  }
};
