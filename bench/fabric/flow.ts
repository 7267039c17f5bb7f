/**
 * The flow simulator: Dahu's HyperX of 131,712 servers with 512 cliques, rates of up to a million flows, solved again in
 * every epoch, and the software of one switch. Times are processor times of this process. `P4LOOM_FLOW_SECONDS` is the
 * simulated time (5 by default).
 */
import { loadavg } from "node:os";
import { Random } from "../../src/base/index.js";
import { Rebalancing } from "../../src/fabric/schemes/dahu/policy/epoch.js";
import { HeuristicBalancer } from "../../src/fabric/schemes/dahu/policy/heuristic.js";
import { PortGroups } from "../../src/fabric/schemes/dahu/policy/port-groups.js";
import { FLOW_SIM_SCHEMES } from "../../src/fabric/schemes/index.js";
import { FlowNetwork, type FlowStart, MaxMin, simulateFlows } from "../../src/fabric/sim/flow/index.js";
import { buildTopology, type Topology, topologySchema } from "../../src/fabric/topology/index.js";
import { partnersOf } from "../../src/fabric/traffic/index.js";
import type { Benchmark } from "../benchmark.js";

const GBPS = { rate: "1Gbps", delay: "1us" };

function hyperx(): Topology {
  return buildTopology(
    topologySchema.parse({
      kind: "hyperx",
      shape: [14, 14, 14],
      hosts_per_switch: 48,
      host_link: GBPS,
      fabric_link: GBPS,
    }),
  );
}

const cpuSeconds = () => process.cpuUsage().user / 1e6 + process.cpuUsage().system / 1e6;

/** 18 Gbps of each switch of 512 cliques, in flows of 1.5 MB on average. */
function* cliques(topology: Topology, seed: number): Generator<FlowStart> {
  const random = new Random(seed);
  const partners = partnersOf({ kind: "cliques", count: 512, racks: 2 }, topology, random);
  const gap = 1.5e6 / ((1024 * 18) / 8);
  for (let startNs = random.exponential(gap); ; startNs += random.exponential(gap)) {
    const source = random.pick(partners.senders);
    yield { startNs, source, destination: partners.draw(source, random), bytes: random.exponential(1.5e6) };
  }
}

/** Flows between random hosts from the beginning on, then `share` times as many in each epoch, of exponential sizes. */
function* churning(
  topology: Topology,
  flows: number,
  share: number,
  meanBytes: number,
): Generator<FlowStart> {
  const random = new Random(1);
  const partners = partnersOf({ kind: "inter_rack" }, topology, random);
  const draw = (startNs: number): FlowStart => {
    const source = random.pick(partners.senders);
    const destination = partners.draw(source, random);
    return { startNs, source, destination, bytes: random.exponential(meanBytes) };
  };
  for (let i = 0; i < flows; i++) yield draw(0);
  for (let startNs = 1; ; startNs += EPOCH_NS / (flows * share)) yield draw(startNs);
}

const EPOCH_NS = 1e7;
/** Flows that end, and others that come, in an epoch. */
const SHARE = 0.02;

/**
 * Runs flows between random hosts for some epochs; returns the figures, and the processor time of the epochs after
 * the first one in milliseconds.
 */
function solve(network: FlowNetwork, flows: number, meanBytes: number, epochs: number) {
  const maxMin = new MaxMin(network.capacity);
  let solving = 0;
  let solved = 0;
  const steps = simulateFlows({
    network,
    makeRouter: FLOW_SIM_SCHEMES["ecmp"]!.router(network, {}, 1),
    allocator: {
      allocate(bundles) {
        const before = cpuSeconds();
        maxMin.allocate(bundles);
        // The first epoch runs before V8 has compiled the code, and counts all flows.
        if (solved++ > 0) solving += cpuSeconds() - before;
      },
    },
    flows: churning(network.topology, flows, SHARE, meanBytes),
    durationNs: epochs * EPOCH_NS,
    warmUpNs: 0,
    epochNs: EPOCH_NS,
    stepNs: EPOCH_NS,
    subflows: 1,
    random: new Random(2),
  });
  for (;;) {
    const step = steps.next();
    if (step.done) return { figures: step.value, perEpoch: (1000 * solving) / Math.max(1, solved - 1) };
  }
}

export const run: Benchmark = async (report) => {
  report({ name: "flow: load of the machine before", unit: "processes", value: loadavg()[0]! });
  const topology = hyperx();
  const network = new FlowNetwork(topology);

  for (const flows of [10_000, 100_000, 300_000, 1_000_000]) {
    // With sizes by which as many flows end as come.
    const first = solve(network, flows, Number.POSITIVE_INFINITY, 1).figures;
    const { figures, perEpoch } = solve(network, flows, first.deliveredBytes / first.open / SHARE, 21);
    report({ name: `flow: rates of ${flows} flows`, unit: "ms CPU an epoch", value: perEpoch });
    report({ name: `flow: open flows of ${flows} at the end`, unit: "flows", value: figures.open });
  }

  const seconds = Number(process.env["P4LOOM_FLOW_SECONDS"] ?? 5);
  for (const [label, keepPaths] of [
    ["flows keep their paths", true],
    ["flows follow", false],
  ] as const) {
    const before = cpuSeconds();
    const dahu = FLOW_SIM_SCHEMES["dahu"]!;
    const steps = simulateFlows({
      network,
      makeRouter: dahu.router(network, dahu.parameters.parse({ deroutes: 1 }), 1),
      allocator: new MaxMin(network.capacity),
      flows: cliques(topology, 3),
      durationNs: seconds * 1e9,
      warmUpNs: 0,
      epochNs: 1e7,
      stepNs: 1e7,
      buckets: 128,
      keepPaths,
      subflows: 1,
      random: new Random(4),
    });
    while (steps.next().done !== true);
    const name = `flow: 512 cliques, 131,712 servers, ${seconds} s, Dahu-1, ${label}`;
    report({ name, unit: "s CPU", value: cpuSeconds() - before });
  }
  report({ name: "flow: most memory", unit: "MB", value: process.resourceUsage().maxRSS / 1024 });

  const ports = 128;
  const groups = new PortGroups(
    ports,
    1024,
    Array.from({ length: 64 }, () => [...Array(ports).keys()]),
  );
  const random = new Random(5);
  const byGroup = Float64Array.from({ length: 64 * ports }, () => random.float());
  const byPort = new Float64Array(ports);
  for (const [at, traffic] of byGroup.entries()) byPort[at % ports]! += traffic;
  const heuristic = new HeuristicBalancer();
  const rebalancing = new Rebalancing(heuristic);
  const target = new Float64Array(byGroup.length);
  const ROUNDS = 500;
  const timed = (work: () => void) => {
    for (let i = 0; i < ROUNDS; i++) work();
    const before = cpuSeconds();
    for (let i = 0; i < ROUNDS; i++) work();
    return (1000 * (cpuSeconds() - before)) / ROUNDS;
  };
  report({
    name: "flow: heuristic of a switch of 128 ports and 64 groups",
    unit: "ms CPU",
    value: timed(() => heuristic.balance(groups, { byGroup, byPort }, target)),
  });
  report({
    name: "flow: heuristic and remapping of a switch of 128 ports and 64 groups",
    unit: "ms CPU",
    value: timed(() => rebalancing.rebalance(groups, { byGroup, byPort })),
  });
};
