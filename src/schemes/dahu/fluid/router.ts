/**
 * Dahu's switches in the flow simulator: what their pipeline does to a bundle (section 3, figure 2), and the work of their software at
 * the end of each epoch (section 4).
 */
import {
  type Distances,
  type EpochTraffic,
  FAR,
  type FlowNetwork,
  type FlowRouter,
  indexOf,
  mixed,
  type RoutedBundles,
} from "../../../sim/flow/index.js";
import type { Rebalancing } from "../policy/epoch.js";
import { DerouteHolds, feedsBack } from "../policy/feedback.js";
import { reachesThreshold } from "../policy/threshold.js";
import type { GroupPlan } from "./group-plan.js";

/** Hash functions that are tried: 16 at once, then 16 more (section 3.2). */
const HASHES = 32;

export interface DahuSettings {
  readonly deroutes: number;
  readonly threshold: number;
  readonly virtualPorts: number;
  readonly feedback: boolean;
  /** Whether switches count the traffic of each virtual port. */
  readonly countsVirtualPorts: boolean;
}

export class DahuRouter implements FlowRouter {
  readonly maxLinks: number;
  /** Share of its capacity that each port has carried in the last epoch, times the capacity: bytes per nanosecond. */
  readonly #used: Float64Array;
  readonly #capacity: Float64Array;
  /** By switch and destination: the epoch that the answer is of, and whether further ports are allowed. */
  readonly #asked: Uint16Array;
  readonly #further: Uint8Array;
  #epoch = 1;
  #nowNs = 0;
  /** By switch, where there is feedback. */
  readonly #holds: readonly DerouteHolds[];
  /** Traffic of all groups of all switches; where each switch begins. */
  readonly #byGroup: Float64Array;
  readonly #firstGroup: Int32Array;
  /** Traffic of all virtual ports of all switches, where it is counted; where each switch begins. */
  readonly #byVirtualPort: Float64Array;
  readonly #firstVirtualPort: Int32Array;
  /** What {@link #choose} has found by a hash: group times virtual ports plus virtual port; -1: by none. */
  #chosen = -1;

  constructor(
    private readonly network: FlowNetwork,
    private readonly distances: Distances,
    private readonly plan: GroupPlan,
    private readonly settings: DahuSettings,
    private readonly rebalancing: Rebalancing | undefined,
    private readonly seed: number,
    private readonly bundles: RoutedBundles,
  ) {
    const { switches, link, capacity } = network;
    // A deroute is a link, and leads away by one more at most.
    this.maxLinks = distances.diameter() + 2 * settings.deroutes;
    this.#used = new Float64Array(link.length);
    this.#capacity = Float64Array.from(link, (own) => capacity[own]!);
    this.#asked = new Uint16Array(switches * switches);
    this.#further = new Uint8Array(switches * switches);
    this.#holds = settings.feedback
      ? Array.from({ length: switches }, (_, own) => new DerouteHolds(Math.max(1, network.portsOf(own))))
      : [];
    this.#firstGroup = new Int32Array(switches + 1);
    for (const [own, groups] of plan.groups.entries())
      this.#firstGroup[own + 1] = this.#firstGroup[own]! + (groups?.counts.length ?? 0);
    this.#byGroup = new Float64Array(this.#firstGroup[switches]!);
    this.#firstVirtualPort = new Int32Array(switches + 1);
    for (const [own, groups] of plan.groups.entries())
      this.#firstVirtualPort[own + 1] =
        this.#firstVirtualPort[own]! + (settings.countsVirtualPorts ? (groups?.map.length ?? 0) : 0);
    this.#byVirtualPort = new Float64Array(this.#firstVirtualPort[switches]!);
  }

  linksOf(bundle: number, out: Int32Array): number {
    const { network, bundles, settings } = this;
    const { firstPort, peer, link, peerPort } = network;
    const destination = bundles.to[bundle]!;
    const distance = this.distances.to(destination);
    const hash = bundles.hash[bundle]!;
    let own = bundles.from[bundle]!;
    if (distance[own] === FAR) return -1;
    let ingress = -1;
    let deroutes = 0;
    let count = 0;
    while (own !== destination) {
      if (count === this.maxLinks) return -1;
      const further = deroutes < settings.deroutes && this.#allowsFurther(own, destination, distance);
      const port = this.#choose(
        own,
        destination,
        distance,
        mixed(hash ^ mixed(this.seed + own * 16 + deroutes)),
        ingress,
        further,
      );
      if (port < 0) return -1;
      const at = firstPort[own]! + port;
      const next = peer[at]!;
      if (distance[next]! >= distance[own]!) deroutes++;
      out[count++] = link[at]!;
      ingress = peerPort[at]!;
      own = next;
    }
    return count;
  }

  /** The egress port (section 3.2): the first of 32 hashed ones that is allowed, or else one of the allowed ones by hash; -1: there is none. */
  #choose(
    own: number,
    destination: number,
    distance: Uint8Array,
    hash: number,
    ingress: number,
    further: boolean,
  ): number {
    const { firstPort, peer } = this.network;
    const groups = this.plan.groups[own]!;
    const group = this.plan.groupOf(own, destination);
    const { map, virtualPorts } = groups;
    const base = group * virtualPorts;
    const first = firstPort[own]!;
    const limit = distance[own]!;
    let value = hash;
    for (let k = 0; k < HASHES; k++) {
      const at = base + indexOf(value, virtualPorts);
      const port = map[at]!;
      if (port !== ingress) {
        this.#chosen = at;
        if (distance[peer[first + port]!]! < limit) return port;
        if (further && this.#mayDeroute(own, destination, port, distance)) return port;
      }
      value = mixed(value + 0x6d2b79f5);
    }
    this.#chosen = -1;
    let allowed = 0;
    for (let turn = 0, wanted = -1; turn < 2; turn++) {
      let seen = 0;
      for (let port = 0; port < groups.ports; port++) {
        if (port === ingress || groups.members[group * groups.ports + port] === 0) continue;
        const nearer = distance[peer[first + port]!]! < limit;
        if (!nearer && !(further && this.#mayDeroute(own, destination, port, distance))) continue;
        if (seen++ === wanted) return port;
      }
      allowed = seen;
      if (allowed === 0) return -1;
      wanted = indexOf(value, allowed);
    }
    return -1;
  }

  /** Whether a port that leads no nearer is allowed beside those of shortest paths. */
  #mayDeroute(own: number, destination: number, port: number, distance: Uint8Array): boolean {
    if (distance[this.network.peer[this.network.firstPort[own]! + port]!] === FAR) return false;
    return this.#holds.length === 0 || !this.#holds[own]!.isHeld(destination, port, this.#nowNs);
  }

  /** The rule of figure 4 for a destination, by the counters of the last epoch. */
  #allowsFurther(own: number, destination: number, distance: Uint8Array): boolean {
    const at = own * this.network.switches + destination;
    if (this.#asked[at] !== this.#epoch) {
      this.#asked[at] = this.#epoch;
      this.#further[at] = this.#shortestAreFull(own, distance) ? 1 : 0;
    }
    return this.#further[at] === 1;
  }

  #shortestAreFull(own: number, distance: Uint8Array): boolean {
    const { firstPort, peer } = this.network;
    let used = 0;
    let capacity = 0;
    for (let port = firstPort[own]!; port < firstPort[own + 1]!; port++) {
      if (distance[peer[port]!]! >= distance[own]!) continue;
      used += this.#used[port]!;
      capacity += this.#capacity[port]!;
    }
    return reachesThreshold(used, capacity, this.settings.threshold);
  }

  endEpoch(traffic: EpochTraffic): boolean {
    const { network, plan, rebalancing, settings } = this;
    const { link, firstPort, switches } = network;
    if (settings.countsVirtualPorts) this.#countVirtualPorts(traffic);
    for (let port = 0; port < link.length; port++)
      this.#used[port] = traffic.byLink[link[port]!]! / traffic.epochNs;
    this.#nowNs = traffic.nowNs;
    this.#epoch++;
    if (this.#epoch === 65_536) {
      this.#asked.fill(0);
      this.#epoch = 1;
    }
    if (this.settings.feedback) this.#feedBack(traffic);
    if (rebalancing === undefined) return true;
    this.#countGroups(traffic);
    for (let own = 0; own < switches; own++) {
      const groups = plan.groups[own];
      if (groups === undefined) continue;
      const byPort = this.#used.subarray(firstPort[own]!, firstPort[own + 1]!);
      const byGroup = this.#byGroup.subarray(this.#firstGroup[own]!, this.#firstGroup[own + 1]!);
      const byVirtualPort = this.#byVirtualPort.subarray(
        this.#firstVirtualPort[own]!,
        this.#firstVirtualPort[own + 1]!,
      );
      rebalancing.run(
        groups,
        settings.countsVirtualPorts ? { byPort, byGroup, byVirtualPort } : { byPort, byGroup },
      );
    }
    return true;
  }

  /** The counters of (group, member), as rates. */
  #countGroups(traffic: EpochTraffic): void {
    const { network, plan } = this;
    const { portOfLink, firstPort } = network;
    const byGroup = this.#byGroup;
    byGroup.fill(0);
    if (plan.groups.every((groups) => (groups?.groups ?? 1) === 1)) {
      // The counters of the ports are those of the only group.
      byGroup.set(this.#used);
      return;
    }
    const { from, to } = this.bundles;
    traffic.eachBundle((bundle, bytes, links, start, end) => {
      let own = from[bundle]!;
      const rate = bytes / traffic.epochNs;
      for (let at = start; at < end; at++) {
        const port = portOfLink[links[at]!]!;
        const group = plan.groupOf(own, to[bundle]!);
        const local = port - firstPort[own]!;
        byGroup[this.#firstGroup[own]! + group * (firstPort[own + 1]! - firstPort[own]!) + local]! += rate;
        own = network.peer[port]!;
      }
    });
  }

  /** The counters of virtual ports: each bundle goes once more through the choices that its path is from. */
  #countVirtualPorts(traffic: EpochTraffic): void {
    const { network, settings } = this;
    const { portOfLink, firstPort, peer, peerPort } = network;
    const { from, to, hash } = this.bundles;
    const counters = this.#byVirtualPort;
    counters.fill(0);
    traffic.eachBundle((bundle, bytes, links, start, end) => {
      const destination = to[bundle]!;
      const distance = this.distances.to(destination);
      let own = from[bundle]!;
      let ingress = -1;
      let deroutes = 0;
      for (let at = start; at < end; at++) {
        const port = portOfLink[links[at]!]!;
        const further = deroutes < settings.deroutes && this.#allowsFurther(own, destination, distance);
        const drawn = mixed(hash[bundle]! ^ mixed(this.seed + own * 16 + deroutes));
        // A bundle that keeps an older path has left its virtual port.
        const taken = this.#choose(own, destination, distance, drawn, ingress, further);
        if (taken === port - firstPort[own]! && this.#chosen >= 0)
          counters[this.#firstVirtualPort[own]! + this.#chosen]! += bytes / traffic.epochNs;
        const next = peer[port]!;
        if (distance[next]! >= distance[own]!) deroutes++;
        ingress = peerPort[port]!;
        own = next;
      }
    });
  }

  /** Each switch tells those that derouted to it to stop, where its own shortest paths are full. */
  #feedBack(traffic: EpochTraffic): void {
    const { portOfLink, peer, firstPort } = this.network;
    for (const holds of this.#holds) holds.expire(traffic.nowNs);
    const { from, to } = this.bundles;
    traffic.eachBundle((bundle, _bytes, links, start, end) => {
      let own = from[bundle]!;
      const destination = to[bundle]!;
      const distance = this.distances.to(destination);
      for (let at = start; at < end; at++) {
        const port = portOfLink[links[at]!]!;
        const next = peer[port]!;
        const derouted = distance[next]! >= distance[own]!;
        if (derouted && next !== destination && feedsBack(derouted, this.#shortestAreFull(next, distance)))
          this.#holds[own]!.hear(destination, port - firstPort[own]!, traffic.nowNs);
        own = next;
      }
    });
  }
}
