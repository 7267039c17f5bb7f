/**
 * The P-ECMP control plane on the paper's topology #12 (examples/topologies/production.yaml): dual-homed, 8
 * leaves a pod, 64 spines in each of 8 planes.
 */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parse } from "yaml";
import { compileMatrices } from "../../src/fabric/schemes/pecmp/compile.js";
import { pecmp } from "../../src/fabric/schemes/pecmp/index.js";
import { pecmpParameters } from "../../src/fabric/schemes/pecmp/parameters.js";
import { buildTopology, type Topology, topologySchema } from "../../src/fabric/topology/index.js";
import type { Benchmark } from "../benchmark.js";

const path = resolve(import.meta.dirname, "../../examples/topologies/production.yaml");

/** The same fabric with mesh wiring, in which spines have matrices too; and with 236 pods: 9,952 switches. */
function* fabrics(): Generator<[string, Topology]> {
  const spec = topologySchema.parse(parse(readFileSync(path, "utf8")));
  if (spec.kind !== "clos") throw new Error("production.yaml is no Clos");
  // One after the other: a large heap makes the collector slow.
  yield ["planes", buildTopology(spec)];
  yield ["mesh", buildTopology({ ...spec, wiring: "mesh" })];
  yield ["pods-236", buildTopology({ ...spec, pods: 236 })];
}

/** Median of several runs in milliseconds, after a second of runs to warm up. */
function median(action: () => void, runs = 9): number {
  for (const end = performance.now() + 1000; performance.now() < end; ) action();
  const times = Array.from({ length: runs }, () => {
    const start = performance.now();
    action();
    return performance.now() - start;
  });
  return times.sort((a, b) => a - b)[runs >> 1]!;
}

export const run: Benchmark = async (report) => {
  for (const [wiring, topology] of fabrics()) {
    const measure = (name: string, action: () => void) =>
      report({ name: `pecmp.${wiring}.${name}`, unit: "ms", value: median(action) });
    const parameters = pecmpParameters.parse({ control: "offset" });
    // From the graph to the control matrices of all switches, routes included: these are kept by topology, so each run has a copy.
    measure("compile", () => compileMatrices({ ...topology }, "both"));
    // The same, and all updates for all switches.
    measure("plan", () => pecmp.plan({ ...topology }, parameters));
  }
};
