/**
 * The packet tests beside Dahu's programs in p4/: the state of one switch of each role as commands of simple_switch_CLI, then packets and
 * what must come of them. Of the map of virtual ports it has those that the packets meet. The port is worked out by a CRC of our own.
 */
import { toHex } from "../../../../src/base/index.js";
import type { FlowKey } from "../../../../src/base/packets/index.js";
import type { FabricPlan } from "../../../../src/fabric/schemes/index.js";
import { nodeNamed, type Topology, type TopologyNode } from "../../../../src/fabric/topology/index.js";
import type { Update } from "../../../../src/toolchain/device/index.js";
import type { ProgramPlan } from "../../../../src/toolchain/generate/index.js";
import { frameOf } from "../frames.js";
import { callText, keyText, paramText, passedOn } from "../packet-script.js";
import { ModelDahu } from "./model.js";

const SWITCH_OF_ROLE: Readonly<Record<string, string>> = {
  tor: "tor0-0",
  leaf: "leaf0-0",
  spine: "spine0-0",
};
const TARGETS = ["host0-0-1", "host0-1-0", "host1-1-1"] as const;
const DROPS = { arp: 1, checksum: 2, ttl: 3 } as const;
const SELECTORS = "FabricIngress.selectors";
const ALL = 0;
const SHORTEST = 1;

/** Of the three packets of a flow: deroutes that it has, and the bitmap of its destination. */
const PASSES = [
  { deroutes: 0, bitmap: SHORTEST, text: "shortest paths" },
  { deroutes: 0, bitmap: ALL, text: "all ports" },
  { deroutes: 1, bitmap: ALL, text: "all ports, but no deroute is left" },
] as const;

export function dahuPacketScript(topology: Topology, plan: FabricPlan, program: ProgramPlan): string {
  const node = nodeNamed(topology, SWITCH_OF_ROLE[program.name]!)!;
  const { updates } = plan.switches.find((own) => own.node === node.index)!;
  const { lines, read } = packetLines(topology, updates, program, node);
  return [
    `# ${program.name}.p4 with the state of ${node.name} in examples/topologies/clos.yaml:`,
    `# p4loom stf p4/${plan.scheme}/${program.name}.p4 p4/${plan.scheme}/${program.name}.stf`,
    "",
    ...stateLines(updates, read),
    ...lines,
    "",
  ].join("\n");
}

function stateLines(updates: readonly Update[], read: ReadonlySet<number>): string[] {
  return updates.flatMap(({ entity }): string[] => {
    if (entity.kind === "register")
      return read.has(entity.index)
        ? [`register_write ${entity.register} ${entity.index} ${entity.value}`]
        : [];
    if (entity.kind !== "tableEntry" || entity.action?.kind !== "action")
      throw new Error("a plan writes registers and entries with actions");
    const { table, match, action } = entity;
    if (entity.isDefault) return [`table_set_default ${table} ${callText(action)}`];
    return [`table_add ${table} ${action.action} ${keyText(match)} => ${paramText(action)}`.trimEnd()];
  });
}

function packetLines(
  topology: Topology,
  updates: readonly Update[],
  program: ProgramPlan,
  node: TopologyNode,
): { lines: string[]; read: ReadonlySet<number> } {
  const { virtualPorts } = program.values as { virtualPorts: number };
  const lines: string[] = [];
  const read = new Set<number>();
  const send = (what: string, port: number, frame: Uint8Array, out?: { port: number; frame: Uint8Array }) => {
    lines.push("", `# ${what}`, `packet ${port} ${toHex(frame)}`);
    lines.push(out === undefined ? "no_packet" : `expect ${out.port} ${toHex(out.frame)} $`);
  };
  const selectors = updates.filter(
    ({ entity }) => entity.kind === "tableEntry" && entity.table === SELECTORS,
  );
  const source = nodeNamed(topology, "host0-0-0")!;
  for (const [i, name] of TARGETS.entries())
    for (const [pass, { deroutes, bitmap, text }] of PASSES.entries()) {
      const target = nodeNamed(topology, name)!;
      const { rack } = target.host!;
      const handle = selectors.findIndex(
        ({ entity }) =>
          entity.kind === "tableEntry" &&
          entity.match[0]?.kind === "exact" &&
          Number(entity.match[0].value) === rack,
      );
      if (handle >= 0 && bitmap !== SHORTEST && deroutes === 0)
        lines.push("", `table_modify ${SELECTORS} FabricIngress.use_bitmap ${handle} => ${bitmap}`);
      for (const family of ["ipv4", "ipv6"] as const) {
        const flow: FlowKey = {
          src: source.host![family],
          dst: target.host![family],
          protocol: i === 1 ? 17 : 6,
          srcPort: 40000 + 7 * i + pass,
          dstPort: 5201,
        };
        const frame = (count: number) =>
          frameOf({
            family,
            flow,
            field: "dscp",
            selector: count << 2,
            dstMac: node.mac,
            srcMac: source.mac,
          });
        const local = node.ports.find(({ peer }) => peer === target.index)?.number;
        const changed = selectors.map((update, at) =>
          at === handle ? selectorUpdate(update, bitmap) : update,
        );
        const model = new ModelDahu([...updates, ...changed], virtualPorts);
        // By the first port that does not lead to the target by a shortest path.
        const nearer = local === undefined ? model.shortest(rack) : 1n << BigInt(local - 1);
        const ingress = node.ports.find(({ number }) => ((nearer >> BigInt(number - 1)) & 1n) === 0n)!.number;
        const choice = local === undefined ? model.choose(rack, { flow, deroutes, ingress }) : undefined;
        for (const index of choice?.tried ?? []) read.add(index);
        const port = local ?? choice?.port;
        send(
          `${family === "ipv4" ? "IPv4" : "IPv6"} to ${name}: ${local === undefined ? `${text}; leaves with deroute count ${choice?.deroutes ?? 0}` : "a host of this switch"}`,
          ingress,
          frame(deroutes),
          port === undefined
            ? undefined
            : { port, frame: passedOn(topology, node, port, frame(choice?.deroutes ?? deroutes), family) },
        );
      }
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
  return { lines, read };
}

function selectorUpdate({ entity }: Update, bitmap: number): Update {
  if (entity.kind !== "tableEntry" || entity.action?.kind !== "action") throw new Error("no entry");
  return {
    type: "modify",
    entity: { ...entity, action: { ...entity.action, params: { bitmap: BigInt(bitmap) } } },
  };
}
