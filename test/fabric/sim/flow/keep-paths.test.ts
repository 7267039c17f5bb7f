/** Flows that keep their paths: bundles by path give what flows with paths of their own get. */
import { describe, expect, it } from "vitest";
import { Random } from "../../../../src/base/index.js";
import { FLOW_SIM_SCHEMES } from "../../../../src/fabric/schemes/index.js";
import {
  type FlowFigures,
  FlowNetwork,
  type FlowRun,
  type FlowStart,
  MaxMin,
  simulateFlows,
} from "../../../../src/fabric/sim/flow/index.js";
import { buildTopology, topologySchema } from "../../../../src/fabric/topology/index.js";

const LINK = { rate: "1Gbps", delay: "1us" };

const network = new FlowNetwork(
  buildTopology(
    topologySchema.parse({
      kind: "hyperx",
      shape: [4, 4],
      hosts_per_switch: 12,
      host_link: LINK,
      fabric_link: LINK,
    }),
  ),
);

/** Between the first and the last switch, which are two links apart: 5 Gbps by Poisson arrivals of 500 KB on average. */
function* flows(): Generator<FlowStart> {
  const random = new Random(4);
  const { racks } = network.topology;
  const [from, to] = [racks[0]!.hosts, racks[15]!.hosts];
  const gap = 5e5 / (5 / 8);
  for (let startNs = random.exponential(gap); ; startNs += random.exponential(gap))
    yield {
      startNs,
      source: random.pick(from),
      destination: random.pick(to),
      bytes: random.exponential(5e5),
    };
}

function run(scheme: string, parameters: object, settings: Partial<FlowRun>): FlowFigures {
  const own = FLOW_SIM_SCHEMES[scheme]!;
  const steps = simulateFlows({
    network,
    makeRouter: own.router(network, own.parameters.parse(parameters), 1),
    allocator: new MaxMin(network.capacity),
    flows: flows(),
    durationNs: 2e9,
    warmUpNs: 0,
    epochNs: 1e7,
    stepNs: 1e6,
    subflows: 1,
    random: new Random(5),
    ...settings,
  });
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

const gbps = ({ deliveredBytes, measuredNs }: FlowFigures) => (8 * deliveredBytes) / measuredNs;

describe("flows that keep their paths", () => {
  it.each([
    ["ecmp", {}],
    ["dahu", { deroutes: 1 }],
    ["dahu", { deroutes: 2, port_groups: "offset_dimensions" }],
  ])("get as much in bundles as by themselves: %s %o", (scheme, parameters) => {
    const alone = run(scheme, parameters, { keepPaths: true });
    const bundled = run(scheme, parameters, { keepPaths: true, buckets: 1024 });
    expect(gbps(bundled) / gbps(alone)).toBeGreaterThan(0.97);
    expect(gbps(bundled) / gbps(alone)).toBeLessThan(1.03);
    expect(bundled.meanLinks / alone.meanLinks).toBeCloseTo(1, 1);
    expect([alone.moved, bundled.moved]).toEqual([0, 0]);
  });

  it("are not moved back and forth by the rule of the threshold, which costs those that follow it throughput", () => {
    const follow = run("dahu", { deroutes: 1 }, { buckets: 256 });
    const keep = run("dahu", { deroutes: 1 }, { buckets: 256, keepPaths: true });
    expect(follow.moved).toBeGreaterThan(0);
    expect(gbps(keep)).toBeGreaterThan(1.05 * gbps(follow));
  });
});

describe("congestion feedback", () => {
  it("changes nothing where no switch that a flow was derouted to is full, and shortens paths where one is", () => {
    const calm = { buckets: 256, durationNs: 3e8 };
    const few = { ...calm, flows: [][Symbol.iterator]() };
    expect(JSON.stringify(run("dahu", { feedback: true }, few))).toBe(JSON.stringify(run("dahu", {}, few)));
    const busy = { ...calm, durationNs: 2e8 };
    const [without, held] = [false, true].map((feedback) =>
      run("dahu", { deroutes: 2, feedback }, { ...busy, flows: everywhere() }),
    );
    expect(held!.meanLinks).toBeLessThan(without!.meanLinks);
  });
});

/** Between all hosts: more than the network carries. */
function* everywhere(): Generator<FlowStart> {
  const random = new Random(6);
  const { racks } = network.topology;
  for (let startNs = 0; ; startNs += random.exponential(5e5 / ((16 * 8) / 8))) {
    const [from, to] = random.shuffle([...racks]) as [(typeof racks)[number], (typeof racks)[number]];
    yield { startNs, source: random.pick(from.hosts), destination: random.pick(to.hosts), bytes: 5e5 };
  }
}
