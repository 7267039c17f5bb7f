/** The command lines that start switches: both engines take the flags of simple_switch_grpc. */
import { join } from "node:path";
import type { LabOptions } from "../lab.js";
import type { LabSwitch } from "../lab-spec.js";
import { runFolder } from "../run/record.js";
import type { Bmv2Files } from "./bmv2.js";

/** First Thrift port. The ports are in the run's own namespace, so they cannot collide with others. */
const FIRST_THRIFT_PORT = 9090;

/** The properties of a switch that are known before it starts. */
export interface SwitchPlan {
  readonly spec: LabSwitch;
  /** Number in the lab, from 0. */
  readonly index: number;
  /** The program; then come the ports and the options. */
  readonly start: readonly string[];
  readonly options: readonly string[];
  /** Unix socket of its P4Runtime server. A path of at most 107 bytes (unix(7)), hence not by the switch's name. */
  readonly socket: string;
  readonly logFile: string;
  /** Unix socket of its traces; our switch only. */
  readonly traceSocket: string | undefined;
  /** BMv2 only. */
  readonly thriftPort: number;
}

/**
 * @param start the program: simple_switch_grpc, or p4loom with its command `switch`
 * @param bmv2 undefined: our own switch
 */
export function planSwitch(
  id: string,
  spec: LabSwitch,
  index: number,
  start: readonly string[],
  options: LabOptions,
  bmv2: Bmv2Files | undefined,
): SwitchPlan {
  const socket = join(runFolder(id), `${index}.sock`);
  const thriftPort = FIRST_THRIFT_PORT + index;
  const argv = ["--no-p4", "--device-id", String(spec.deviceId)];
  argv.push("--log-console", "-L", options.logLevel ?? "info");
  if (options.pcap) argv.push(`--pcap=${captureFolder(options)}`);
  if (bmv2?.thrift) argv.push("--thrift-port", String(thriftPort));
  if (bmv2?.nanomsg) argv.push("--notifications-addr", `ipc://${join(runFolder(id), `${index}.ipc`)}`);
  const { tracesPerSecond } = options;
  let traceSocket: string | undefined;
  if (bmv2 === undefined && tracesPerSecond !== undefined) {
    traceSocket = join(runFolder(id), `${index}.trace`);
    argv.push("--trace-socket", traceSocket, "--trace-rate", String(tracesPerSecond));
  }
  // BMv2 takes the options of the target after this word.
  if (bmv2 !== undefined) argv.push("--");
  argv.push("--grpc-server-addr", `unix:${socket}`);
  if (spec.cpuPort !== undefined) argv.push("--cpu-port", String(spec.cpuPort));
  if (spec.priorityQueues !== undefined) argv.push("--priority-queues", String(spec.priorityQueues));
  return {
    spec,
    index,
    start,
    options: argv,
    socket,
    traceSocket,
    logFile: join(logFolder(options), `${spec.name}.log`),
    thriftPort,
  };
}

/** The whole command. `down`: interfaces whose links are down, which BMv2 cannot open. */
export function argvOf({ spec, start, options }: SwitchPlan, down: ReadonlySet<string>): string[] {
  const ports = spec.ports.filter((port) => !down.has(port.interface));
  const words = ports.flatMap(({ number, interface: name, rateBps }) => [
    "-i",
    `${number}@${name}${rateBps === undefined ? "" : `,rate=${rateBps}`}`,
  ]);
  return [...start, ...words, ...options];
}

export function logFolder({ folder }: LabOptions): string {
  return join(folder, "logs");
}

export function captureFolder({ folder }: LabOptions): string {
  return join(folder, "pcaps");
}
