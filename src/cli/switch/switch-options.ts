/** The options of `p4loom switch`: those of simple_switch_grpc with the same names, and a few more. */
import { Command, Option } from "commander";
import { defined, fail } from "../../base/index.js";
import { CODES } from "../codes.js";

/** The options as commander returns them; `check-options.ts` checks them. */
export interface SwitchArguments {
  p4info?: string;
  commands?: string;
  I: string[];
  D: string[];
  interface: string[];
  useFiles?: string;
  exitWhenDone?: boolean;
  pcap?: string;
  deviceId?: string;
  /** False for `--no-p4`. */
  p4: boolean;
  logConsole?: boolean;
  logFile?: string;
  logLevel?: string;
  logFileMaxSize?: string;
  logFileMaxFiles?: string;
  dumpPacketData?: string;
  trace?: string;
  traceMaxSize?: string;
  traceSocket?: string;
  traceRate?: string;
  jsonVersion?: boolean;
  grpcServerAddr?: string;
  grpcServerSsl?: boolean;
  grpcServerCacert?: string;
  grpcServerCert?: string;
  grpcServerKey?: string;
  grpcServerWithClientAuth?: boolean;
  cpuPort?: string;
  dropPort?: string;
  priorityQueues?: string;
  packetIn?: string;
  restoreState?: string;
  loadModules?: string;
  dpGrpcServerAddr?: string;
  debugger?: boolean;
  debuggerAddr?: string;
}

/** Flags of simple_switch_grpc that have no effect here; docs/switch-command.md gives the reason for each. */
const WITHOUT_EFFECT = [
  "--thrift-port <port>",
  "--nanolog <address>",
  "--notifications-addr <address>",
  "--max-port-count <n>",
  "--log-flush",
  "--disable-swap",
  "--enable-swap",
  "--max-mc-groups <n>",
  "--max-l1-entries <n>",
  "--max-l2-entries <n>",
];

/** Flags that are not available and whose absence would give wrong results: they are refused with a reason (P40011). */
const NOT_AVAILABLE = [
  "--packet-in <address>",
  "--restore-state <file>",
  "--load-modules <files>",
  "--dp-grpc-server-addr <address>",
  "--debugger",
  "--debugger-addr <address>",
];

/** An option that may be given several times. */
export function repeatable(flags: string, description: string, absent = "none"): Option {
  const collect = (value: string, previous: string[]): string[] => [...previous, value];
  return new Option(flags, description).argParser(collect).default([], absent);
}

/** Adds the argument and the options; the caller adds the action, which gets {@link SwitchArguments}. */
export function defineSwitch(command: Command): Command {
  command
    .description("run a program as a P4Runtime switch, with the command line of simple_switch_grpc")
    .argument("[program]", "BMv2 JSON or P4-16 source")
    .allowExcessArguments()
    .addOption(
      repeatable(
        "-i, --interface <port@name>",
        "a port: a network interface; ,netns=PATH: in another namespace; ,rate=BITS: its rate in bits per second; with --use-files: name_in.pcap and name_out.pcap",
      ),
    )
    .option("--use-files <seconds>", "ports are pcap files, which are read after this number of seconds")
    .option("--exit-when-done", "with --use-files: end when all packets have been forwarded")
    .option(
      "--pcap <dir>",
      "capture every port to DIR, which is created; `--pcap` alone: to the current folder",
    )
    .option("--p4info <file>", "P4Info of a BMv2 JSON (default: the one in its folder)")
    .option("--commands <file>", "run a file of simple_switch_CLI commands before packets are taken")
    .addOption(repeatable("-I <dir>", "search DIR for included files"))
    .addOption(repeatable("-D <macro[=value]>", "define a macro"))
    .option("--no-p4", "start without a program; a controller sends one")
    .option("--device-id <n>", "P4Runtime device id (default: 0)")
    .option(
      "--grpc-server-addr <host:port>",
      "P4Runtime server; `none` for no server (default: 127.0.0.1:9559)",
    )
    .option("--grpc-server-ssl", "TLS for P4Runtime")
    .option("--grpc-server-cert <file>", "the server's certificate (PEM)")
    .option("--grpc-server-key <file>", "its private key (PEM)")
    .option("--grpc-server-cacert <file>", "CA certificate that checks clients (PEM)")
    .option("--grpc-server-with-client-auth", "clients must show a certificate")
    .option("--cpu-port <n>", "port of packet-in and packet-out (default: none)")
    .option("--drop-port <n>", "value of egress_spec that drops (default: 511)")
    .option("--priority-queues <n>", "queues of each port (default: 1)")
    .option("-L, --log-level <level>", "trace, debug, info, warn, error or off (default: trace)")
    .option("--log-console", "log to stdout")
    .option("--log-file <file>", "log to FILE.txt")
    .option("--log-file-max-size <bytes>", "start a new log file above this size (default: 5242880)")
    .option("--log-file-max-files <n>", "number of older log files that are kept (default: 3)")
    .option("--dump-packet-data <bytes>", "log this number of bytes of every packet (default: 0)")
    .option("--trace <file>", "write the trace of every packet, one JSON document a line; `-`: to stdout")
    .option("--trace-max-size <bytes>", "start a new trace file above this size (default: 104857600)")
    .option("--trace-socket <path>", "send traces to clients of a Unix socket: p4loom trace unix:PATH")
    .option(
      "--trace-rate <n>",
      "with --trace-socket: maximum number of traced packets per second (default: 100)",
    )
    .option("--json-version", "print the supported version of BMv2 JSON");
  for (const flags of [...WITHOUT_EFFECT, ...NOT_AVAILABLE]) command.addOption(new Option(flags).hideHelp());
  return command.addHelpText(
    "after",
    "\nA `--` before the options of the gRPC target is allowed, as simple_switch_grpc requires it.",
  );
}

/**
 * Translates a command line of simple_switch_grpc, given as the whole `process.argv`, so that commander reads it alike:
 * - the `--` between general and target options goes;
 * - the beginning of a long option stands for the only option that begins so (`--dev 3`);
 * - `--pcap DIR` names a folder, `--pcap` before an option or a program means the current one, so that
 *   `--pcap prog.json` names a program;
 * - `-v` is `--version`.
 * Words that are the value of an option stay as they are.
 */
export function switchArgv(argv: readonly string[]): string[] {
  if (argv[2] !== "switch") return [...argv];
  const options = defineSwitch(new Command("switch")).options;
  const result = argv.slice(0, 3);
  const words = argv.slice(3);
  for (let i = 0; i < words.length; i++) {
    let word = defined(words[i]);
    if (word === "--") continue;
    if (word === "-v") word = "--version";
    if (word.startsWith("--")) word = wholeOption(word, options);
    const next = words[i + 1];
    if (word === "--pcap") {
      const isFolder = next !== undefined && !next.startsWith("-") && !/\.(json|p4)$/.test(next);
      result.push(`--pcap=${isFolder ? next : "."}`);
      if (isFolder) i++;
      continue;
    }
    result.push(word);
    const takesNext = options.some(({ long, short, required }) => required && [long, short].includes(word));
    if (takesNext && next !== undefined) {
      result.push(next);
      i++;
    }
  }
  return result;
}

/** `--dev=3` to `--device-id=3`. Fails with P40005 when several options begin so; a word that begins none stays. */
function wholeOption(word: string, options: readonly Option[]): string {
  const [, name, value] = /^(--[^=]*)(=.*)?$/s.exec(word)!;
  const long = [...options.flatMap((option) => option.long ?? []), "--help", "--version"];
  if (long.includes(defined(name))) return word;
  const meant = long.filter((option) => option.startsWith(defined(name)));
  if (meant.length > 1)
    fail(CODES.wrongValue, undefined, `${name}: may be ${meant.join(", ")}`, "write the option out");
  return meant.length === 1 ? `${meant[0]}${value ?? ""}` : word;
}
