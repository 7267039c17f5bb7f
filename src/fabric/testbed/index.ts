/**
 * Real processes: {@link startTestbed} starts a {@link TestbedSpec}, with our switch or BMv2 on veth interfaces in network
 * namespaces, and removes all of it again. `agent/` controls the agents on the hosts, `doctor/` examines which of the required programs and features the machine has.
 */
export * from "./agent/index.js";
export { type Advice, advise, type Use } from "./doctor/advice.js";
export { examine, type Finding, type FindingName, type Given } from "./doctor/examine.js";
export { isShaped } from "./network/shape.js";
export { type CleanedRun, cleanRuns } from "./run/janitor.js";
export { hostNamespace, switchNamespace } from "./run/record.js";
export { startTestbed } from "./start.js";
export { probeQdiscs, type Qdiscs } from "./system/qdiscs.js";
export * from "./testbed.js";
export { type TestbedOfOptions, testbedOf } from "./testbed-of.js";
export * from "./testbed-spec.js";
export type { InterfaceCounters, MachineTimes, ProcessTimes } from "./usage/usage.js";
export {
  type HostUsage,
  loadBetween,
  type SwitchUsage,
  type TestbedLoad,
  type TestbedUsage,
} from "./usage/usage.js";
