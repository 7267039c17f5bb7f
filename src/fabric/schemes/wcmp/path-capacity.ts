/**
 * The capacity of a switch towards a rack: the sum over its shortest paths of the rate of each path's slowest link. Where
 * all links have the same rate this counts paths, so that all shortest paths between two racks get the same share of the traffic.
 */
import { nodeAt, type RoutingTable, rackAt, type Topology } from "../../topology/index.js";

/** Shortest paths by the rate of their slowest link, in bits per second. */
type PathRates = ReadonlyMap<number, number>;

const ARRIVED: PathRates = new Map([[Number.POSITIVE_INFINITY, 1]]);

/** The ports of a switch's routes to a rack, by the rack's index; undefined: the rack is its own, or unreachable. */
export type PortsTo = (node: number, rack: number) => readonly number[] | undefined;

/** Capacities towards one rack. */
export class PathCapacity {
  readonly #known = new Map<number, PathRates>();

  constructor(
    readonly topology: Topology,
    readonly portsTo: PortsTo,
    readonly rack: number,
  ) {
    for (const node of rackAt(topology, rack).switches) this.#known.set(node, ARRIVED);
  }

  /** Capacity over a port of a switch that is on a shortest path to the rack, in bits per second. */
  through(node: number, port: number): number {
    let sum = 0;
    for (const [rate, paths] of this.#pathsBy(node, port)) sum += rate * paths;
    return sum;
  }

  #pathsBy(node: number, port: number): PathRates {
    const { link, peer } = nodeAt(this.topology, node).ports[port - 1]!;
    const own = this.topology.links[link]!.rateBps;
    const limited = new Map<number, number>();
    for (const [rate, paths] of this.#from(peer)) {
      const slowest = Math.min(rate, own);
      limited.set(slowest, (limited.get(slowest) ?? 0) + paths);
    }
    return limited;
  }

  /** Next hops are nearer to the rack, so that this ends. */
  #from(node: number): PathRates {
    let known = this.#known.get(node);
    if (known === undefined) {
      const sum = new Map<number, number>();
      for (const port of this.portsTo(node, this.rack) ?? [])
        for (const [rate, paths] of this.#pathsBy(node, port)) sum.set(rate, (sum.get(rate) ?? 0) + paths);
      known = sum;
      this.#known.set(node, known);
    }
    return known;
  }
}

/** Looks up the routes of all switches, by the longest prefix. */
export function portsToRacks(topology: Topology, tables: readonly RoutingTable[]): PortsTo {
  const byNode = new Map(tables.map((table) => [table.node, table]));
  return (node, rack) => {
    if (rackAt(topology, rack).switches.includes(node)) return undefined;
    const table = byNode.get(node)!;
    const route = routeTo(topology, table, rack);
    const ports = route === undefined ? [] : table.hopSets[table.routes[route]!.hops]!.ports;
    return ports.length === 0 ? undefined : ports;
  };
}

const known = new WeakMap<RoutingTable, ReadonlyMap<string, number>>();

/** Index of the route of packets to a rack: that of the rack, or of its pod, or the default route. */
export function routeTo(topology: Topology, table: RoutingTable, rack: number): number | undefined {
  let routes = known.get(table);
  if (routes === undefined) {
    routes = new Map(table.routes.map(({ ipv4 }, index) => [`${ipv4.address}/${ipv4.length}`, index]));
    known.set(table, routes);
  }
  const { ipv4, pod } = rackAt(topology, rack);
  const ofPod = topology.pods[pod]!.ipv4;
  return (
    routes.get(`${ipv4.address}/${ipv4.length}`) ??
    routes.get(`${ofPod.address}/${ofPod.length}`) ??
    routes.get("0/0")
  );
}
