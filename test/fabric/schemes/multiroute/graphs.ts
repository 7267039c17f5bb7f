/** Networks for tests: random graphs, connected or not quite, and Clos fabrics with missing links. */
import { Random } from "../../../../src/base/index.js";
import { buildTopology, type Topology, topologySchema } from "../../../../src/fabric/topology/index.js";

/** A random tree of switches with `extra` further links, and one host at each of `hosts` switches. */
export function randomGraph(seed: number, switches: number, extra: number, hosts: number): Topology {
  const random = new Random(seed);
  const name = (i: number) => `s${i}`;
  const pairs = new Set<string>();
  for (let i = 1; i < switches; i++) pairs.add(`${random.int(i)} ${i}`);
  for (let tries = 0; tries < 4 * extra && pairs.size < switches - 1 + extra; tries++) {
    const [a, b] = [random.int(switches), random.int(switches)];
    if (a !== b) pairs.add(a < b ? `${a} ${b}` : `${b} ${a}`);
  }
  const own = [...Array(switches).keys()];
  return buildTopology(
    topologySchema.parse({
      kind: "graph",
      nodes: [
        ...own.map((i) => ({ name: name(i), role: "switch" })),
        ...own.slice(0, hosts).map((i) => ({ name: `h${i}`, role: "host" })),
      ],
      links: [
        ...own.slice(0, hosts).map((i) => ({ a: `h${i}`, b: name(i) })),
        ...[...pairs].map((pair) => {
          const [a, b] = pair.split(" ").map(Number);
          return { a: name(a!), b: name(b!) };
        }),
      ],
    }),
  );
}

/** A Clos fabric that lacks a share of its links between switches; each ToR keeps at least one. */
export function clos(seed: number, shape: object, missing: number): Topology {
  const whole = buildTopology(topologySchema.parse({ kind: "clos", hosts_per_rack: 1, ...shape }));
  const random = new Random(seed);
  const { nodes } = whole;
  const left = nodes.map(({ ports }) => ports.filter(({ peer }) => nodes[peer]!.role !== "host").length);
  const pairs: [string, string][] = [];
  for (const { a, b } of whole.links) {
    if (nodes[a.node]!.role === "host" || random.float() >= missing) continue;
    if (left[a.node]! === 1 || left[b.node]! === 1) continue;
    left[a.node]!--;
    left[b.node]!--;
    pairs.push([nodes[a.node]!.name, nodes[b.node]!.name]);
  }
  return buildTopology(
    topologySchema.parse({ kind: "clos", hosts_per_rack: 1, ...shape, missing_links: pairs }),
  );
}
