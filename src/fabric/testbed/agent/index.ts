/**
 * The agents on the hosts of a testbed, as p4loom controls them. {@link startAgent} starts one (`src/fabric/host-agent`) and returns
 * an {@link Agent}: listeners, flows with their events, probes. {@link runIperf3} makes a flow by iperf3 instead;
 * {@link localise} finds the place of a failure from probes.
 */
export {
  type AgentSetting,
  type AgentStatistics,
  type Arriving,
  monotonicNs,
  type ProbeCount,
  type TcpInfo,
} from "../../host-agent/index.js";
export { Agent, type Received, startAgent } from "./agent.js";
export { type AgentConfig, type AgentNic, addressText } from "./config.js";
export { AgentFlow, type FlowEvent, type FlowOptions, type FlowResult } from "./flow.js";
export { type Iperf3Figures, type Iperf3Options, readIperf3, runIperf3 } from "./iperf3.js";
export {
  type Localisation,
  localise,
  type PathObservation,
  type ProbeOptions,
  type ProbeOutcome,
} from "./probe.js";
