/** Planned paths (RePaC, section 4.2.2): evenness of the load of paths against random source ports (figure 13), and what is refused. */
import { describe, expect, it } from "vitest";
import { type DiagnosticError, formatDiagnostic, Random, SourceFile } from "../../../../src/base/index.js";
import { addLoads } from "../../../../src/fabric/paths/flows.js";
import { emptyFlows, FlowTracer } from "../../../../src/fabric/paths/index.js";
import type { KnownFlow } from "../../../../src/fabric/schemes/index.js";
import { repac } from "../../../../src/fabric/schemes/repac/index.js";
import { nicHash } from "../../../../src/fabric/schemes/repac/nic-hash.js";
import { repacParameters } from "../../../../src/fabric/schemes/repac/parameters.js";
import { planPaths } from "../../../../src/fabric/schemes/repac/planning.js";
import {
  buildTopology,
  nodeNamed,
  type Topology,
  topologySchema,
} from "../../../../src/fabric/topology/index.js";

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

describe("flows between hosts with two NICs", () => {
  const dual = buildTopology(
    topologySchema.parse({
      kind: "clos",
      homing: "dual",
      pods: 2,
      tors_per_pod: 2,
      leaves_per_pod: 2,
      spines_per_plane: 2,
      hosts_per_rack: 1,
    }),
  );
  const hosts = dual.nodes.filter(({ role }) => role === "host").map(({ name }) => name);

  it("load the NICs and the paths behind them equally, by the ports that the hosts' own hash leads there", () => {
    const flows = flowsBetween(dual, [[hosts[0]!, hosts.at(-1)!]], new Array(64).fill(1e6));
    const ports = planned(dual, flows);
    const nic = new Uint8Array(flows.length);
    const columns = { ...emptyFlows(flows.length), nic };
    for (const [i, flow] of flows.entries()) {
      columns.source[i] = flow.source;
      columns.destination[i] = flow.destination;
      columns.sourcePort[i] = ports[i]!;
      columns.destinationPort[i] = flow.destinationPort;
      const address = (node: number) => dual.nodes[node]!.host!.ipv4;
      const key = {
        src: address(flow.source),
        dst: address(flow.destination),
        protocol: 6,
        srcPort: ports[i]!,
        dstPort: 5201,
      };
      nic[i] = (nicHash(key, 0) % 8) % 2;
    }
    const nics = [...nic];
    expect(nics.filter((nic) => nic === 0)).toHaveLength(32);
    const source = new FlowTracer(dual, repac.plan(dual, parameters).pathModel!()).of(columns);
    const out = new Int32Array(16);
    const counts = new Map<string, number>();
    for (let i = 0; i < flows.length; i++) {
      const path = out.slice(0, source.linksOf(i, out)).join(" ");
      counts.set(path, (counts.get(path) ?? 0) + 1);
    }
    expect(new Set(counts.values()).size).toBe(1);
    expect(counts.size).toBeGreaterThanOrEqual(4);
  });
});

describe("the least loaded path", () => {
  it("counts a flow without an end as one byte, as all others of its kind", () => {
    const flows = (bytes: number) =>
      flowsBetween(testbed, [["host0-0-0", "host0-1-0"]], new Array(32).fill(bytes));
    const endless = flows(Number.POSITIVE_INFINITY);
    expect(planned(testbed, endless)).toEqual(planned(testbed, flows(1)));
    expect(unevenness(testbed, flows(1), planned(testbed, endless))).toBeCloseTo(0, 9);
  });

  it("is that with the least sum where several have the same maximum", () => {
    // The first flow loads one of the 16 paths between pods; the second one, of another pair behind the same ToRs, shares none of its links.
    const [a, b] = [
      fatTree.nodes.filter(({ role }) => role === "host"),
      fatTree.nodes.filter(({ role }) => role === "host").toReversed(),
    ];
    const flows = flowsBetween(
      fatTree,
      [
        [a[0]!.name, b[0]!.name],
        [a[1]!.name, b[1]!.name],
      ],
      [1e6, 1e6],
    );
    const ports = planned(fatTree, flows);
    const columns = emptyFlows(2);
    for (const [i, flow] of flows.entries()) {
      columns.source[i] = flow.source;
      columns.destination[i] = flow.destination;
      columns.sourcePort[i] = ports[i]!;
      columns.destinationPort[i] = flow.destinationPort;
    }
    const source = new FlowTracer(fatTree, repac.plan(fatTree, parameters).pathModel!()).of(columns);
    const links = [0, 1].map((i) => {
      const out = new Int32Array(16);
      return new Set(out.slice(0, source.linksOf(i, out)));
    });
    expect([...links[0]!].filter((link) => links[1]!.has(link))).toEqual([]);
  });

  it("is another one for flows of other protocols, ports and versions of IP, whose ports are their own", () => {
    const [flow] = flowsBetween(testbed, [["host0-0-0", "host0-1-0"]], [1e6]);
    const kinds: KnownFlow[] = [
      flow!,
      { ...flow!, protocol: 17 },
      { ...flow!, destinationPort: 80 },
      { ...flow!, version: 6 },
    ];
    const repeated = kinds.flatMap((kind) => [kind, kind]);
    const ports = planned(testbed, repeated);
    for (let i = 0; i < ports.length; i += 2) expect(ports[i]).not.toBe(ports[i + 1]);
    // The reference header of each is a port of the first block: four times 64 ports would not be needed otherwise.
    for (const port of ports) expect(port).toBeLessThan(61440 + 64);
  });

  it("names the place of the ranges that are too short", () => {
    const model = repac.plan(testbed, parameters).pathModel!();
    const flows = flowsBetween(testbed, [["host0-0-0", "host0-1-0"]], new Array(129).fill(1));
    const file = new SourceFile("own.yaml", "schemes: [repac]");
    const span = { file, start: 9, end: 15 };
    const placeOf = (known: string) => {
      try {
        planPaths(
          testbed,
          model,
          {
            ...{
              port_bits: 6,
              buckets: 8,
              port_ranges: [
                [61440, 61503],
                [4096, 4159],
              ] as [number, number][],
            },
            locate: (path) => (path.join() === known ? span : undefined),
          },
          flows,
        );
      } catch (error) {
        const [found] = (error as DiagnosticError).diagnostics;
        return [found!.span, found!.message.includes("the 128 of port_ranges")];
      }
      return undefined;
    };
    expect(placeOf("port_ranges")).toEqual([span, true]);
    expect(placeOf("")).toEqual([span, true]);
    expect(placeOf("other")).toEqual([undefined, true]);
  });
});
