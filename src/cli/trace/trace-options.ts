/** The options of `p4loom trace` as commander returns them, and their meaning. */

import { closeSync, openSync, readSync } from "node:fs";
import type { Command } from "commander";
import { fail, fromHex, given } from "../../base/index.js";
import type { TraceFilter } from "../../toolchain/trace/index.js";
import { CODES } from "../codes.js";
import { repeatable } from "../switch/switch-options.js";
import type { TryPacket } from "./try-packet.js";

export interface TraceArguments {
  packet?: string;
  port?: string;
  table?: string;
  dropped?: boolean;
  json?: boolean;
  source?: string;
  commands?: string;
  p4info?: string;
  seed?: string;
  all?: boolean;
  update?: string;
  maxRuns?: string;
  I: string[];
  D: string[];
}

export function defineTrace(command: Command): Command {
  return command
    .description("show the traces of packets: those of a trace file, or of one packet sent through a program")
    .argument(
      "<file>",
      "trace file (- for stdin, unix:PATH for a running switch), or a program: P4-16 source or BMv2 JSON",
    )
    .option("--packet <packet>", "trace file: the packet's number; program: its bytes in hexadecimal")
    .option(
      "--port <n>",
      "trace file: packets that entered or left by port N; program: the port by which the packet enters",
    )
    .option("--table <name>", "only packets that looked up the table")
    .option("--dropped", "only packets with a dropped copy")
    .option("--json", "print the documents as JSON lines")
    .option("--source <dir>", "folder of the P4 files whose lines are quoted")
    .option(
      "--commands <file>",
      "program: simple_switch_CLI commands or a tutorial's runtime.json, run first",
    )
    .option("--p4info <file>", "program: P4Info of a BMv2 JSON")
    .option("--seed <n>", "program: seed of the random extern (default: 1)")
    .option("--all", "program: every outcome that the packet can have, as one tree")
    .option("--update <file>", "with --all: commands that change tables while the packet is in the switch")
    .option("--max-runs <n>", "with --all: end after that many runs of the packet (default: 10000)")
    .addOption(repeatable("-I <dir>", "program: search DIR for included files"))
    .addOption(repeatable("-D <macro[=value]>", "program: define a macro"));
}

/** Whether a path is a program: a `.p4` file, or a `.json` file that does not start as a trace. */
export function isProgram(path: string): boolean {
  if (path.endsWith(".p4")) return true;
  return path.endsWith(".json") && !headOf(path).includes('"trace_version"');
}

/** The first bytes of a file; an empty text when it cannot be read, which is reported when it is read. */
function headOf(path: string): string {
  try {
    const head = Buffer.alloc(64);
    const file = openSync(path, "r");
    const length = readSync(file, head);
    closeSync(file);
    return head.toString("latin1", 0, length);
  } catch {
    return "";
  }
}

const MAX_PORT = 511;

function wholeNumber(option: string, text: string, most: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(value <= most))
    fail(CODES.wrongValue, undefined, `${option} ${text}: not a whole number from 0 to ${most}`);
  return value;
}

/** The value of an option, or its default where it is not given. */
export function wholeNumberOr(
  option: string,
  text: string | undefined,
  otherwise: number,
  most: number,
): number {
  return text === undefined ? otherwise : wholeNumber(option, text, most);
}

/** An option as it was written. */
function optionText(option: string, value: string | boolean | undefined): string {
  const name = `--${option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  return typeof value === "string" ? `${name} ${value}` : name;
}

export function filterOf(path: string, args: TraceArguments): TraceFilter {
  for (const option of ["commands", "p4info", "seed", "all", "update", "maxRuns"] as const)
    if (args[option] !== undefined)
      fail(
        CODES.wrongValue,
        undefined,
        `${optionText(option, args[option])}: ${path} is a trace; this option is for programs`,
      );
  const { packet, port, table, dropped } = args;
  const least = Number.MAX_SAFE_INTEGER;
  return {
    ...given({ packet: packet === undefined ? undefined : wholeNumber("--packet", packet, least) }),
    ...given({ port: port === undefined ? undefined : wholeNumber("--port", port, MAX_PORT) }),
    ...given({ table, dropped }),
  };
}

export function packetOf(program: string, args: TraceArguments): TryPacket {
  const { packet, port, commands, p4info, seed, update } = args;
  for (const option of ["table", "dropped"] as const)
    if (args[option] !== undefined)
      fail(CODES.wrongValue, undefined, `--${option}: there is only one packet, its trace is shown whole`);
  for (const option of ["update", "maxRuns"] as const)
    if (args[option] !== undefined && !args.all)
      fail(CODES.wrongValue, undefined, `${optionText(option, args[option])}: this option needs --all`);
  if (packet === undefined || port === undefined) {
    const example = `p4loom trace ${program} --port 1 --packet 00112233445566778899aabb0800`;
    fail(CODES.wrongValue, undefined, "a program needs a packet (--packet) and its port (--port)", example);
  }
  const bytes = fromHex(packet.replace(/^0x|[\s:]/gi, ""));
  if (bytes === undefined)
    fail(CODES.wrongValue, undefined, `--packet ${packet}: not bytes in hexadecimal, two digits each`);
  return {
    program,
    port: wholeNumber("--port", port, MAX_PORT),
    bytes,
    seed: wholeNumberOr("--seed", seed, 1, 0xffff_ffff),
    include: args.I,
    define: args.D,
    ...given({
      commands,
      p4info,
      all: args.all
        ? { runs: wholeNumberOr("--max-runs", args.maxRuns, 10_000, 10_000_000), update }
        : undefined,
    }),
  };
}
