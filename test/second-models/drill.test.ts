/** DRILL's compiled program and its components against a model that follows the paper: drawn queues, drawn asymmetric fabrics. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { componentsOf } from "../../src/fabric/schemes/drill/components.js";
import { computeRoutes, nodeNamed, switchesOf, type Topology } from "../../src/fabric/topology/index.js";
import { fabric, segment, start } from "../fabric/schemes/drill/bench.js";
import { routeOf } from "../fabric/schemes/drill/packet-script.js";
import { build } from "../fabric/topology/load.js";
import { type Hop, mayTake, shortestPaths, symmetricFirstHops } from "../models/drill.js";

const PORTS = [3, 4, 5, 6];

describe("the choice of a next hop", () => {
  it("has no longer queue than the remembered one, and takes every next hop that may be", async () => {
    const tor = start("tor0-0", { draws: 1, memory: 1 }, fabric, 1);
    const set = Number(
      routeOf(tor.own.updates, nodeNamed(fabric, "host0-1-0")!.host!.ipv4)!.params["next_hops"],
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(5), { minLength: 4, maxLength: 4 }),
        fc.nat(3),
        async (lengths, remembered) => {
          const taken = new Set<number>();
          for (let i = 0; i < 40; i++) {
            for (const [hop, port] of PORTS.entries()) tor.write("queued", port, lengths[hop]!);
            tor.write("FabricIngress.last", set, remembered);
            tor.device.receive(1, segment("host0-0-0", "host0-1-0"));
            const hop = await tor.register("FabricIngress.last", set);
            expect(await tor.register("queued", PORTS[hop]!)).toBeLessThanOrEqual(lengths[hop]! + 1);
            expect(mayTake(lengths, hop, remembered)).toBe(true);
            taken.add(hop);
            tor.clock.advance(tor.clock.time + 1e10);
          }
          // Of one draw in 40 packets each shorter queue comes up but for one time in 25,000.
          const possible = PORTS.map((_, hop) => hop).filter((hop) => lengths[hop]! < lengths[remembered]!);
          for (const hop of possible) expect(taken).toContain(hop);
        },
      ),
      { numRuns: 25, seed: 7 },
    );
  });
});

/** A fabric of two tiers with the links and rates that are drawn; undefined where a rack has no link. */
function drawnFabric(tors: number, leaves: number, rates: readonly number[]): Topology | undefined {
  const links = Array.from({ length: tors }, (_, tor) =>
    Array.from({ length: leaves }, (_, leaf) => ({
      a: `t${tor}`,
      b: `l${leaf}`,
      rate: rates[tor * leaves + leaf]!,
    })),
  );
  if (links.some((own) => own.every(({ rate }) => rate === 0))) return undefined;
  return build({
    kind: "graph",
    nodes: [
      ...Array.from({ length: tors }, (_, i) => ({ name: `t${i}`, role: "tor" as const })),
      ...Array.from({ length: leaves }, (_, i) => ({ name: `l${i}`, role: "leaf" as const })),
      ...Array.from({ length: tors }, (_, i) => ({ name: `h${i}`, role: "host" as const })),
    ],
    links: [
      ...links
        .flat()
        .filter(({ rate }) => rate > 0)
        .map(({ a, b, rate }) => ({ a, b, rate: `${rate}Gbps` })),
      ...Array.from({ length: tors }, (_, i) => ({ a: `h${i}`, b: `t${i}` })),
    ],
  });
}

describe("components", () => {
  it("are the groups of symmetric paths of the model, and their capacities those of its paths", () => {
    let divided = 0;
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 4 }),
        fc.integer({ min: 2, max: 4 }),
        fc.array(fc.constantFrom(0, 1, 1, 1, 2), { minLength: 16, maxLength: 16 }),
        (tors, leaves, rates) => {
          const topology = drawnFabric(tors, leaves, rates);
          fc.pre(topology !== undefined);
          const names = (node: number) => topology!.nodes[node]!.name;
          const hops: Hop[] = switchesOf(topology!).flatMap((node) =>
            node.ports
              .filter(({ peer }) => topology!.nodes[peer]!.role !== "host")
              .map(({ peer, link }) => ({
                from: node.name,
                to: names(peer),
                rate: topology!.links[link]!.rateBps,
              })),
          );
          const racks = topology!.racks.map(({ switches }) => names(switches[0]!));
          const componentsTo = componentsOf(topology!, computeRoutes(topology!));
          for (const from of racks)
            for (const [rack, to] of racks.entries()) {
              // The model's paths are those of two hops: longer ones lead through other racks.
              const paths = shortestPaths(hops, from, to);
              if (from === to || paths.length === 0 || paths[0]!.length > 2) continue;
              const node = nodeNamed(topology!, from)!;
              const own = componentsTo(node.index, rack)!;
              const peers = own.map(({ ports }) =>
                ports.map((port) => names(node.ports[port - 1]!.peer)).sort(),
              );
              const expected = symmetricFirstHops(hops, racks, from, to);
              expect(peers.map(String).sort()).toEqual(expected.map(String).sort());
              for (const [i, { capacity }] of own.entries()) {
                const through = paths.filter((path) => peers[i]!.includes(path[0]!.to));
                const sum = through.reduce(
                  (total, path) => total + Math.min(...path.map(({ rate }) => rate)),
                  0,
                );
                expect(capacity).toBe(sum);
              }
              if (own.length > 1) divided++;
            }
        },
      ),
      { numRuns: 60 },
    );
    expect(divided).toBeGreaterThan(20);
  });
});
