/** The links of the shortest paths between two hosts: the network as far as the ideal time of a flow depends on it. */
import { type Topology, tierOf } from "../../../topology/index.js";

export interface PathLink {
  readonly rateBps: number;
  readonly delayNs: number;
  /** Packets per second, where the sending end has such a limit. */
  readonly ratePps?: number;
}

/** The links of a path, in order. */
export type Path = readonly PathLink[];

/** Hops to one switch from every state; a state is a node before (even) or after (odd) the packet has descended a tier. */
interface Distances {
  readonly hops: Int32Array;
  /** By state: the different sequences of links to the switch, computed on demand. */
  readonly paths: Map<number, readonly Path[]>;
}

/**
 * Shortest paths between hosts, as {@link computeRoutes} finds them: up and then down, never up again. Paths with equal sequences of rates
 * and delays count once, so a symmetric fabric has one path for each pair of positions. Results are cached by the switches of the hosts.
 */
export class ShortestPaths {
  readonly #topology: Topology;
  readonly #distances = new Map<number, Distances>();

  constructor(topology: Topology) {
    this.#topology = topology;
  }

  /** The different shortest paths between two hosts, by node indexes; empty where no path joins them. */
  between(source: number, destination: number): readonly Path[] {
    const ends = (host: number) => this.#ports(host).map(({ link, peer }) => ({ switch: peer, index: link }));
    let best = Number.POSITIVE_INFINITY;
    let found: Path[] = [];
    for (const to of ends(destination)) {
      const distances = this.#distancesTo(to.switch);
      for (const from of ends(source)) {
        const hops = distances.hops[2 * from.switch]!;
        if (hops < 0 || hops > best) continue;
        if (hops < best) found = [];
        best = hops;
        for (const inner of this.#pathsFrom(2 * from.switch, distances))
          found.push([this.#link(from.index, "host"), ...inner, this.#link(to.index, "switch")]);
      }
    }
    return different(found);
  }

  #ports(node: number) {
    const { nodes, down } = this.#topology;
    return nodes[node]!.ports.filter(({ link }) => down?.has(link) !== true);
  }

  /** The link, as a node of this kind sends into it: hosts have no rates in packets. */
  #link(index: number, from: "host" | "switch"): PathLink {
    const { rateBps, delayNs, ratePps } = this.#topology.links[index]!;
    return from === "host" || ratePps === undefined ? { rateBps, delayNs } : { rateBps, delayNs, ratePps };
  }

  #tier(node: number): number {
    return tierOf(this.#topology.nodes[node]!);
  }

  /** Breadth first, backwards from the switch. */
  #distancesTo(destination: number): Distances {
    let known = this.#distances.get(destination);
    if (known !== undefined) return known;
    const hops = new Int32Array(2 * this.#topology.nodes.length).fill(-1);
    const queue = [2 * destination, 2 * destination + 1];
    for (const state of queue) hops[state] = 0;
    for (let i = 0; i < queue.length; i++) {
      const state = queue[i]!;
      const [node, wentDown] = [state >> 1, (state & 1) === 1];
      for (const { peer } of this.#ports(node)) {
        if (this.#tier(peer) === 0) continue;
        // A step down leads to a state after the descent and may follow any step; other steps must precede the descent.
        const isDown = this.#tier(node) < this.#tier(peer);
        if (isDown !== wentDown) continue;
        for (const before of isDown ? [2 * peer, 2 * peer + 1] : [2 * peer]) {
          if (hops[before]! >= 0) continue;
          hops[before] = hops[state]! + 1;
          queue.push(before);
        }
      }
    }
    known = { hops, paths: new Map() };
    this.#distances.set(destination, known);
    return known;
  }

  #pathsFrom(state: number, distances: Distances): readonly Path[] {
    const { hops, paths } = distances;
    if (hops[state] === 0) return [[]];
    const known = paths.get(state);
    if (known !== undefined) return known;
    const node = state >> 1;
    const found: Path[] = [];
    for (const { peer, link } of this.#ports(node)) {
      if (this.#tier(peer) === 0) continue;
      const isDown = this.#tier(peer) < this.#tier(node);
      if (!isDown && (state & 1) === 1) continue;
      const next = 2 * peer + (isDown ? 1 : 0);
      if (hops[next] !== hops[state]! - 1) continue;
      for (const rest of this.#pathsFrom(next, distances)) found.push([this.#link(link, "switch"), ...rest]);
    }
    const result = different(found);
    paths.set(state, result);
    return result;
  }
}

function different(paths: readonly Path[]): Path[] {
  const byText = new Map(
    paths.map((path) => [
      path.map(({ rateBps, delayNs, ratePps }) => `${rateBps} ${delayNs} ${ratePps}`).join(),
      path,
    ]),
  );
  return [...byText.values()];
}
