/** Distances to racks, for {@link computeRoutes}: one search serves all equivalent racks and pods. */
import { type Topology, tierOf } from "./topology.js";

/** Distances of all switches to one rack, in links; -1 where there is no path. */
interface Distances {
  /** Along paths that never go up. */
  readonly down: Int32Array;
  /** Along paths that may go up before they go down. */
  readonly best: Int32Array;
}

/** The distances to one rack, and an exchange of switches that makes them those to an equivalent rack or pod. */
export class Search {
  readonly tier: Uint8Array;
  #distances: Distances;
  /** Kept distances, by class. */
  readonly #kept = new Map<number, Distances>();
  readonly #scratch: Distances;
  /** Ports of switch n that lead to switches: `peers` and `ports` from `first[n]` up to `first[n + 1]`. */
  readonly first: Int32Array;
  readonly peers: Int32Array;
  readonly ports: Int32Array;
  /** Nodes in the order in which the first sweep found them, hence by {@link down}. */
  readonly #queue: Int32Array;
  /** Nodes for which the second sweep found a shorter path, by distance; a node may occur more than once. */
  readonly #shorter: number[] = [];
  /** By node: the node itself, or the one that it represents. */
  readonly exchanged: Int32Array;
  #moved: readonly (readonly number[])[] = [];

  constructor({ nodes, down }: Topology) {
    const size = nodes.length;
    this.tier = new Uint8Array(size);
    for (let node = 0; node < size; node++) this.tier[node] = tierOf(nodes[node]!);
    this.#scratch = { down: new Int32Array(size), best: new Int32Array(size) };
    this.#distances = this.#scratch;
    this.#queue = new Int32Array(size);
    this.exchanged = new Int32Array(size);
    this.first = new Int32Array(size + 1);
    const peers: number[] = [];
    const ports: number[] = [];
    for (let node = 0; node < size; node++) {
      this.exchanged[node] = node;
      if (this.tier[node] !== 0) {
        const own = nodes[node]!.ports;
        for (let i = 0; i < own.length; i++) {
          const { peer, link } = own[i]!;
          if (this.tier[peer] === 0 || down?.has(link)) continue;
          peers.push(peer);
          ports.push(i + 1);
        }
      }
      this.first[node + 1] = peers.length;
    }
    this.peers = Int32Array.from(peers);
    this.ports = Int32Array.from(ports);
  }

  /** Searches backwards from the switches of a rack, breadth first. With `keep` the distances of a class are searched once. */
  searchFrom(ofClass: number, starts: readonly number[], keep: boolean): void {
    const known = this.#kept.get(ofClass);
    if (known !== undefined) {
      this.#distances = known;
      return;
    }
    const size = this.tier.length;
    this.#distances = keep ? { down: new Int32Array(size), best: new Int32Array(size) } : this.#scratch;
    if (keep) this.#kept.set(ofClass, this.#distances);
    const { tier, first, peers } = this;
    const { down, best } = this.#distances;
    const queue = this.#queue;
    down.fill(-1);
    let tail = 0;
    for (const start of starts) {
      down[start] = 0;
      queue[tail++] = start;
    }
    for (let head = 0; head < tail; head++) {
      const node = queue[head]!;
      for (let i = first[node]!; i < first[node + 1]!; i++) {
        const peer = peers[i]!;
        if (down[peer]! >= 0 || tier[peer]! < tier[node]!) continue;
        down[peer] = down[node]! + 1;
        queue[tail++] = peer;
      }
    }
    // Second sweep: from every reached node to the nodes below it. Both lists are sorted by distance.
    best.set(down);
    const shorter = this.#shorter;
    shorter.length = 0;
    for (let head = 0, next = 0; head < tail || next < shorter.length; ) {
      const isNext = head === tail || (next < shorter.length && best[shorter[next]!]! < down[queue[head]!]!);
      const node = isNext ? shorter[next++]! : queue[head++]!;
      const distance = best[node]! + 1;
      for (let i = first[node]!; i < first[node + 1]!; i++) {
        const peer = peers[i]!;
        if (tier[peer]! > tier[node]! || (best[peer]! >= 0 && best[peer]! <= distance)) continue;
        best[peer] = distance;
        shorter.push(peer);
      }
    }
  }

  /** Until the next call, the switches of one pod represent those of the other; without switches each represents itself. */
  exchangePods(one: readonly number[], other: readonly number[]): void {
    for (const nodes of this.#moved) for (const node of nodes) this.exchanged[node] = node;
    this.#moved = [one, other];
    this.exchange(one, other);
  }

  /** Exchanges the switches of two racks; a second call reverts it. */
  exchange(one: readonly number[], other: readonly number[]): void {
    const { exchanged } = this;
    for (const [i, node] of one.entries()) {
      const standsFor = exchanged[node]!;
      exchanged[node] = exchanged[other[i]!]!;
      exchanged[other[i]!] = standsFor;
    }
  }

  /** Whether the rack is at the node itself. */
  isAt(node: number): boolean {
    return this.#distances.best[this.exchanged[node]!] === 0;
  }

  /** The switches and their neighbours, each once. */
  around(switches: readonly number[]): Set<number> {
    const found = new Set(switches);
    for (const node of switches)
      for (let i = this.first[node]!; i < this.first[node + 1]!; i++) found.add(this.peers[i]!);
    return found;
  }

  /** Whether the neighbour is a next hop of the node on a shortest path. */
  leads(node: number, peer: number): boolean {
    const { tier, exchanged } = this;
    const { down, best } = this.#distances;
    const own = exchanged[node]!;
    const next = exchanged[peer]!;
    const rest = tier[next]! < tier[own]! ? down[next]! : best[next]!;
    return rest >= 0 && rest === best[own]! - 1;
  }
}
