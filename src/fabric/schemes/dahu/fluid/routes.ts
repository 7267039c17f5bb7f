/**
 * What routing tells the switches of the flow simulator (section 4.2): for each destination the ports of shortest paths, the further ones,
 * and the port group. The same rules as those of the packets' switches (`../port-classes.ts`, `../switch-software.ts`), in flat arrays.
 */
import {
  type Distances,
  FAR,
  type FlowNetwork,
  hasPort,
  portCount,
  ShortestPorts,
} from "../../../sim/flow/index.js";
import { isDeadEnd } from "../policy/dead-ends.js";
import type { GroupPlan } from "./group-plan.js";

export class Routes {
  readonly shortest: ShortestPorts;
  /** Words of 32 bits of the ports of a switch. */
  readonly words: number;
  /** By port: the number of links between its switch and the neighbour. */
  readonly #between: Uint16Array;
  /** By destination; null where no neighbour is a dead end; undefined: not computed yet. */
  readonly #further: (Int32Array | null | undefined)[];
  /** By destination and switch: 1 where the planned group lacks a port of the shortest paths; null: nowhere. */
  readonly #lacking: (Uint8Array | null | undefined)[];

  constructor(
    private readonly network: FlowNetwork,
    readonly distances: Distances,
    readonly plan: GroupPlan,
  ) {
    const { switches, firstPort, peer } = network;
    this.shortest = new ShortestPorts(network, distances);
    this.words = this.shortest.words;
    this.#further = new Array(switches).fill(undefined);
    this.#lacking = new Array(switches).fill(undefined);
    this.#between = new Uint16Array(peer.length);
    const count = new Uint16Array(switches);
    for (let own = 0; own < switches; own++) {
      const [from, end] = [firstPort[own]!, firstPort[own + 1]!];
      for (let port = from; port < end; port++) count[peer[port]!]!++;
      for (let port = from; port < end; port++) this.#between[port] = count[peer[port]!]!;
      for (let port = from; port < end; port++) count[peer[port]!] = 0;
    }
  }

  /** Other links are down than before. */
  forget(): void {
    this.distances.forget();
    this.shortest.forget();
    this.#further.fill(undefined);
    this.#lacking.fill(undefined);
  }

  /** Bitmaps of the ports that lead to no dead end, {@link words} words a switch; null: no neighbour is one. */
  further(destination: number): Int32Array | null {
    const known = this.#further[destination];
    if (known !== undefined) return known;
    const found = this.#findFurther(destination);
    this.#further[destination] = found;
    return found;
  }

  /** The group of a destination: the planned one; the last one, which has all ports, where faults leave a shortest path without a port of it. */
  groupOf(own: number, destination: number): number {
    let lacking = this.#lacking[destination];
    if (lacking === undefined) lacking = this.#lacking[destination] = this.#findLacking(destination);
    return lacking !== null && lacking[own] === 1
      ? this.plan.groups[own]!.groups - 1
      : this.plan.groupOf(own, destination);
  }

  #findFurther(destination: number): Int32Array | null {
    const { words } = this;
    const { firstPort, peer, switches } = this.network;
    const distance = this.distances.to(destination);
    const shortest = this.shortest.to(destination);
    let bitmaps: Int32Array | null = null;
    for (let own = 0; own < switches; own++)
      for (let port = firstPort[own]!; port < firstPort[own + 1]!; port++) {
        const next = peer[port]!;
        if (distance[next]! <= distance[own]! || this.distances.isDown[port] === 1) continue;
        const ways = portCount(shortest, next * words, words);
        if (!isDeadEnd(distance[own]!, distance[next]!, ways, this.#linksBetween(port))) continue;
        bitmaps ??= new Int32Array(switches * words).fill(-1);
        const bit = port - firstPort[own]!;
        bitmaps[own * words + (bit >> 5)]! &= ~(1 << bit);
      }
    return bitmaps;
  }

  /** Without those that are down. */
  #linksBetween(port: number): number {
    const { network, distances } = this;
    if (this.#between[port] === 1) return 1;
    const own = network.peer[network.firstPort[network.peer[port]!]! + network.peerPort[port]!]!;
    let count = 0;
    for (let other = network.firstPort[own]!; other < network.firstPort[own + 1]!; other++)
      if (network.peer[other] === network.peer[port] && distances.isDown[other] === 0) count++;
    return count;
  }

  #findLacking(destination: number): Uint8Array | null {
    const { words, plan } = this;
    const { switches } = this.network;
    const distance = this.distances.to(destination);
    const shortest = this.shortest.to(destination);
    let lacking: Uint8Array | null = null;
    for (let own = 0; own < switches; own++) {
      const groups = plan.groups[own];
      // A group of all ports lacks none.
      if (groups === undefined || groups.groups === 1 || own === destination || distance[own] === FAR)
        continue;
      const base = plan.groupOf(own, destination) * groups.ports;
      for (let port = 0; port < groups.ports; port++) {
        if (groups.isPlanned(base + port) || !hasPort(shortest, own * words, port)) continue;
        lacking ??= new Uint8Array(switches);
        lacking[own] = 1;
        break;
      }
    }
    return lacking;
  }
}
