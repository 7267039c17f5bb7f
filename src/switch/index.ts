/**
 * The v1model switch. `switch.ts` is the door: a Switch takes a program, frames and control-plane updates.
 * `codegen/` turns a program into JavaScript once; `tables/` holds what the generated code looks up; `flow/`
 * moves packets between ingress, queues and egress; `trace/` tells what happens to them; `control/` checks and applies what a controller writes.
 */

export type {
  DropCounts,
  QueueOptions,
  SwitchClock,
  SwitchOptions,
  SwitchStatistics,
  TraceSink,
} from "./options.js";
export { Switch } from "./switch.js";
export * from "./trace/types.js";
