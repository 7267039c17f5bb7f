/**
 * Builds frames from headers. Fields without a value get one that follows from the rest of the frame (types, protocols,
 * lengths, checksums) or from the sender (addresses). Tests of exercises and the lab's page use it.
 */
import { addWords, Ethernet, finishChecksum, Icmp, Ip, Ipv4, Ipv6 } from "../../base/packets/index.js";
import { ETHER_TYPES, IP_PROTOCOLS, writeBits } from "./header-layouts.js";
import { hostNetwork } from "./host-network.js";
import { type HeaderPart, partBytes, type StackPart } from "./packet-stack.js";
import type { ExerciseHost } from "./topology-file.js";

/** Addresses of the host that sends a frame; absent: 0. */
export interface FrameSender {
  readonly mac?: bigint;
  readonly ipv4?: bigint;
  readonly ipv6?: bigint;
  /** The MAC address of the next hop to an IPv4 address; undefined for a frame without IPv4, or if it is not known. */
  macTowards?(destination: bigint | undefined): bigint | undefined;
}

/** Default values of fields that neither the rest of a frame nor its sender determines. */
export interface FrameDefaults {
  /** By header, then by field. */
  readonly fields: Readonly<Record<string, Readonly<Record<string, bigint>>>>;
  /** `type` if the next header has no assigned number, or if there is no next header. */
  readonly etherType: bigint;
  /** The protocol of IP in the same cases. */
  readonly protocol: bigint;
}

/** Fields with the same value in every frame. */
const CONSTANTS: FrameDefaults["fields"] = {
  arp: {
    hardware: 1n,
    protocol: ETHER_TYPES["ipv4"]!,
    hardware_length: 6n,
    protocol_length: 4n,
    operation: 1n,
  },
  ipv4: { version: 4n, ihl: 5n, ttl: 64n },
  ipv6: { version: 6n, hop_limit: 64n },
  icmp: { type: BigInt(Icmp.ECHO_REQUEST) },
  tcp: { offset: 5n, window: 0xffffn },
};
const NO_DEFAULTS: FrameDefaults = { fields: {}, etherType: 0n, protocol: 0n };

/** A part with its place in the frame, in bytes, and the header after it. */
interface Placed {
  readonly part: HeaderPart;
  readonly at: number;
  readonly next: string | undefined;
}

/**
 * Builds a frame. Without `ethernet.dst`, its destination is the MAC address that the host knows for the next hop of the first
 * IPv4 header; without such an address, it is broadcast.
 */
export function buildFrame(
  stack: readonly StackPart[],
  sender: FrameSender,
  defaults: FrameDefaults = NO_DEFAULTS,
): Uint8Array {
  const frame = new Uint8Array(stack.reduce((sum, part) => sum + partBytes(part), 0));
  const placed: Placed[] = [];
  let at = 0;
  for (const [index, part] of stack.entries()) {
    const next = stack[index + 1];
    if ("bytes" in part) frame.set(part.bytes, at);
    else placed.push({ part, at, next: next !== undefined && "header" in next ? next.header : undefined });
    at += partBytes(part);
  }
  for (const one of placed) {
    const { header, fields } = one.part;
    const implied = {
      ...CONSTANTS[header],
      ...defaults.fields[header],
      ...impliedFields(one, frame.length, placed, sender, defaults),
    };
    for (const [field, value] of Object.entries(implied))
      if (value !== undefined && !fields.has(field)) put(frame, one, field, value);
    for (const [field, value] of fields) put(frame, one, field, value);
  }
  // From the last header to the first: a checksum covers the parts after it.
  for (const one of placed.toReversed()) writeChecksum(frame, one, placed);
  return frame;
}

function put(frame: Uint8Array, { part, at }: Placed, field: string, value: bigint): void {
  let bit = 8 * at;
  for (const [name, width] of part.layout) {
    const bytes = width === 0 ? (part.open ?? new Uint8Array()) : undefined;
    if (bytes !== undefined) frame.set(bytes, bit >> 3);
    else if (name === field) writeBits(frame, bit, width, value);
    bit += width + 8 * (bytes?.length ?? 0);
  }
}

function impliedFields(
  { part: { header }, at, next = "" }: Placed,
  frameLength: number,
  placed: readonly Placed[],
  sender: FrameSender,
  defaults: FrameDefaults,
): Readonly<Record<string, bigint | undefined>> {
  const rest = BigInt(frameLength - at);
  const type = ETHER_TYPES[next] ?? defaults.etherType;
  const protocol = IP_PROTOCOLS[next] ?? defaults.protocol;
  switch (header) {
    case "ethernet":
      return { src: sender.mac, dst: destinationOf(placed, sender), type };
    case "vlan":
      return { type };
    case "arp":
      return { sender_mac: sender.mac, sender_ip: sender.ipv4 };
    case "ipv4":
      return { length: rest, src: sender.ipv4, protocol };
    case "ipv6":
      return { length: rest - BigInt(Ipv6.LENGTH), src: sender.ipv6, next_header: protocol };
    case "udp":
      return { length: rest };
    default:
      return {};
  }
}

function destinationOf(placed: readonly Placed[], { macTowards }: FrameSender): bigint {
  if (placed.some(({ part }) => part.header === "arp")) return Ethernet.BROADCAST;
  const ip = placed.find(({ part }) => part.header === "ipv4" && part.fields.has("dst"));
  return macTowards?.(ip?.part.fields.get("dst")) ?? Ethernet.BROADCAST;
}

/** The addresses of a host of an exercise that sends a frame. */
export function senderOf(from: ExerciseHost, hosts: readonly ExerciseHost[]): FrameSender {
  const { mac, ipv4 } = from;
  return {
    mac,
    ipv4,
    macTowards: (destination) =>
      destination === undefined ? undefined : macTowards(destination, from, hosts),
  };
}

/**
 * The MAC address to which a host sends packets for an address: that of the next hop, from its commands or by ARP. Undefined if
 * the host has no route, or no host has the address of the next hop.
 */
function macTowards(
  destination: bigint,
  from: ExerciseHost,
  hosts: readonly ExerciseHost[],
): bigint | undefined {
  const { nextHop, neighbours } = hostNetwork(from);
  const hop = nextHop(destination);
  if (hop === undefined) return undefined;
  return neighbours.get(hop) ?? hosts.find(({ ipv4 }) => ipv4 === hop)?.mac;
}

const CHECKED = new Set(["ipv4", "udp", "tcp", "icmp"]);

function writeChecksum(frame: Uint8Array, one: Placed, placed: readonly Placed[]): void {
  const { header, fields } = one.part;
  if (!CHECKED.has(header) || fields.has("checksum")) return;
  const end = header === "ipv4" ? one.at + Ipv4.LENGTH : frame.length;
  let sum = header === "udp" || header === "tcp" ? pseudoHeader(frame, one, placed) : 0;
  if (sum === undefined) return;
  sum = addWords(frame, one.at, end, sum);
  const checksum = finishChecksum(sum);
  put(frame, one, "checksum", BigInt(header === "udp" && checksum === 0 ? 0xffff : checksum));
}

/** The sum of the pseudo-header for the preceding IP header (RFC 768, RFC 9293, RFC 8200); undefined without an IP header. */
function pseudoHeader(frame: Uint8Array, one: Placed, placed: readonly Placed[]): number | undefined {
  const ip = placed.findLast(({ part, at }) => at < one.at && /^ipv[46]$/.test(part.header));
  if (ip === undefined) return undefined;
  const family = ip.part.header === "ipv4" ? Ip.IPV4 : Ip.IPV6;
  const protocol = Number(IP_PROTOCOLS[one.part.header]!);
  return Ip.pseudoSum(frame, ip.at, family, protocol, frame.length - one.at);
}
