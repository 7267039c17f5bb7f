/** Load balancing over the shortest paths of a fat tree: what a switch must count to end collisions. */
import { describe, expect, it } from "vitest";
import { Random } from "../../../../src/base/index.js";
import { FLOW_SIM_SCHEMES } from "../../../../src/fabric/schemes/index.js";
import { FlowNetwork, type FlowStart, MaxMin, simulateFlows } from "../../../../src/fabric/sim/flow/index.js";
import { buildTopology, hostsOf, topologySchema } from "../../../../src/fabric/topology/index.js";

const GBPS = { rate: "1Gbps", delay: "1us" };
const topology = buildTopology(
  topologySchema.parse({ kind: "fat_tree", name: "k4", k: 4, host_link: GBPS, fabric_link: GBPS }),
);
const network = new FlowNetwork(topology);

/** Each host sends to the host of the next pod, without an end. */
function* stride(): Generator<FlowStart> {
  const hosts = hostsOf(topology);
  for (const [i, { index }] of hosts.entries())
    yield {
      startNs: 0,
      source: index,
      destination: hosts[(i + 4) % hosts.length]!.index,
      bytes: Number.POSITIVE_INFINITY,
    };
}

function gbps(scheme: string, parameters: object): number {
  const fluid = FLOW_SIM_SCHEMES[scheme]!;
  const steps = simulateFlows({
    network,
    makeRouter: fluid.router(network, fluid.parameters.parse(parameters), 1),
    allocator: new MaxMin(network.capacity),
    flows: stride(),
    durationNs: 3e8,
    warmUpNs: 1e8,
    epochNs: 1e7,
    stepNs: 1e7,
    subflows: 1,
    random: new Random(2),
  });
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return (8 * step.value.deliveredBytes) / step.value.measuredNs;
}

describe("a fat tree under a stride", () => {
  it("gains most where switches count the traffic of each virtual port", () => {
    const ecmp = gbps("ecmp", {});
    const members = gbps("dahu", { deroutes: 0 });
    const counted = gbps("dahu", { deroutes: 0, counters: "virtual_ports" });
    expect(counted).toBeGreaterThan(1.2 * ecmp);
    expect(counted).toBeGreaterThan(1.1 * members);
  });
});
