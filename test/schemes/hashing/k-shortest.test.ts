/** Paths of Yen's algorithm against all loopless paths of small random networks. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { costGraph, kShortest, loopFree } from "../../../src/schemes/hashing/k-shortest.js";
import { nodeNamed, type Topology } from "../../../src/topology/index.js";
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
