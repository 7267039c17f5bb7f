/** The options of `p4loom shell`. */

import type { Command } from "commander";
import { fail, given } from "../../base/index.js";
import { CODES } from "../codes.js";
import { repeatable } from "../switch/switch-options.js";

/** The options as commander returns them; {@link checkShell} checks them. */
export interface ShellArguments {
  deviceId?: string;
  electionId?: string;
  role?: string;
  takeOver?: boolean;
  readOnly?: boolean;
  p4info?: string;
  config?: string;
  script: string[];
  command: string[];
  interactive?: boolean;
  json?: boolean;
  timeout?: string;
  tlsCa?: string;
  tlsCert?: string;
  tlsKey?: string;
  tlsName?: string;
}

/** Adds argument and options; the caller adds the action. */
export function defineShell(command: Command): Command {
  return command
    .description("read, write and watch a P4Runtime switch by the names of its program")
    .argument("<address>", "HOST:PORT of the switch; a port number alone means this machine; or unix:PATH")
    .option("--device-id <n>", "P4Runtime device id (default: 0)")
    .option("--election-id <n>", "claim the switch with this id (default: one above the highest existing id)")
    .option("--role <name>", "claim this role (default: full access)")
    .option("--take-over", "become primary even if another controller is primary")
    .option("--read-only", "only read: do not claim the switch, write nothing, send no packets")
    .option(
      "--config <file>",
      "load this program first: P4-16, or BMv2 JSON with its P4Info in the same folder",
    )
    .option("--p4info <file>", "P4Info of --config")
    .addOption(
      repeatable("--script <file>", "run a file: statements, simple_switch_CLI commands or sN-runtime.json"),
    )
    .addOption(repeatable("-c, --command <statement>", "run a statement, after all --script"))
    .option("-i, --interactive", "continue at the terminal after --script and -c")
    .option("--json", "print one JSON document in place of lines")
    .option("--timeout <seconds>", "limit for the connection and for each call (default: 10)")
    .option("--tls-ca <file>", "TLS: CA certificate of the switch (PEM)")
    .option("--tls-cert <file>", "client certificate, if the switch requires one (PEM)")
    .option("--tls-key <file>", "its private key (PEM)")
    .option("--tls-name <name>", "name in the switch's certificate, if it is not the host's")
    .addHelpText(
      "after",
      "\nWithout --script and -c statements are read from the terminal, or from stdin. `help` lists them.",
    );
}

export interface ShellSetup {
  address: string;
  deviceId: bigint;
  electionId?: bigint;
  timeoutMs?: number;
  args: ShellArguments;
}

/** Fails with P40005, which is wrong usage. */
export function checkShell(address: string, args: ShellArguments): ShellSetup {
  const number = (option: string, text: string | undefined, bits: number): bigint | undefined => {
    if (text === undefined) return undefined;
    if (/^\d+$/.test(text) && BigInt(text) >> BigInt(bits) === 0n) return BigInt(text);
    fail(CODES.wrongValue, undefined, `${option} ${text}: expected a whole number below 2^${bits}`);
  };
  const electionId = number("--election-id", args.electionId, 128);
  if (args.p4info !== undefined && args.config === undefined)
    fail(
      CODES.wrongValue,
      undefined,
      "--p4info needs --config: the P4Info of a running program comes from the switch",
    );
  if (args.readOnly && args.config !== undefined)
    fail(CODES.wrongValue, undefined, "--config writes: it cannot go with --read-only");
  if ((args.tlsCert === undefined) !== (args.tlsKey === undefined))
    fail(CODES.wrongValue, undefined, "--tls-cert and --tls-key go together");
  if (args.json && args.interactive)
    fail(CODES.wrongValue, undefined, "--json prints one document at the end: not with --interactive");
  const seconds = args.timeout === undefined ? undefined : Number(args.timeout);
  if (seconds !== undefined && !(seconds > 0 && seconds <= 3600))
    fail(CODES.wrongValue, undefined, `--timeout ${args.timeout}: expected seconds, above 0 and up to 3600`);
  return {
    address: /^\d+$/.test(address) ? `127.0.0.1:${address}` : address,
    deviceId: number("--device-id", args.deviceId, 64) ?? 0n,
    ...given({ electionId }),
    ...given({ timeoutMs: seconds === undefined ? undefined : Math.round(1000 * seconds) }),
    args,
  };
}
