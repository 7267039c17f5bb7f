/**
 * Shortest-path routing: which ports of a switch lead to which rack at equal cost. In the terms of P-ECMP,
 * section 3.3: the ports up are the row of the switch in the adjacency matrix, the ports down its column,
 * cut to the neighbours from which the destination is nearest; with missing links that may be fewer.
 *
 * Between tiers a packet goes up and then down, never up again: where missing links leave only a way through
 * another rack's ToR, the destination counts as out of reach, as it does in fabrics that run BGP.
 */
import { type PrefixPair, TIER, type Topology, type TopologyNode } from "./topology.js";

/** Equal-cost next hops, by ascending port number. Without ports: the destination cannot be reached. */
export interface HopSet {
  /** `local`: the port of a host; `down`: all next hops in a lower tier; `up`: everything else. */
  readonly direction: "local" | "down" | "up";
  readonly ports: readonly number[];
}

export interface Route extends PrefixPair {
  /** Index in {@link RoutingTable.hopSets}. */
  readonly hops: number;
}

/**
 * Longest-prefix routes of one switch. Equal hop sets are one; a set that most of a pod's racks share is one
 * route for the pod, and the one way up that most pods share is the default route.
 */
export interface RoutingTable {
  /** Node index. */
  readonly node: number;
  readonly hopSets: readonly HopSet[];
  readonly routes: readonly Route[];
}

const ANYWHERE: PrefixPair = { ipv4: { address: 0n, length: 0 }, ipv6: { address: 0n, length: 0 } };

/** Routing tables of all switches, by ascending node index. */
export function computeRoutes(topology: Topology): RoutingTable[] {
  const switches = topology.nodes.filter((node) => node.role !== "host");
  const builders = switches.map((node) => new TableBuilder(topology, node));
  const search = new Search(topology);
  for (const rack of topology.racks) {
    search.run(rack.switches);
    for (const builder of builders) builder.addRack(rack.index, search);
  }
  return builders.map((builder) => builder.finish());
}

/** Distances of all switches to one rack, in links; -1 where there is no way. */
class Search {
  readonly tier: Int32Array;
  /** Along ways that never go up. */
  readonly down: Int32Array;
  /** Along ways that may go up before they go down. */
  readonly best: Int32Array;
  readonly #queue: Int32Array;

  constructor(readonly topology: Topology) {
    const size = topology.nodes.length;
    this.tier = Int32Array.from(topology.nodes, (node) => TIER[node.role]);
    this.down = new Int32Array(size);
    this.best = new Int32Array(size);
    this.#queue = new Int32Array(size);
  }

  /** Searches backwards from the rack's switches. */
  run(starts: readonly number[]): void {
    const { nodes } = this.topology;
    const { tier, down, best } = this;
    const queue = this.#queue;
    down.fill(-1);
    let tail = 0;
    for (const start of starts) {
      down[start] = 0;
      queue[tail++] = start;
    }
    for (let head = 0; head < tail; head++) {
      const node = queue[head]!;
      for (const { peer } of nodes[node]!.ports) {
        if (down[peer]! >= 0 || tier[peer]! < tier[node]!) continue;
        down[peer] = down[node]! + 1;
        queue[tail++] = peer;
      }
    }
    // Second sweep, in order of distance: from every node that is reached on to those below it.
    best.set(down);
    for (let reached = true, distance = 0; reached; distance++) {
      reached = false;
      for (let node = 0; node < best.length; node++) {
        if (best[node]! > distance) reached = true;
        if (best[node] !== distance) continue;
        for (const { peer } of nodes[node]!.ports) {
          if (tier[peer] === 0 || tier[peer]! > tier[node]!) continue;
          if (best[peer]! >= 0 && best[peer]! <= distance + 1) continue;
          best[peer] = distance + 1;
          reached = true;
        }
      }
    }
  }

  /** Whether the neighbour is a next hop of the node on a shortest way. */
  leads(node: number, peer: number): boolean {
    const rest = this.tier[peer]! < this.tier[node]! ? this.down[peer]! : this.best[peer]!;
    return this.tier[peer] !== 0 && rest >= 0 && rest === this.best[node]! - 1;
  }
}

class TableBuilder {
  readonly #hopSets: HopSet[] = [];
  #last = -1;
  /** Hop set by rack; -1 for racks whose hosts hang on this very switch. */
  readonly #byRack: number[] = [];

  constructor(
    readonly topology: Topology,
    readonly node: TopologyNode,
  ) {}

  addRack(rack: number, search: Search): void {
    const own = this.node.index;
    if (search.best[own] === 0) {
      this.#byRack[rack] = -1;
      return;
    }
    const ports: number[] = [];
    let direction: HopSet["direction"] = "down";
    for (const { number, peer } of this.node.ports) {
      if (!search.leads(own, peer)) continue;
      ports.push(number);
      if (search.tier[peer]! >= search.tier[own]!) direction = "up";
    }
    this.#byRack[rack] = this.#hopSet(direction, ports);
  }

  #hopSet(direction: HopSet["direction"], ports: readonly number[]): number {
    // A switch has few sets, and most racks share the one found last.
    const last = this.#hopSets[this.#last];
    if (last === undefined || !isHopSet(last, direction, ports)) {
      const index = this.#hopSets.findIndex((known) => isHopSet(known, direction, ports));
      this.#last = index >= 0 ? index : this.#hopSets.push({ direction, ports }) - 1;
    }
    return this.#last;
  }

  finish(): RoutingTable {
    const { topology } = this;
    const routes: Route[] = [];
    const perPod = topology.pods.map((pod) => majority(pod.racks.map((rack) => this.#byRack[rack]!)));
    const upward = perPod.filter((hops) => hops >= 0 && this.#hopSets[hops]!.direction === "up");
    const fallback = majority(upward);
    if (fallback >= 0) routes.push({ ...ANYWHERE, hops: fallback });
    for (const pod of topology.pods) {
      const usual = perPod[pod.index]!;
      const covered = usual >= 0 ? usual : fallback;
      if (usual >= 0 && usual !== fallback) {
        // A route that only one rack would use is that rack's own.
        if (pod.racks.filter((rack) => this.#byRack[rack] === usual).length > 1) {
          routes.push({ ipv4: pod.ipv4, ipv6: pod.ipv6, hops: usual });
        } else {
          this.#addRacks(routes, pod.racks, fallback);
          continue;
        }
      }
      this.#addRacks(routes, pod.racks, covered);
    }
    return { node: this.node.index, hopSets: this.#hopSets, routes };
  }

  /** Routes of the racks that a wider route does not send the right way. */
  #addRacks(routes: Route[], racks: readonly number[], covered: number): void {
    const { nodes, racks: all } = this.topology;
    for (const index of racks) {
      const rack = all[index]!;
      const hops = this.#byRack[index]!;
      if (hops >= 0) {
        if (hops !== covered) routes.push({ ipv4: rack.ipv4, ipv6: rack.ipv6, hops });
        continue;
      }
      for (const host of rack.hosts) {
        const { ipv4, ipv6 } = nodes[host]!.host!;
        const ports = nodes[host]!.ports.filter((port) => port.peer === this.node.index);
        routes.push({
          ipv4: { address: ipv4, length: 32 },
          ipv6: { address: ipv6, length: 128 },
          hops: this.#hopSet(
            "local",
            ports.map((port) => port.peerPort),
          ),
        });
      }
    }
  }
}

function isHopSet(known: HopSet, direction: HopSet["direction"], ports: readonly number[]): boolean {
  if (known.direction !== direction || known.ports.length !== ports.length) return false;
  for (let i = 0; i < ports.length; i++) if (known.ports[i] !== ports[i]) return false;
  return true;
}

/** The most frequent non-negative value, the smallest of equals; -1 if there is none. */
function majority(values: readonly number[]): number {
  const counts = new Map<number, number>();
  let best = -1;
  for (const value of values) if (value >= 0) counts.set(value, (counts.get(value) ?? 0) + 1);
  for (const [value, count] of counts) {
    const lead = best < 0 ? 1 : count - counts.get(best)!;
    if (lead > 0 || (lead === 0 && value < best)) best = value;
  }
  return best;
}
