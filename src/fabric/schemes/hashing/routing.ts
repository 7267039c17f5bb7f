/**
 * Next hops by the source and the destination of a packet. The class of a packet is its kind (0: it came from below, a host or a
 * lower stage; 1: from above or from the same stage) plus twice the number of its source.
 */
import { fail, type Locate } from "../../../base/index.js";
import { LOCAL, rackRoutes, UNREACHABLE } from "../../paths/index.js";
import {
  computeRoutes,
  type HopSet,
  nodeAt,
  switchesOf,
  type Topology,
  type TopologyNode,
  tierOf,
} from "../../topology/index.js";
import { CODES } from "../codes.js";
import { costGraph, costsTo, kShortest, loopFree } from "./k-shortest.js";

export const ROUTINGS = ["shortest", "transit", "k_shortest"] as const;
type Routing = (typeof ROUTINGS)[number];

/** Classes by port: from below, or not. */
export const KINDS = 2;

export interface ClassedSwitch {
  readonly node: number;
  /** By port number: 0 from below, 1 otherwise. */
  readonly portKind: Uint8Array;
  /** Number of sources that routes distinguish, and the source by rack where there are several. */
  readonly sources: number;
  readonly sourceOf?: Uint16Array;
  /** Routes are the same for all classes. */
  readonly plain: boolean;
  readonly hopSets: readonly HopSet[];
  /** By class times the racks plus the rack of the destination: index of a hop set, `LOCAL` or `UNREACHABLE`. */
  readonly next: Int32Array;
}

export function routeSwitches(
  topology: Topology,
  routing: Routing,
  k: number,
  locate: Locate,
): ClassedSwitch[] {
  switch (routing) {
    case "shortest":
      return shortest(topology);
    case "transit":
      return transit(topology, locate);
    case "k_shortest":
      return nearShortest(topology, k, locate);
  }
}

function kindsOf(topology: Topology, node: TopologyNode): Uint8Array {
  const kinds = new Uint8Array(node.ports.length + 1);
  for (const { number, peer } of node.ports)
    kinds[number] = tierOf(nodeAt(topology, peer)) < tierOf(node) ? 0 : 1;
  return kinds;
}

function shortest(topology: Topology): ClassedSwitch[] {
  return computeRoutes(topology).map((table) => {
    const routes = rackRoutes(topology, table);
    const next = new Int32Array(KINDS * routes.length);
    next.set(routes);
    next.set(routes, routes.length);
    const node = nodeAt(topology, table.node);
    return {
      node: table.node,
      portKind: kindsOf(topology, node),
      sources: 1,
      plain: true,
      hopSets: table.hopSets,
      next,
    };
  });
}

/** Hop sets of one switch, each once. */
class HopSets {
  readonly list: HopSet[] = [];
  readonly #known = new Map<string, number>();

  of(direction: HopSet["direction"], ports: readonly number[]): number {
    if (ports.length === 0) return UNREACHABLE;
    const key = `${direction} ${ports.join(" ")}`;
    let index = this.#known.get(key);
    if (index === undefined) {
      index = this.list.push({ direction, ports }) - 1;
      this.#known.set(key, index);
    }
    return index;
  }
}

/**
 * Routes of a spineless mesh of blocks that use direct links and one transit block (ATC 2022, section 2.1.2). Traffic that leaves its
 * block goes to the block of its destination, or to a block that is linked with it. In a transit block it goes down to the second
 * stage and up again, so that it spreads over the third, and then over direct links. Source 0: of the own block, 1: of another.
 */
function transit(topology: Topology, locate: Locate): ClassedSwitch[] {
  const { nodes, racks } = topology;
  const blockOf = (node: number) => nodes[node]!.pod;
  const top = (node: TopologyNode) =>
    node.ports.some(({ peer }) => tierOf(nodes[peer]!) === tierOf(node) && blockOf(peer) !== node.pod);
  const tops = switchesOf(topology).filter(top);
  if (tops.length === 0 || switchesOf(topology).some(({ pod }) => pod === undefined))
    fail(
      CODES.routing,
      locate(["routing"]),
      `${topology.name} is no mesh of server blocks`,
      "routing: transit needs a topology of kind spineless; write shortest",
    );
  const linked = new Set(
    tops.flatMap(({ pod, ports }) => ports.map(({ peer }) => `${pod} ${blockOf(peer)}`)),
  );
  /** Ports of a switch of the third stage to a block, optionally over one other block. */
  const across = ({ index, pod, ports }: TopologyNode, block: number, transits: boolean) =>
    ports
      .filter(({ peer, link }) => {
        const other = nodes[peer]!;
        const leads = other.pod === block || (transits && linked.has(`${other.pod} ${block}`));
        return (
          other.pod !== pod && tierOf(other) === tierOf(nodes[index]!) && leads && !topology.down?.has(link)
        );
      })
      .map(({ number }) => number);
  return switchesOf(topology).map((node) => {
    const sets = new HopSets();
    const own = node.pod!;
    const portsTo = (wanted: (peer: TopologyNode) => boolean) =>
      node.ports
        .filter(({ peer, link }) => !topology.down?.has(link) && wanted(nodes[peer]!))
        .map(({ number }) => number);
    const tier = tierOf(node);
    const up = portsTo((peer) => tierOf(peer) > tier);
    const down = portsTo((peer) => tierOf(peer) < tier && peer.role !== "host");
    const isTop = tier === 3;
    const next = new Int32Array(2 * KINDS * racks.length);
    for (const rack of racks)
      for (let kind = 0; kind < KINDS; kind++)
        for (let source = 0; source < 2; source++) {
          const at = (kind + KINDS * source) * racks.length + rack.index;
          const here = rack.pod === own;
          if (rack.switches.includes(node.index)) next[at] = LOCAL;
          else if (tier === 1) next[at] = sets.of("up", up);
          else if (here && isTop) next[at] = sets.of("down", down);
          else if (here)
            next[at] = sets.of(
              "down",
              portsTo((peer) => rack.switches.includes(peer.index)),
            );
          else if (!isTop)
            next[at] = sets.of(
              "up",
              up.filter(
                (port) => across(nodes[node.ports[port - 1]!.peer]!, rack.pod, source === 0).length > 0,
              ),
            );
          else
            next[at] =
              kind === 1 ? sets.of("down", down) : sets.of("up", across(node, rack.pod, source === 0));
        }
    return {
      node: node.index,
      portKind: kindsOf(topology, node),
      sources: 2,
      sourceOf: Uint16Array.from(racks, ({ pod }) => (pod === own ? 0 : 1)),
      plain: false,
      hopSets: sets.list,
      next,
    };
  });
}

/** For each pair of racks the k shortest paths, as many as are free of loops together. Every rack is a source. */
function nearShortest(topology: Topology, k: number, locate: Locate): ClassedSwitch[] {
  const { racks, nodes } = topology;
  if (racks.some(({ switches }) => switches.length > 1))
    fail(CODES.routing, locate(["routing"]), "k_shortest needs hosts with one NIC", "write homing: single");
  const graph = costGraph(topology);
  const own = new Map(
    switchesOf(topology).map(({ index }) => [
      index,
      { sets: new HopSets(), next: new Int32Array(KINDS * racks.length * racks.length).fill(UNREACHABLE) },
    ]),
  );
  for (const to of racks) {
    const end = to.switches[0]!;
    const costs = costsTo(graph, end);
    const write = (node: number, source: number, index: number) => {
      const { next } = own.get(node)!;
      for (let kind = 0; kind < KINDS; kind++)
        next[(kind + KINDS * source) * racks.length + to.index] = index;
    };
    for (const from of racks) {
      write(end, from.index, LOCAL);
      if (from.switches[0] === end) continue;
      const hops = loopFree(kShortest(graph, from.switches[0]!, end, k, costs));
      for (const [node, peers] of hops) {
        const ports = graph.edges[node]!.filter((edge) => peers.includes(edge.to)).map(({ port }) => port);
        write(node, from.index, own.get(node)!.sets.of("up", ports));
      }
    }
  }
  return switchesOf(topology).map((node) => {
    const { sets, next } = own.get(node.index)!;
    return {
      node: node.index,
      portKind: kindsOf(topology, nodes[node.index]!),
      sources: racks.length,
      sourceOf: Uint16Array.from(racks, ({ index }) => index),
      plain: false,
      hopSets: sets.list,
      next,
    };
  });
}
