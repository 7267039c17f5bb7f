/** A flow of the kind load while it runs. */

import type { Stream } from "../../../sim/packet/index.js";
import type { FlowCounters } from "./meters/flow-meter.js";

/** Events for the owner of a flow. */
export interface FlowEvents {
  /** The receiver has all data in order. */
  completed(): void;
  /** Both ends are closed: the counters do not change any more. Called once, also for a flow that did not complete. */
  ended(): void;
}

/** A flow between two hosts. */
export interface RunningFlow {
  counters(): FlowCounters;
  /** Sends the first bytes. */
  start(): void;
  /** The sender's end of a stream. */
  readonly client?: Stream;
}
