/** The port groups of a switch, and the group of each destination. Ports are bits, destinations racks. */
import { fail, type Locate } from "../../../base/index.js";
import { nodeAt, offsetDimensions } from "../../topology/index.js";
import { CODES } from "../codes.js";
import { checkGroupCount } from "./group-limits.js";
import type { PortClasses } from "./port-classes.js";

export type GroupKind = "one" | "offset_dimensions" | "next_hops";

export interface GroupLayout {
  /** Bits of the ports of each group, ascending; the last group has all ports to switches. */
  readonly members: readonly (readonly number[])[];
  /** By rack; for a rack of the switch itself: any group. */
  readonly groupOf: readonly number[];
}

/**
 * The groups of one switch in the intact network. The last one has all ports to switches: a destination uses it
 * when faults leave it no port of its own group. Fails with P45411 where `offset_dimensions` is used and switches have no coordinates, P45412
 * where a switch needs more groups than its maximum.
 */
export function groupLayout(
  classes: PortClasses,
  node: number,
  kind: GroupKind,
  locate: Locate,
): GroupLayout {
  const { topology } = classes;
  const all = classes.portsOf(node).map(({ bit }) => bit);
  const own = nodeAt(topology, node);
  switch (kind) {
    case "one":
      return { members: [all], groupOf: topology.racks.map(() => 0) };
    case "offset_dimensions": {
      if (topology.racks.some(({ switches }) => nodeAt(topology, switches[0]!).coordinates === undefined))
        fail(
          CODES.withoutCoordinates,
          locate(["port_groups"]),
          `port_groups: offset_dimensions needs a HyperX; switches of "${topology.name}" have no coordinates`,
          "write `port_groups: one`, or `topology: { kind: hyperx, ... }`",
        );
      const setOf = (peer: number) =>
        offsetDimensions(own, nodeAt(topology, peer)).reduce((set, dimension) => set | (1 << dimension), 0);
      const along = new Map(classes.portsOf(node).map(({ bit, peer }) => [bit, setOf(peer)]));
      const sets = 1 << (own.coordinates?.length ?? 0);
      checkGroupCount(sets, own.name, locate);
      // Set 0 is the switch itself: no destination uses it.
      const members = Array.from({ length: sets }, (_, set) =>
        set === 0 ? all : all.filter((bit) => (along.get(bit)! & set) !== 0),
      );
      return { members, groupOf: topology.racks.map(({ switches }) => setOf(switches[0]!)) };
    }
    case "next_hops": {
      const known = new Map<string, number>();
      const members: number[][] = [];
      const groupOf = topology.racks.map(({ index }) => {
        const ports = classes.shortest(node, index);
        if (ports.length === 0) return 0;
        const key = ports.join(" ");
        if (!known.has(key)) known.set(key, members.push(ports) - 1);
        return known.get(key)!;
      });
      members.push(all);
      checkGroupCount(members.length, own.name, locate);
      return { members, groupOf };
    }
  }
}
