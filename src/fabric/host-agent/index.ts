/**
 * The program on the hosts of a testbed: it applies the host policy of a scheme to packets, and leaves TCP to the kernel.
 *
 * `main.ts` is the process, which `src/fabric/testbed/agent` starts; `agent.ts` handles the requests of its input. Read
 * `data-path.ts` (packets between the kernel and the wire), `marking.ts` (what changes in them), `tcp-flow.ts` (the state of a
 * connection, from its segments), then `transfer.ts` and `probes.ts` (what the host sends itself) and `host-setup.ts` (changes of
 * the agent in its host). The policy chooses selectors: it is the same object as in the simulator, made
 * by `hostPolicyOf` from its description.
 *
 * Other rooms use only the two message formats of the process: requests and events.
 */
export { monotonicNs } from "./clock.js";
export {
  type AgentEvent,
  type AgentSetting,
  type AgentStatistics,
  type Arriving,
  eventSchema,
  type ProbeCount,
  type TcpInfo,
} from "./events.js";
export type { RequestText } from "./requests.js";
