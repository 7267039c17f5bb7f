/** The command lines that start switches: both engines take the flags of simple_switch_grpc. */

import { existsSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fail } from "../../../base/index.js";
import { CODES } from "../codes.js";
import { runFolder } from "../run/record.js";
import { command, NOT_FOUND_STATUS } from "../system/command.js";
import type { TestbedStartOptions } from "../testbed.js";
import type { TestbedSwitch } from "../testbed-spec.js";

/** First Thrift port. The ports are in the run's own namespace, so they cannot collide with others. */
const FIRST_THRIFT_PORT = 9090;

/** The properties of a switch that are known before it starts. */
export interface SwitchPlan {
  readonly spec: TestbedSwitch;
  /** Number in the testbed, from 0. */
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

/** A switch of a testbed: `id` of the testbed, its number in it, and the words that start its program. */
interface SwitchPlace {
  readonly id: string;
  readonly spec: TestbedSwitch;
  readonly index: number;
  readonly start: readonly string[];
}

/**
 * @param start the program: simple_switch_grpc, or p4loom with its command `switch`
 * @param bmv2 undefined: our own switch
 */
export function planSwitch(
  { id, spec, index, start }: SwitchPlace,
  options: TestbedStartOptions,
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

export function logFolder({ folder }: TestbedStartOptions): string {
  return join(folder, "logs");
}

export function captureFolder({ folder }: TestbedStartOptions): string {
  return join(folder, "pcaps");
}

// BMv2's simple_switch_grpc as the switch of a testbed: where it is, and what it was built with.

export interface Bmv2Files {
  readonly switchGrpc: string;
  /** Whether it has the option `--thrift-port`. */
  readonly thrift: boolean;
  /** Whether it has the option `--notifications-addr`. */
  readonly nanomsg: boolean;
  /** simple_switch_CLI, for the settings that P4Runtime lacks, or the reason why it cannot be used. */
  readonly cli: { readonly path: string } | { readonly reason: string };
}

/** The first program of that name on PATH. */
export function onPath(name: string): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

/** Options that a BMv2 lists only when it was built with the library that they need. */
const OPTIONS = {
  thrift: "--thrift-port",
  nanomsg: "--notifications-addr",
  debugger: "--debugger",
  tls: "--grpc-server-ssl",
} as const;

/** What a BMv2 was built with, by its `--help`; undefined: the program cannot be run. */
export async function bmv2Features(
  switchGrpc: string,
): Promise<Readonly<Record<keyof typeof OPTIONS, boolean>> | undefined> {
  const { status, stdout, stderr } = await command([switchGrpc, "--help"]);
  if (status === NOT_FOUND_STATUS) return undefined;
  const has = (option: keyof typeof OPTIONS): boolean => `${stdout}${stderr}`.includes(OPTIONS[option]);
  return { thrift: has("thrift"), nanomsg: has("nanomsg"), debugger: has("debugger"), tls: has("tls") };
}

/** Fails with P43103 when there is no simple_switch_grpc, or it cannot be run. */
export async function findBmv2(path: string | undefined): Promise<Bmv2Files> {
  const switchGrpc = path ?? onPath("simple_switch_grpc");
  if (switchGrpc === undefined) {
    fail(
      CODES.notInstalled,
      undefined,
      "simple_switch_grpc (BMv2) is not on PATH",
      "give its path with --bmv2, or use our own switch: --engine switch",
    );
  }
  if (!existsSync(switchGrpc)) fail(CODES.notInstalled, undefined, `there is no ${switchGrpc} (--bmv2)`);
  const features = await bmv2Features(switchGrpc);
  if (features === undefined) fail(CODES.notInstalled, undefined, `${switchGrpc} (--bmv2) cannot be run`);
  const { thrift, nanomsg } = features;
  return { switchGrpc, thrift, nanomsg, cli: findCli(switchGrpc, thrift) };
}

function findCli(switchGrpc: string, thrift: boolean): Bmv2Files["cli"] {
  if (!thrift) return { reason: `${switchGrpc} is built without Thrift` };
  const beside = join(dirname(switchGrpc), "simple_switch_CLI");
  const path = existsSync(beside) ? beside : onPath("simple_switch_CLI");
  if (path !== undefined) return { path };
  return { reason: "simple_switch_CLI is neither beside simple_switch_grpc nor on PATH" };
}
