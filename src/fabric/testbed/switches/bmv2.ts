/** BMv2's simple_switch_grpc as the switch of a lab: where it is, and what it was built with. */
import { existsSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fail } from "../../../base/index.js";
import { CODES } from "../codes.js";
import { command, NOT_FOUND_STATUS } from "../system/command.js";

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
