/**
 * `p4loom/topology`: networks (Clos, fat tree, leaf-spine, HyperX, Dragonfly, files of maps), routes, and the paths that the
 * hash functions of their switches choose. Page: docs/experiments.md, "Topologies".
 */
export { Diagnostics, formatDiagnostic, Random } from "../base/index.js";
export {
  type CheckOptions,
  checkPaths,
  ExactWalker,
  FlowTracer,
  type PathCheck,
  type PathModel,
  SpreadMeter,
} from "../fabric/paths/index.js";
export * from "../fabric/topology/index.js";
