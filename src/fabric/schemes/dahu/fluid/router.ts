/**
 * Dahu's switches in the flow simulator: how their pipeline forwards a bundle (section 3, figure 2), and what their software does at
 * the end of each epoch (section 4).
 */

import { MAX_LINKS } from "../../../paths/index.js";
import {
  type Distances,
  type EpochTraffic,
  FAR,
  type FlowNetwork,
  type FlowRouter,
  hasPort,
  mixed,
  type RoutedBundles,
} from "../../../sim/flow/index.js";
import { relativeCapacities } from "../policy/allocation.js";
import type { Rebalancing } from "../policy/epoch.js";
import { DerouteHolds, feedsBack } from "../policy/feedback.js";
import type { Remap } from "../policy/port-groups.js";
import type { FurtherRule } from "../policy/threshold.js";
import { FurtherStates } from "./further-states.js";
import type { GroupPlan } from "./group-plan.js";
import { PortChoice } from "./port-choice.js";
import { Routes } from "./routes.js";

/** Size of a port's record in the table of links; a power of two, so that a record lies in one cache line. */
const HOP = 4;

export interface DahuSettings {
  readonly deroutes: number;
  readonly rule: FurtherRule;
  readonly virtualPorts: number;
  readonly feedback: boolean;
  /** Time for which a neighbour stops after feedback, in nanoseconds. */
  readonly holdNs: number;
  /** Whether switches count the traffic of each virtual port. */
  readonly countsVirtualPorts: boolean;
  /** Time from the change of a link to new routes at other switches. */
  readonly propagationNs: number;
}

/** What Dahu's routes rest on. */
interface DahuFlowPolicy {
  readonly network: FlowNetwork;
  readonly distances: Distances;
  readonly plan: GroupPlan;
  readonly settings: DahuSettings;
  /** Absent: the groups are not balanced. */
  readonly rebalancing: Rebalancing | undefined;
  readonly seed: number;
}

export class DahuRouter implements FlowRouter {
  maxLinks: number;
  readonly propagationNs: number;
  /** By port: 1 where its switch has noticed that it is down. */
  readonly #isDown: Uint8Array;
  /** Share of its capacity that each port has carried in the last epoch, times the capacity: bytes per nanosecond. */
  readonly #used: Float64Array;
  /** By port, {@link HOP} numbers each: the switch at the other end, the link, the port at the other end. */
  readonly #hops: Int32Array;
  readonly #routes: Routes;
  readonly #further: FurtherStates;
  readonly #choice: PortChoice;
  /** By switch: relative capacities of its ports. */
  readonly #capacity: readonly Float64Array[];
  /** The switch that is being balanced. */
  #balanced = 0;
  readonly #moved = (remap: Remap) => this.#choice.move(this.#balanced, remap);
  #nowNs = 0;
  /** By switch; empty without feedback. */
  readonly #holds: readonly DerouteHolds[];
  /** Traffic of all groups of all switches; and the start of each switch. */
  readonly #byGroup: Float64Array;
  readonly #firstGroup: Int32Array;
  /** Traffic of all virtual ports of all switches, where it is counted; and the start of each switch. */
  readonly #byVirtualPort: Float64Array;
  readonly #firstVirtualPort: Int32Array;

  private readonly network: FlowNetwork;
  private readonly distances: Distances;
  private readonly plan: GroupPlan;
  private readonly settings: DahuSettings;
  private readonly rebalancing: Rebalancing | undefined;
  private readonly seed: number;

  constructor(
    { network, distances, plan, settings, rebalancing, seed }: DahuFlowPolicy,
    private readonly bundles: RoutedBundles,
  ) {
    this.network = network;
    this.distances = distances;
    this.plan = plan;
    this.settings = settings;
    this.rebalancing = rebalancing;
    this.seed = seed;
    const { switches, firstPort, link, capacity, peer, peerPort } = network;
    // A deroute is one link, and increases the distance by at most one.
    this.maxLinks = distances.diameter() + 2 * settings.deroutes;
    this.propagationNs = settings.propagationNs;
    this.#isDown = new Uint8Array(link.length);
    this.#used = new Float64Array(link.length);
    this.#hops = new Int32Array(HOP * link.length);
    for (let port = 0; port < link.length; port++) {
      this.#hops[HOP * port] = peer[port]!;
      this.#hops[HOP * port + 1] = link[port]!;
      this.#hops[HOP * port + 2] = peerPort[port]!;
    }
    this.#routes = new Routes(network, distances, plan);
    this.#further = new FurtherStates(network, this.#routes, settings.rule);
    this.#capacity = Array.from({ length: switches }, (_, own) =>
      relativeCapacities(
        Float64Array.from(link.subarray(firstPort[own]!, firstPort[own + 1]!), (one) => capacity[one]!),
      ),
    );
    this.#holds = settings.feedback
      ? Array.from(
          { length: switches },
          (_, own) => new DerouteHolds(Math.max(1, network.portsOf(own)), settings.holdNs),
        )
      : [];
    this.#choice = new PortChoice(
      this.#routes,
      settings.virtualPorts,
      settings.feedback
        ? (own, destination, port) => this.#holds[own]!.isHeld(destination, port, this.#nowNs)
        : undefined,
      settings.countsVirtualPorts,
    );
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
    const { firstPort } = network;
    const hops = this.#hops;
    const destination = bundles.to[bundle]!;
    const shortest = this.#routes.shortest.to(destination);
    const { words } = this.#routes;
    const hash = bundles.hash[bundle]!;
    let own = bundles.from[bundle]!;
    if (this.distances.to(destination)[own] === FAR) return -1;
    let ingress = -1;
    let deroutes = 0;
    let count = 0;
    while (own !== destination) {
      if (count === this.maxLinks) return -1;
      const further = deroutes < settings.deroutes && this.#further.allows(own, destination, shortest);
      const drawn = mixed(hash ^ mixed(this.seed + own * 16 + deroutes));
      const port = this.#choice.of(own, destination, shortest, drawn, ingress, further);
      if (port < 0) return -1;
      if (!hasPort(shortest, own * words, port)) deroutes++;
      const hop = HOP * (firstPort[own]! + port);
      own = hops[hop]!;
      out[count++] = hops[hop + 1]!;
      ingress = hops[hop + 2]!;
    }
    return count;
  }

  /** Ports that are down leave the groups of their switch at once (section 4.6). */
  portsChanged(isDown: Uint8Array): void {
    const { firstPort, switches } = this.network;
    const before = this.#isDown.slice();
    this.#isDown.set(isDown);
    for (let own = 0; own < switches; own++) {
      const groups = this.plan.groups[own];
      if (groups === undefined) continue;
      let changed = false;
      for (let port = firstPort[own]!; port < firstPort[own + 1]!; port++) {
        if (before[port] === isDown[port]) continue;
        changed = true;
        if (isDown[port] === 1) groups.portDown(port - firstPort[own]!);
        else groups.portUp(port - firstPort[own]!);
      }
      if (changed) this.#choice.takeGroups(own);
    }
  }

  /** Bitmaps of all switches follow; virtual ports do not change. */
  routesChanged(isDown: Uint8Array): void {
    this.distances.isDown.set(isDown);
    this.#routes.forget();
    this.maxLinks = Math.min(MAX_LINKS, this.distances.diameter() + 2 * this.settings.deroutes);
  }

  /** Its map is that of its plan again, without the ports that are down. */
  restarted(own: number): void {
    const groups = this.plan.groups[own];
    if (groups === undefined) return;
    groups.reset();
    const first = this.network.firstPort[own]!;
    for (let port = first; port < this.network.firstPort[own + 1]!; port++)
      if (this.#isDown[port] === 1) groups.portDown(port - first);
    this.#choice.takeGroups(own);
  }

  endEpoch(traffic: EpochTraffic): boolean {
    const { network, plan, rebalancing, settings } = this;
    const { link, firstPort, switches } = network;
    if (settings.countsVirtualPorts) this.#countVirtualPorts(traffic);
    for (let port = 0; port < link.length; port++)
      this.#used[port] = traffic.byLink[link[port]!]! / traffic.epochNs;
    this.#further.endEpoch(this.#used);
    this.#nowNs = traffic.nowNs;
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
      this.#balanced = own;
      const capacity = this.#capacity[own]!;
      rebalancing.rebalance(
        groups,
        settings.countsVirtualPorts
          ? { byPort, byGroup, byVirtualPort, capacity }
          : { byPort, byGroup, capacity },
        this.#moved,
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
      // With a single group the counters of the ports are those of the group.
      byGroup.set(this.#used);
      return;
    }
    const { from, to } = this.bundles;
    traffic.eachBundle((bundle, bytes, links, start, end) => {
      let own = from[bundle]!;
      const rate = bytes / traffic.epochNs;
      for (let at = start; at < end; at++) {
        const port = portOfLink[links[at]!]!;
        const group = this.#routes.groupOf(own, to[bundle]!);
        const local = port - firstPort[own]!;
        byGroup[this.#firstGroup[own]! + group * (firstPort[own + 1]! - firstPort[own]!) + local]! += rate;
        own = network.peer[port]!;
      }
    });
  }

  /** The counters of virtual ports: the choices on each bundle's path are computed once more. */
  #countVirtualPorts(traffic: EpochTraffic): void {
    const { network, settings } = this;
    const { portOfLink, firstPort, peer, peerPort } = network;
    const { from, to, hash } = this.bundles;
    const counters = this.#byVirtualPort;
    counters.fill(0);
    traffic.eachBundle((bundle, bytes, links, start, end) => {
      const destination = to[bundle]!;
      const shortest = this.#routes.shortest.to(destination);
      const { words } = this.#routes;
      let own = from[bundle]!;
      let ingress = -1;
      let deroutes = 0;
      for (let at = start; at < end; at++) {
        const port = portOfLink[links[at]!]!;
        const further = deroutes < settings.deroutes && this.#further.allows(own, destination, shortest);
        const drawn = mixed(hash[bundle]! ^ mixed(this.seed + own * 16 + deroutes));
        // A bundle that keeps an older path no longer uses the virtual port.
        const taken = this.#choice.of(own, destination, shortest, drawn, ingress, further);
        if (taken === port - firstPort[own]! && this.#choice.found >= 0)
          counters[this.#firstVirtualPort[own]! + this.#choice.found]! += bytes / traffic.epochNs;
        if (!hasPort(shortest, own * words, port - firstPort[own]!)) deroutes++;
        ingress = peerPort[port]!;
        own = peer[port]!;
      }
    });
  }

  /** Each switch whose own shortest paths are full asks the switches that derouted to it to stop. */
  #feedBack(traffic: EpochTraffic): void {
    const { portOfLink, peer, firstPort } = this.network;
    for (const holds of this.#holds) holds.expire(traffic.nowNs);
    const { from, to } = this.bundles;
    traffic.eachBundle((bundle, _bytes, links, start, end) => {
      let own = from[bundle]!;
      const destination = to[bundle]!;
      const shortest = this.#routes.shortest.to(destination);
      const { words } = this.#routes;
      for (let at = start; at < end; at++) {
        const port = portOfLink[links[at]!]!;
        const next = peer[port]!;
        const local = port - firstPort[own]!;
        const derouted = !hasPort(shortest, own * words, local);
        if (
          derouted &&
          next !== destination &&
          feedsBack(derouted, this.#further.allows(next, destination, shortest))
        )
          this.#holds[own]!.hold(destination, local, traffic.nowNs);
        own = next;
      }
    });
  }
}
