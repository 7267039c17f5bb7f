/** Tests which of the programs and kernel features that p4loom can use this machine has. */

import { existsSync } from "node:fs";
import { defined } from "../../../base/index.js";
import { findMininetPython } from "../network/mininet.js";
import { bmv2Features, onPath } from "../switches/command-line.js";
import { command, NOT_FOUND_STATUS } from "../system/command.js";
import { probeQdiscs } from "../system/qdiscs.js";

export interface Finding {
  readonly name: FindingName;
  readonly ok: boolean;
  /** Version and path, or why it is missing. */
  readonly detail: string;
}

/** In the order in which they are printed. */
const PROBES = {
  node: () => nodeVersion(),
  root: () => root(),
  iproute2: () => version(["ip", "-V"], /iproute2-(\S+?),?(?:\s|$)/),
  tc: () => version(["tc", "-V"], /iproute2-(\S+?),?(?:\s|$)/),
  ethtool: () => version(["ethtool", "--version"], /version (\S+)/),
  tun: () => tun(),
  ping: () => version(["ping", "-V"], /iputils (\S+)/),
  iperf3: () => version(["iperf3", "--version"], /iperf (\S+)/),
  mininet: () => mininet(),
  simple_switch_grpc: (given: Given) => bmv2(given.bmv2, "simple_switch_grpc"),
  simple_switch: () => bmv2(undefined, "simple_switch"),
  simple_switch_CLI: (given: Given) => switchCli(given.bmv2),
  p4c: (given: Given) => p4c(given.p4c),
} as const satisfies Record<string, (given: Given) => Promise<Answer>>;

export type FindingName = keyof typeof PROBES | "namespaces" | "packet_sockets" | "htb" | "tbf" | "netem";

type Answer = readonly [ok: boolean, detail: string];

/** Paths that are not on PATH, and facts that only the command line knows. */
export interface Given {
  readonly bmv2?: string;
  readonly p4c?: string;
  /** Whether our switch can open network interfaces. */
  readonly interfaces: { readonly ok: true } | { readonly ok: false; readonly reason: string };
}

/** Tests everything; takes one or two seconds. */
export async function examine(given: Given): Promise<Finding[]> {
  const entries = Object.entries(PROBES) as [keyof typeof PROBES, (given: Given) => Promise<Answer>][];
  const answers = await Promise.all(entries.map(([, probe]) => probe(given)));
  const findings = entries.map(([name], i): Finding => finding(name, defined(answers[i])));
  const { interfaces } = given;
  const packets: Answer = interfaces.ok ? [true, "koffi, AF_PACKET"] : [false, interfaces.reason];
  const at = findings.findIndex(({ name }) => name === "iproute2");
  const qdiscs = await probeQdiscs();
  const reason = "reason" in qdiscs ? qdiscs.reason : undefined;
  findings.splice(
    at,
    0,
    finding("namespaces", reason === undefined ? [true, "permitted"] : [false, reason]),
    finding("packet_sockets", packets),
  );
  const kernel = (["htb", "tbf", "netem"] as const).map((name) => {
    if ("reason" in qdiscs) return finding(name, [false, "unknown: no namespace to try it in"]);
    return finding(name, [qdiscs[name], qdiscs[name] ? "tried" : `this kernel has no sch_${name}`]);
  });
  findings.splice(
    findings.findIndex(({ name }) => name === "tun"),
    0,
    ...kernel,
  );
  return findings;
}

function finding(name: FindingName, [ok, detail]: Answer): Finding {
  return { name, ok, detail };
}

async function nodeVersion(): Promise<Answer> {
  return [true, process.version];
}

async function root(): Promise<Answer> {
  const uid = process.getuid?.();
  return uid === 0 ? [true, "yes"] : [false, uid === undefined ? "not on this system" : `user ${uid}`];
}

/** The version that a command prints of itself. */
async function version(argv: readonly string[], pattern: RegExp): Promise<Answer> {
  const { status, stdout, stderr } = await command(argv);
  if (status === NOT_FOUND_STATUS) return [false, "not installed"];
  const text = `${stdout}\n${stderr}`;
  return [true, pattern.exec(text)?.[1] ?? defined(text.trim().split("\n")[0])];
}

async function tun(): Promise<Answer> {
  return existsSync("/dev/net/tun") ? [true, "/dev/net/tun"] : [false, "there is no /dev/net/tun"];
}

async function mininet(): Promise<Answer> {
  const python = await findMininetPython();
  if (python === undefined) return [false, "not installed"];
  const [, text] = await version([python, "-I", "-c", "import mininet.net as n; print(n.VERSION)"], /(\S+)/);
  return [true, `${text} (${python})`];
}

/** What a BMv2 may be built with, in words. */
const FEATURES = [
  ["thrift", "Thrift"],
  ["nanomsg", "nanomsg events"],
  ["debugger", "debugger"],
  ["tls", "TLS"],
] as const;

async function bmv2(given: string | undefined, name: string): Promise<Answer> {
  const path = given ?? onPath(name);
  if (path === undefined) return [false, "not on PATH"];
  const [, number] = await version([path, "--version"], /(\d\S*)/);
  const json = await command([path, "--json-version"]);
  const features = await bmv2Features(path);
  if (features === undefined) return [false, `${path} cannot be run`];
  const flags = FEATURES.filter(([feature]) => features[feature]).map(([, meaning]) => meaning);
  const built = flags.length === 0 ? "" : `, built with ${flags.join(", ")}`;
  return [true, `${number} (${path}), JSON ${json.stdout.trim()}${built}`];
}

async function switchCli(bmv2: string | undefined): Promise<Answer> {
  const beside = bmv2?.replace(/[^/]*$/, "simple_switch_CLI");
  const path = beside !== undefined && existsSync(beside) ? beside : onPath("simple_switch_CLI");
  return path === undefined ? [false, "not on PATH"] : [true, path];
}

async function p4c(given: string | undefined): Promise<Answer> {
  const path = given ?? onPath("p4c-bm2-ss") ?? onPath("p4c");
  if (path === undefined) return [false, "not on PATH"];
  const [there, number] = await version([path, "--version"], /Version (\S+)/);
  return there ? [true, `${number} (${path})`] : [false, `${path} cannot be run`];
}
