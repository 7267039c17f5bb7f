/**
 * The share of single failures that the first try of a flow avoids, of those that the graph has a path around
 * (`firstTries`, without packets): 1,000 random graphs, 1,000 Clos fabrics of which 1 to 10 % of the links are missing,
 * and P-ECMP's topology #12. Per cent; the bound is 100.
 */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parse } from "yaml";
import { Random } from "../../src/base/index.js";
import { restingHost } from "../../src/fabric/hosts/index.js";
import { type FirstTries, type FirstTry, firstTries } from "../../src/fabric/schemes/first-tries.js";
import { hostPolicyOf, schemeNamed } from "../../src/fabric/schemes/index.js";
import { buildTopology, hostsOf, type Topology, topologySchema } from "../../src/fabric/topology/index.js";
import { clos, randomGraph } from "../../test/fabric/schemes/multiroute/graphs.js";
import type { Benchmark } from "../benchmark.js";

const GRAPHS = 1000;
/** Per graph. */
const FLOWS = 20;

const SCHEMES: readonly [label: string, scheme: string, parameters: object][] = [
  ["multiroute", "multiroute", {}],
  ["pecmp", "pecmp", { field: "flow_label" }],
  ["prr-2-copies", "prr", { field: "flow_label", copies: 2 }],
];

const PRODUCTION: typeof SCHEMES = [
  ["pecmp", "pecmp", { field: "flow_label" }],
  ["pecmp-prr-roles", "pecmp", { field: "flow_label", failover: "prr" }],
  ["prr", "prr", { field: "flow_label" }],
  ["prr-2-copies", "prr", { field: "flow_label", copies: 2 }],
];

function* randomGraphs(): Generator<Topology> {
  const random = new Random(1);
  for (let i = 0; i < GRAPHS; i++) {
    const switches = 8 + random.int(17);
    yield randomGraph(i, switches, random.int(2 * switches), switches);
  }
}

function* fabrics(homing: "single" | "dual"): Generator<Topology> {
  const shape = { homing, pods: 3, tors_per_pod: 4, leaves_per_pod: 4, spines_per_plane: 4 };
  for (let i = 0; i < GRAPHS / 2; i++) yield clos(i, shape, (1 + (i % 10)) / 100);
}

function* production(): Generator<Topology> {
  const path = resolve(import.meta.dirname, "../../examples/topologies/production.yaml");
  yield buildTopology(topologySchema.parse(parse(readFileSync(path, "utf8"))));
}

type Shares = Map<string, { avoidable: number; left: number }>;

/** Adds first tries of drawn flows to the shares by class of elements. */
function measure(
  topology: Topology,
  name: string,
  parameters: object,
  { flows, seed, shares }: { flows: number; seed: number; shares: Shares },
): FirstTries {
  const scheme = schemeNamed(name)!;
  const plan = scheme.plan(topology, scheme.parameters.parse(parameters));
  const random = new Random(seed);
  const hosts = hostsOf(topology);
  const drawn = Array.from({ length: flows }, () => {
    const from = random.pick(hosts);
    const others = hosts.filter(({ host }) => host!.rack !== from.host!.rack);
    const to = random.pick(others);
    const ports = { sourcePort: 1024 + random.int(60_000), destinationPort: 5201 };
    return { source: from.index, destination: to.index, version: 6 as const, protocol: 6, ...ports };
  });
  const policy = hostPolicyOf(plan.hosts, restingHost());
  const onTry = ({ element, left }: FirstTry) => {
    const key = classOf(topology, element);
    const share = shares.get(key) ?? { avoidable: 0, left: 0 };
    shares.set(key, { avoidable: share.avoidable + 1, left: share.left + (left ? 1 : 0) });
  };
  const { pathModel } = plan;
  return firstTries({
    topology,
    plan: { ...plan, pathModel: pathModel! },
    policy,
    flows: drawn,
    random,
    onTry,
  });
}

/** Role of a switch, or of both ends of a link. */
function classOf({ nodes, links }: Topology, element: number): string {
  if (element >= 0) return nodes[element]!.role;
  const { a, b } = links[~element]!;
  return `${nodes[a.node]!.role}-${nodes[b.node]!.role}`;
}

interface Group {
  readonly name: string;
  readonly topologies: () => Iterable<Topology>;
  readonly schemes: typeof SCHEMES;
  readonly flows: number;
  /** Whether shares are printed for each class of elements. */
  readonly byClass?: boolean;
}

const GROUPS: readonly Group[] = [
  { name: "random-graphs", topologies: randomGraphs, schemes: SCHEMES, flows: FLOWS },
  { name: "clos-single-homed", topologies: () => fabrics("single"), schemes: SCHEMES, flows: FLOWS },
  { name: "clos-dual-homed", topologies: () => fabrics("dual"), schemes: SCHEMES, flows: FLOWS },
  { name: "topology-12", topologies: production, schemes: PRODUCTION, flows: 2500, byClass: true },
];

export const run: Benchmark = async (report) => {
  for (const { name, topologies, schemes, flows, byClass } of GROUPS)
    for (const [label, scheme, parameters] of schemes) {
      const sum = { avoidable: 0, left: 0, failures: 0 };
      const shares: Shares = new Map();
      let seed = 0;
      for (const topology of topologies()) {
        const counts = measure(topology, scheme, parameters, { flows, seed: seed++, shares });
        sum.failures += counts.failures;
        sum.avoidable += counts.avoidable;
        sum.left += counts.left;
      }
      const place = `first-tries/${name}`;
      report({ name: `${place}/${label}`, unit: "%", value: (100 * sum.left) / sum.avoidable });
      if (byClass === true)
        for (const [key, { avoidable, left }] of [...shares].sort())
          report({ name: `${place}/${label}/${key}`, unit: "%", value: (100 * left) / avoidable });
      if (label !== schemes[0]![0]) continue;
      report({ name: `${place}/failures`, unit: "pairs", value: sum.failures });
      report({ name: `${place}/avoidable`, unit: "pairs", value: sum.avoidable });
    }
};
