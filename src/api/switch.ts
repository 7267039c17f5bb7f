/**
 * `p4loom/switch`: the embedded v1model switch as an object, its tables written by P4Runtime's entities or by the commands of
 * BMv2's CLI, packet tests (STF), and traces in words. Runs in a browser, too. Page: docs/switch.md.
 */
export { Diagnostics, formatDiagnostic, fromHex, SourceFile, toHex } from "../base/index.js";
export {
  completions,
  Interpreter,
  type Output,
  type RuntimeFile,
  readRuntimeFile,
  runCommands,
} from "../toolchain/control/index.js";
export {
  type Device,
  DeviceError,
  type DeviceEvent,
  type Entity,
  formatValue,
  type Match,
  parseValue,
  type ReadQuery,
  type Update,
} from "../toolchain/device/index.js";
export { readStf, runStf, type StfOptions, type StfResult } from "../toolchain/stf/index.js";
export {
  type DropCounts,
  type PacketTrace,
  type QueueOptions,
  Switch,
  type SwitchClock,
  type SwitchOptions,
  type SwitchStatistics,
  type TraceEvent,
} from "../toolchain/switch/index.js";
export { readTraces, Story, type StoryLine, storyLines, traceSchema } from "../toolchain/trace/index.js";
