/**
 * The behaviour of hosts under a scheme, both in the simulator and in the agent on a real host. A {@link HostPolicy}, which each
 * host makes with its own {@link HostContext}, chooses selectors and NICs, and a TCP option carries the echo. {@link ReceiveWindow} distinguishes new data from known data.
 */
export { type HostClock, type HostContext, restingHost } from "./host-context.js";
export {
  CLIENT,
  type ConnectionEnd,
  type FlowAssignment,
  fixedPath,
  type HostPolicy,
  type NextSegment,
  type PathChooser,
  type PolicyDescription,
  type Round,
  SERVER,
  type SegmentMarks,
  SIGNALS,
  type Signal,
} from "./host-policy.js";
export {
  type LeavingPath,
  MovingPath,
  ProbingPath,
  type ReceiverRule,
  type Rerouter,
  WaitingPath,
} from "./re-pathing.js";
export { ReceiveWindow } from "./receive-window.js";
export { RoundCounter } from "./round-counter.js";
