/** Dahu (ANCS 2013): virtual ports that are remapped, and non-minimal paths where the shortest ones are full. The policy of its switch software. */
export type { Balancer, PortTraffic } from "./policy/allocation.js";
export { DEFAULT_EPOCH_NS, Rebalancing } from "./policy/epoch.js";
export { DEFAULT_HOLD_NS, DerouteHolds, feedsBack } from "./policy/feedback.js";
export { DEFAULT_DELTA, FullBalancer } from "./policy/full-balance.js";
export { DEFAULT_ROUNDS, HeuristicBalancer } from "./policy/heuristic.js";
export { type SwitchMemory, type SwitchSizes, switchMemory } from "./policy/memory.js";
export { MAX_VIRTUAL_PORTS, PortGroups, type Remap } from "./policy/port-groups.js";
export { FirstFit } from "./policy/remap.js";
export { allowsFurther, DEFAULT_THRESHOLD, reachesThreshold } from "./policy/threshold.js";
