/**
 * Real processes: {@link startLab} makes a {@link LabSpec} run, with our switch or BMv2 on veth interfaces in network
 * namespaces, and takes it all away again. `agent/` is the program on the hosts, `exercise/` reads exercise folders.
 */
export * from "./lab.js";
