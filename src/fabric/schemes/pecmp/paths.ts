/** Counts the upward paths of a fabric, from its routing tables (the last column of P-ECMP's table 2). */
import {
  computeRoutes,
  type HopSet,
  type Prefix,
  type RoutingTable,
  rackClasses,
  type Topology,
} from "../../topology/index.js";

/**
 * The maximum number of upward paths of a server to another one: sequences of NIC, ToR and leaf by which a packet can
 * go up before it goes down to its destination. Choices on the way down are not counted. A NIC whose ToR has no
 * route to the destination is not counted. The network must have tiers.
 */
export function countWaysUp(topology: Topology): number {
  const tables = new Map(computeRoutes(topology).map((table) => [table.node, table]));
  const { nodes, racks } = topology;
  let most = 0;
  for (const destination of rackClasses(topology).representatives) {
    const { address } = racks[destination]!.ipv4;
    const known = new Map<number, number>();
    const waysFrom = (node: number): number => {
      let ways = known.get(node);
      if (ways === undefined) {
        const hops = hopsTo(tables.get(node)!, address);
        const ports = hops?.ports ?? [];
        ways =
          hops?.direction === "up"
            ? ports.reduce((sum, port) => sum + waysFrom(nodes[node]!.ports[port - 1]!.peer), 0)
            : Math.min(1, ports.length);
        known.set(node, ways);
      }
      return ways;
    };
    for (const { hosts } of racks) {
      // All hosts of a rack have the same switches.
      const host = nodes[hosts[0]!]!;
      most = Math.max(
        most,
        host.ports.reduce((sum, { peer }) => sum + waysFrom(peer), 0),
      );
    }
  }
  return most;
}

/** Next hops by the longest prefix that contains an IPv4 address; undefined without a route. */
function hopsTo({ routes, hopSets }: RoutingTable, address: bigint): HopSet | undefined {
  const contains = (prefix: Prefix) => {
    const shift = BigInt(32 - prefix.length);
    return prefix.address >> shift === address >> shift;
  };
  const matching = routes.filter(({ ipv4 }) => contains(ipv4));
  const longest = Math.max(...matching.map(({ ipv4 }) => ipv4.length));
  const best = matching.find(({ ipv4 }) => ipv4.length === longest);
  return best === undefined ? undefined : hopSets[best.hops];
}
