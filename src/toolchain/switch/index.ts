/**
 * The switch, for v1model and the Tofino architectures. Open `switch.ts` first: a Switch gets a program, frames and control-plane updates.
 * `codegen/` turns a program into JavaScript once; `tables/` holds the data of lookups; `flow/`
 * moves packets between ingress, queues and egress; `trace/` records the events of packets; `control/` checks and applies the
 * writes of a controller.
 */

export { mathUnit } from "./codegen/action.js";
export { type CountedPoint, TABLE_COUNTS } from "./codegen/count-points.js";
export { CoverageCounts, type ProgramCounts } from "./coverage.js";
export { Fifo } from "./flow/packet-copy.js";
export { isRecirculation } from "./flow/tofino.js";
export { Workspaces } from "./flow/workspace.js";
export type {
  BufferAccount,
  DropCounts,
  PacketTrimmer,
  QueueOptions,
  SwitchClock,
  SwitchOptions,
  SwitchStatistics,
  TraceSink,
  TrimClass,
} from "./options.js";
export { errorBits, INTRINSIC } from "./state/intrinsic.js";
export { Switch } from "./switch.js";
export type { OutcomeLimits } from "./trace/outcomes.js";
export {
  type FieldChange,
  type PacketTrace,
  type TableLookup,
  TRACE_VERSION,
  type TraceEvent,
  type TraceInput,
  type TraceOutcome,
  type TraceTree,
} from "./trace/types.js";
