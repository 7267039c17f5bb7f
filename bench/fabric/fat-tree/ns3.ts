/** The fat tree of the benchmark in ns-3, with the same flows. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compileNs3 } from "../ns3.js";
import {
  DELAY_NS,
  INITIAL_WINDOW,
  MARK_PACKETS,
  MIN_RTO_MS,
  MSS,
  type PlayedFlow,
  QUEUE_PACKETS,
  RATE_BPS,
} from "./network.js";

export interface Ns3Result {
  /** Frames that arrived at a node over a link. */
  readonly hops: number;
  readonly cpuSeconds: number;
  /** By flow; negative for a flow that was not complete at the end. */
  readonly fctNs: readonly number[];
}

/**
 * @param hosts node indexes of all hosts, rack after rack: their places are the numbers that the program knows them by
 * @param flags further flags of the program
 */
export function fatTreeInNs3(
  k: number,
  hosts: readonly number[],
  flows: readonly PlayedFlow[],
  flags: Readonly<Record<string, number>> = {},
): Ns3Result {
  const numbers = new Map(hosts.map((host, number) => [host, number]));
  const folder = mkdtempSync(join(tmpdir(), "p4loom-fat-tree-"));
  try {
    const file = join(folder, "flows.txt");
    const line = ({ source, destination, bytes, startNs }: PlayedFlow) =>
      `${numbers.get(source)} ${numbers.get(destination)} ${bytes} ${startNs}\n`;
    writeFileSync(file, flows.map(line).join(""));
    return compileNs3("fat-tree").run({
      k,
      flows: file,
      rate: RATE_BPS,
      delayNs: DELAY_NS,
      queue: QUEUE_PACKETS,
      mark: MARK_PACKETS,
      mss: MSS,
      initialWindow: INITIAL_WINDOW,
      minRtoMs: MIN_RTO_MS,
      ...flags,
    }) as Ns3Result;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
