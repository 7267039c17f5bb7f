/** Runs of lasting flows beside the maximum multi-commodity flow, which no routing exceeds (Dahu, figure 7, in small). */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Random } from "../../../../src/base/index.js";
import { FLOW_SIM_SCHEMES } from "../../../../src/fabric/schemes/index.js";
import { Distances, FlowNetwork, MaxMin, simulateFlows } from "../../../../src/fabric/sim/flow/index.js";
import { buildTopology, topologySchema } from "../../../../src/fabric/topology/index.js";
import { type Commodity, type Edge, maximumFlow } from "./linear-program.js";

const LINK = { rate: "1Gbps", delay: "1us" };

const network = new FlowNetwork(
  buildTopology(
    topologySchema.parse({
      kind: "hyperx",
      shape: [3, 3],
      hosts_per_switch: 4,
      host_link: LINK,
      fabric_link: LINK,
    }),
  ),
);
const distances = new Distances(network);

/** One flow from each host of the first `senders` switches to hosts that are drawn, each at most once. */
function drawFlows(seed: number, senders: number) {
  const random = new Random(seed);
  const { racks } = network.topology;
  const receivers = random.shuffle(racks.flatMap(({ hosts }) => hosts));
  return racks
    .slice(0, senders)
    .flatMap(({ hosts }) => hosts)
    .flatMap((source, i) => {
      const destination = receivers[i]!;
      return source === destination
        ? []
        : [{ startNs: 0, source, destination, bytes: Number.POSITIVE_INFINITY }];
    });
}

type Flows = ReturnType<typeof drawFlows>;

/** Gbps of all flows together, after half a second in which the scheme settles. */
function simulated(flows: Flows, scheme: string, parameters: object): number {
  const own = FLOW_SIM_SCHEMES[scheme]!;
  const steps = simulateFlows({
    network,
    makeRouter: own.router(network, own.parameters.parse(parameters), 1),
    allocator: new MaxMin(network.capacity),
    flows: flows[Symbol.iterator](),
    durationNs: 1e9,
    warmUpNs: 5e8,
    epochNs: 1e7,
    stepNs: 1e7,
    subflows: 1,
    random: new Random(2),
  });
  for (;;) {
    const step = steps.next();
    if (step.done) return (step.value.deliveredBytes * 8) / step.value.measuredNs;
  }
}

/** Gbps of the maximum flow between switches; traffic within a switch on top. */
async function maximum(flows: Flows, shortest: boolean): Promise<number> {
  const demands = new Map<string, Commodity>();
  let local = 0;
  const switchAt = (host: number) => network.switchOfRack[network.rackOf[host]!]!;
  for (const { source, destination } of flows) {
    const [from, to] = [switchAt(source), switchAt(destination)];
    if (from === to) local++;
    else {
      const demand = (demands.get(`${from} ${to}`)?.demand ?? 0) + 1;
      demands.set(`${from} ${to}`, { from, to, demand });
    }
  }
  const edges: Edge[] = [];
  for (let a = 0; a < network.switches; a++)
    for (let port = network.firstPort[a]!; port < network.firstPort[a + 1]!; port++)
      edges.push({ a, b: network.peer[port]!, capacity: 1 });
  const nearer = ({ to }: Commodity, { a, b }: Edge) => distances.to(to)[b]! < distances.to(to)[a]!;
  const commodities = [...demands.values()];
  return local + (await maximumFlow(network.switches, edges, commodities, shortest ? nearer : undefined));
}

describe("the throughput of lasting flows", () => {
  it("never exceeds the maximum flow", async () => {
    const shares: number[] = [];
    await fc.assert(
      fc.asyncProperty(fc.nat(1e6), fc.integer({ min: 1, max: 9 }), async (seed, senders) => {
        const flows = drawFlows(seed, senders);
        const [onShortest, onAll] = [await maximum(flows, true), await maximum(flows, false)];
        const slack = 1 + 1e-6;
        expect(onShortest).toBeLessThanOrEqual(onAll * slack);
        expect(simulated(flows, "ecmp", {})).toBeLessThanOrEqual(onShortest * slack);
        for (const parameters of [{ deroutes: 1 }, { deroutes: 1, port_groups: "offset_dimensions" }])
          expect(simulated(flows, "dahu", parameters)).toBeLessThanOrEqual(onAll * slack);
        shares.push(simulated(flows, "dahu", { deroutes: 1, balance: "full" }) / onAll);
      }),
      { numRuns: 8, seed: 7 },
    );
    const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
    expect(mean).toBeGreaterThan(0.5);
  });
});
