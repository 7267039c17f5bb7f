/** Faults as entries of the fault tables (`withFaultTables`) of the switches that they affect. */
import { defined, maskOf } from "../../../base/index.js";
import type { AddressPrefix, PacketMatch } from "../../../base/packets/index.js";
import { type Device, DeviceError, type Match, type TableEntry } from "../../../toolchain/device/index.js";
import { faultTable, MAX_FAULT_TABLES } from "../../../toolchain/generate/index.js";
import { shareThreshold } from "../../sim/packet/index.js";
import type { Topology } from "../../topology/index.js";
import { directionsOf, type Fault, isCut } from "./fault.js";

/** The entries of one switch. */
export interface SwitchFault {
  /** Node index. */
  readonly node: number;
  readonly entries: readonly TableEntry[];
}

/** Which packets an entry is for: all of the switch, or those of a port. */
type Spot = "all" | `${"ingress" | "egress"} ${number}`;

/** The packets that a fault affects, by switch. */
function spotsOf(
  topology: Topology,
  fault: Pick<Fault, "element" | "effect" | "match">,
): Map<number, Spot[]> {
  const { element } = fault;
  const isSwitch = (node: number) => defined(topology.nodes[node]).role !== "host";
  // A node where nothing passes loses packets to the CPU port too.
  if (element.kind === "node" && isSwitch(element.index) && isCut(fault))
    return new Map([[element.index, ["all"]]]);
  const spots = new Map<number, Spot[]>();
  for (const { link, from } of directionsOf(topology, element)) {
    const { a, b } = defined(topology.links[link]);
    const [sender, receiver] = from === "a" ? [a, b] : [b, a];
    // A host has no fault table: the switch at the other end drops what it sends.
    const [node, spot]: [number, Spot] = isSwitch(sender.node)
      ? [sender.node, `egress ${sender.port}`]
      : [receiver.node, `ingress ${receiver.port}`];
    spots.set(node, [...(spots.get(node) ?? []), spot]);
  }
  return spots;
}

/** Entries in the fault table of this index; none for a fault that only delays packets. */
export function faultEntries(topology: Topology, fault: Fault, table: number): SwitchFault[] {
  const { effect, match } = fault;
  if (effect.kind !== "packets" || !hasEntries(fault)) return [];
  const { loss, corruption } = effect;
  const action =
    loss === 1
      ? { action: "FabricEgress.lose", params: {} }
      : {
          action: "FabricEgress.impair",
          params: {
            loss_below: BigInt(shareThreshold(loss)),
            corruption_below: BigInt(shareThreshold(corruption)),
          },
        };
  const packets = packetMatches(match);
  return [...spotsOf(topology, fault)].map(([node, spots]) => ({
    node,
    entries: spots.map(
      (spot): TableEntry => ({
        kind: "tableEntry",
        table: faultTable(table),
        match: [...spotMatches(spot), ...packets],
        priority: 1,
        action: { kind: "action", ...action },
      }),
    ),
  }));
}

function hasEntries({ effect }: Fault): boolean {
  return effect.kind === "packets" && (effect.loss > 0 || effect.corruption > 0);
}

function spotMatches(spot: Spot): Match[] {
  if (spot === "all") return [];
  const [which, port] = spot.split(" ") as [string, string];
  return [ternary(`standard_metadata.${which}_port`, BigInt(port), 9)];
}

function packetMatches(match: PacketMatch = {}): Match[] {
  const { src, dst, protocol, srcPort, dstPort, minBytes, maxBytes } = match;
  const version = (src ?? dst)?.ipVersion;
  return [
    ...(version === undefined ? [] : [ternary(version === 4 ? "ipv4" : "ipv6", 1n, 1)]),
    ...prefix("meta.flow_src", src),
    ...prefix("meta.flow_dst", dst),
    ...(protocol === undefined ? [] : [ternary("meta.flow_protocol", BigInt(protocol), 8)]),
    ...(srcPort === undefined ? [] : [ternary("meta.flow_src_port", BigInt(srcPort), 16)]),
    ...(dstPort === undefined ? [] : [ternary("meta.flow_dst_port", BigInt(dstPort), 16)]),
    ...(minBytes === undefined && maxBytes === undefined
      ? []
      : [
          {
            kind: "range" as const,
            field: "standard_metadata.packet_length",
            low: BigInt(minBytes ?? 0),
            high: BigInt(maxBytes ?? 2 ** 32 - 1),
          },
        ]),
  ];
}

function ternary(field: string, value: bigint, bits: number): Match {
  return { kind: "ternary", field, value, mask: maskOf(bits) };
}

/** Matches the field's 128 bits, which hold both IP versions; for a prefix of length 0 the version alone decides. */
function prefix(field: string, given: AddressPrefix | undefined): Match[] {
  if (given === undefined || given.length === 0) return [];
  const { ipVersion, address, length } = given;
  const width = ipVersion === 4 ? 32 : 128;
  const mask = maskOf(length) << BigInt(width - length);
  // The upper bits of an IPv4 address are 0.
  return [
    { kind: "ternary", field, value: address, mask: mask | (ipVersion === 4 ? maskOf(96) << 32n : 0n) },
  ];
}

/**
 * The fault table of each fault: faults that may affect the same packet of one switch at the same time get different tables. The
 * number of tables is the highest index plus one. Returns undefined when more than {@link MAX_FAULT_TABLES} are needed.
 */
export function faultTables(topology: Topology, faults: readonly Fault[]): Map<Fault, number> | undefined {
  const tables = new Map<Fault, number>();
  const placed: { fault: Fault; spots: Map<number, Spot[]>; table: number }[] = [];
  for (const fault of faults) {
    if (!hasEntries(fault)) continue;
    const spots = spotsOf(topology, fault);
    const taken = new Set(
      placed
        .filter((other) => inTime(other.fault, fault) && meets(other.spots, spots))
        .map(({ table }) => table),
    );
    let table = 0;
    while (taken.has(table)) table++;
    if (table >= MAX_FAULT_TABLES) return undefined;
    tables.set(fault, table);
    placed.push({ fault, spots, table });
  }
  return tables;
}

function inTime(a: Fault, b: Fault): boolean {
  const end = ({ until = Number.POSITIVE_INFINITY }: Fault) => until;
  // Writes take time: of two faults that follow each other, the later one may be written before the earlier one is removed.
  return a.at <= end(b) && b.at <= end(a);
}

function meets(a: ReadonlyMap<number, readonly Spot[]>, b: ReadonlyMap<number, readonly Spot[]>): boolean {
  for (const [node, spots] of a)
    if (spots.some((one) => (b.get(node) ?? []).some((other) => mayShare(one, other)))) return true;
  return false;
}

/** Whether one packet can be at both spots of a switch. */
function mayShare(a: Spot, b: Spot): boolean {
  if (a === b || a === "all" || b === "all") return true;
  return a.split(" ")[0] !== b.split(" ")[0];
}

/** Writes entries into a switch, or deletes them; deleting an entry that is not there is no error. */
export async function writeEntries(
  device: Device,
  type: "insert" | "delete",
  entries: readonly TableEntry[],
): Promise<void> {
  try {
    await device.write(entries.map((entity) => ({ type, entity })));
  } catch (error) {
    if (type === "insert" || !(error instanceof DeviceError)) throw error;
    const codes = error.updates?.map(({ code }) => code) ?? [error.code];
    if (!codes.every((code) => code === "OK" || code === "NOT_FOUND")) throw error;
  }
}
