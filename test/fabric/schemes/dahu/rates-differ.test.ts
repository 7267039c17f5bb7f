/** Links of different rates: packets' switches and flows' switches balance utilisation (the "bandwidth headroom" of section 4.3). */
import { describe, expect, it } from "vitest";
import { Random } from "../../../../src/base/index.js";
import { Rebalancing } from "../../../../src/fabric/schemes/dahu/policy/epoch.js";
import { HeuristicBalancer } from "../../../../src/fabric/schemes/dahu/policy/heuristic.js";
import { SwitchSoftware } from "../../../../src/fabric/schemes/dahu/switch-software.js";
import { FLOW_SIM_SCHEMES } from "../../../../src/fabric/schemes/index.js";
import { FlowNetwork, type FlowStart, MaxMin, simulateFlows } from "../../../../src/fabric/sim/flow/index.js";
import { buildTopology, hostsOf, topologySchema } from "../../../../src/fabric/topology/index.js";
import { dahuOf } from "./fabric.js";

/** s - a - d with 20 Gbps, s - b - d with 5 Gbps, and 30 pairs of hosts with 1 Gbps each. */
const PAIRS = 30;
const names = [...Array(PAIRS).keys()];
const topology = buildTopology(
  topologySchema.parse({
    kind: "graph",
    nodes: [
      ...["s", "a", "b", "d"].map((name) => ({ name, role: "switch" })),
      ...names.flatMap((i) => [
        { name: `h${i}`, role: "host" },
        { name: `g${i}`, role: "host" },
      ]),
    ],
    links: [
      { a: "s", b: "a", rate: "20Gbps" },
      { a: "a", b: "d", rate: "20Gbps" },
      { a: "s", b: "b", rate: "5Gbps" },
      { a: "b", b: "d", rate: "5Gbps" },
      ...names.flatMap((i) => [
        { a: `h${i}`, b: "s", rate: "1Gbps" },
        { a: `g${i}`, b: "d", rate: "1Gbps" },
      ]),
    ],
  }),
);

function* pairs(): Generator<FlowStart> {
  const hosts = new Map(hostsOf(topology).map(({ name, index }) => [name, index]));
  for (const i of names)
    yield {
      startNs: 0,
      source: hosts.get(`h${i}`)!,
      destination: hosts.get(`g${i}`)!,
      bytes: Number.POSITIVE_INFINITY,
    };
}

function gbps(scheme: string, parameters: object, seed: number): number {
  const network = new FlowNetwork(topology);
  const fluid = FLOW_SIM_SCHEMES[scheme]!;
  const steps = simulateFlows({
    network,
    makeRouter: fluid.router(network, fluid.parameters.parse(parameters), seed),
    allocator: new MaxMin(network.capacity),
    flows: pairs(),
    durationNs: 4e8,
    warmUpNs: 2e8,
    epochNs: 1e7,
    stepNs: 1e7,
    subflows: 1,
    random: new Random(seed),
  });
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return (8 * step.value.deliveredBytes) / step.value.measuredNs;
}

describe("over links of 20 and 5 Gbps", () => {
  it.each([
    ["heuristic", {}],
    ["full", { balance: "full" }],
    ["counters of virtual ports", { counters: "virtual_ports" }],
  ])("flows get more than ECMP gives: %s", (_name, parameters) => {
    const seeds = [1, 2, 3, 4, 5];
    const mean = (scheme: string, own: object) =>
      seeds.reduce((sum, seed) => sum + gbps(scheme, own, seed), 0) / seeds.length;
    for (const seed of seeds) expect(gbps("dahu", { deroutes: 0, ...parameters }, seed)).toBeGreaterThan(20);
    expect(mean("dahu", { deroutes: 0, ...parameters })).toBeGreaterThan(mean("ecmp", {}));
  });

  it("the packets' switch maps four fifths of its virtual ports to the faster link", () => {
    const fabric = dahuOf(topology, { deroutes: 0, virtual_ports: 1024 });
    const own = fabric.own.find(({ node }) => node.name === "s")!;
    const software = new SwitchSoftware(own, fabric.classes, fabric.settings);
    const group = own.layout.members.findIndex((bits) => bits.length === 2);
    const [fast, slow] = own.layout.members[group]! as [number, number];
    const byPort = new Float64Array(own.width);
    const byGroup = new Float64Array(own.layout.members.length * own.width);
    for (const bit of [fast, slow]) {
      byPort[bit] = 5e7;
      byGroup[group * own.width + bit] = 5e7;
    }
    const updates = software.endEpoch({ byPort, byGroup }, 0.1, 0, new Rebalancing(new HeuristicBalancer()));
    // Half of them are there already: three tenths move.
    const moved = updates.filter(({ entity }) => entity.kind === "register");
    expect(moved.length).toBe(Math.floor(0.3 * 1024));
    for (const { entity } of moved) expect(entity.kind === "register" && Number(entity.value)).toBe(fast);
  });
});
