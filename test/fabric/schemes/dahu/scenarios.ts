/**
 * Dahu's primitives as scenarios for any switch: the state of one switch of a HyperX with what a control plane has changed, frames that come
 * in, and the frames that must leave, in their order.
 */
import { toBytes } from "../../../../src/base/index.js";
import type { FlowKey } from "../../../../src/base/packets/index.js";
import { selectorHeaders } from "../../../../src/base/packets/index.js";
import { type MapKind, virtualPortMap } from "../../../../src/fabric/schemes/dahu/virtual-port-map.js";
import type { FabricPlan } from "../../../../src/fabric/schemes/index.js";
import { schemeNamed } from "../../../../src/fabric/schemes/index.js";
import { buildTopology, nodeNamed, topologySchema } from "../../../../src/fabric/topology/index.js";
import type { Update } from "../../../../src/toolchain/device/index.js";
import type { PortFrame } from "../../../parity/bmv2.js";
import { checksum, frameOf } from "../frames.js";
import { type Choice, ModelDahu } from "./model.js";

const topology = buildTopology(
  topologySchema.parse({
    kind: "hyperx",
    name: "nine",
    shape: [3, 3],
    hosts_per_switch: 2,
    host_link: { rate: "1Gbps", delay: "1us" },
    fabric_link: { rate: "1Gbps", delay: "1us" },
  }),
);
/** Ports of a switch, 0 to this one: two to hosts, then two a dimension. */
export const PORTS = 7;
const node = nodeNamed(topology, "switch1-1")!;
const FABRIC_PORTS = [3, 4, 5, 6];
/** A host two links away, and its rack. */
const far = nodeNamed(topology, "host2-2-0")!;
const FAR_RACK = far.host!.rack;

export const VIRTUAL_PORTS = 64;

export function planWith(parameters: object): FabricPlan {
  const scheme = schemeNamed("dahu")!;
  return scheme.plan(topology, scheme.parameters.parse({ virtual_ports: VIRTUAL_PORTS, ...parameters }));
}

export function stateOf(plan: FabricPlan): readonly Update[] {
  return plan.switches.find((own) => own.node === node.index)!.updates;
}

export function flowTo(number: number, family: "ipv4" | "ipv6" = "ipv4", to = far): FlowKey {
  const from = nodeNamed(topology, "host1-1-0")!;
  return {
    src: from.host![family],
    dst: to.host![family],
    protocol: 6,
    srcPort: 20_000 + 7 * number,
    dstPort: 80,
  };
}

const table = (
  name: string,
  field: string,
  key: number,
  action: string,
  params: Record<string, bigint>,
): Update => ({
  type: "modify",
  entity: {
    kind: "tableEntry",
    table: `FabricIngress.${name}`,
    match: [{ kind: "exact", field, value: BigInt(key) }],
    priority: 0,
    action: { kind: "action", action: `FabricIngress.${action}`, params },
  },
});

export const selects = (bitmap: number, rack = FAR_RACK) =>
  table("selectors", "meta.destination", rack, "use_bitmap", { bitmap: BigInt(bitmap) });

/** Of group 0. */
export const mapped = (virtualPort: number, bit: number, map: MapKind = "register"): Update[] =>
  virtualPortMap(map, VIRTUAL_PORTS, true).updates("modify", 0, virtualPort, bit);

type Field = "dscp" | "vlan" | "ttl";

export interface Scenario {
  readonly name: string;
  readonly plan: FabricPlan;
  readonly updates: readonly Update[];
  readonly packets: readonly PortFrame[];
  readonly sent: readonly PortFrame[];
  /** What the model says of each packet; undefined: it is dropped. */
  readonly choices: readonly (Choice | undefined)[];
}

interface Arriving {
  readonly number: number;
  readonly deroutes?: number;
  readonly ingress?: number;
  readonly family?: "ipv4" | "ipv6";
}

const ALL = 0;
const SHORTEST = 1;
const FURTHER = 2;

/** Packets of this number of flows by each of these ports, with each of these deroute counts. */
function arrivals(count: number, ingresses: readonly number[], deroutes: readonly number[]): Arriving[] {
  return Array.from({ length: count }, (_, number) => ({
    number,
    ingress: ingresses[number % ingresses.length]!,
    deroutes: deroutes[Math.floor(number / ingresses.length) % deroutes.length]!,
    family: number % 3 === 2 ? "ipv6" : "ipv4",
  }));
}

function scenarioWith(
  name: string,
  parameters: { field?: Field; [key: string]: unknown },
  changes: readonly Update[],
  arriving: readonly Arriving[],
): Scenario {
  const plan = planWith(parameters);
  const updates = [...stateOf(plan), ...changes];
  const model = new ModelDahu(updates, VIRTUAL_PORTS, parameters["retry"] === false ? 1 : 2);
  const field = parameters.field ?? "dscp";
  const packets: PortFrame[] = [];
  const sent: PortFrame[] = [];
  const choices = arriving.map(({ number, deroutes = 0, ingress = 1, family = "ipv4" }) => {
    const flow = flowTo(number, family);
    const frame = (count: number, out: Partial<{ ttl: number; dstMac: bigint; srcMac: bigint }>) =>
      countedFrame(flow, family, field, count, out);
    packets.push({ port: ingress, frame: frame(deroutes, { dstMac: node.mac, srcMac: 1n }) });
    const choice = model.choose(FAR_RACK, { flow, deroutes, ingress });
    if (choice !== undefined)
      sent.push({
        port: choice.port,
        frame: hopped(
          frame(choice.deroutes, {
            dstMac: topology.nodes[node.ports[choice.port - 1]!.peer]!.mac,
            srcMac: node.mac,
          }),
          family,
          field,
        ),
      });
    return choice;
  });
  return { name, plan, updates, packets, sent, choices };
}

/** A frame with a deroute count in the field's bits. */
export function countedFrame(
  flow: FlowKey,
  family: "ipv4" | "ipv6",
  field: Field,
  deroutes: number,
  { dstMac = 2n, srcMac = 1n }: Partial<{ dstMac: bigint; srcMac: bigint }> = {},
): Uint8Array {
  // Other bits of a VLAN id stay as they are: 0x20 is one of them.
  const selector = { dscp: deroutes << 2, vlan: 0x20 | deroutes, ttl: deroutes }[field];
  const ttl = selectorHeaders(field, selector).ttl;
  return frameOf({ family, flow, field, selector, dstMac, srcMac, ...(ttl === undefined ? {} : { ttl }) });
}

/** The frame with one hop less to live. */
function hopped(frame: Uint8Array, family: "ipv4" | "ipv6", field: Field): Uint8Array {
  const ip = field === "vlan" ? 18 : 14;
  const out = Uint8Array.from(frame);
  out[ip + (family === "ipv4" ? 8 : 7)]!--;
  if (family === "ipv4") {
    out.set([0, 0], ip + 10);
    out.set(toBytes(BigInt(checksum([...out.subarray(ip, ip + 20)])), 2), ip + 10);
  }
  return out;
}

export const everywhere = (bit: number, map?: MapKind) =>
  Array.from({ length: VIRTUAL_PORTS }, (_, at) => mapped(at, bit, map)).flat();

/** Not a write of a copy that only a second round has. */
const isOfFirstRound = ({ entity }: Update) =>
  entity.kind !== "tableEntry" || !/virtual_ports_(1[6-9]|[23]\d)$/.test(entity.table);

/** Bits of the ports to switches: 2 and 3 along the first dimension, 4 and 5 along the second. */
export function scenarios(map: MapKind = "register"): Scenario[] {
  const scenario = (
    name: string,
    parameters: Parameters<typeof scenarioWith>[1],
    changes: readonly Update[],
    arriving: readonly Arriving[],
  ) => scenarioWith(name, { map, ...parameters }, changes, arriving);
  const plan = planWith({});
  const shortest = new ModelDahu(stateOf(plan), VIRTUAL_PORTS).shortest(FAR_RACK);
  const longer = FABRIC_PORTS.map((port) => port - 1).filter(
    (bit) => ((shortest >> BigInt(bit)) & 1n) === 0n,
  );
  const [denied, other] = longer as [number, number];
  const bits = (list: readonly number[]) => list.reduce((bitmap, bit) => bitmap | (1n << BigInt(bit)), 0n);
  const short = FABRIC_PORTS.map((port) => port - 1).find((bit) => !longer.includes(bit))!;
  return [
    scenario("shortest paths only, as the plan begins", {}, [], arrivals(24, [1, 2], [0])),
    scenario("all ports, with the deroutes counted", {}, [selects(ALL)], arrivals(36, [1, 2], [0])),
    scenario(
      "the bitmap for further ports denies one",
      {},
      [
        selects(FURTHER),
        table("destinations", "meta.destination", FAR_RACK, "use_group", {
          group: 0n,
          shortest,
          further: shortest | bits([other]),
        }),
      ],
      arrivals(36, [1], [0]),
    ),
    scenario(
      "never back to the port that a packet came by",
      { deroutes: 15 },
      [selects(ALL)],
      arrivals(48, FABRIC_PORTS, [0, 3]),
    ),
    scenario(
      "shortest paths once the deroutes are used up",
      { deroutes: 2 },
      [selects(ALL)],
      arrivals(48, FABRIC_PORTS, [0, 1, 2, 3, 15]),
    ),
    scenario(
      "a second round, and the choice among allowed ports behind it",
      {},
      // One virtual port in 32 maps to an allowed port.
      [selects(SHORTEST), ...everywhere(denied, map), ...mapped(5, short, map), ...mapped(40, short, map)],
      arrivals(48, [1, 2], [0]),
    ),
    scenario(
      "a group whose ports are all denied",
      {},
      [selects(SHORTEST), ...everywhere(denied, map)],
      arrivals(36, [1, 2], [0]),
    ),
    scenario(
      "one round of hashes alone",
      { retry: false },
      [selects(SHORTEST), ...everywhere(denied, map), ...mapped(5, short, map)].filter(isOfFirstRound),
      arrivals(36, [1, 2], [0]),
    ),
    scenario(
      "a member that is down",
      {},
      [
        selects(ALL),
        table("port_groups", "meta.group", 0, "group_has", {
          members: bits(FABRIC_PORTS.map((port) => port - 1).filter((bit) => bit !== short)),
        }),
      ],
      arrivals(36, [1], [0]),
    ),
    scenario(
      "no way but back",
      { deroutes: 1 },
      [
        table("destinations", "meta.destination", FAR_RACK, "use_group", {
          group: 0n,
          shortest: bits([short]),
          further: bits([short]),
        }),
      ],
      arrivals(3, [short + 1], [1]),
    ),
    scenario("deroutes in the VLAN id", { field: "vlan" }, [selects(ALL)], arrivals(24, [1], [0, 1])),
    scenario("deroutes in the TTL", { field: "ttl", deroutes: 7 }, [selects(ALL)], arrivals(24, [1], [0, 6])),
    scenario(
      "a group for each set of offset dimensions",
      { port_groups: "offset_dimensions" },
      [selects(ALL)],
      arrivals(24, [1, 3], [0]),
    ),
  ];
}
