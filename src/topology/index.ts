/**
 * Networks: a {@link TopologySpec} (what a user writes) becomes a {@link Topology} (nodes, ports, links,
 * addresses) by {@link buildTopology}; {@link computeRoutes} finds every switch's equal-cost next hops.
 */
export * from "./build.js";
export * from "./routes.js";
export * from "./spec.js";
export * from "./topology.js";
export * from "./units.js";
