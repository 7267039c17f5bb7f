/**
 * The frame of a packet that a test sends: fields that are given, and for the others what a host would write (addresses,
 * types, lengths, checksums).
 */
import { addWords, finishChecksum } from "../base/index.js";
import { writeBits } from "./header-layouts.js";
import { hostNetwork } from "./host-network.js";
import { type HeaderPart, partBytes, type StackPart } from "./packet-stack.js";
import type { ExerciseHost } from "./topology-file.js";

const ETHER_TYPES: Readonly<Record<string, bigint>> = {
  ipv4: 0x0800n,
  arp: 0x0806n,
  vlan: 0x8100n,
  ipv6: 0x86ddn,
};
const PROTOCOLS: Readonly<Record<string, bigint>> = { icmp: 1n, tcp: 6n, udp: 17n };
const BROADCAST = 0xffff_ffff_ffffn;
const ICMP_ECHO = 8n;

/** A part with its place in the frame, in bytes, and the header behind it. */
interface Placed {
  readonly part: HeaderPart;
  readonly at: number;
  readonly next: string | undefined;
}

/**
 * Makes a frame. Without `ethernet.dst` it goes to the MAC address that the host knows for the next hop of the first IPv4
 * header; a frame without that goes to all.
 */
export function buildFrame(
  stack: readonly StackPart[],
  from: ExerciseHost,
  hosts: readonly ExerciseHost[],
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
    const defaults = defaultsOf(one, frame.length, from, hosts, stack);
    for (const [field, value] of defaults) if (one.part.layout.has(field)) put(frame, one, field, value);
    for (const [field, value] of one.part.fields) put(frame, one, field, value);
  }
  // From the last header to the first: a checksum covers what comes behind it.
  for (const one of placed.toReversed()) writeChecksum(frame, one, placed);
  return frame;
}

function put(frame: Uint8Array, { part, at }: Placed, field: string, value: bigint): void {
  let bit = 8 * at;
  for (const [name, width] of part.layout) {
    if (name === field) {
      writeBits(frame, bit, width, value);
      return;
    }
    bit += width;
  }
}

function defaultsOf(
  { part: { header }, at, next }: Placed,
  frameLength: number,
  from: ExerciseHost,
  hosts: readonly ExerciseHost[],
  stack: readonly StackPart[],
): [string, bigint][] {
  const rest = BigInt(frameLength - at);
  const type: [string, bigint][] =
    next !== undefined && next in ETHER_TYPES ? [["type", ETHER_TYPES[next]!]] : [];
  const protocol = PROTOCOLS[next ?? ""];
  switch (header) {
    case "ethernet":
      return [["src", from.mac], ["dst", nextMac(stack, from, hosts)], ...type];
    case "vlan":
      return type;
    case "arp":
      return [
        ["hardware", 1n],
        ["protocol", 0x0800n],
        ["hardware_length", 6n],
        ["protocol_length", 4n],
        ["operation", 1n],
        ["sender_mac", from.mac],
        ["sender_ip", from.ipv4],
      ];
    case "ipv4":
      return [
        ["version", 4n],
        ["ihl", 5n],
        ["ttl", 64n],
        ["length", rest],
        ["src", from.ipv4],
        ...(protocol === undefined ? [] : [["protocol", protocol] as [string, bigint]]),
      ];
    case "ipv6":
      return [
        ["version", 6n],
        ["hop_limit", 64n],
        ["length", rest - 40n],
        ...(protocol === undefined ? [] : [["next_header", protocol] as [string, bigint]]),
      ];
    case "udp":
      return [["length", rest]];
    case "tcp":
      return [
        ["offset", 5n],
        ["window", 0xffffn],
      ];
    case "icmp":
      return [["type", ICMP_ECHO]];
    default:
      return [];
  }
}

function nextMac(stack: readonly StackPart[], from: ExerciseHost, hosts: readonly ExerciseHost[]): bigint {
  for (const part of stack) {
    const dst = "header" in part && part.header === "ipv4" ? part.fields.get("dst") : undefined;
    if (dst !== undefined) return macTowards(dst, from, hosts) ?? BROADCAST;
  }
  return BROADCAST;
}

/**
 * The MAC address to which a host sends packets for an address: that of the next hop, as its commands say it, or as ARP
 * would find it. Undefined when it has no route, or nobody has that address.
 */
export function macTowards(
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
  const end = header === "ipv4" ? one.at + 20 : frame.length;
  let sum = header === "udp" || header === "tcp" ? pseudoHeader(frame, one, placed) : 0;
  if (sum === undefined) return;
  sum = addWords(frame, one.at, end, sum);
  const checksum = finishChecksum(sum);
  put(frame, one, "checksum", BigInt(header === "udp" && checksum === 0 ? 0xffff : checksum));
}

/** The sum of the pseudo-header of the IP header before (RFC 768, RFC 9293, RFC 8200); undefined without one. */
function pseudoHeader(frame: Uint8Array, one: Placed, placed: readonly Placed[]): number | undefined {
  const ip = placed.findLast(({ part, at }) => at < one.at && /^ipv[46]$/.test(part.header));
  if (ip === undefined) return undefined;
  const [from, to] = ip.part.header === "ipv4" ? [12, 20] : [8, 40];
  const protocol = Number(PROTOCOLS[one.part.header]!);
  return addWords(frame, ip.at + from, ip.at + to, protocol + frame.length - one.at);
}
