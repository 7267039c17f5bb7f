/**
 * Hosts whose selectors name routes: they know for each pair of racks which selectors lead along disjoint
 * routes, and the NIC of each route.
 *
 * A flow starts at selector 0, where the hash decides. Its host does not know that path. So after a timeout it sends on two
 * routes of the list (`failover: probe`): a single avoidable failure is on at most one of them. Later it leaves a route
 * for another one of the list, which is certain not to contain the failed element.
 */

import { z } from "zod";
import type { Json, Random } from "../../../base/index.js";
import type { FlowKey } from "../../../base/packets/index.js";
import {
  type ConnectionEnd,
  fixedPath,
  type HostPolicy,
  MovingPath,
  type PathChooser,
  ProbingPath,
  type Rerouter,
  type SegmentMarks,
} from "../../hosts/index.js";
import type { Topology } from "../../topology/index.js";
import { flowHash } from "../hash.js";
import type { Trees } from "./trees.js";

export const FAILOVER_NOTES: Readonly<Record<FailoverOfRoutes, string>> = {
  probe:
    "multiroute (failover: probe) sends every retransmission after a timeout, and its acknowledgement, on two routes, and an echo " +
    "option in every segment.",
  prr: "multiroute (failover: prr) sends one copy of every packet; the receiver leaves its route when it receives duplicates.",
  none: "multiroute (failover: none) never leaves a path.",
};

/** The data about the trees that hosts need. */
export function describeRoutes(
  topology: Topology,
  trees: Trees,
  failover: FailoverOfRoutes,
): RoutesDescription & { readonly [key: string]: Json } {
  const { nodes, racks } = topology;
  return {
    kind: "multiroute",
    failover,
    hosts: racks.flatMap(({ index, hosts, switches }) =>
      hosts.map((host) => {
        const { ipv4, ipv6 } = nodes[host]!.host!;
        const nics = switches.map((node) => nodes[host]!.ports.findIndex(({ peer }) => peer === node));
        return [ipv4.toString(16), ipv6.toString(16), index, nics] as [string, string, number, number[]];
      }),
    ),
    routes: racks.map(({ index: from, switches }) =>
      racks.map(({ index: to }): [number, number][] => {
        // Hosts of one rack have a route over each of its switches, which deliver packets of all selectors.
        if (from === to) return switches.length > 1 ? switches.map((_, place) => [place + 1, place]) : [];
        return trees.to[to]!.from[from]!.map((path) => [path.selector, switches.indexOf(path.nodes[0]!)]);
      }),
    ),
  };
}

/** A place of a host. */
interface Place {
  readonly rack: number;
  /** NIC by the position of its switch in the rack. */
  readonly nics: readonly number[];
}

/** A route from one rack to another. */
interface NamedRoute {
  readonly selector: number;
  readonly nic: number;
}

/** The routes of a flow between the hosts of a description; none for other hosts. */
export function routesOfFlow(description: RoutesDescription): (flow: FlowKey) => readonly NamedRoute[] {
  const places = new Map<bigint, Place>();
  for (const [ipv4, ipv6, rack, nics] of description.hosts)
    for (const address of [ipv4, ipv6]) places.set(BigInt(`0x${address}`), { rack, nics });
  const known = new WeakMap<FlowKey, readonly NamedRoute[]>();
  return (flow) => {
    let routes = known.get(flow);
    if (routes === undefined) {
      const from = places.get(flow.src);
      const to = places.get(flow.dst);
      const list = from === undefined || to === undefined ? [] : description.routes[from.rack]![to.rack]!;
      routes = list.map(([selector, place]) => ({ selector, nic: from!.nics[place]! }));
      known.set(flow, routes);
    }
    return routes;
  };
}

export function multirouteHosts(description: RoutesDescription): HostPolicy {
  const routesOf = routesOfFlow(description);
  return {
    open: (flow, random, end) =>
      openPath(
        description.failover,
        routesOf(flow).map(({ selector }) => selector),
        random,
        end,
      ),
    nic: (flow, selector, nics) =>
      routesOf(flow).find((route) => route.selector === selector)?.nic ?? flowHash(flow) % nics,
  };
}

function openPath(
  failover: FailoverOfRoutes,
  routes: readonly number[],
  random: Random,
  { subflow, subflows }: ConnectionEnd,
): PathChooser {
  // Each subflow begins on a route of its own, as far as there are enough.
  const start = subflows > 1 && routes.length > 0 ? routes[subflow % routes.length]! : 0;
  const rerouter = rerouterOf(routes);
  if (failover === "none") return fixedPath(start);
  if (failover === "prr") return new MovingPath(rerouter, random, start, "duplicates", undefined);
  return new RoutedPath(rerouter, random, start);
}

/** Draws from the routes that were not tried; then from all others. Without another route it returns to the hash. */
function rerouterOf(routes: readonly number[]): Rerouter {
  const all = routes.length > 1 ? routes : [...routes, 0];
  return {
    leave(from, tried, random) {
      const others = all.filter((selector) => selector !== from);
      const fresh = others.filter((selector) => !tried.includes(selector));
      if (fresh.length > 0) return random.pick(fresh);
      return others.length > 0 ? random.pick(others) : from;
    },
  };
}

const UNKNOWN = -1;

/** Two copies, as {@link ProbingPath}; an end that leaves the hash uses a first route and tries another one at the same time. */
class RoutedPath implements PathChooser {
  #path: ProbingPath;
  /** Selector of the data received last from the other end. */
  #peer = UNKNOWN;

  constructor(
    readonly rerouter: Rerouter,
    readonly random: Random,
    start: number,
  ) {
    this.#path = new ProbingPath(rerouter, random, start, undefined);
  }

  get selector(): number {
    return this.#path.selector;
  }

  onTimeout(): readonly number[] {
    this.#leaveHash();
    return this.#path.onTimeout();
  }

  onAck(segment: SegmentMarks): void {
    this.#path.onAck(segment);
  }

  onData(segment: SegmentMarks, duplicate: boolean): readonly number[] {
    const moved = this.#peer !== UNKNOWN && segment.selector !== this.#peer;
    if (duplicate || moved) this.#leaveHash();
    this.#peer = segment.selector;
    return this.#path.onData(segment, duplicate);
  }

  #leaveHash(): void {
    if (this.selector !== 0) return;
    const first = this.rerouter.leave(0, [0], this.random);
    const peer = this.#peer === UNKNOWN ? undefined : this.#peer;
    this.#path = new ProbingPath(this.rerouter, this.random, first, peer);
  }
}

// The shape of the description of this scheme's host policy, for descriptions that come from another process.

export const FAILOVERS_OF_ROUTES = ["probe", "prr", "none"] as const;
type FailoverOfRoutes = (typeof FAILOVERS_OF_ROUTES)[number];

const count = z.number().int().min(0);

export const routesDescription = z.strictObject({
  kind: z.literal("multiroute"),
  failover: z.enum(FAILOVERS_OF_ROUTES),
  /** IPv4 and IPv6 address (hexadecimal), rack, and the NIC that leads to each switch of the rack. */
  hosts: z.array(z.tuple([z.string(), z.string(), count, z.array(z.number().int().min(-1))])),
  /** By rack of the source and of the destination: selectors, each with the position of the rack's switch that the route begins at. */
  routes: z.array(z.array(z.array(z.tuple([count, count])))),
});

type RoutesDescription = z.output<typeof routesDescription>;
