/** The options of `p4loom switch`: those of simple_switch_grpc, by the same names, and a few of ours. */
import { type Command, Option } from "commander";

/** As commander hands them over; `options.ts` checks them. */
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
}

/** Flags of simple_switch_grpc that change nothing here; docs/switch-command.md says why, one by one. */
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

/** Flags whose absence would be a wrong result: taken, and refused with a reason (P40011). */
const NOT_AVAILABLE = [
  "--packet-in <address>",
  "--restore-state <file>",
  "--load-modules <files>",
  "--dp-grpc-server-addr <address>",
  "--debugger",
];

/** An option that may be given several times. */
export function repeatable(flags: string, description: string): Option {
  const collect = (value: string, previous: string[]): string[] => [...previous, value];
  return new Option(flags, description).argParser(collect).default([], "none");
}

/** Adds argument and options; the caller adds the action, which gets the program's path and {@link SwitchArguments}. */
export function defineSwitch(command: Command): Command {
  command
    .description("run a program as a P4Runtime switch, with the command line of simple_switch_grpc")
    .argument("[program]", "BMv2 JSON or P4-16 source")
    .addOption(
      repeatable(
        "-i, --interface <port@name>",
        "a port: a network interface, or NAME,netns=PATH for one in another namespace; with --use-files: name_in.pcap and name_out.pcap",
      ),
    )
    .option("--use-files <seconds>", "ports are pcap files, read after so many seconds")
    .option("--exit-when-done", "with --use-files: end when all packets went through")
    .option("--pcap <dir>", "capture every port to DIR; `--pcap` alone: to the current folder")
    .option("--p4info <file>", "P4Info of a BMv2 JSON (default: the one beside it)")
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
    .option("--grpc-server-cacert <file>", "CA certificate to check clients with (PEM)")
    .option("--grpc-server-with-client-auth", "clients have to show a certificate")
    .option("--cpu-port <n>", "port of packet-in and packet-out (default: none)")
    .option("--drop-port <n>", "value of egress_spec that drops (default: 511)")
    .option("--priority-queues <n>", "queues a port (default: 1)")
    .option("-L, --log-level <level>", "trace, debug, info, warn, error or off (default: trace)")
    .option("--log-console", "log to stdout")
    .option("--log-file <file>", "log to FILE.txt")
    .option("--log-file-max-size <bytes>", "start a new log file beyond (default: 5242880)")
    .option("--log-file-max-files <n>", "older log files that are kept (default: 3)")
    .option("--dump-packet-data <bytes>", "log so many bytes of every packet (default: 0)")
    .option("--trace <file>", "tell what happens to every packet, one JSON document a line; `-`: to stdout")
    .option("--trace-max-size <bytes>", "start a new trace file beyond (default: 104857600)")
    .option("--json-version", "print the version of BMv2 JSON that is understood");
  for (const flags of [...WITHOUT_EFFECT, ...NOT_AVAILABLE]) command.addOption(new Option(flags).hideHelp());
  return command.addHelpText(
    "after",
    "\nA `--` before the options of the gRPC target is allowed, as simple_switch_grpc wants it.",
  );
}

/**
 * What commander cannot read as simple_switch_grpc does, given the whole `process.argv`: the `--` between general and
 * target options goes; `--pcap` takes a folder only behind `=`, so that `--pcap prog.json` names a program.
 */
export function switchArgv(argv: readonly string[]): string[] {
  if (argv[2] !== "switch") return [...argv];
  return argv.flatMap((word) => (word === "--" ? [] : word === "--pcap" ? ["--pcap=."] : [word]));
}
