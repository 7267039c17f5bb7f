/**
 * Hash functions at the size of a fabric: 10,000,000 flows through a spineless mesh of three blocks of 64 ToRs, each choice by the
 * programs' own functions; a Jupiter-like fabric of more than 1,000 switches assigned by colour recombining and all its paths checked;
 * control bits for all 12,144 ways to give functions to tiers. CPU seconds of this process, one thread.
 */
import { Random } from "../../src/base/index.js";
import {
  checkPaths,
  emptyFlows,
  FlowTracer,
  representativePairs,
  SpreadMeter,
} from "../../src/fabric/paths/index.js";
import { schemeNamed } from "../../src/fabric/schemes/index.js";
import { buildTopology, hostsOf, switchesOf, topologySchema } from "../../src/fabric/topology/index.js";
import { crcCatalogue, fieldLengths, hashNamed, sliced } from "../../src/toolchain/hash/index.js";
import type { Benchmark, Measurement } from "../benchmark.js";

const FLOWS = 10_000_000;
const BATCH = 1 << 18;

type Report = (measurement: Measurement) => void;

/** CPU seconds, and the time of the wall. */
function seconds(work: () => void): { cpu: number; wall: number } {
  const start = performance.now();
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return { cpu: (user + system) / 1e6, wall: (performance.now() - start) / 1e3 };
}

function reported(report: Report, name: string, work: () => void): void {
  const { cpu, wall } = seconds(work);
  report({ name: `hash/${name}`, unit: "s CPU", value: cpu });
  report({ name: `hash/${name}-wall`, unit: "s", value: wall });
}

const scheme = schemeNamed("hashing")!;

function trace(report: Report): void {
  const topology = buildTopology(
    topologySchema.parse({
      kind: "spineless",
      blocks: 3,
      tors_per_block: 64,
      stage2_per_block: 16,
      stage3_per_block: 16,
      links_per_pair: 128,
      hosts_per_rack: 16,
    }),
  );
  const parameters = scheme.parameters.parse({ design: "coprime", routing: "transit", sizes: [128, 127] });
  const plan = scheme.plan(topology, parameters);
  const tracer = new FlowTracer(topology, plan.pathModel!());
  const meter = new SpreadMeter(tracer);
  const hosts = Int32Array.from(hostsOf(topology), ({ index }) => index);
  const random = new Random(1);
  const flows = emptyFlows(BATCH);
  for (let flow = 0; flow < BATCH; flow++) {
    flows.source[flow] = hosts[random.int(hosts.length)]!;
    flows.destination[flow] = hosts[random.int(hosts.length)]!;
    flows.sourcePort[flow] = random.int(65_536);
  }
  meter.add(flows);
  reported(report, `trace-${FLOWS}-flows`, () => {
    for (let left = FLOWS; left > 0; left -= BATCH) {
      flows.destinationPort.fill(left & 0xffff);
      meter.add({ ...flows, size: Math.min(BATCH, left) });
    }
  });
  report({ name: "hash/trace-lost", unit: "flows", value: meter.lost });
}

function assigned(report: Report): void {
  const topology = buildTopology(
    topologySchema.parse({
      kind: "jupiter",
      server_blocks: 8,
      tors_per_block: 64,
      stage2_per_block: 16,
      stage3_per_block: 16,
      tor_links: 2,
      spine_blocks: 8,
      stage4_per_server_block: 2,
      stage5_per_spine_block: 16,
      hosts_per_rack: 1,
    }),
  );
  const parameters = scheme.parameters.parse({ design: "recombining", reuse: [2, 4] });
  let correlated = -1;
  reported(report, `assign-and-check-${switchesOf(topology).length}-switches`, () => {
    const { model } = scheme.hashAssignment!(topology, parameters);
    correlated = checkPaths(topology, model, { pairs: representativePairs(topology) }).correlated.length;
  });
  report({ name: "hash/correlated", unit: "pairs", value: correlated });
}

/** Eight CRCs of each width. */
function permutations(report: Report): void {
  const functions = [8, 16, 32].flatMap((width) =>
    crcCatalogue
      .filter((crc) => crc.width === width)
      .slice(0, 8)
      .map(({ name }) => sliced(hashNamed(name)!, {})),
  );
  reported(report, "delta-12144-permutations", () => {
    fieldLengths(functions, { tierBits: [1, 3, 6], maxBits: 1024, bytesAfter: 0 });
  });
}

export const run: Benchmark = async (report) => {
  trace(report);
  assigned(report);
  permutations(report);
};
