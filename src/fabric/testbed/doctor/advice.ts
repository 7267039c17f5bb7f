/** Which commands work on this machine, and what to install for the others. */
import type { Finding, FindingName } from "./examine.js";

export interface Use {
  /** A command, as it is typed. */
  readonly command: string;
  readonly works: boolean;
  /** Findings that the command lacks. */
  readonly lacks: readonly FindingName[];
}

const NAMESPACES = ["root", "namespaces", "iproute2", "tc", "ethtool"] as const;
/** Agents on the hosts of a testbed open interfaces with both engines. */
const AGENT = ["packet_sockets", "tun"] as const;

/** A command needs all of these. */
const NEEDS: readonly [command: string, needs: readonly FindingName[]][] = [
  ["p4loom generate, compile, check, stf, fit, trace, run --engine sim", ["node"]],
  ["p4loom switch (pcap files), shell", ["node"]],
  ["p4loom grade, lab", ["node"]],
  ["p4loom switch -i PORT@INTERFACE", ["packet_sockets"]],
  ["p4loom net TOPOLOGY.json", [...NAMESPACES, "packet_sockets"]],
  ["p4loom net TOPOLOGY.json --engine bmv2", [...NAMESPACES, "simple_switch_grpc"]],
  ["p4loom grade --engine switch, lab --engine testbed", [...NAMESPACES, "packet_sockets"]],
  ["p4loom grade --engine bmv2", [...NAMESPACES, "simple_switch_grpc"]],
  ["p4loom run FILE --engine switch", [...NAMESPACES, ...AGENT]],
  ["p4loom run FILE --engine bmv2", [...NAMESPACES, "simple_switch_grpc", ...AGENT]],
  ["--network mininet", [...NAMESPACES, "mininet"]],
  ["links with a delay (else --allow-missing delay)", [...NAMESPACES, "netem"]],
  ["registers, queues, link down on BMv2", ["simple_switch_CLI"]],
  ["pingall and pingpair of p4loom net", [...NAMESPACES, "ping"]],
  ["iperf of p4loom net, iperf3 as traffic generator", ["iperf3"]],
  ["--p4c", ["p4c"]],
];

/** Rates need one of two kernel features. */
const RATES = "links with a rate (else --allow-missing rate)";

const PACKAGES: Partial<Record<FindingName, string>> = {
  iproute2: "iproute2",
  tc: "iproute2",
  ethtool: "ethtool",
  ping: "iputils-ping",
  iperf3: "iperf3",
  mininet: "mininet",
};

export interface Advice {
  readonly uses: readonly Use[];
  /** One command line for Debian and Ubuntu; undefined where no Debian package is missing. */
  readonly install: string | undefined;
  /** The needs that no Debian package meets. */
  readonly notes: readonly string[];
}

export function advise(findings: readonly Finding[]): Advice {
  const ok = new Map(findings.map((finding) => [finding.name, finding.ok]));
  const lacking = (needs: readonly FindingName[]): FindingName[] => needs.filter((name) => !ok.get(name));
  const uses = NEEDS.map(([command, needs]): Use => {
    const lacks = lacking(needs);
    return { command, works: lacks.length === 0, lacks };
  });
  const shapers = lacking(["htb", "tbf"]);
  const rates: Use = {
    command: RATES,
    works: lacking(NAMESPACES).length === 0 && shapers.length < 2,
    lacks: [...lacking(NAMESPACES), ...(shapers.length < 2 ? [] : shapers)],
  };
  uses.splice(
    uses.findIndex(({ command }) => command.startsWith("links with a delay")),
    0,
    rates,
  );
  const packages = findings.filter((finding) => !finding.ok).map(({ name }) => PACKAGES[name]);
  const wanted = [...new Set(packages.filter((name) => name !== undefined))].sort();
  return {
    uses,
    install: wanted.length === 0 ? undefined : `apt-get install --no-install-recommends ${wanted.join(" ")}`,
    // things that only root can test may be there
    notes: NOTES.filter(([name, , needs]) => !ok.get(name) && lacking(needs).length === 0).map(
      ([, note]) => note,
    ),
  };
}

const NOTES: readonly [FindingName, note: string, needs: readonly FindingName[]][] = [
  ["root", "namespaces and interfaces need root: sudo p4loom doctor then shows what this machine has", []],
  [
    "packet_sockets",
    "our switch and the agents on hosts open interfaces with koffi, an optional dependency: npm install koffi",
    ["root"],
  ],
  [
    "netem",
    "netem is a module of the kernel: modprobe sch_netem, where the kernel comes with it",
    ["namespaces"],
  ],
  [
    "simple_switch_grpc",
    "BMv2 is not in Debian; wherever it is built: --bmv2 PATH. --engine switch does without",
    [],
  ],
  ["p4c", "p4c is not in Debian; wherever it is built: --p4c PATH. Our own compiler does without", []],
];
