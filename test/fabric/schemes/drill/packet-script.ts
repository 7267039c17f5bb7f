/**
 * The packet tests beside DRILL's programs in p4/. Before each packet that may take several ports, the registers are written so that the remembered
 * next hop has the only short queue: then no draw finds a better one.
 */
import { toHex } from "../../../../src/base/index.js";
import type { FabricPlan } from "../../../../src/fabric/schemes/index.js";
import { nodeNamed, type Topology } from "../../../../src/fabric/topology/index.js";
import type { ActionCall, Update } from "../../../../src/toolchain/device/index.js";
import type { ProgramPlan } from "../../../../src/toolchain/generate/index.js";
import { passedOn, SWITCH_OF_ROLE, stateLines } from "../packet-script.js";
import { segment } from "./bench.js";

const TARGETS = ["host0-0-1", "host0-1-0", "host1-1-1"] as const;

/** Frames that leave, and a drop counter. */
export const DRILL_EXPECTATIONS: Readonly<Record<string, number>> = {
  "tor.p4": 10,
  "leaf.p4": 9,
  "spine.p4": 4,
};

/** The action of the longest route of an address. */
export function routeOf(updates: readonly Update[], address: bigint): ActionCall | undefined {
  const routes = updates.flatMap(({ entity }) => {
    if (entity.kind !== "tableEntry" || !entity.table.endsWith(".ipv4_routes")) return [];
    const [match] = entity.match;
    if (entity.action?.kind !== "action") return [];
    if (match === undefined) return [{ length: 0, action: entity.action }];
    if (match.kind !== "lpm") return [];
    const shift = BigInt(32 - match.prefixLength);
    return match.value >> shift === address >> shift
      ? [{ length: match.prefixLength, action: entity.action }]
      : [];
  });
  return routes.sort((a, b) => b.length - a.length)[0]?.action;
}

/** Ports of a set of next hops, by their numbers. */
export function portsOfSet(updates: readonly Update[], set: bigint): number[] {
  const ports: number[] = [];
  for (const { entity } of updates) {
    if (entity.kind !== "tableEntry" || !entity.table.endsWith(".look_0") || entity.action?.kind !== "action")
      continue;
    const [own, draw] = entity.match.map((match) => (match.kind === "exact" ? match.value : -1n));
    if (own === set) ports[Number(draw)] = Number(entity.action.params["port"]);
  }
  return ports;
}

export function drillPacketScript(topology: Topology, plan: FabricPlan, program: ProgramPlan): string {
  const node = nodeNamed(topology, SWITCH_OF_ROLE[program.name]!)!;
  const { updates } = plan.switches.find((own) => own.node === node.index)!;
  const lines = [
    `# ${program.name}.p4 with the state of ${node.name} in examples/topologies/clos.yaml:`,
    `# p4loom stf p4/drill/${program.name}.p4 p4/drill/${program.name}.stf`,
    "",
    ...stateLines({ node: node.index, program: program.name, updates }),
  ];
  const expect = (port: number, frame: Uint8Array) =>
    lines.push(`expect ${port} ${toHex(passedOn(topology, node, port, frame, "ipv4"))} $`);
  for (const target of TARGETS) {
    const frame = segment("host0-0-0", target, 1000, topology);
    const action = routeOf(updates, nodeNamed(topology, target)!.host!.ipv4);
    if (action === undefined) throw new Error(`${node.name} has no route to ${target}`);
    const send = (what: string) =>
      lines.push("", `# ${what}`, `packet ${node.ports.at(-1)!.number} ${toHex(frame)}`);
    if (action.action.endsWith("to_port")) {
      send(`to ${target}`);
      expect(Number(action.params["port"]), frame);
      continue;
    }
    const set = action.params["next_hops"]!;
    const ports = portsOfSet(updates, set);
    for (const [draw, port] of ports.entries()) {
      lines.push("", `register_write FabricIngress.last ${set} ${draw}`);
      for (const other of ports) lines.push(`register_write queued ${other} ${other === port ? 1 : 9}`);
      send(`to ${target} by port ${port}, which is remembered and has the shortest queue`);
      expect(port, frame);
    }
  }
  const arp = segment("host0-0-0", TARGETS[2], 1000, topology);
  arp.set([0x08, 0x06], 12);
  lines.push("", "# neither IPv4 nor IPv6", `packet 1 ${toHex(arp)}`, "no_packet", "");
  lines.push("check_counter FabricIngress.drops(1) packets == 1", "");
  return lines.join("\n");
}
