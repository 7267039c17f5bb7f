/**
 * The path of a flow by the switches' own hash functions, and the load of every link for millions of flows, without packets.
 */
export {
  type CheckOptions,
  type CorrelatedHops,
  checkPaths,
  type PathCheck,
  PathChecker,
} from "./correlated-hops.js";
export { ExactWalker, type NamedRoute } from "./exact-walk.js";
export { directedLink, emptyFlows, type FlowColumns, MAX_LINKS, type PathSource } from "./flows.js";
export { type Finding, Localiser } from "./localiser.js";
export { elementsOf, type NetworkElement, type Suspect } from "./loss-solver.js";
export {
  type HashModel,
  type HashPart,
  LOCAL,
  type PathModel,
  type PortChoice,
  type SwitchModel,
  UNREACHABLE,
} from "./model.js";
export { rackRoutes } from "./rack-routes.js";
export { HashOfFlow, rawFlow } from "./raw-flow.js";
export { representativePairs } from "./representative-pairs.js";
export { linksBetweenSwitches, RouteFinder } from "./route-finder.js";
export { type GroupLoad, SpreadMeter } from "./spread-meter.js";
export { FlowTracer } from "./tracer.js";
export { Twins } from "./twins.js";
