/**
 * The program on the hosts of a testbed: it does to packets what the hosts of a scheme do, and leaves TCP to the kernel.
 *
 * `main.ts` is the process, which `src/testbed/agent` starts; `agent.ts` does what the requests of its input say. Read
 * `data-path.ts` (packets between the kernel and the wire), `marking.ts` (what changes in them), `tcp-flow.ts` (what it
 * learns from TCP segments that pass by), then `transfer.ts` and `probes.ts` (what the host sends itself) and `host-setup.ts` (what
 * the agent changes in its host). Which selectors follow is the policy's: it is the object that the simulator uses, made
 * by `hostPolicyOf` from its description.
 *
 * Other rooms see only the two languages that the process speaks: requests and events.
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
