/**
 * The flow simulator: no packets, but rates of flows that share links max-min fairly, over paths that the schemes' own policy finds. For
 * networks with more than 100,000 hosts and millions of flows. `simulateFlows` runs; a scheme gives a `RouterMaker`.
 */
export { Aimd, type AimdSettings } from "./aimd.js";
export type { RoutedBundles } from "./bundles.js";
export { Distances, FAR } from "./distances.js";
export { indexOf, mixed } from "./hash.js";
export type { LinkChange } from "./link-faults.js";
export { type Allocator, MaxMin } from "./max-min.js";
export { FlowNetwork } from "./network.js";
export type { FlowStart } from "./population.js";
export type { EpochTraffic, FlowRouter, RouterMaker } from "./router.js";
export { hasPort, portAt, portCount, ShortestPorts } from "./shortest-ports.js";
export { type FlowFigures, type FlowRun, simulateFlows } from "./simulation.js";
