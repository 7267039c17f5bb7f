/**
 * Real processes: {@link startLab} makes a {@link LabSpec} run, with our switch or BMv2 on veth interfaces in network
 * namespaces, and takes it all away again. `agent/` is the program on the hosts, `exercise/` reads exercise folders.
 */
export * from "./agent/index.js";
export * from "./lab.js";
export { type LabOfOptions, labOf } from "./lab-of.js";
export { type CleanedRun, cleanRuns } from "./run/clean.js";
export { startLab } from "./start.js";
