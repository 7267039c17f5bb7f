/** Longest-prefix routes by rack: the routes of a routing table for each destination. */
import type { Prefix, RoutingTable, Topology } from "../topology/index.js";
import { LOCAL, UNREACHABLE } from "./model.js";

/** A prefix as a number: 32 bits of address above 6 bits of length. */
function keyOf({ address, length }: Prefix): number {
  return Number(address) * 64 + length;
}

interface RackKeys {
  readonly rack: Float64Array;
  readonly pod: Float64Array;
}

const known = new WeakMap<Topology, RackKeys>();

function keysOf(topology: Topology): RackKeys {
  let keys = known.get(topology);
  if (keys === undefined) {
    keys = {
      rack: Float64Array.from(topology.racks, ({ ipv4 }) => keyOf(ipv4)),
      pod: Float64Array.from(topology.racks, ({ pod }) => keyOf(topology.pods[pod]!.ipv4)),
    };
    known.set(topology, keys);
  }
  return keys;
}

/** Index of the hop set by rack; `LOCAL` for the racks of the switch itself, `UNREACHABLE` without a path. */
export function rackRoutes(topology: Topology, table: RoutingTable): Int32Array {
  const { rack, pod } = keysOf(topology);
  const hops = new Map(table.routes.map((route) => [keyOf(route.ipv4), route.hops]));
  const fallback = hops.get(0);
  const routes = Int32Array.from(rack, (key, i) => {
    const found = hops.get(key) ?? hops.get(pod[i]!) ?? fallback;
    return found === undefined || table.hopSets[found]!.ports.length === 0 ? UNREACHABLE : found;
  });
  for (const { index, switches } of topology.racks) if (switches.includes(table.node)) routes[index] = LOCAL;
  return routes;
}
