/**
 * The program on the hosts of a lab, seen from p4loom. {@link startAgent} starts it (`mininet/agent`, Python) and hands
 * out an {@link Agent}: listeners, flows with their events, probes. {@link runIperf3} makes a flow of iperf3 instead;
 * {@link localise} tells from probes where a failure is.
 */
export { Agent, startAgent } from "./agent.js";
export type { AgentConfig, AgentNic, AgentPolicy } from "./config.js";
export { AgentFlow, type FlowEvent, type FlowOptions, type FlowResult } from "./flow.js";
export { type Iperf3Figures, type Iperf3Options, readIperf3, runIperf3 } from "./iperf3.js";
export { type AgentSetting, type AgentStatistics, monotonicNs, type TcpInfo } from "./messages.js";
export {
  type Localisation,
  localise,
  type PathObservation,
  type ProbeCount,
  type ProbeOptions,
  type ProbeOutcome,
} from "./probe.js";
