/**
 * Real processes: {@link startLab} starts a {@link LabSpec}, with our switch or BMv2 on veth interfaces in network
 * namespaces, and removes all of it again. `agent/` controls the agents on the hosts, `doctor/` examines which of the required programs and features the machine has.
 */
export * from "./agent/index.js";
export { type Advice, advise, type Use } from "./doctor/advice.js";
export { examine, type Finding, type FindingName, type Given } from "./doctor/examine.js";
export * from "./lab.js";
export { type LabOfOptions, labOf } from "./lab-of.js";
export * from "./lab-spec.js";
export { isShaped } from "./network/shape.js";
export { type CleanedRun, cleanRuns } from "./run/janitor.js";
export { hostNamespace, switchNamespace } from "./run/record.js";
export { startLab } from "./start.js";
export { probeQdiscs, type Qdiscs } from "./system/qdiscs.js";
export type { InterfaceCounters, MachineTimes, ProcessTimes } from "./usage/usage.js";
export { type HostUsage, type LabLoad, type LabUsage, loadBetween, type SwitchUsage } from "./usage/usage.js";
