/** Planned paths (RePaC, section 4.2.2): evenness of the load of paths against random source ports (figure 13), and what is refused. */
import { describe, expect, it } from "vitest";
import { type DiagnosticError, formatDiagnostic, Random } from "../../../src/base/index.js";
import { addLoads, emptyFlows, FlowTracer } from "../../../src/paths/index.js";
import type { KnownFlow } from "../../../src/schemes/index.js";
import { planPaths, repac, repacParameters } from "../../../src/schemes/repac/index.js";
import { buildTopology, nodeNamed, type Topology, topologySchema } from "../../../src/topology/index.js";

/** Figure 8 with one server a rack: the paths of a flow are the 8 spines, which are called leaves here. */
const testbed = buildTopology(
  topologySchema.parse({ kind: "leaf_spine", tors: 2, leaves: 8, homing: "single", hosts_per_rack: 1 }),
);
const fatTree = buildTopology(topologySchema.parse({ kind: "fat_tree", k: 8 }));
const parameters = repacParameters.parse({
  planning: true,
  field: "dscp",
  port_ranges: [
    [61440, 65535],
    [4096, 28671],
  ],
});

function flowsBetween(
  topology: Topology,
  pairs: readonly (readonly [string, string])[],
  sizes: readonly number[],
): KnownFlow[] {
  return sizes.map((bytes, i) => {
    const [from, to] = pairs[i % pairs.length]!.map((name) => nodeNamed(topology, name)!.index) as [
      number,
      number,
    ];
    return { source: from, destination: to, version: 4, protocol: 6, destinationPort: 5201, bytes };
  });
}

/** Standard deviation over mean of the load of the ToRs' uplinks, for flows with these source ports. */
function unevenness(topology: Topology, flows: readonly KnownFlow[], ports: readonly number[]): number {
  const columns = emptyFlows(flows.length);
  for (const [i, flow] of flows.entries()) {
    columns.source[i] = flow.source;
    columns.destination[i] = flow.destination;
    columns.sourcePort[i] = ports[i]!;
    columns.destinationPort[i] = flow.destinationPort;
  }
  const source = new FlowTracer(topology, repac.plan(topology, parameters).pathModel!()).of(columns);
  const loads = new Float64Array(2 * topology.links.length);
  expect(
    addLoads(
      source,
      flows.length,
      loads,
      Float64Array.from(flows, ({ bytes }) => bytes),
    ),
  ).toBe(0);
  const senders = new Set(flows.map(({ source: host }) => topology.nodes[host]!.ports[0]!.peer));
  const uplinks = topology.links.filter(
    ({ a, b }) => senders.has(a.node) && topology.nodes[b.node]!.role === "leaf",
  );
  const own = uplinks.map(({ index }) => loads[2 * index]!);
  const mean = own.reduce((sum, load) => sum + load, 0) / own.length;
  return Math.sqrt(own.reduce((sum, load) => sum + (load - mean) ** 2, 0) / own.length) / mean;
}

const planned = (topology: Topology, flows: readonly KnownFlow[]) =>
  repac.assign!(topology, parameters, () => undefined)!(flows).map(({ sourcePort }) => sourcePort!);

describe("one-to-one flows", () => {
  it.each([16, 64, 256, 1024])(
    "of one size: %i flows load all paths equally, random ports do not",
    (count) => {
      const flows = flowsBetween(testbed, [["host0-0-0", "host0-1-0"]], new Array(count).fill(1e6));
      const random = new Random(`ports ${count}`);
      expect(unevenness(testbed, flows, planned(testbed, flows))).toBeCloseTo(0, 9);
      const drawn = flows.map(() => 32768 + random.int(28232));
      expect(unevenness(testbed, flows, drawn)).toBeGreaterThan(0.3 * Math.sqrt(8 / count));
    },
  );

  it("of uniform sizes (web server): 58 % less deviation with 16 flows, 97 % with 4,096", () => {
    for (const [count, least] of [
      [16, 0.58],
      [256, 0.9],
      [4096, 0.97],
    ] as const) {
      const random = new Random(`web server ${count}`);
      const flows = flowsBetween(
        testbed,
        [["host0-0-0", "host0-1-0"]],
        Array.from({ length: count }, () => 1 + random.int(100_000)),
      );
      const drawn = flows.map(() => 32768 + random.int(28232));
      const [ours, theirs] = [
        unevenness(testbed, flows, planned(testbed, flows)),
        unevenness(testbed, flows, drawn),
      ];
      expect(1 - ours / theirs).toBeGreaterThan(least);
    }
  });

  it("have different source ports, all in the ranges", () => {
    const flows = flowsBetween(testbed, [["host0-0-0", "host0-1-0"]], new Array(200).fill(1));
    const ports = planned(testbed, flows);
    expect(new Set(ports).size).toBe(200);
    for (const port of ports) expect(port).toBeGreaterThanOrEqual(61440);
  });
});

it("flows of many pairs over three tiers share links evenly", () => {
  const random = new Random("pairs");
  const hosts = fatTree.nodes.filter(({ role }) => role === "host").map(({ name }) => name);
  const shuffled = random.shuffle([...hosts]);
  const pairs = hosts.flatMap((from, i): [string, string][] =>
    from === shuffled[i] ? [] : [[from, shuffled[i]!]],
  );
  const flows = flowsBetween(fatTree, pairs, new Array(2 * pairs.length).fill(1e6));
  const ours = unevenness(fatTree, flows, planned(fatTree, flows));
  const drawn = unevenness(
    fatTree,
    flows,
    flows.map(() => 32768 + random.int(28232)),
  );
  expect(ours).toBeLessThan(0.5 * drawn);
});

it("refuses more flows than there are ports", () => {
  const model = repac.plan(testbed, parameters).pathModel!();
  const flows = flowsBetween(testbed, [["host0-0-0", "host0-1-0"]], new Array(65).fill(1));
  const options = {
    port_bits: 6,
    port_ranges: [[61440, 61503]] as [number, number][],
    buckets: 8,
    locate: () => undefined,
  };
  try {
    planPaths(testbed, model, options, flows);
    expect.unreachable();
  } catch (error) {
    expect((error as DiagnosticError).diagnostics.map(formatDiagnostic).join("\n")).toContain(
      "error[P45304]: the flows from host0-0-0 to port 5201 of host0-1-0 need more source ports than the 64 of port_ranges",
    );
  }
});
