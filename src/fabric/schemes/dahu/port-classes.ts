/**
 * Routing information of a switch (Dahu, section 4.2): for each destination the ports of shortest paths, and further ones. Ports are bits
 * here: port number less 1. A destination is a rack of the topology, by its index.
 */
import type { Topology } from "../../topology/index.js";
import { isDeadEnd } from "./policy/dead-ends.js";

/** Links to other switches that are up. */
interface FabricPort {
  readonly bit: number;
  readonly peer: number;
  readonly link: number;
}

const FAR = Number.POSITIVE_INFINITY;

/** Port classes of the network with these links down. */
export class PortClasses {
  readonly #ports = new Map<number, readonly FabricPort[]>();
  /** By rack: links from each node to the nearest switch of the rack. */
  readonly #distances: (Float64Array | undefined)[] = [];

  constructor(
    readonly topology: Topology,
    readonly down: ReadonlySet<number>,
  ) {}

  /** Ports of a switch to other switches whose links are up. */
  portsOf(node: number): readonly FabricPort[] {
    let ports = this.#ports.get(node);
    if (ports === undefined) {
      const { nodes } = this.topology;
      ports = nodes[node]!.ports.filter(
        ({ peer, link }) => nodes[peer]!.role !== "host" && !this.down.has(link),
      ).map(({ number, peer, link }) => ({ bit: number - 1, peer, link }));
      this.#ports.set(node, ports);
    }
    return ports;
  }

  /** Links from a switch to a rack; Infinity: it cannot be reached. */
  distance(node: number, rack: number): number {
    return (this.#distances[rack] ??= this.#search(rack))[node]!;
  }

  /** Bits of the ports to neighbours that are nearer. */
  shortest(node: number, rack: number): number[] {
    const own = this.distance(node, rack);
    return this.portsOf(node)
      .filter(({ peer }) => this.distance(peer, rack) < own)
      .map(({ bit }) => bit);
  }

  /** Bits of the ports by which a packet reaches the rack, at any distance: all but those to dead ends. */
  further(node: number, rack: number): number[] {
    const own = this.distance(node, rack);
    if (own === 0 || own === FAR) return [];
    const ports = this.portsOf(node);
    return ports
      .filter(({ peer }) => {
        const theirs = this.distance(peer, rack);
        if (theirs <= own) return true;
        const between = ports.filter((port) => port.peer === peer).length;
        return !isDeadEnd(own, theirs, this.shortest(peer, rack).length, between);
      })
      .map(({ bit }) => bit);
  }

  /** Breadth-first search from the switches of a rack; a node that does not forward is on no path. */
  #search(rack: number): Float64Array {
    const { nodes, racks } = this.topology;
    const distance = new Float64Array(nodes.length).fill(FAR);
    const queue = [...racks[rack]!.switches];
    for (const node of queue) distance[node] = 0;
    for (let head = 0; head < queue.length; head++)
      for (const { peer } of this.portsOf(queue[head]!))
        if (distance[peer] === FAR) {
          distance[peer] = distance[queue[head]!]! + 1;
          queue.push(peer);
        }
    return distance;
  }
}

/** A bitmap of these bits. */
export function bitmapOf(bits: Iterable<number>): bigint {
  let bitmap = 0n;
  for (const bit of bits) bitmap |= 1n << BigInt(bit);
  return bitmap;
}
