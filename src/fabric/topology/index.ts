/**
 * Networks: a {@link TopologySpec} (what a user writes) becomes a {@link Topology} (nodes, ports, links,
 * addresses) by {@link buildTopology}; {@link computeRoutes} finds the equal-cost next hops of every switch.
 */
export { buildTopology, type MapReader } from "./build.js";
export { DisjointPaths, type SwitchPath } from "./disjoint-paths.js";
export { offsetDimensions } from "./hyperx.js";
export { withLinksDown } from "./links-down.js";
export type { HopSet } from "./routes.js";
export { computeRoutes, type Route, type RoutingTable } from "./routes.js";
export {
  type ClosSpec,
  type GraphSpec,
  type LeafSpineSpec,
  type MapSpec,
  type TopologyInput,
  type TopologySpec,
  topologySchema,
} from "./spec.js";
export { rackClasses, typicalPods } from "./symmetry.js";
export {
  hostsOf,
  type Link,
  type LinkEnd,
  nodeAt,
  nodeNamed,
  type Pod,
  type Port,
  type Prefix,
  type PrefixPair,
  type Rack,
  type Role,
  rackAt,
  switchesOf,
  TIER,
  type Topology,
  type TopologyNode,
  tierOf,
} from "./topology.js";
export {
  bytesSchema,
  durationSchema,
  parseBytes,
  parseDuration,
  parseRate,
  positiveDurationSchema,
  rateSchema,
} from "./units.js";
