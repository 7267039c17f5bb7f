/** Checks what the user asked `p4loom switch` for, before anything is opened. */
import { basename, join, resolve } from "node:path";
import { Diagnostics, fail } from "../../base/index.js";
import { TRACE_FILE_BYTES, type TraceFileSetup } from "../trace/trace-file.js";
import type { SwitchArguments } from "./arguments.js";
import { LOG_LEVELS, type LogLevel } from "./log.js";

/** A port and its files. */
export interface PortFiles {
  port: number;
  /** What stands behind the `@`. */
  name: string;
  input: string;
  output: string;
  /** Where `--pcap` puts what comes in and what leaves. */
  capture?: Capture;
}

/** A port on a Linux interface. */
export interface PortInterface {
  port: number;
  name: string;
  /** Path or name of its network namespace; absent: the process's own. */
  namespace?: string;
  capture?: Capture;
}

interface Capture {
  input: string;
  output: string;
}

export interface TlsFiles {
  certificate: string;
  privateKey: string;
  clientCa?: string;
}

export interface SwitchSetup {
  /** Absent with `--no-p4`. */
  program?: { path: string; p4info?: string; include: string[]; define: string[] };
  commands?: string;
  /** With `--use-files`. */
  files: PortFiles[];
  /** Without. */
  interfaces: PortInterface[];
  /** How long input files wait, in ms. */
  waitMs: number;
  exitWhenDone: boolean;
  deviceId: bigint;
  /** `host:port`; absent: no P4Runtime server. */
  address?: string;
  tls?: TlsFiles;
  cpuPort?: number;
  dropPort: number;
  priorityQueues: number;
  log: {
    level: LogLevel;
    console: boolean;
    /** Without the `.txt` that is added. */
    file?: string;
    maxBytes: number;
    maxFiles: number;
  };
  /** Bytes of every packet that are logged. */
  dumpBytes: number;
  trace?: TraceFileSetup;
}

/** Ports of v1model have 9 bits. */
const MAX_PORT = 511;
const DEFAULT_ADDRESS = "127.0.0.1:9559";
const MAX_WAIT_SECONDS = 86_400;
const MAX_QUEUES = 256;

/** What is asked for instead of a flag that is not there. */
const INSTEAD: readonly [keyof SwitchArguments, string, string][] = [
  ["packetIn", "--packet-in", "packets come from interfaces, or from files: -i 0@p0 --use-files 0"],
  ["restoreState", "--restore-state", "write the state over P4Runtime, or with --commands FILE"],
  ["loadModules", "--load-modules", "externs beyond v1model cannot be added"],
  [
    "dpGrpcServerAddr",
    "--dp-grpc-server-addr",
    "packets come from interfaces or files, or as packet-out through --cpu-port",
  ],
  ["debugger", "--debugger", "use --log-console with -L debug"],
];

/** @throws DiagnosticError with everything that is wrong */
export function checkArguments(program: string | undefined, args: SwitchArguments): SwitchSetup {
  const diagnostics = new Diagnostics();
  for (const [key, flag, instead] of INSTEAD) {
    if (args[key] !== undefined)
      diagnostics.error("P40011", undefined, `${flag} is not available here`, instead);
  }
  diagnostics.throwIfErrors();
  const number = (
    flag: string,
    text: string | undefined,
    fallback: number,
    low: number,
    high: number,
  ): number => (text === undefined ? fallback : wholeNumber(flag, text, low, high));
  const dropPort = number("--drop-port", args.dropPort, MAX_PORT, 0, MAX_PORT);
  const cpuPort =
    args.cpuPort === undefined ? undefined : wholeNumber("--cpu-port", args.cpuPort, 1, MAX_PORT);
  const traceBytes = number("--trace-max-size", args.traceMaxSize, TRACE_FILE_BYTES, 1024, 2 ** 40);
  const address = addressOf(args.grpcServerAddr);
  const tls = tlsOf(args);
  const source = programOf(program, args);
  const setup: SwitchSetup = {
    ...(source === undefined ? {} : { program: source }),
    ...(args.commands === undefined ? {} : { commands: args.commands }),
    ...portsOf(args, cpuPort, dropPort),
    waitMs: args.useFiles === undefined ? 0 : 1000 * secondsOf(args.useFiles),
    exitWhenDone: args.exitWhenDone ?? false,
    deviceId: deviceIdOf(args.deviceId),
    ...(address === undefined ? {} : { address }),
    ...(tls === undefined ? {} : { tls }),
    ...(cpuPort === undefined ? {} : { cpuPort }),
    dropPort,
    priorityQueues: number("--priority-queues", args.priorityQueues, 1, 1, MAX_QUEUES),
    log: {
      level: levelOf(args.logLevel),
      console: args.logConsole ?? false,
      ...(args.logFile === undefined ? {} : { file: args.logFile }),
      maxBytes: number("--log-file-max-size", args.logFileMaxSize, 5_242_880, 1024, 2 ** 40),
      maxFiles: number("--log-file-max-files", args.logFileMaxFiles, 3, 0, 1000),
    },
    dumpBytes: number("--dump-packet-data", args.dumpPacketData, 0, 0, 65_535),
    ...(args.trace === undefined ? {} : { trace: { path: args.trace, maxBytes: traceBytes } }),
  };
  if (setup.exitWhenDone && args.useFiles === undefined) {
    fail("P40005", undefined, "--exit-when-done needs --use-files: without, the packets never end");
  }
  if (setup.commands !== undefined && setup.program === undefined) {
    fail("P40016", undefined, `--commands ${setup.commands} needs a program to run on`);
  }
  return setup;
}

function wholeNumber(flag: string, text: string, low: number, high: number): number {
  const value = /^(\d+|0x[0-9a-f]+)$/i.test(text) ? Number(text) : Number.NaN;
  if (!(value >= low && value <= high)) {
    fail("P40005", undefined, `${flag} ${text}: not a whole number from ${low} to ${high}`);
  }
  return value;
}

function secondsOf(text: string): number {
  const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (!(seconds <= MAX_WAIT_SECONDS)) {
    fail("P40005", undefined, `--use-files ${text}: not a number of seconds from 0 to ${MAX_WAIT_SECONDS}`);
  }
  return seconds;
}

function deviceIdOf(text: string | undefined): bigint {
  if (text === undefined) return 0n;
  const value = /^\d{1,20}$/.test(text) ? BigInt(text) : -1n;
  if (value < 0n || value >= 1n << 64n) {
    fail("P40005", undefined, `--device-id ${text}: not a whole number below 2^64`);
  }
  return value;
}

function levelOf(text: string | undefined): LogLevel {
  const level = LOG_LEVELS.find((name) => name === (text ?? "trace"));
  return level ?? fail("P40005", undefined, `--log-level ${text}: unknown`, `write ${LOG_LEVELS.join(", ")}`);
}

function addressOf(text: string | undefined): string | undefined {
  if (text === "none") return undefined;
  const address = text ?? DEFAULT_ADDRESS;
  if (/^unix:./.test(address)) return address;
  const port = /^(?:[^:\s]+|\[[0-9a-fA-F:.]+\]):(\d{1,5})$/.exec(address)?.[1];
  if (port === undefined || Number(port) > 65_535) {
    fail("P40005", undefined, `--grpc-server-addr ${address}: not HOST:PORT`, `as in ${DEFAULT_ADDRESS}`);
  }
  return address;
}

function tlsOf(args: SwitchArguments): TlsFiles | undefined {
  const wrong = (message: string): never => fail("P40013", undefined, message);
  const { grpcServerCert: certificate, grpcServerKey: privateKey, grpcServerCacert: clientCa } = args;
  if (!args.grpcServerSsl) {
    const given = [
      ["--grpc-server-cert", certificate],
      ["--grpc-server-key", privateKey],
      ["--grpc-server-cacert", clientCa],
      ["--grpc-server-with-client-auth", args.grpcServerWithClientAuth],
    ].find(([, value]) => value !== undefined);
    if (given !== undefined) wrong(`${given[0]} needs --grpc-server-ssl: without, the server speaks no TLS`);
    return undefined;
  }
  if (certificate === undefined) return wrong("--grpc-server-ssl needs --grpc-server-cert FILE");
  if (privateKey === undefined) return wrong("--grpc-server-ssl needs --grpc-server-key FILE");
  if (!args.grpcServerWithClientAuth) return { certificate, privateKey };
  if (clientCa === undefined) return wrong("--grpc-server-with-client-auth needs --grpc-server-cacert FILE");
  return { certificate, privateKey, clientCa };
}

function programOf(path: string | undefined, args: SwitchArguments): SwitchSetup["program"] {
  if (path === undefined) {
    if (!args.p4) return undefined;
    fail("P40016", undefined, "no program is named", "give a BMv2 JSON or a .p4 file, or --no-p4");
  }
  if (!args.p4) fail("P40016", undefined, `--no-p4 beside the program ${path}`, "give one of the two");
  if (!/\.(json|p4)$/.test(path)) {
    fail("P40005", undefined, `${path}: neither .json (BMv2 JSON) nor .p4 (P4-16 source)`);
  }
  const { p4info } = args;
  if (p4info !== undefined && path.endsWith(".p4")) {
    fail("P40005", undefined, `--p4info ${p4info}: a .p4 program is compiled, which gives its P4Info`);
  }
  return { path, ...(p4info === undefined ? {} : { p4info }), include: args.I, define: args.D };
}

function portsOf(
  args: SwitchArguments,
  cpuPort: number | undefined,
  dropPort: number,
): Pick<SwitchSetup, "files" | "interfaces"> {
  const diagnostics = new Diagnostics();
  const files: PortFiles[] = [];
  const interfaces: PortInterface[] = [];
  const taken = new Set<number>();
  for (const text of args.interface) {
    const wrong = (why: string): void => diagnostics.error("P40012", undefined, `-i ${text}: ${why}`);
    const [, digits, name] = /^(\d+)@(.+)$/.exec(text) ?? [];
    const port = Number(digits);
    if (name === undefined || !(port <= MAX_PORT)) {
      wrong(`not NUMBER@NAME with a number from 0 to ${MAX_PORT}`);
      continue;
    }
    if (port === cpuPort) wrong("this is the CPU port, whose packets go over P4Runtime");
    if (port === dropPort) wrong("this is the drop port: no packet could leave by it");
    if (taken.has(port)) wrong(`port ${port} is already given`);
    taken.add(port);
    if (args.useFiles === undefined) interfaces.push(interfaceOf(port, name, args.pcap));
    else files.push(filesOf(port, name, args.pcap));
  }
  diagnostics.throwIfErrors();
  checkInterfaces(interfaces);
  checkPaths(files, interfaces);
  return { files, interfaces };
}

function filesOf(port: number, name: string, folder: string | undefined): PortFiles {
  const files = { input: `${name}_in.pcap`, output: `${name}_out.pcap` };
  const capture = folder === undefined ? undefined : captureOf(folder, name);
  // In the same folder the port's own files are the capture.
  const already = capture === undefined || resolve(capture.input) === resolve(files.input);
  return { port, name, ...files, ...(already ? {} : { capture }) };
}

/** `veth0`, or `veth0,netns=/run/netns/x`. */
function interfaceOf(port: number, text: string, folder: string | undefined): PortInterface {
  const [, name, namespace] = /^(.+),netns=([^,]+)$/.exec(text) ?? [undefined, text];
  return {
    port,
    name: name!,
    ...(namespace === undefined ? {} : { namespace }),
    ...(folder === undefined ? {} : { capture: captureOf(folder, name!) }),
  };
}

/** By name; one interface under two paths of its namespace shows when it is opened. */
function checkInterfaces(interfaces: readonly PortInterface[]): void {
  const owners = new Map<string, number>();
  for (const { port, name, namespace } of interfaces) {
    const key = `${namespace ?? ""} ${name}`;
    const owner = owners.get(key);
    if (owner !== undefined) {
      fail("P40024", undefined, `interface ${name} is port ${owner} and port ${port}`);
    }
    owners.set(key, port);
  }
}

/** By the name alone, so that all captures are in the folder wherever the port's files are. */
function captureOf(folder: string, name: string): Capture {
  const file = (side: string): string => join(folder, `${basename(name)}_${side}.pcap`);
  return { input: file("in"), output: file("out") };
}

/** No file may be written twice, nor be read and written. */
function checkPaths(files: readonly PortFiles[], interfaces: readonly PortInterface[]): void {
  const owners = new Map<string, string>();
  const claim = (path: string, use: string): void => {
    const owner = owners.get(resolve(path));
    if (owner !== undefined) fail("P40017", undefined, `${path} is ${owner} and ${use}`);
    owners.set(resolve(path), use);
  };
  for (const { port, input, output } of files) {
    claim(input, `the input of port ${port}`);
    claim(output, `the output of port ${port}`);
  }
  for (const { port, capture } of [...files, ...interfaces]) {
    if (capture === undefined) continue;
    claim(capture.input, `the capture of what port ${port} takes`);
    claim(capture.output, `the capture of what port ${port} sends`);
  }
}
