/** Checks the options of `p4loom switch` before anything is opened. */

import { resolve } from "node:path";
import { Diagnostics, defined, fail, given } from "../../base/index.js";
import {
  captureOf,
  filesOf,
  LOG_LEVELS,
  type LogLevel,
  type PortFiles,
  type PortInterface,
  type SwitchSetup,
  TRACE_FILE_BYTES,
  TRACES_PER_SECOND,
} from "../../toolchain/daemon/index.js";
import type { ProgramFiles } from "../../toolchain/loading/index.js";
import { CODES } from "../codes.js";
import type { SwitchArguments } from "./switch-options.js";

interface TlsFiles {
  certificate: string;
  privateKey: string;
  clientCa?: string;
}

/** What the command line asks for; the files are not read yet. */
export interface SwitchRequest extends Omit<SwitchSetup, "program" | "commands" | "tls"> {
  /** Absent with `--no-p4`. */
  program?: ProgramFiles;
  /** Path of a file of commands. */
  commands?: string;
  tls?: TlsFiles;
}

/** Ports of v1model have 9 bits. */
const MAX_PORT = 511;
const DEFAULT_ADDRESS = "127.0.0.1:9559";
const MAX_WAIT_SECONDS = 86_400;
const MAX_QUEUES = 256;
const MAX_RATE_BPS = 1e12;

/** What to use instead of a flag that is not available. */
const INSTEAD: readonly [keyof SwitchArguments, string, string][] = [
  ["packetIn", "--packet-in", "packets come from interfaces, or from files: -i 0@p0 --use-files 0"],
  ["restoreState", "--restore-state", "write the entries with --commands FILE, or over P4Runtime"],
  ["loadModules", "--load-modules", "externs beyond v1model cannot be added"],
  [
    "dpGrpcServerAddr",
    "--dp-grpc-server-addr",
    "packets come from interfaces or files, or as packet-out through --cpu-port",
  ],
  ["debugger", "--debugger", "use --trace FILE, and p4loom trace FILE to read it"],
  ["debuggerAddr", "--debugger-addr", "use --trace FILE, and p4loom trace FILE to read it"],
];

/** @throws DiagnosticError with everything that is wrong */
export function checkArguments(programs: readonly string[], args: SwitchArguments): SwitchRequest {
  const diagnostics = new Diagnostics();
  for (const [key, flag, instead] of INSTEAD) {
    if (args[key] !== undefined)
      diagnostics.error(CODES.unknownFlag, undefined, `${flag} is not available here`, instead);
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
  const perSecond = number("--trace-rate", args.traceRate, TRACES_PER_SECOND, 1, 100_000);
  if (args.trace !== undefined && args.traceSocket !== undefined)
    fail(CODES.wrongValue, undefined, "--trace traces all packets, --trace-socket some: give one of the two");
  if (args.traceRate !== undefined && args.traceSocket === undefined)
    fail(CODES.wrongValue, undefined, "--trace-rate needs --trace-socket: a trace file has all packets");
  const address = addressOf(args.grpcServerAddr);
  const tls = tlsOf(args);
  const source = programOf(programs, args);
  const setup: SwitchRequest = {
    ...given({ program: source, commands: args.commands }),
    ...portsOf(args, cpuPort, dropPort),
    ...given({ captureFolder: args.pcap }),
    waitMs: args.useFiles === undefined ? 0 : 1000 * secondsOf(args.useFiles),
    exitWhenDone: args.exitWhenDone ?? false,
    deviceId: deviceIdOf(args.deviceId),
    ...given({ address, tls, cpuPort }),
    dropPort,
    priorityQueues: number("--priority-queues", args.priorityQueues, 1, 1, MAX_QUEUES),
    log: {
      level: levelOf(args.logLevel),
      console: args.logConsole ?? false,
      ...given({ file: args.logFile }),
      maxBytes: number("--log-file-max-size", args.logFileMaxSize, 5_242_880, 1024, 2 ** 40),
      maxFiles: number("--log-file-max-files", args.logFileMaxFiles, 3, 0, 1000),
    },
    dumpBytes: number("--dump-packet-data", args.dumpPacketData, 0, 0, 65_535),
    ...given({ trace: args.trace === undefined ? undefined : { path: args.trace, maxBytes: traceBytes } }),
    ...given({
      traceSocket: args.traceSocket === undefined ? undefined : { path: args.traceSocket, perSecond },
    }),
  };
  if (setup.exitWhenDone && args.useFiles === undefined) {
    fail(
      CODES.wrongValue,
      undefined,
      "--exit-when-done needs --use-files: packets from interfaces never end",
    );
  }
  if (setup.commands !== undefined && setup.program === undefined) {
    fail(CODES.program, undefined, `--commands ${setup.commands} needs a program to run on`);
  }
  return setup;
}

function wholeNumber(flag: string, text: string, low: number, high: number): number {
  const value = /^(\d+|0x[0-9a-f]+)$/i.test(text) ? Number(text) : Number.NaN;
  if (!(value >= low && value <= high)) {
    fail(CODES.wrongValue, undefined, `${flag} ${text}: not a whole number from ${low} to ${high}`);
  }
  return value;
}

function secondsOf(text: string): number {
  const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (!(seconds <= MAX_WAIT_SECONDS)) {
    fail(
      CODES.wrongValue,
      undefined,
      `--use-files ${text}: not a number of seconds from 0 to ${MAX_WAIT_SECONDS}`,
    );
  }
  return seconds;
}

function deviceIdOf(text: string | undefined): bigint {
  if (text === undefined) return 0n;
  const value = /^\d{1,20}$/.test(text) ? BigInt(text) : -1n;
  if (value < 0n || value >= 1n << 64n) {
    fail(CODES.wrongValue, undefined, `--device-id ${text}: not a whole number below 2^64`);
  }
  return value;
}

function levelOf(text: string | undefined): LogLevel {
  const level = LOG_LEVELS.find((name) => name === (text ?? "trace"));
  return (
    level ??
    fail(CODES.wrongValue, undefined, `--log-level ${text}: unknown`, `write ${LOG_LEVELS.join(", ")}`)
  );
}

function addressOf(text: string | undefined): string | undefined {
  if (text === "none") return undefined;
  const address = text?.replace(/^:(?=\d+$)/, "0.0.0.0:") ?? DEFAULT_ADDRESS;
  if (/^unix:./.test(address)) return address;
  if (/^([^:\s]+|\[[0-9a-fA-F:.]+\])$/.test(address) && !/^\d+$/.test(address)) {
    fail(
      CODES.wrongValue,
      undefined,
      `--grpc-server-addr ${address}: a port is missing`,
      `as in ${address}:9559; simple_switch_grpc uses port 443 then`,
    );
  }
  const port = /^(?:[^:\s]+|\[[0-9a-fA-F:.]+\]):(\d{1,5})$/.exec(address)?.[1];
  if (port === undefined || Number(port) > 65_535) {
    fail(
      CODES.wrongValue,
      undefined,
      `--grpc-server-addr ${address}: not HOST:PORT`,
      `as in ${DEFAULT_ADDRESS}`,
    );
  }
  return address;
}

function tlsOf(args: SwitchArguments): TlsFiles | undefined {
  const wrong = (message: string): never => fail(CODES.tls, undefined, message);
  const { grpcServerCert: certificate, grpcServerKey: privateKey, grpcServerCacert: clientCa } = args;
  if (!args.grpcServerSsl) {
    const given = [
      ["--grpc-server-cert", certificate],
      ["--grpc-server-key", privateKey],
      ["--grpc-server-cacert", clientCa],
      ["--grpc-server-with-client-auth", args.grpcServerWithClientAuth],
    ].find(([, value]) => value !== undefined);
    if (given !== undefined) wrong(`${given[0]} needs --grpc-server-ssl: without it, the server uses no TLS`);
    return undefined;
  }
  if (certificate === undefined) return wrong("--grpc-server-ssl needs --grpc-server-cert FILE");
  if (privateKey === undefined) return wrong("--grpc-server-ssl needs --grpc-server-key FILE");
  if (!args.grpcServerWithClientAuth) return { certificate, privateKey };
  if (clientCa === undefined) return wrong("--grpc-server-with-client-auth needs --grpc-server-cacert FILE");
  return { certificate, privateKey, clientCa };
}

function programOf(programs: readonly string[], args: SwitchArguments): ProgramFiles | undefined {
  const [path, ...others] = programs;
  if (others.length > 0) {
    fail(
      CODES.program,
      undefined,
      `${programs.length} programs are named: ${programs.join(", ")}`,
      "give one; a controller replaces it while the switch runs (SetForwardingPipelineConfig)",
    );
  }
  if (path === undefined) {
    if (!args.p4) return undefined;
    fail(CODES.program, undefined, "no program is named", "give a BMv2 JSON or a .p4 file, or --no-p4");
  }
  if (!args.p4) fail(CODES.program, undefined, `--no-p4 beside the program ${path}`, "give one of the two");
  if (!/\.(json|p4)$/.test(path)) {
    fail(CODES.wrongValue, undefined, `${path}: neither .json (BMv2 JSON) nor .p4 (P4-16 source)`);
  }
  const { p4info } = args;
  if (p4info !== undefined && path.endsWith(".p4")) {
    fail(
      CODES.wrongValue,
      undefined,
      `--p4info ${p4info}: a .p4 program is compiled, which gives its P4Info`,
    );
  }
  return { path, ...given({ p4info }), include: args.I, define: args.D };
}

function portsOf(
  args: SwitchArguments,
  cpuPort: number | undefined,
  dropPort: number,
): Pick<SwitchRequest, "files" | "interfaces"> {
  const diagnostics = new Diagnostics();
  const files: PortFiles[] = [];
  const interfaces: PortInterface[] = [];
  const taken = new Map<number, string>();
  for (const text of args.interface) {
    const wrong = (why: string, ...notes: string[]): void => {
      diagnostics.error(CODES.ports, undefined, `-i ${text}: ${why}`, ...notes);
    };
    const [, digits, name] = /^(\d+)@(.+)$/.exec(text) ?? [];
    const port = Number(digits);
    if (name === undefined) {
      wrong(`not NUMBER@NAME with a number from 0 to ${MAX_PORT}`);
      continue;
    }
    if (!(port <= MAX_PORT)) {
      wrong(
        `ports of v1model have 9 bits: 0 to ${MAX_PORT}`,
        `simple_switch takes ${digits}, but to its program that is port ${BigInt(defined(digits)) & 511n}`,
      );
      continue;
    }
    if (port === cpuPort) wrong("this is the CPU port, whose packets go over P4Runtime");
    if (port === dropPort) wrong("this is the drop port: no packet could leave by it");
    const first = taken.get(port);
    if (first !== undefined) wrong(`port ${port} is given twice, as ${first} and as ${name}`);
    else taken.set(port, name);
    if (args.useFiles === undefined) interfaces.push(interfaceOf(port, name, args.pcap, wrong));
    else files.push(filePort(port, name, args.pcap));
  }
  diagnostics.throwIfErrors();
  checkInterfaces(interfaces);
  checkPaths(files, interfaces);
  return { files, interfaces };
}

function filePort(port: number, name: string, folder: string | undefined): PortFiles {
  const files = filesOf(name);
  const capture = folder === undefined ? undefined : captureOf(folder, name);
  // In the same folder the files of the port are the capture already.
  const already = capture === undefined || resolve(capture.input) === resolve(files.input);
  return { port, name, ...files, ...given({ capture: already ? undefined : capture }) };
}

/** `veth0`, or with properties `veth0,netns=/run/netns/x,rate=500000`. */
function interfaceOf(
  port: number,
  text: string,
  folder: string | undefined,
  wrong: (why: string) => void,
): PortInterface {
  const properties = /^(.+?)((?:,(?:netns|rate)=[^,]*)*)$/.exec(text)!;
  const name = defined(properties[1]);
  const property = (key: string): string | undefined => {
    const values = [...defined(properties[2]).matchAll(new RegExp(`,${key}=([^,]*)`, "g"))];
    if (values.length > 1) wrong(`${key} is given twice`);
    return values[0]?.[1];
  };
  const namespace = property("netns");
  if (namespace === "") wrong("netns= needs the name or the path of a network namespace");
  const rate = property("rate");
  const rateBps = rate === undefined ? undefined : Number(rate);
  if (rateBps !== undefined && !(/^\d+$/.test(defined(rate)) && rateBps >= 1 && rateBps <= MAX_RATE_BPS))
    wrong(`rate=${rate}: not a whole number of bits per second from 1 to ${MAX_RATE_BPS}`);
  return {
    port,
    name,
    ...given({ namespace, rateBps }),
    ...given({ capture: folder === undefined ? undefined : captureOf(folder, defined(name)) }),
  };
}

/** Compares names. One interface with two paths of its namespace is found when it is opened. */
function checkInterfaces(interfaces: readonly PortInterface[]): void {
  const owners = new Map<string, number>();
  for (const { port, name, namespace } of interfaces) {
    const key = `${namespace ?? ""} ${name}`;
    const owner = owners.get(key);
    if (owner !== undefined) {
      fail(CODES.portTwice, undefined, `interface ${name} is port ${owner} and port ${port}`);
    }
    owners.set(key, port);
  }
}

/** Checks that no file is written twice, or read and written. */
function checkPaths(files: readonly PortFiles[], interfaces: readonly PortInterface[]): void {
  const owners = new Map<string, string>();
  const claim = (path: string, use: string): void => {
    const owner = owners.get(resolve(path));
    if (owner !== undefined) fail(CODES.portFiles, undefined, `${path} is ${owner} and ${use}`);
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
