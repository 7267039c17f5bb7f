import type { Locate } from "../base/index.js";
import type { TopologySpec } from "./spec.js";
import type { Topology } from "./topology.js";
/** Builds the network; throws DiagnosticError (P421xx) for an impossible one. `locate` finds keys of the spec. */
export declare function buildTopology(spec: TopologySpec, locate?: Locate): Topology;
