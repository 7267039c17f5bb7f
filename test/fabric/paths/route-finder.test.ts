/** Routes through a link: where they come from, which links they prefer, and how few of them cover a network. */
import { describe, expect, it } from "vitest";
import { Random } from "../../../src/base/index.js";
import {
  ExactWalker,
  linksBetweenSwitches,
  type NamedRoute,
  RouteFinder,
} from "../../../src/fabric/paths/index.js";
import { schemeNamed } from "../../../src/fabric/schemes/index.js";
import { nodeNamed, type Topology } from "../../../src/fabric/topology/index.js";
import { build } from "../topology/load.js";
import { HASHES, nextOf } from "./model-walk.js";

const finderOf = (topology: Topology, name: string, given: object) => {
  const scheme = schemeNamed(name)!;
  const model = scheme.plan(topology, scheme.parameters.parse(given)).pathModel!();
  return new RouteFinder(topology, new ExactWalker(topology, model));
};

/** A graph of switches by their names, with a host of the same name in capitals at some. */
function graph(pairs: readonly string[], hosts: string): Topology {
  const names = [...new Set(pairs.join(""))];
  return build({
    kind: "graph",
    nodes: [
      ...names.map((name) => ({ name, role: "switch" as const })),
      ...[...hosts].map((name) => ({ name: name.toUpperCase(), role: "host" as const })),
    ],
    links: [
      ...pairs.map(([a, b]) => ({ a: a!, b: b! })),
      ...[...hosts].map((b) => ({ a: b.toUpperCase(), b })),
    ],
  });
}

const linkFrom = (topology: Topology, from: string, to: string) => {
  const [a, b] = [nodeNamed(topology, from)!, nodeNamed(topology, to)!];
  const { link } = a.ports.find(({ peer }) => peer === b.index)!;
  return 2 * link + (topology.links[link]!.a.node === a.index ? 0 : 1);
};
const namesOf = (topology: Topology, route: NamedRoute | undefined) =>
  route &&
  [route.source, ...route.switches, route.destination].map((node) => topology.nodes[node]!.name).join(" ");

/** The routes through a link for many seeds, each once. */
const routesThrough = (
  topology: Topology,
  finder: RouteFinder,
  link: string,
  preferred: readonly string[] = [],
) => {
  const of = (text: string) => linkFrom(topology, text[0]!, text[1]!);
  const routes = Array.from({ length: 20 }, (_, seed) =>
    namesOf(topology, finder.through(of(link), new Random(seed), new Set(preferred.map(of)))),
  );
  return [...new Set(routes)].sort();
};

describe("a route through a link", () => {
  const line = graph(["ab", "bc", "cd"], "abcd");
  const onLine = finderOf(line, "ecmp", {});

  it("begins at the hosts of its first switch, and ends behind its last one", () => {
    expect(routesThrough(line, onLine, "bc")).toEqual(["B b c C", "B b c d D"]);
    expect(routesThrough(line, onLine, "cb")).toEqual(["C c b B", "C c b a A"]);
  });

  it("begins farther away where it can come over a preferred link", () => {
    expect(routesThrough(line, onLine, "bc", ["ab"])).toEqual(["A a b c C", "A a b c d D"]);
    expect(routesThrough(line, onLine, "cd", ["bc"])).toEqual(["B b c d D"]);
  });

  it("comes from a switch that has hosts, past those that have none", () => {
    // s and t have no hosts: s is a dead end, and all routes into t come from a or from c.
    const topology = graph(["st", "at", "td", "tc"], "adc");
    const finder = finderOf(topology, "ecmp", {});
    expect(routesThrough(topology, finder, "td")).toEqual(["A a t d D", "C c t d D"]);
    expect(routesThrough(topology, finder, "at")).toEqual(["A a t c C", "A a t d D"]);
    // No packet goes to s, which has no hosts; and none comes from there.
    expect(routesThrough(topology, finder, "ts")).toEqual([undefined]);
    expect(routesThrough(topology, finder, "st")).toEqual([undefined]);
  });

  it("does not come from the switch that the link leads to", () => {
    // Selector bits 0 and 1: t sends to h or to d, h sends to t or to d.
    const topology = graph(["th", "td", "hd"], "thd");
    const random = new Random(1);
    const [t, h, d] = ["t", "h", "d"].map((name) => nodeNamed(topology, name)!) as [never, never, never];
    const portTo = (from: { ports: readonly { peer: number; number: number }[] }, to: { index: number }) =>
      from.ports.find(({ peer }) => peer === to.index)!.number;
    const switches = [t, h, d].map((own: (typeof topology.nodes)[number], bit) => {
      const others = [t, h, d].filter((other) => other !== own);
      const next = nextOf(topology, random, own.index, 1, 1).map((value) => (value === -1 ? 0 : value));
      const rows = others.map((other) => [portTo(own, other)]);
      return {
        node: own.index,
        classes: 1,
        next,
        choices: [{ hash: 0, seed: 0, rows, slice: { low: bit, width: 1 } }],
      };
    });
    const finder = new RouteFinder(topology, new ExactWalker(topology, { hashes: HASHES, switches }));
    for (const route of routesThrough(topology, finder, "th", ["ht"])) expect(route).toMatch(/ t h /);
  });
});

describe("preferred links of a fat tree", () => {
  const topology = build({ kind: "fat_tree", k: 4 });
  const finder = finderOf(topology, "pecmp", { control: "both", field: "dscp_flow_label" });
  const nameOf = (node: number) => topology.nodes[node]!.name;
  const ends = (link: number) => {
    const { a, b } = topology.links[link >> 1]!;
    return link % 2 === 0 ? [a.node, b.node] : [b.node, a.node];
  };
  const roleOf = (node: number) => topology.nodes[node]!.role;
  const between = linksBetweenSwitches(topology);

  it("are taken behind the link wherever they can be", () => {
    const link = between.find((own) => roleOf(ends(own)[0]!) === "tor")!;
    const agg = ends(link)[1]!;
    const ups = between.filter((own) => ends(own)[0] === agg && roleOf(ends(own)[1]!) === "spine");
    expect(ups).toHaveLength(2);
    for (const preferred of ups)
      for (let seed = 0; seed < 10; seed++) {
        const route = finder.through(link, new Random(seed), new Set([preferred]))!;
        const crosses = route.switches.some((node) => roleOf(node) === "spine");
        expect(route.links.includes(preferred), route.switches.map(nameOf).join(" ")).toBe(crosses);
      }
  });

  it("are taken before the link wherever they can be", () => {
    const down = between.find((own) => roleOf(ends(own)[0]!) === "spine")!;
    const [spine, agg] = ends(down);
    const others = between.filter((own) => ends(own)[1] === spine && ends(own)[0] !== agg);
    expect(others).toHaveLength(3);
    for (const preferred of others)
      for (let seed = 0; seed < 10; seed++)
        expect(finder.through(down, new Random(seed), new Set([preferred]))!.links).toContain(preferred);
  });

  it("a cover has few more than the sixteen routes that could do", () => {
    const sizes = Array.from({ length: 12 }, (_, seed) => finder.cover(new Random(seed)).length);
    expect(Math.min(...sizes)).toBeGreaterThanOrEqual(between.length / 4);
    // On average a quarter more at most.
    expect(sizes.reduce((sum, size) => sum + size, 0) / sizes.length).toBeLessThanOrEqual(20);
  });
});
