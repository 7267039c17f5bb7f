/**
 * Draws workloads: flows a second by the number of hosts, and the memory in use by the number of flows, for each pattern;
 * and reads a traffic file of a million lines. A workload is a stream, so the time for one flow and the memory are flat.
 */
import { readFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Diagnostics, Random, SourceFile } from "../../src/base/index.js";
import { hostsOf, type Topology } from "../../src/fabric/topology/index.js";
import {
  openWorkload,
  type PartSpec,
  readSizeDistribution,
  streamTrafficFile,
  type Workload,
} from "../../src/fabric/traffic/index.js";
import { leafSpine } from "../../test/fabric/traffic/flows.js";
import type { Benchmark } from "../benchmark.js";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

const HOSTS_A_RACK = 16;
const RACKS = [1, 8, 64, 128];
const FLOWS = 1_000_000;
const LINES = 1_000_000;

function heapMb(): number {
  collect();
  return process.memoryUsage().heapUsed / 2 ** 20;
}

/** A matrix between racks in which each rack sends to every other one with a weight of its own. */
function weights(racks: number): Float64Array {
  return Float64Array.from({ length: racks * racks }, (_, cell) =>
    Math.floor(cell / racks) === cell % racks ? 0 : 1 + (cell % 7),
  );
}

function patterns(racks: number): Record<string, PartSpec["pattern"]> {
  const some: Record<string, PartSpec["pattern"]> = {
    all_to_all: { kind: "all_to_all" },
    permutation: { kind: "permutation" },
    incast: { kind: "requests", clients: undefined, servers: undefined, degree: 12, questionBytes: 0 },
  };
  if (racks > 1) some["matrix"] = { kind: "matrix", matrix: { size: racks, weights: weights(racks) } };
  return some;
}

export const run: Benchmark = async (report) => {
  const path = new URL("../../data/cdf/web_search.txt", import.meta.url);
  const sizes = readSizeDistribution(new SourceFile("web_search", readFileSync(path, "utf8")));
  const open = (topology: Topology, pattern: PartSpec["pattern"]) =>
    openWorkload(
      {
        parts: [
          {
            pattern,
            sizes,
            pace: { kind: "load", load: 0.5, arrivals: "poisson" },
            service: { protocol: "tcp", port: 5201 },
          },
        ],
        loadOf: "host_links",
        segmentBytes: 1000,
        flows: FLOWS,
      },
      topology,
      new Random(1),
    );
  const draw = (workload: Workload, flows: number) => {
    for (let i = 0; i < flows; i++) workload.next();
  };
  for (const racks of RACKS) {
    const topology = leafSpine(racks, HOSTS_A_RACK);
    const hosts = racks * HOSTS_A_RACK;
    for (const [name, pattern] of Object.entries(patterns(racks))) {
      draw(open(topology, pattern), FLOWS / 10);
      const workload = open(topology, pattern);
      const start = performance.now();
      draw(workload, FLOWS);
      const seconds = (performance.now() - start) / 1000;
      report({ name: `traffic/${name}-${hosts}-hosts`, unit: "flows/s", value: FLOWS / seconds });
    }
  }
  const topology = leafSpine(8, HOSTS_A_RACK);
  const workload = open(topology, { kind: "all_to_all" });
  const before = heapMb();
  for (const flows of [10_000, 100_000, FLOWS]) {
    draw(workload, flows - (flows > 10_000 ? flows / 10 : 0));
    report({ name: `traffic/heap-after-${flows}-flows`, unit: "MB", value: heapMb() - before });
  }
  const names = hostsOf(topology).map(({ name }) => name);
  function* lines(): Generator<string> {
    yield "start,src,dst,bytes,port\n";
    for (let i = 0; i < LINES; i += 1000)
      yield Array.from(
        { length: 1000 },
        (_, k) => `${i + k}us,${names[k % 60]},${names[61 + (k % 60)]},20000,80\n`,
      ).join("");
  }
  const start = performance.now();
  let read = 0;
  for (const _ of streamTrafficFile("trace.csv", lines(), new Set(names), new Diagnostics())) read++;
  report({
    name: "traffic/trace-lines",
    unit: "lines/s",
    value: (read * 1000) / (performance.now() - start),
  });
  report({ name: "traffic/heap-after-trace", unit: "MB", value: heapMb() - before });
};
