/** Converts an experiment file to a project of a lab: its topology, with the programs and entries of one of its schemes. */
import { DiagnosticError, Diagnostics, fail, given } from "../../base/index.js";
import { loadNetworkOf, type NetworkOfFile } from "../../fabric/experiment/index.js";
import { type Topology, type TopologyNode, tierOf } from "../../fabric/topology/index.js";
import { type Printer, statementOf } from "../../toolchain/control/index.js";
import { formatValue } from "../../toolchain/device/index.js";
import { compile } from "../../toolchain/p4/index.js";
import { P4InfoIndex } from "../../toolchain/program/index.js";
import type {
  LabPlan,
  LabProject,
  LabScheme,
  PlannedHost,
  PlannedSwitch,
  SchemeFacts,
} from "../lab/index.js";
import { CODES } from "./codes.js";
import { schemeInLab } from "./scheme-in-lab.js";

/** Maximum number of nodes that a page can show and the simulator can run in real time. */
const MAX_NODES = 200;
/** The address of the switch as the default router in the routes of a host. */
const GATEWAY = "169.254.0.1";

/**
 * Fails with the errors of the file, with P46057 for a scheme that the file does not have, with P46056 if the network
 * is too large.
 */
export async function projectOfExperiment(
  path: string,
  scheme: string | undefined,
  diagnostics: Diagnostics,
): Promise<{ project: LabProject; scheme?: LabScheme }> {
  const network = await loadNetworkOf(path, scheme, diagnostics);
  if (network === undefined) throw new DiagnosticError(diagnostics.list);
  const { topology, title, labels } = network;
  if (scheme !== undefined && network.scheme === undefined)
    fail(CODES.noScheme, undefined, `${path} has no scheme ${scheme}`, `its schemes: ${labels.join(", ")}`);
  if (topology.nodes.length > MAX_NODES)
    fail(
      CODES.tooManyNodes,
      undefined,
      `the topology of ${path} has ${topology.nodes.length} nodes; the maximum of a lab is ${MAX_NODES}`,
      "use a smaller topology of the same kind",
    );
  const files: Record<string, string> = {};
  for (const [name, text] of network.programs) files[`${name}.p4`] = text;
  const entries = statementsOf(network, files);
  const facts = factsOf(network);
  const project: LabProject = {
    title,
    files,
    open: { kind: "plan", plan: planOf(topology, network, entries) },
    ...given({ scheme: facts }),
  };
  return network.scheme === undefined
    ? { project }
    : { project, scheme: schemeInLab(topology, network.scheme, network.machine) };
}

function factsOf({ scheme, topology, machine, otherKeys, ip }: NetworkOfFile): SchemeFacts | undefined {
  if (scheme === undefined) return undefined;
  const { plan, label } = scheme;
  const hasQueues = topology.links.some(
    ({ ratePps, queuePackets }) => ratePps !== undefined || queuePackets !== undefined,
  );
  const keys = otherKeys.map((key) => `"${key}"`).join(", ");
  return {
    label,
    controllers: (plan.controllers ?? []).map(({ name }) => name),
    hostPolicy: plan.hosts.kind !== "fixed",
    settings:
      hasQueues ||
      plan.switches.some(({ settings = [], generators = [] }) => settings.length + generators.length > 0),
    leftOut: [
      ...(otherKeys.length > 0
        ? [`A lab does not use the keys ${keys} of the file: start flows and break links yourself.`]
        : []),
      ...(machine.queues.pfc === undefined
        ? []
        : [
            "A lab has no priority flow control (queues.pfc): its switches drop what their queues have no room for.",
          ]),
      ...(machine.queues.trim === undefined
        ? []
        : ["A lab trims no packets (queues.trim): its switches drop what their queues have no room for."]),
      ...(ip === 6 ? ["The file's traffic is IPv6; flows that you start on this page are IPv4."] : []),
      ...(scheme.assign === undefined
        ? []
        : [
            "The scheme needs a list of all flows in advance; flows that you start on this page are not in it.",
          ]),
    ],
  };
}

/** Writes the planned state of each switch as a file of statements. Returns the paths of the files by node index. */
function statementsOf(
  { scheme, programs }: NetworkOfFile,
  files: Record<string, string>,
): Map<number, string> {
  const printers = new Map<string, Printer>();
  for (const [name, text] of programs) {
    const result = compile({ file: text }, new Diagnostics());
    if (result !== undefined)
      printers.set(name, { index: new P4InfoIndex(result.program.p4info), naming: undefined });
  }
  const paths = new Map<number, string>();
  for (const { node, program, updates } of scheme?.plan.switches ?? []) {
    const printer = printers.get(program);
    if (printer === undefined || updates.length === 0) continue;
    const path = `entries/node-${node}.txt`;
    files[path] = `${updates.map(({ entity }) => statementOf(printer, entity)).join("\n")}\n`;
    paths.set(node, path);
  }
  return paths;
}

function planOf(
  topology: Topology,
  { scheme }: NetworkOfFile,
  entries: ReadonlyMap<number, string>,
): LabPlan {
  const { nodes, links } = topology;
  const programOf = new Map(scheme?.plan.switches.map(({ node, program }) => [node, program]));
  const hosts = nodes.filter(({ role }) => role === "host").map((node) => plannedHost(topology, node));
  const switches = nodes
    .filter(({ role }) => role !== "host")
    .map((node): PlannedSwitch => {
      const program = programOf.get(node.index);
      const commands = entries.get(node.index);
      return {
        name: node.name,
        ...(program === undefined ? {} : { program: `${program}.p4` }),
        ...given({ commands }),
        ...(node.role === "switch" && node.tier === undefined ? {} : { tier: tierOf(node) }),
      };
    });
  const end = ({ node, port }: { node: number; port: number }) => ({ node: nodes[node]!.name, port });
  return {
    hosts,
    switches,
    links: links.map(({ a, b, rateBps, delayNs }) => ({ a: end(a), b: end(b), rateBps, delayNs })),
  };
}

function plannedHost({ nodes }: Topology, { name, mac, host, ports }: TopologyNode): PlannedHost {
  return {
    name,
    mac: formatValue(mac, 48, "mac"),
    ipv4: formatValue(host!.ipv4, 32, "ipv4"),
    ipv6: formatValue(host!.ipv6, 128, "ipv6"),
    prefixLength: 32,
    commands: [`ip route add default via ${GATEWAY} dev eth0`],
    gateways: ports.map(({ peer }) => formatValue(nodes[peer]!.mac, 48, "mac")),
  };
}
