/**
 * Shortest-path routing: which ports of a switch lead to which rack at equal cost. In the terms of P-ECMP,
 * section 3.3: the ports up are the row of the switch in the adjacency matrix, the ports down its column,
 * limited to the neighbours that are nearest to the destination; missing links may reduce their number.
 *
 * Between tiers a packet goes up and then down, never up again. If missing links leave only a path through
 * the ToR of another rack, the destination counts as unreachable, as in fabrics that run BGP.
 */
import { SequenceIndex } from "../../base/index.js";
import { Search } from "./route-search.js";
import { podTwins, type RackClasses, rackClasses } from "./symmetry.js";
import {
  type Pod,
  type PrefixPair,
  type Rack,
  rackAt,
  switchesOf,
  type Topology,
  type TopologyNode,
  tierOf,
} from "./topology.js";

export interface Route extends PrefixPair {
  /** Index in {@link RoutingTable.hopSets}. */
  readonly hops: number;
}

/**
 * Longest-prefix routes of one switch. Equal hop sets are stored once. The hop set that most racks of a pod share
 * is the route of the pod, and the hop set upwards that most pods share is the default route. Equal hop sets, and equal lists of
 * them, are the same objects in all switches; the routes are the same object for switches without hosts whose ports lead to the
 * same neighbours.
 */
export interface RoutingTable {
  /** Node index. */
  readonly node: number;
  readonly hopSets: readonly HopSet[];
  readonly routes: readonly Route[];
}

const ANYWHERE: PrefixPair = { ipv4: { address: 0n, length: 0 }, ipv6: { address: 0n, length: 0 } };

const known = new WeakMap<Topology, readonly RoutingTable[]>();

/**
 * Routing tables of all switches, by ascending node index. A topology does not change, so its tables are computed
 * once and shared. The work is one search for each class of racks ({@link rackClasses}) in each kind of pods.
 */
export function computeRoutes(topology: Topology): readonly RoutingTable[] {
  let tables = known.get(topology);
  if (tables === undefined) {
    tables = searchRoutes(topology);
    known.set(topology, tables);
  }
  return tables;
}

function searchRoutes(topology: Topology): RoutingTable[] {
  const classes = rackClasses(topology);
  const { classOf, representatives, switches: switchesOfRack } = classes;
  const pods = podTwins(topology, classes);
  const podClasses = topology.pods.map(({ racks }) => [...new Set(racks.map((rack) => classOf[rack]!))]);
  /** By class: the corresponding class in the first pod of the kind; the class itself in that pod. */
  const sourceOf = Int32Array.from(representatives, (_, index) => index);
  for (const [pod, twin] of pods.entries()) {
    if (twin === undefined) continue;
    for (const [i, own] of podClasses[pod]!.entries()) sourceOf[own] = podClasses[twin.first]![i]!;
  }
  const kept = new Set(sourceOf.filter((source, index) => source !== index));
  /** By node index; for several twins only the first one. */
  const builders = new Map<number, TableBuilder>();
  const builderOf: TableBuilder[] = [];
  const keys = new SequenceIndex();
  const twins: TableBuilder[] = [];
  const alike = { classes, sourceOf, podClasses };
  const hopSets = new HopSets();
  const switches = switchesOf(topology);
  for (const node of switches) {
    const key = twinKey(topology, node);
    const twin = key === undefined ? -1 : keys.indexOf(key);
    let builder = twins[twin];
    if (builder === undefined) {
      builder = new TableBuilder(topology, node, alike, hopSets);
      builders.set(node.index, builder);
      if (twin >= 0) twins[twin] = builder;
    }
    builderOf.push(builder);
  }
  const search = new Search(topology);
  let searched = -1;
  // In the order of the racks, which numbers the hop sets.
  for (const { index: rack, pod } of topology.racks) {
    const own = classOf[rack]!;
    const first = representatives[own]!;
    const source = sourceOf[own]!;
    const twin = pods[pod];
    if (searched !== own) {
      search.searchFrom(source, switchesOfRack[representatives[source]!]!, kept.has(source));
      search.exchangePods(twin?.firstSwitches ?? [], twin?.switches ?? []);
    }
    searched = own;
    if (rack === first) {
      // The exchange of two pods affects only their switches and the neighbours of these.
      const asked =
        twin === undefined ? builders.keys() : search.around([...twin.firstSwitches, ...twin.switches]);
      for (const node of asked) builders.get(node)?.addClass(own, search);
      continue;
    }
    // The same holds for two racks.
    const [ofFirst, ofRack] = [switchesOfRack[first]!, switchesOfRack[rack]!];
    search.exchange(ofFirst, ofRack);
    for (const node of search.around([...ofFirst, ...ofRack]))
      builders.get(node)?.addRack(rack, pod, own, search);
    search.exchange(ofFirst, ofRack);
  }
  const tables = new Map([...builders.values()].map((builder) => [builder, builder.finish()]));
  return switches.map(({ index }, i) => {
    const { hopSets, routes } = tables.get(builderOf[i]!)!;
    return { node: index, hopSets, routes };
  });
}

/**
 * Twins are switches without hosts whose ports lead to the same neighbours in the same order: they have the same next hops
 * to all destinations. Undefined for a switch with hosts.
 */
function twinKey({ nodes, down }: Topology, node: TopologyNode): number[] | undefined {
  const { ports } = node;
  // Hosts are linked last.
  for (let i = ports.length - 1; i >= 0; i--) if (nodes[ports[i]!.peer]!.role === "host") return undefined;
  const key = [tierOf(node)];
  for (const { peer, link } of ports) key.push(down?.has(link) === true ? -1 : peer);
  return key;
}

/** Special values in place of the index of a hop set: no hop set, and hosts at the switch itself. */
const NONE = -1;
const LOCAL = -2;
const NOWHERE = { hops: NONE, racks: 0 };

/** The equivalent parts of a topology. */
interface Alike {
  readonly classes: RackClasses;
  /** By class: the class in another pod that it corresponds to, or itself. */
  readonly sourceOf: Int32Array;
  /** Classes of the racks of each pod. */
  readonly podClasses: readonly (readonly number[])[];
}

class TableBuilder {
  readonly #hopSets: HopSet[] = [];
  readonly #indexes = new Map<HopSet, number>();
  #last = -1;
  /** Hop set by class of racks, for the class's first rack; where there is none, that of the corresponding class. */
  readonly #byClass = new Map<number, number>();
  /** By pod and rack: hop sets that differ from those of the rack's class. */
  readonly #exceptions = new Map<number, Map<number, number>>();

  constructor(
    readonly topology: Topology,
    readonly node: TopologyNode,
    readonly alike: Alike,
    readonly shared: HopSets,
  ) {}

  /** Adds a class of racks, after the search for its first rack. */
  addClass(ofClass: number, search: Search): void {
    this.#byClass.set(ofClass, this.#found(search));
  }

  /** Adds a rack that corresponds to the rack of the search. */
  addRack(rack: number, pod: number, ofClass: number, search: Search): void {
    const hops = this.#found(search);
    if (hops === this.#ofClass(ofClass)) return;
    const exceptions = this.#exceptions.get(pod) ?? new Map<number, number>();
    this.#exceptions.set(pod, exceptions.set(rack, hops));
  }

  #ofClass(index: number): number {
    return this.#byClass.get(index) ?? this.#byClass.get(this.alike.sourceOf[index]!)!;
  }

  #found(search: Search): number {
    const { tier, first, peers, ports: numbers } = search;
    const { index } = this.node;
    if (search.isAt(index)) return LOCAL;
    // In a network with tiers most racks share the last hop set: it is compared before a new one is built.
    const last = this.#hopSets[this.#last];
    let same = last === undefined ? -1 : 0;
    let direction: HopSet["direction"] = "down";
    for (let i = first[index]!; i < first[index + 1]!; i++) {
      const peer = peers[i]!;
      if (!search.leads(index, peer)) continue;
      if (same >= 0) same = last!.ports[same] === numbers[i] ? same + 1 : -1;
      if (tier[peer]! >= tier[index]!) direction = "up";
    }
    if (same >= 0 && same === last!.ports.length && direction === last!.direction) return this.#last;
    const ports: number[] = [];
    for (let i = first[index]!; i < first[index + 1]!; i++) {
      const peer = peers[i]!;
      if (search.leads(index, peer)) ports.push(numbers[i]!);
    }
    return this.#hopSet(direction, ports);
  }

  #hopSet(direction: HopSet["direction"], ports: readonly number[]): number {
    const set = this.shared.of(direction, ports);
    let index = this.#indexes.get(set);
    if (index === undefined) this.#indexes.set(set, (index = this.#hopSets.push(set) - 1));
    this.#last = index;
    return index;
  }

  #hopsTo(rack: number, exceptions: ReadonlyMap<number, number> | undefined): number {
    return exceptions?.get(rack) ?? this.#ofClass(this.alike.classes.classOf[rack]!);
  }

  /** The hop set that leads to most racks of a pod, and to how many. */
  #usualOf(pod: Pod): { hops: number; racks: number } {
    const exceptions = this.#exceptions.get(pod.index);
    const own = this.alike.podClasses[pod.index]!;
    if (exceptions === undefined && own.length === 1) {
      const hops = this.#ofClass(own[0]!);
      return hops === LOCAL ? NOWHERE : { hops, racks: pod.racks.length };
    }
    const counts = new Map<number, number>();
    for (const rack of pod.racks) {
      const hops = this.#hopsTo(rack, exceptions);
      counts.set(hops, (counts.get(hops) ?? 0) + 1);
    }
    const hops = majority(counts);
    return hops === NONE ? NOWHERE : { hops, racks: counts.get(hops)! };
  }

  finish(): Pick<RoutingTable, "hopSets" | "routes"> {
    const { pods } = this.topology;
    const routes: Route[] = [];
    const perPod = pods.map((pod) => this.#usualOf(pod));
    const upward = new Map<number, number>();
    for (const { hops } of perPod)
      if (hops !== NONE && this.#hopSets[hops]!.direction === "up")
        upward.set(hops, (upward.get(hops) ?? 0) + 1);
    const fallback = majority(upward);
    if (fallback !== NONE) routes.push({ ipv4: ANYWHERE.ipv4, ipv6: ANYWHERE.ipv6, hops: fallback });
    for (const pod of pods) {
      const { hops: usual, racks } = perPod[pod.index]!;
      const covered = usual !== NONE ? usual : fallback;
      if (usual !== NONE && usual !== fallback) {
        // A route that only one rack would use becomes the route of that rack.
        if (racks > 1) {
          routes.push({ ipv4: pod.ipv4, ipv6: pod.ipv6, hops: usual });
        } else {
          this.#addRacks(routes, pod, fallback);
          continue;
        }
      }
      this.#addRacks(routes, pod, covered);
    }
    return { hopSets: this.shared.list(this.#hopSets), routes };
  }

  /** Routes of the racks for which the wider route has another hop set. */
  #addRacks(routes: Route[], pod: Pod, covered: number): void {
    const exceptions = this.#exceptions.get(pod.index);
    if (
      exceptions === undefined &&
      this.alike.podClasses[pod.index]!.every((own) => this.#ofClass(own) === covered)
    )
      return;
    for (const index of pod.racks) {
      const rack = rackAt(this.topology, index);
      const hops = this.#hopsTo(index, exceptions);
      if (hops === LOCAL) this.#addHosts(routes, rack);
      else if (hops !== covered) routes.push({ ipv4: rack.ipv4, ipv6: rack.ipv6, hops });
    }
  }

  #addHosts(routes: Route[], rack: Rack): void {
    const { nodes, down } = this.topology;
    for (const host of rack.hosts) {
      const { ipv4, ipv6 } = nodes[host]!.host!;
      const ports = nodes[host]!.ports.filter(
        ({ peer, link }) => peer === this.node.index && !down?.has(link),
      );
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

/** The hop set with the highest count, on a tie the smallest index; {@link NONE} if there is no hop set. */
function majority(counts: ReadonlyMap<number, number>): number {
  let best = NONE;
  for (const [hops, count] of counts) {
    if (hops === LOCAL) continue;
    const lead = best === NONE ? 1 : count - counts.get(best)!;
    if (lead > 0 || (lead === 0 && hops < best)) best = hops;
  }
  return best;
}

/** Equal-cost next hops, by ascending port number. A hop set without ports: the destination is unreachable. */
export interface HopSet {
  /** `local`: the port of a host; `down`: all next hops in a lower tier; `up`: everything else. */
  readonly direction: "local" | "down" | "up";
  readonly ports: readonly number[];
}

/** The hop sets of all switches of a topology: equal hop sets are one object, and so are equal lists of them. */
class HopSets {
  readonly #indexes: Readonly<Record<HopSet["direction"], SequenceIndex>> = {
    local: new SequenceIndex(),
    down: new SequenceIndex(),
    up: new SequenceIndex(),
  };
  readonly #sets: Readonly<Record<HopSet["direction"], HopSet[]>> = { local: [], down: [], up: [] };
  readonly #numbers = new Map<HopSet, number>();
  readonly #listIndex = new SequenceIndex();
  readonly #lists: (readonly HopSet[])[] = [];

  of(direction: HopSet["direction"], ports: readonly number[]): HopSet {
    const sets = this.#sets[direction];
    const index = this.#indexes[direction].indexOf(ports);
    let set = sets[index];
    if (set === undefined) {
      set = { direction, ports };
      sets[index] = set;
      this.#numbers.set(set, this.#numbers.size);
    }
    return set;
  }

  /** The list of these hop sets, which must all be of this object. */
  list(sets: readonly HopSet[]): readonly HopSet[] {
    const index = this.#listIndex.indexOf(sets.map((set) => this.#numbers.get(set)!));
    return (this.#lists[index] ??= sets);
  }
}
