/** Offsets that the compiler calls certain where links are missing: no flow of any pair that it names shares a switch or link. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Random } from "../../../../src/base/index.js";
import { emptyFlows } from "../../../../src/fabric/paths/index.js";
import { SelectorPaths } from "../../../../src/fabric/schemes/index.js";
import { compileFabric } from "../../../../src/fabric/schemes/pecmp/fabric.js";
import { pecmp } from "../../../../src/fabric/schemes/pecmp/index.js";
import { pecmpParameters } from "../../../../src/fabric/schemes/pecmp/parameters.js";
import type { Topology } from "../../../../src/fabric/topology/index.js";
import { PacketWalk } from "../../paths/packet-walk.js";
import { example } from "../../topology/load.js";
import { clos } from "../multiroute/graphs.js";

const parameters = pecmpParameters.parse({ field: "flow_label" });
const certainOf = (topology: Topology) => compileFabric(topology, parameters, () => undefined).certain;

/** Elements of a path between its only ToRs: what two paths must not share. */
function inner(topology: Topology, path: { nodes: readonly number[]; links: readonly number[] }): number[] {
  const ends = [path.nodes[0]!, path.nodes.at(-1)!].flatMap((host) => {
    const { ports } = topology.nodes[host]!;
    return ports.length > 1 ? [] : [ports[0]!.peer, ~ports[0]!.link];
  });
  const all = [...path.nodes.slice(1, -1), ...path.links.map((link) => ~(link >> 1))];
  return all.filter((element) => !ends.includes(element));
}

describe("certain offsets", () => {
  it("are kept by every flow of the pairs that they serve", () => {
    const fabrics = fc.record({
      seed: fc.nat(1000),
      homing: fc.constantFrom("single", "dual"),
      wiring: fc.constantFrom("planes", "mesh"),
      missing: fc.constantFrom(0.02, 0.05, 0.1),
    });
    let promised = 0;
    fc.assert(
      fc.property(fabrics, ({ seed, missing, ...own }) => {
        const shape = { ...own, pods: 2, tors_per_pod: 4, leaves_per_pod: 4, spines_per_plane: 3 };
        const topology = clos(seed, shape, missing);
        const { certain, layout } = compileFabric(topology, parameters, () => undefined);
        if (certain === undefined) return;
        const { bits } = layout;
        const plan = pecmp.plan(topology, parameters);
        const paths = new SelectorPaths(topology, plan.pathModel!(), plan.hosts);
        const random = new Random(seed);
        for (const [from, to] of certain.served) {
          promised++;
          const ends = {
            source: topology.racks[from]!.hosts[0]!,
            destination: topology.racks[to]!.hosts[0]!,
          };
          for (let i = 0; i < 12; i++) {
            const flow = { ...ends, version: 6, protocol: 6, destinationPort: 80 } as const;
            const ports = { sourcePort: random.int(65_536) };
            const offset = random.pick(certain.offsets);
            // Hosts do not go beyond the bits of the selector.
            const start = random.int(2 ** bits - offset);
            const old = paths.pathOf({ ...flow, ...ports }, start)!;
            const next = paths.pathOf({ ...flow, ...ports }, start + offset)!;
            const shared = inner(topology, old).filter((element) => inner(topology, next).includes(element));
            expect(shared).toEqual([]);
          }
        }
      }),
      { numRuns: 30, seed: 20261122 },
    );
    expect(promised).toBeGreaterThan(200);
  });

  it("serve all pairs of figure 4's fabric, as packets show", async () => {
    const topology = example("asymmetric");
    const certain = certainOf(topology)!;
    expect([certain.offsets, certain.pairs, certain.served.length]).toEqual([[5, 7], 56, 56]);
    const plan = pecmp.plan(topology, parameters);
    const walk = new PacketWalk(topology, plan);
    for (const [i, [from, to]] of certain.served.entries()) {
      const walked = async (selector: number) => {
        const columns = emptyFlows(1, 6);
        columns.source[0] = topology.racks[from]!.hosts[0]!;
        columns.destination[0] = topology.racks[to]!.hosts[0]!;
        columns.sourcePort[0] = 1024 + 31 * i;
        return (await walk.linksOf({ ...columns, selector: Uint32Array.of(selector) }, 0)).slice(1, -1);
      };
      const [old, next] = [await walked(0), await walked(certain.offsets[i % 2]!)];
      expect(old.filter((link) => next.includes(link))).toEqual([]);
    }
  });

  it("are not looked for where groups are even, tiers are missing or switches of a tier hash differently", () => {
    expect(certainOf(example("clos"))).toBeUndefined();
    expect(certainOf(example("jellyfish"))).toBeUndefined();
    const own = pecmpParameters.parse({ seed_scope: "switch" });
    expect(compileFabric(example("asymmetric"), own, () => undefined).certain).toBeUndefined();
  });
});
