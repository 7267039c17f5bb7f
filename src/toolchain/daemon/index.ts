/**
 * A switch as a process: `run-switch.ts` joins program, ports, P4Runtime server and log from start to end.
 * `ports.ts` has its ports, of the kinds `interface-ports.ts` and `pcap-ports.ts`, `wall-clock.ts` is the switch's clock,
 * `log.ts`, `trace-file.ts`, `trace-socket.ts` and `pcap-file.ts` are what it writes; `unix-socket.ts` checks the paths of its sockets.
 */

export { LOG_LEVELS, type LogLevel } from "./log.js";
export { runSwitch, type Surroundings } from "./run-switch.js";
export { captureOf, filesOf, type PortFiles, type PortInterface, type SwitchSetup } from "./setup.js";
export { TRACE_FILE_BYTES, TraceFile, traceLines } from "./trace-file.js";
export { TRACES_PER_SECOND } from "./trace-socket.js";
export { WallClock } from "./wall-clock.js";
