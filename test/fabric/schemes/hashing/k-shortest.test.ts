/** Paths of Yen's algorithm against all loopless paths of small random networks. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { costGraph, kShortest, loopFree } from "../../../../src/fabric/schemes/hashing/k-shortest.js";
import { nodeNamed, type Topology, withLinksDown } from "../../../../src/fabric/topology/index.js";
import { build } from "../../topology/load.js";

function networkOf(seed: number): Topology {
  return build({ kind: "jellyfish", switches: 7, degree: 3, hosts_per_switch: 1, seed });
}

function allPaths(topology: Topology, from: number, to: number): number[][] {
  const found: number[][] = [];
  const walk = (path: number[]) => {
    const last = path.at(-1)!;
    if (last === to) return void found.push(path);
    for (const { peer } of topology.nodes[last]!.ports)
      if (topology.nodes[peer]!.role !== "host" && !path.includes(peer)) walk([...path, peer]);
  };
  walk([from]);
  return found.sort((a, b) => a.length - b.length || a.findIndex((node, i) => node !== b[i]));
}

describe("k shortest paths", () => {
  it("are the k shortest of all loopless paths, each once", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500 }), fc.integer({ min: 1, max: 6 }), (seed, k) => {
        const topology = networkOf(seed);
        const [from, to] = [nodeNamed(topology, "switch0")!.index, nodeNamed(topology, "switch6")!.index];
        const found = kShortest(costGraph(topology), from, to, k);
        const all = allPaths(topology, from, to);
        expect(found.map((path) => path.length)).toEqual(all.slice(0, k).map((path) => path.length));
        expect(new Set(found.map(String)).size).toBe(found.length);
        for (const path of found) expect(all.map(String)).toContain(String(path));
      }),
      { numRuns: 40 },
    );
  });

  it("are the cheapest where links have costs", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 500 }),
        fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 30, maxLength: 30 }),
        fc.integer({ min: 1, max: 8 }),
        (seed, costs, k) => {
          const made = networkOf(seed);
          const topology = {
            ...made,
            links: made.links.map((link, i) => ({ ...link, cost: costs[i]! / 4 })),
          };
          const [from, to] = [nodeNamed(made, "switch0")!.index, nodeNamed(made, "switch6")!.index];
          const costOf = (path: readonly number[]) =>
            path.slice(1).reduce((sum, node, i) => {
              const { link } = made.nodes[path[i]!]!.ports.find(({ peer }) => peer === node)!;
              return sum + topology.links[link]!.cost;
            }, 0);
          const found = kShortest(costGraph(topology), from, to, k);
          const all = allPaths(topology, from, to).sort((a, b) => costOf(a) - costOf(b));
          expect(found.map(costOf)).toEqual(all.slice(0, k).map(costOf));
          expect(new Set(found.map(String)).size).toBe(found.length);
        },
      ),
      { numRuns: 60, seed: 1 },
    );
  });

  it("use the cheapest of parallel links, and no link that is down", () => {
    const made = build({
      kind: "graph",
      nodes: [
        ...["a", "b", "c"].map((name) => ({ name, role: "switch" as const })),
        ...["h1", "h2"].map((name) => ({ name, role: "host" as const })),
      ],
      links: [
        { a: "h1", b: "a" },
        { a: "h2", b: "b" },
        { a: "a", b: "b" },
        { a: "a", b: "b" },
        { a: "a", b: "b" },
        { a: "a", b: "c" },
        { a: "c", b: "b" },
      ],
    });
    const [a, b, c] = ["a", "b", "c"].map((name) => nodeNamed(made, name)!.index) as [number, number, number];
    const withCosts = (...costs: number[]) => ({
      ...made,
      links: made.links.map((link, i) => (i < 2 ? link : { ...link, cost: costs[i - 2]! })),
    });
    const portTo = (topology: Topology, node: number) =>
      costGraph(topology).edges[a]!.find(({ to }) => to === node)!;
    const port = (link: number) => made.nodes[a]!.ports.find((own) => own.link === link)!.number;
    expect(portTo(withCosts(5, 2, 3, 1, 1), b)).toEqual({ to: b, port: port(3), cost: 2 });
    // Of equal ones the first.
    expect(portTo(withCosts(2, 2, 2, 1, 1), b)).toEqual({ to: b, port: port(2), cost: 2 });
    expect(portTo(made, c).cost).toBe(1);
    expect(kShortest(costGraph(withCosts(5, 4, 3, 1, 1)), a, b, 5)).toEqual([
      [a, c, b],
      [a, b],
    ]);
    const reduced = withLinksDown(withCosts(5, 2, 3, 1, 1), [3, 6]);
    expect(portTo(reduced, b)).toEqual({ to: b, port: port(4), cost: 3 });
    expect(kShortest(costGraph(reduced), a, b, 5)).toEqual([[a, b]]);
    expect(kShortest(costGraph(withLinksDown(made, [2, 3, 4, 6])), a, b, 5)).toEqual([]);
  });

  it("that make a loop together are left out", () => {
    const next = loopFree([
      [1, 2, 3, 4],
      [1, 3, 2, 4],
      [1, 2, 4],
    ]);
    expect([...next]).toEqual([
      [1, [2]],
      [2, [3, 4]],
      [3, [4]],
    ]);
  });
});
