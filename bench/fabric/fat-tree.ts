/**
 * Fat trees under load, with the compiled program in every switch: ECMP, DCTCP, web search at 50 % of the hosts' links,
 * any host to any other. A packet-hop is a frame that arrives at a node over a link.
 *
 * 1. k = 8 (128 hosts), 10,000 flows to their end: time, events and hops a second, memory. P4LOOM_FLOWS gives another number.
 * 2. k = 4, 8, 16 (16, 128, 1,024 hosts): the cost of a hop under the same load, the median of five parts of a run; for
 * comparison, the
 *    time of a read from memory that does fit in a cache, and from memory that does not.
 * 3. The first flows of the same list in ns-3 on the same network, where it is installed, and in ours: hops a second and flow
 *    completion times. P4LOOM_NS3_FLOWS gives their number, 300 unless given.
 *
 * Times are those of the processor (user time of the process), so that other work on the machine does not count.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { hostsOf } from "../../src/fabric/topology/index.js";
import type { Benchmark } from "../benchmark.js";
import { memoryLatency } from "./fat-tree/memory-latency.js";
import { bootFatTree, FlowPlayer, type PlayedFlow, webSearch } from "./fat-tree/network.js";
import { fatTreeInNs3 } from "./fat-tree/ns3.js";
import { ns3Missing } from "./ns3.js";

const LOAD = 0.5;
/** Virtual time between two looks at the clock, in nanoseconds. */
const SLICE_NS = 50_000;
const CURVE_HOPS = 200_000;
const CURVE_PARTS = 5;
const WARM_UP_HOPS = 300_000;

interface Cost {
  readonly hops: number;
  readonly events: number;
  readonly cpuSeconds: number;
  readonly wallSeconds: number;
}

interface Played extends Cost {
  readonly flows: readonly PlayedFlow[];
  /** Node indexes of the hosts. */
  readonly hosts: readonly number[];
}

/** Plays flows of a new fabric until all are complete. */
async function play(k: number, flows: number): Promise<Played> {
  const fabric = await bootFatTree(k);
  const player = new FlowPlayer(fabric, webSearch(fabric, LOAD, flows), true);
  const hosts = hostsOf(fabric.topology).map(({ index }) => index);
  return { ...runHops(player, Number.POSITIVE_INFINITY), flows: player.played, hosts };
}

/** Runs until this number of further frames have arrived, or all flows are complete. */
function runHops(player: FlowPlayer, hops: number): Cost {
  const { network } = player.fabric;
  const { simulation } = network;
  const before = { hops: network.hopCount, events: simulation.eventCount };
  const cpu = process.cpuUsage();
  const wall = performance.now();
  while (!player.isDone && network.hopCount - before.hops < hops) simulation.run(simulation.now + SLICE_NS);
  return {
    hops: network.hopCount - before.hops,
    events: simulation.eventCount - before.events,
    cpuSeconds: process.cpuUsage(cpu).user / 1e6,
    wallSeconds: (performance.now() - wall) / 1000,
  };
}

export const run: Benchmark = async (report) => {
  const count = Number(process.env.P4LOOM_FLOWS ?? 10_000);
  const whole = await play(8, count);
  const name = `fat-tree/k8-${count}-flows`;
  report({ name: `${name}/cpu-time`, unit: "s", value: whole.cpuSeconds });
  report({ name: `${name}/wall-time`, unit: "s", value: whole.wallSeconds });
  report({ name: `${name}/packet-hops`, unit: "hops/s", value: whole.hops / whole.cpuSeconds });
  report({ name: `${name}/events`, unit: "events/s", value: whole.events / whole.cpuSeconds });
  report({ name: `${name}/events-per-hop`, unit: "events", value: whole.events / whole.hops });
  report({ name: `${name}/memory`, unit: "MB", value: process.resourceUsage().maxRSS / 1024 });
  for (const k of [4, 8, 16])
    report({ name: `fat-tree/${k ** 3 / 4}-hosts/hop`, unit: "ns", value: await costOfHop(k) });
  for (const megabytes of [0.25, 4, 16])
    report({
      name: `fat-tree/read-of-${megabytes}-MB`,
      unit: "ns",
      value: memoryLatency(megabytes * 2 ** 20),
    });
  await besideNs3(report, Number(process.env.P4LOOM_NS3_FLOWS ?? 300));
};

async function besideNs3(report: Parameters<Benchmark>[0], count: number): Promise<void> {
  const ours = await play(8, count);
  const value = ours.hops / ours.cpuSeconds;
  const missing = ns3Missing();
  if (missing !== undefined) {
    console.error(`fat-tree: ${missing}`);
    report({ name: "fat-tree/beside-ns3/packet-hops", unit: "hops/s", value });
    return;
  }
  const theirs = fatTreeInNs3(8, ours.hosts, ours.flows);
  report({
    name: "fat-tree/beside-ns3/packet-hops",
    unit: "hops/s",
    value,
    rival: { name: "ns-3", value: theirs.hops / theirs.cpuSeconds },
  });
  report({
    name: "fat-tree/beside-ns3/hops",
    unit: "hops",
    value: ours.hops,
    rival: { name: "ns-3", value: theirs.hops },
  });
  const done = ours.flows.map((flow, i) => [flow, theirs.fctNs[i]!] as const).filter(([, fct]) => fct > 0);
  const classes: [string, number, number][] = [
    ["small", 0, 100e3],
    ["medium", 100e3, 10e6],
    ["large", 10e6, Number.POSITIVE_INFINITY],
  ];
  for (const [size, least, most] of classes) {
    const some = done.filter(([{ bytes }]) => bytes >= least && bytes < most);
    if (some.length === 0) continue;
    for (const share of [0.5, 0.99]) {
      const at = (values: number[]) => quantile(values, share) / 1e6;
      const rival = { name: "ns-3", value: at(some.map(([, fct]) => fct)) };
      const p = `p${100 * share}`;
      const fct = at(some.map(([flow]) => flow.fctNs!));
      report({ name: `fat-tree/beside-ns3/fct-${size}-${p}`, unit: "ms", value: fct, rival });
    }
  }
  const folder = process.env.P4LOOM_FAT_TREE_OUT;
  if (folder !== undefined)
    writeFileSync(
      join(folder, "fct.csv"),
      `bytes,ours_ns,ns3_ns\n${done.map(([{ bytes, fctNs }, fct]) => `${bytes},${fctNs},${fct}\n`).join("")}`,
    );
}

/** Nanoseconds of a hop: the median of several parts of a run under load, after a warm-up. */
async function costOfHop(k: number): Promise<number> {
  const fabric = await bootFatTree(k);
  const player = new FlowPlayer(fabric, webSearch(fabric, LOAD, undefined), false);
  const parts: number[] = [];
  runHops(player, WARM_UP_HOPS);
  for (let part = 0; part < CURVE_PARTS; part++) {
    const { hops, cpuSeconds } = runHops(player, CURVE_HOPS);
    parts.push((1e9 * cpuSeconds) / hops);
  }
  return quantile(parts, 0.5);
}

/** Nearest rank. */
function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)]!;
}
