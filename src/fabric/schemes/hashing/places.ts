/** Places of choices: a stage, and where packets come from. In designs by place all switches of a place hash in the same way. */
import { nodeAt, switchesOf, type Topology, tierOf } from "../../topology/index.js";
import { type ClassedSwitch, KINDS } from "./routing.js";

export interface Place {
  /** Unique name for people: `stage 2 from below`. */
  readonly key: string;
  readonly tier: number;
  /** 0: packets from below, 1: others. */
  readonly kind: number;
  readonly nodes: readonly number[];
}

export function placeName(topology: Topology, node: number, kind: number): string {
  return `stage ${tierOf(nodeAt(topology, node))} from ${kind % KINDS === 0 ? "below" : "above"}`;
}

/** All places where any switch has a choice, in the order of a path: up through the stages, then down. */
export function placesOf(topology: Topology, switches: readonly ClassedSwitch[]): Place[] {
  const places = new Map<string, Place & { nodes: number[] }>();
  const arrivals = arrivalKinds(topology);
  for (const own of switches)
    for (const kind of arrivals.get(own.node)!) {
      if (!chooses(own, kind)) continue;
      const key = placeName(topology, own.node, kind);
      const tier = tierOf(nodeAt(topology, own.node));
      const place = places.get(key) ?? { key, tier, kind, nodes: [] };
      place.nodes.push(own.node);
      places.set(key, place);
    }
  return [...places.values()].sort(
    (a, b) => a.kind - b.kind || (a.kind === 0 ? a.tier - b.tier : b.tier - a.tier),
  );
}

/** The kinds of ports that a switch has. */
function arrivalKinds(topology: Topology): Map<number, number[]> {
  return new Map(
    switchesOf(topology).map((node) => {
      const below = node.ports.some(({ peer }) => tierOf(nodeAt(topology, peer)) < tierOf(node));
      const above = node.ports.some(({ peer }) => tierOf(nodeAt(topology, peer)) >= tierOf(node));
      return [node.index, [...(below ? [0] : []), ...(above ? [1] : [])]];
    }),
  );
}

/** Whether packets of a kind ever have more than one next hop. A packet from above is sent up again only in transit. */
function chooses({ hopSets, next, plain, sources }: ClassedSwitch, kind: number): boolean {
  const racks = next.length / (KINDS * sources);
  for (let source = 0; source < sources; source++)
    for (let rack = 0; rack < racks; rack++) {
      const index = next[(kind + KINDS * source) * racks + rack]!;
      if (index < 0) continue;
      const { direction, ports } = hopSets[index]!;
      if (ports.length > 1 && direction !== "local" && !(plain && kind === 1 && direction === "up"))
        return true;
    }
  return false;
}
