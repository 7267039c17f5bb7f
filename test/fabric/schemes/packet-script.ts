/**
 * The packet tests beside the programs in p4/: for each program the state of one switch of its role, as commands of
 * simple_switch_CLI, then packets and what must come of them. What must come is worked out here, from the plan and
 * a CRC of our own, not by a switch.
 */

import { toBytes, toHex } from "../../../src/base/index.js";
import type { FlowKey } from "../../../src/base/packets/index.js";
import { FIELD_BITS, type SelectorField } from "../../../src/base/packets/index.js";
import type { FabricPlan, SwitchPlan } from "../../../src/fabric/schemes/index.js";
import { compileFabric } from "../../../src/fabric/schemes/pecmp/fabric.js";
import { type Hop, readSlice } from "../../../src/fabric/schemes/pecmp/layout.js";
import { pecmpParameters } from "../../../src/fabric/schemes/pecmp/parameters.js";
import { nodeNamed, type Topology, type TopologyNode } from "../../../src/fabric/topology/index.js";
import type { ActionCall, Match } from "../../../src/toolchain/device/index.js";
import type { HashChoice, ProgramPlan } from "../../../src/toolchain/generate/index.js";
import { crc, pack } from "./crc.js";
import { checksum, frameOf } from "./frames.js";
import { ModelSwitch } from "./model-switch.js";

/** The switch whose state the test of a role has. */
export const SWITCH_OF_ROLE: Readonly<Record<string, string>> = {
  tor: "tor0-0",
  leaf: "leaf0-0",
  spine: "spine0-0",
};

/** Hosts of the rack below, of the same pod and of the other one. */
const TARGETS = ["host0-0-1", "host0-1-0", "host1-1-1"] as const;

const DROPS = { arp: 1, checksum: 2, ttl: 3 } as const;

export function packetScript(
  topology: Topology,
  plan: FabricPlan,
  program: ProgramPlan,
  selectors: readonly number[] = [0, 1, 2],
): string {
  const node = nodeNamed(topology, SWITCH_OF_ROLE[program.name]!)!;
  const planned = plan.switches.find((own) => own.node === node.index)!;
  return [
    `# ${program.name}.p4 with the state of ${node.name} in examples/topologies/clos.yaml:`,
    `# p4loom stf p4/${plan.scheme}/${program.name}.p4 p4/${plan.scheme}/${program.name}.stf`,
    "",
    ...stateLines(planned),
    ...packetLines(topology, plan, program, planned, node, selectors),
    "",
  ].join("\n");
}

/** Handles of members and groups count from 0 in the order of making, in each action profile. */
export function stateLines({ updates }: SwitchPlan): string[] {
  const members = new Map<number, number>();
  const groups = new Map<number, number>();
  const made = new Map<string, number>();
  const next = (what: string) => {
    const handle = made.get(what) ?? 0;
    made.set(what, handle + 1);
    return handle;
  };
  return updates.flatMap((update): string[] => {
    const { entity } = update;
    switch (entity.kind) {
      case "member":
        members.set(entity.memberId, next(`member of ${entity.profile}`));
        return [`act_prof_create_member ${entity.profile} ${callText(entity.action)}`];
      case "group": {
        const handle = next(`group of ${entity.profile}`);
        groups.set(entity.groupId, handle);
        return [
          `act_prof_create_group ${entity.profile}`,
          ...entity.members.map(
            ({ memberId }) =>
              `act_prof_add_member_to_group ${entity.profile} ${members.get(memberId)} ${handle}`,
          ),
        ];
      }
      case "tableEntry": {
        const { table, match, action } = entity;
        if (action?.kind === "group")
          return [
            `table_indirect_add_with_group ${table} ${keyText(match)} => ${groups.get(action.groupId)}`,
          ];
        if (action?.kind !== "action") throw new Error("a plan writes groups and actions");
        const name = action.action;
        if (entity.isDefault) return [`table_set_default ${table} ${callText(action)}`];
        return [`table_add ${table} ${name} ${keyText(match)} => ${paramText(action)}`.trimEnd()];
      }
      case "multicastGroup": {
        const { groupId, replicas } = entity;
        const handle = next("multicast node");
        const ports = replicas.map(({ port }) => port).join(" ");
        return [
          `mc_mgrp_create ${groupId}`,
          `mc_node_create ${replicas[0]!.instance} ${ports}`,
          `mc_node_associate ${groupId} ${handle}`,
        ];
      }
      default:
        throw new Error(`a plan writes no ${entity.kind}`);
    }
  });
}

export function callText(call: ActionCall): string {
  return `${call.action} ${paramText(call)}`.trimEnd();
}

export function paramText({ params }: ActionCall): string {
  return Object.entries(params)
    .map(([name, value]) => (name === "mac" ? macText(value) : String(value)))
    .join(" ");
}

/** An absent field, which only a route of length 0 has, is written in full. */
export function keyText(match: readonly Match[]): string {
  if (match.length === 0) return "0/0";
  return match
    .map((part) => {
      if (part.kind === "exact") return String(part.value);
      if (part.kind !== "lpm") throw new Error("a plan has exact and lpm keys");
      const text = part.field.includes("ipv6") ? ipv6Text(part.value) : ipv4Text(part.value);
      return `${text}/${part.prefixLength}`;
    })
    .join(" ");
}

function macText(mac: bigint): string {
  return [...toBytes(mac, 6)].map((byte) => byte.toString(16).padStart(2, "0")).join(":");
}

function ipv4Text(address: bigint): string {
  return [...toBytes(address, 4)].join(".");
}

function ipv6Text(address: bigint): string {
  const bytes = toBytes(address, 16);
  return Array.from({ length: 8 }, (_, i) => ((bytes[2 * i]! << 8) | bytes[2 * i + 1]!).toString(16)).join(
    ":",
  );
}

function packetLines(
  topology: Topology,
  plan: FabricPlan,
  program: ProgramPlan,
  planned: SwitchPlan,
  node: TopologyNode,
  selectors: readonly number[],
): string[] {
  const model = new ModelSwitch(planned);
  const layout =
    plan.scheme === "pecmp"
      ? compileFabric(topology, pecmpParameters.parse({}), () => undefined).layout
      : undefined;
  const read = (hop: Hop, selector: number) => (layout === undefined ? 0 : readSlice(layout, hop, selector));
  const lines: string[] = [];
  const send = (what: string, port: number, frame: Uint8Array, out?: { port: number; frame: Uint8Array }) => {
    lines.push("", `# ${what}`, `packet ${port} ${toHex(frame)}`);
    lines.push(out === undefined ? "no_packet" : `expect ${out.port} ${toHex(out.frame)} $`);
  };

  const source = nodeNamed(topology, "host0-0-0")!;
  for (const family of ["ipv4", "ipv6"] as const)
    for (const [i, name] of TARGETS.entries())
      for (const selector of selectors) {
        const target = nodeNamed(topology, name)!;
        const flow: FlowKey = {
          src: source.host![family],
          dst: target.host![family],
          protocol: i === 1 ? 17 : 6,
          srcPort: 40000 + 7 * i + selector,
          dstPort: 5201,
        };
        const frame = frameOf({
          family,
          flow,
          field: plan.field,
          selector,
          dstMac: node.mac,
          srcMac: source.mac,
        });
        const up = node.role === "leaf" ? "leaf" : (node.role as "tor" | "spine");
        const down = node.role === "leaf" ? "legs" : up;
        const slices = { up: read(up, selector), down: read(down, selector) };
        const byPort = program.template.startsWith("hashing/");
        const ingress = byPort ? node.ports.at(-1)!.number : 0;
        const step = byPort
          ? model.forwardByPort(family, flow.dst, ingress, (number, seed) =>
              binHash(program, number, seed, flow),
            )
          : model.forward(family, flow.dst, slices, hashesOf(program, flow, selector, model.seeds));
        if ("drop" in step) throw new Error(`${node.name} drops: ${step.drop}`);
        const tagged = i === 2 && selector === 1;
        const wire = (plain: Uint8Array) => (tagged ? withTag(plain, 5) : plain);
        const what = `${family === "ipv4" ? "IPv4" : "IPv6"} to ${name}, selector ${selector}${tagged ? ", in VLAN 5" : ""}`;
        const next = passedOn(topology, node, step.port, frame, family);
        send(what, byPort ? ingress : inPort(node, step.port), wire(frame), {
          port: step.port,
          frame: wire(next),
        });
      }

  const flow: FlowKey = {
    src: source.host!.ipv4,
    dst: nodeNamed(topology, TARGETS[2])!.host!.ipv4,
    protocol: 6,
    srcPort: 40000,
    dstPort: 5201,
  };
  const good = (ttl: number) =>
    frameOf({
      family: "ipv4",
      flow,
      field: plan.field,
      selector: 0,
      ttl,
      dstMac: node.mac,
      srcMac: source.mac,
    });
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

/** Another port than the one that is taken. */
function inPort(node: TopologyNode, out: number): number {
  return node.ports.find(({ number }) => number !== out)!.number;
}

function withTag(frame: Uint8Array, id: number): Uint8Array {
  return Uint8Array.from([...frame.subarray(0, 12), 0x81, 0x00, 0x00, id, ...frame.subarray(12)]);
}

export function passedOn(
  topology: Topology,
  node: TopologyNode,
  port: number,
  frame: Uint8Array,
  family: "ipv4" | "ipv6",
): Uint8Array {
  const peer = topology.nodes[node.ports[port - 1]!.peer]!;
  const out = Uint8Array.from(frame);
  out.set(toBytes(peer.mac, 6), 0);
  out.set(frame.subarray(0, 6), 6);
  out[family === "ipv4" ? 22 : 21]!--;
  if (family === "ipv4") {
    out.set([0, 0], 24);
    const sum = checksum([...out.subarray(14, 34)]);
    out.set([sum >> 8, sum & 0xff], 24);
  }
  return out;
}

/** The value of a function over RTAG7's bins: addresses folded to 16 bits, then the seed. */
function binHash({ values }: ProgramPlan, number: number, seed: number, flow: FlowKey): number {
  const { name } = (values as { functions: { name: string }[] }).functions[number]!;
  const fold = (address: bigint) => {
    let bin = 0n;
    for (let rest = address; rest > 0n; rest >>= 16n) bin ^= rest & 0xffffn;
    return bin;
  };
  const bytes = pack([
    { value: 0n, width: 24 },
    { value: BigInt(flow.protocol), width: 8 },
    { value: BigInt(flow.dstPort), width: 16 },
    { value: BigInt(flow.srcPort), width: 16 },
    { value: 0n, width: 16 },
    { value: fold(flow.dst), width: 16 },
    { value: fold(flow.src), width: 16 },
    { value: 0n, width: 96 },
    { value: BigInt(seed), width: 32 },
  ]);
  if (name === "rtag7/crc16-bisync") return crc("crc16", bytes);
  if (name === "rtag7/crc32-low") return crc("crc32", bytes) & 0xffff;
  throw new Error(`no CRC of our own for ${name}`);
}

/** What the hashes of a program cover, as its values say. */
interface HashedProgram {
  readonly values: {
    readonly up?: { readonly hash: HashChoice };
    readonly down?: { readonly hash: HashChoice };
    readonly hashedField?: SelectorField;
    /** Addresses in place of the five-tuple. */
    readonly outer?: boolean;
  };
}

/** By direction; 0 where the program has no choice. */
function hashesOf(
  { values }: HashedProgram,
  flow: FlowKey,
  selector: number,
  seeds: Readonly<Record<string, number>>,
): { up: number; down: number } {
  const hashed =
    "hashedField" in values ? [{ value: BigInt(selector), width: FIELD_BITS[values.hashedField!] }] : [];
  const tuple = [
    { value: flow.src, width: 128 },
    { value: flow.dst, width: 128 },
    ...(values.outer === true
      ? []
      : [
          { value: BigInt(flow.protocol), width: 8 },
          { value: BigInt(flow.srcPort), width: 16 },
          { value: BigInt(flow.dstPort), width: 16 },
        ]),
  ];
  const hash = (way: "up" | "down") => {
    const choice = values[way]?.hash;
    if (choice === undefined) return 0;
    const own = { value: BigInt(seeds[way]!), width: 16 };
    const forward = choice.order === "forward";
    return crc(
      choice.algorithm,
      pack(forward ? [...hashed, ...tuple, own] : [own, ...hashed, ...tuple.toReversed()]),
    );
  };
  return { up: hash("up"), down: hash("down") };
}
