/**
 * The packet tests beside P4TE's programs in p4/: the state of one switch of each role as commands of simple_switch_CLI, then packets
 * and what must come of them. The upward port is worked out here, from the plan and a CRC of our own.
 */
import { toHex } from "../../../../src/base/index.js";
import type { FlowKey } from "../../../../src/base/packets/index.js";
import type { FabricPlan } from "../../../../src/fabric/schemes/index.js";
import {
  computeRoutes,
  nodeNamed,
  type Topology,
  type TopologyNode,
} from "../../../../src/fabric/topology/index.js";
import type { Match, MeterConfig, Update } from "../../../../src/toolchain/device/index.js";
import type { HashChoice, ProgramPlan } from "../../../../src/toolchain/generate/index.js";
import { crc, pack } from "../crc.js";
import { frameOf } from "../frames.js";
import { callText, keyText, paramText, passedOn } from "../packet-script.js";

const SWITCH_OF_ROLE: Readonly<Record<string, string>> = {
  tor: "tor0-0",
  leaf: "leaf0-0",
  spine: "spine0-0",
};
const TARGETS = ["host0-0-1", "host0-1-0", "host1-1-1"] as const;
const DROPS = { arp: 1, checksum: 2, ttl: 3 } as const;

/** Expectations of each script: packets to three hosts with three classes in two families, and the drops with their counters. */
export const EXPECTATIONS = 2 * TARGETS.length * 3 + 3;

export function p4tePacketScript(topology: Topology, plan: FabricPlan, program: ProgramPlan): string {
  const node = nodeNamed(topology, SWITCH_OF_ROLE[program.name]!)!;
  const { updates } = plan.switches.find((own) => own.node === node.index)!;
  return [
    `# ${program.name}.p4 with the state of ${node.name} in examples/topologies/clos.yaml:`,
    `# p4loom stf p4/${plan.scheme}/${program.name}.p4 p4/${plan.scheme}/${program.name}.stf`,
    "",
    ...new Commands().of(updates),
    ...packetLines(topology, updates, program, node),
    "",
  ].join("\n");
}

/** Handles count from 0 in the order of making: members and groups by profile, entries by table, nodes of groups of copies. */
class Commands {
  readonly #made = new Map<string, number>();
  readonly #handles = new Map<string, number>();

  #next(what: string): number {
    const handle = this.#made.get(what) ?? 0;
    this.#made.set(what, handle + 1);
    return handle;
  }

  of(updates: readonly Update[]): string[] {
    return updates.flatMap((update) => this.#line(update));
  }

  #line({ entity }: Update): string[] {
    switch (entity.kind) {
      case "member":
        this.#handles.set(`${entity.profile} ${entity.memberId}`, this.#next(entity.profile));
        return [`act_prof_create_member ${entity.profile} ${callText(entity.action)}`];
      case "group": {
        const { profile } = entity;
        const group = this.#next(`group of ${profile}`);
        this.#handles.set(`group ${entity.groupId}`, group);
        return [
          `act_prof_create_group ${profile}`,
          ...entity.members.map(
            ({ memberId }) =>
              `act_prof_add_member_to_group ${profile} ${this.#handles.get(`${profile} ${memberId}`)} ${group}`,
          ),
        ];
      }
      case "cloneSession": {
        const { sessionId, replicas } = entity;
        return [
          `mc_mgrp_create ${sessionId}`,
          ...replicas.flatMap(({ port, instance }) => [
            `mc_node_create ${instance} ${port}`,
            `mc_node_associate ${sessionId} ${this.#next("node")}`,
          ]),
          `mirroring_add_mc ${sessionId} ${sessionId}`,
        ];
      }
      case "directMeter":
        return [
          `meter_set_rates ${METERS[entity.entry.table]} ${this.#handles.get(entryKey(entity.entry))} ${rates(entity.config!)}`,
        ];
      case "tableEntry": {
        const { table, match, action, priority } = entity;
        if (entity.isDefault && action?.kind === "action")
          return [`table_set_default ${table} ${callText(action)}`];
        this.#handles.set(entryKey(entity), this.#next(`entry of ${table}`));
        // The smaller number wins in a command.
        const rank = priority === 0 ? "" : ` ${100 - priority}`;
        if (action?.kind === "group")
          return [
            `table_indirect_add_with_group ${table} ${wideKey(match)} => ${this.#handles.get(`group ${action.groupId}`)}${rank}`,
          ];
        if (action?.kind !== "action") throw new Error("a plan writes groups and actions");
        return [
          `table_add ${table} ${action.action} ${keyText(match)} => ${paramText(action)}${rank}`.trimEnd(),
        ];
      }
      default:
        throw new Error(`a plan writes no ${entity.kind}`);
    }
  }
}

const METERS: Readonly<Record<string, string>> = {
  "FabricEgress.link_rates": "FabricEgress.link_meter",
  "FabricIngress.class_rates": "FabricIngress.class_meter",
};

function entryKey({ table, match }: { table: string; match: readonly Match[] }): string {
  return `${table} ${keyText(match.filter((part) => part.kind !== "ternary"))} ${wideKey(match)}`;
}

function wideKey(match: readonly Match[]): string {
  return match
    .map((part) => {
      if (part.kind === "exact") return String(part.value);
      return part.kind === "ternary" ? `0x${part.value.toString(16)}&&&0x${part.mask.toString(16)}` : "";
    })
    .join(" ");
}

/** Units per microsecond. */
function rates({ committedRate, committedBurst, peakRate, peakBurst }: MeterConfig): string {
  return `${Number(committedRate) / 1e6}:${committedBurst} ${Number(peakRate) / 1e6}:${peakBurst}`;
}

function packetLines(
  topology: Topology,
  updates: readonly Update[],
  program: ProgramPlan,
  node: TopologyNode,
): string[] {
  const lines: string[] = [];
  const send = (what: string, port: number, frame: Uint8Array, out?: { port: number; frame: Uint8Array }) => {
    lines.push("", `# ${what}`, `packet ${port} ${toHex(frame)}`);
    lines.push(out === undefined ? "no_packet" : `expect ${out.port} ${toHex(out.frame)} $`);
  };
  const source = nodeNamed(topology, "host0-0-0")!;
  for (const family of ["ipv4", "ipv6"] as const)
    for (const [i, name] of TARGETS.entries())
      for (const [j, dscp] of [0, 2, 4].entries()) {
        const target = nodeNamed(topology, name)!;
        const flow: FlowKey = {
          src: source.host![family],
          dst: target.host![family],
          protocol: i === 1 ? 17 : 6,
          srcPort: 40000 + 7 * i + j,
          dstPort: 5201,
        };
        const frame = frameOf({
          family,
          flow,
          field: "dscp",
          selector: dscp,
          dstMac: node.mac,
          srcMac: source.mac,
        });
        const port = portOf(topology, updates, program, node, target, flow);
        const way = `${family === "ipv4" ? "IPv4" : "IPv6"} to ${name}, DSCP ${dscp}`;
        send(way, inPort(node, port), frame, { port, frame: passedOn(topology, node, port, frame, family) });
      }
  const flow: FlowKey = {
    src: source.host!.ipv4,
    dst: nodeNamed(topology, TARGETS[2])!.host!.ipv4,
    protocol: 6,
    srcPort: 40000,
    dstPort: 5201,
  };
  const good = (ttl: number) =>
    frameOf({ family: "ipv4", flow, field: "dscp", selector: 0, ttl, dstMac: node.mac, srcMac: source.mac });
  const arp = good(64);
  arp.set([0x08, 0x06], 12);
  const broken = good(64);
  broken[24]! ^= 0xff;
  send("neither IPv4 nor IPv6", 1, arp);
  send("a wrong IPv4 checksum", 1, broken);
  send("TTL 1 does not pass", 1, good(1));
  lines.push("");
  for (const index of Object.values(DROPS))
    lines.push(`check_counter FabricIngress.drops(${index}) packets == 1`);
  return lines;
}

function inPort(node: TopologyNode, out: number): number {
  return node.ports.find(({ number }) => number !== out)!.number;
}

/** By the routes of the topology, and by the hash of the five-tuple among the equal ones. */
function portOf(
  topology: Topology,
  updates: readonly Update[],
  program: ProgramPlan,
  node: TopologyNode,
  target: TopologyNode,
  flow: FlowKey,
): number {
  const { hopSets, routes } = computeRoutes(topology).find((table) => table.node === node.index)!;
  const covers = ({ address, length }: { address: bigint; length: number }) =>
    target.host!.ipv4 >> BigInt(32 - length) === address >> BigInt(32 - length);
  const best = routes.filter(({ ipv4 }) => covers(ipv4)).sort((a, b) => b.ipv4.length - a.ipv4.length)[0]!;
  const hops = hopSets[best.hops]!;
  if (hops.ports.length === 1) return hops.ports[0]!;
  const way = hops.direction === "up" ? "up" : "down";
  const { directions } = program.values as {
    directions: readonly { name: string; hash: HashChoice }[];
  };
  const { algorithm, order } = directions.find(({ name }) => name === way)!.hash;
  const seeds = updates.flatMap(({ entity }) =>
    entity.kind === "tableEntry" && entity.isDefault && entity.action?.kind === "action"
      ? [entity.action.params]
      : [],
  )[0]!;
  const tuple = [
    { value: flow.src, width: 128 },
    { value: flow.dst, width: 128 },
    { value: BigInt(flow.protocol), width: 8 },
    { value: BigInt(flow.srcPort), width: 16 },
    { value: BigInt(flow.dstPort), width: 16 },
  ];
  const seed = { value: seeds[way]!, width: 16 };
  const input = order === "forward" ? [...tuple, seed] : [seed, ...tuple.toReversed()];
  return hops.ports[crc(algorithm, pack(input)) % hops.ports.length]!;
}
