/**
 * Routing tables whose hop sets have each port in proportion to its weight. The weights of equal ports differ by destination,
 * so that a prefix of many racks may need routes for some of them.
 */
import {
  computeRoutes,
  type HopSet,
  type Route,
  type RoutingTable,
  rackAt,
  type Topology,
} from "../../topology/index.js";
import { replicas } from "./group.js";
import { PathCapacity, type PortsTo, portsToRacks, routeTo } from "./path-capacity.js";

/** Tables of all switches, by ascending node index. `most`: maximum number of members of a group. */
export function weightedRoutes(topology: Topology, most: number): RoutingTable[] {
  const tables = computeRoutes(topology);
  const portsTo = portsToRacks(topology, tables);
  const builders = tables.map((table) => new WeightedTable(topology, table, portsTo, most));
  for (const { index } of topology.racks) {
    const capacity = new PathCapacity(topology, portsTo, index);
    for (const builder of builders) builder.addRack(index, capacity);
  }
  return builders.map((builder) => builder.finish());
}

class WeightedTable {
  readonly #hopSets: HopSet[];
  readonly #index = new Map<string, number>();
  /** By route: the hop sets of the racks whose packets take it. */
  readonly #racks = new Map<number, Map<number, number>>();

  constructor(
    readonly topology: Topology,
    readonly table: RoutingTable,
    readonly portsTo: PortsTo,
    readonly most: number,
  ) {
    this.#hopSets = [...table.hopSets];
  }

  addRack(rack: number, capacity: PathCapacity): void {
    const { topology, table } = this;
    const ports = this.portsTo(table.node, rack);
    if (ports === undefined) return;
    const route = routeTo(topology, table, rack)!;
    const { direction } = this.#hopSets[table.routes[route]!.hops]!;
    const hops = this.#hopSet(direction, this.#replicated(ports, capacity));
    const racks = this.#racks.get(route) ?? new Map<number, number>();
    this.#racks.set(route, racks.set(rack, hops));
  }

  /** A group that is too small for all next hops has the first ones. */
  #replicated(ports: readonly number[], capacity: PathCapacity): number[] {
    const used = ports.slice(0, this.most);
    const counts = replicas(
      used.map((port) => capacity.through(this.table.node, port)),
      this.most,
    );
    return used.flatMap((port, i) => Array<number>(counts[i]!).fill(port));
  }

  #hopSet(direction: HopSet["direction"], ports: readonly number[]): number {
    const key = `${direction} ${ports.join(" ")}`;
    let index = this.#index.get(key);
    if (index === undefined) {
      index = this.#hopSets.push({ direction, ports }) - 1;
      this.#index.set(key, index);
    }
    return index;
  }

  /** A route keeps its prefix and gets the hop set of most of its racks; the others get routes of their own. */
  finish(): RoutingTable {
    const { table, topology } = this;
    const own: Route[] = [];
    const routes = table.routes.map((route, index): Route => {
      const racks = this.#racks.get(index);
      if (racks === undefined) return route;
      const hops = mostFrequent([...racks.values()]);
      for (const [rack, other] of racks) {
        const { ipv4, ipv6 } = rackAt(topology, rack);
        if (other !== hops) own.push({ ipv4, ipv6, hops: other });
      }
      return { ...route, hops };
    });
    return compact({ node: table.node, hopSets: this.#hopSets, routes: [...routes, ...own] });
  }
}

/** The first of the most frequent values. */
function mostFrequent(list: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const one of list) counts.set(one, (counts.get(one) ?? 0) + 1);
  let best = list[0]!;
  for (const [one, count] of counts) if (count > counts.get(best)!) best = one;
  return best;
}

/** The table without unused hop sets, in the order of the routes. */
function compact({ node, hopSets, routes }: RoutingTable): RoutingTable {
  const used = [...new Set(routes.map(({ hops }) => hops))];
  const place = new Map(used.map((hops, index) => [hops, index]));
  return {
    node,
    hopSets: used.map((hops) => hopSets[hops]!),
    routes: routes.map((route) => ({ ...route, hops: place.get(route.hops)! })),
  };
}
