/** Shortest-path routing: which ports lead to which destination at equal cost. */
import type { PrefixPair, Topology } from "./topology.js";

/** Equal-cost next hops, by ascending port number. Without ports: the destination cannot be reached. */
export interface HopSet {
  /** `local`: the port of a host; `down`: towards the hosts' tier; `up`: everything else. */
  readonly direction: "local" | "down" | "up";
  readonly ports: readonly number[];
}

export interface Route extends PrefixPair {
  /** Index in {@link RoutingTable.hopSets}. */
  readonly hops: number;
}

/** Longest-prefix routes of one switch; equal hop sets are one object. */
export interface RoutingTable {
  /** Node index. */
  readonly node: number;
  readonly hopSets: readonly HopSet[];
  readonly routes: readonly Route[];
}

/** Routing tables of all switches, by ascending node index. */
export declare function computeRoutes(topology: Topology): RoutingTable[];
