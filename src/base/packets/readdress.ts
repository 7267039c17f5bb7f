/** Recorded packets with the addresses of other hosts: IPv4 and IPv6, checksums kept right by their differences (RFC 1624). */

import { fromBytes, toBytes } from "../index.js";
import { addWords, foldSum } from "./checksum.js";
import {
  ETHERTYPE_IPV4,
  ETHERTYPE_IPV6,
  ETHERTYPE_SERVICE_VLAN,
  ETHERTYPE_VLAN,
  PROTOCOL_ICMPV6,
  PROTOCOL_TCP,
  PROTOCOL_UDP,
} from "./numbers.js";
import { get16 } from "./words.js";

/** Link types of captures that are read (www.tcpdump.org/linktypes.html): Ethernet, and IP without a link. */
const ETHERNET = 1;
const RAW_IP: ReadonlySet<number> = new Set([12, 101, 228, 229]);

const ETHERTYPE = { 4: ETHERTYPE_IPV4, 6: ETHERTYPE_IPV6 } as const;
const VLAN_TAGS: ReadonlySet<number> = new Set([ETHERTYPE_VLAN, ETHERTYPE_SERVICE_VLAN]);
const ETHERNET_HEADER = 14;

/** By protocol: position in the transport header of the checksum, which covers the addresses. */
const CHECKSUM_AT: ReadonlyMap<number, number> = new Map([
  [PROTOCOL_TCP, 16],
  [PROTOCOL_UDP, 6],
  [PROTOCOL_ICMPV6, 2],
]);

export function isReadable(linkType: number): boolean {
  return linkType === ETHERNET || RAW_IP.has(linkType);
}

/** Position and version of the IP header of a frame. */
export interface IpPacket {
  readonly version: 4 | 6;
  /** Place of the header in the frame. */
  readonly at: number;
  readonly source: bigint;
  readonly destination: bigint;
}

/** Undefined for a frame that holds no IP header in full. */
export function ipPacket(frame: Uint8Array, linkType: number): IpPacket | undefined {
  let at = 0;
  if (linkType === ETHERNET) {
    at = ETHERNET_HEADER;
    while (at + 4 <= frame.length && VLAN_TAGS.has(get16(frame, at - 2))) at += 4;
    const type = at <= frame.length ? get16(frame, at - 2) : 0;
    if (type !== ETHERTYPE[4] && type !== ETHERTYPE[6]) return undefined;
  }
  const version = (frame[at] ?? 0) >> 4;
  if (version === 4 && at + 20 <= frame.length)
    return { version, at, source: address(frame, at + 12, 4), destination: address(frame, at + 16, 4) };
  if (version === 6 && at + 40 <= frame.length)
    return { version, at, source: address(frame, at + 8, 16), destination: address(frame, at + 24, 16) };
  return undefined;
}

export interface NewEnds {
  readonly sourceMac: bigint;
  readonly destinationMac: bigint;
  readonly source: bigint;
  readonly destination: bigint;
}

/**
 * An Ethernet frame with the packet between other hosts. VLAN tags are left out; bytes of `length` that were not captured are zeros.
 */
export function readdress(
  recorded: Uint8Array,
  { version, at }: IpPacket,
  length: number,
  ends: NewEnds,
): Uint8Array {
  const frame = new Uint8Array(ETHERNET_HEADER + Math.max(length, recorded.length) - at);
  frame.set(toBytes(ends.destinationMac, 6), 0);
  frame.set(toBytes(ends.sourceMac, 6), 6);
  frame[12] = ETHERTYPE[version] >> 8;
  frame[13] = ETHERTYPE[version] & 0xff;
  frame.set(recorded.subarray(at), ETHERNET_HEADER);
  const ip = ETHERNET_HEADER;
  const size = version === 4 ? 4 : 16;
  const addresses = ip + (version === 4 ? 12 : 8);
  const before = foldSum(addWords(frame, addresses, addresses + 2 * size, 0));
  frame.set(toBytes(ends.source, size), addresses);
  frame.set(toBytes(ends.destination, size), addresses + size);
  const after = foldSum(addWords(frame, addresses, addresses + 2 * size, 0));
  const isLaterFragment = version === 4 && (get16(frame, ip + 6) & 0x1fff) !== 0;
  const protocol = frame[ip + (version === 4 ? 9 : 6)]!;
  const transport = ip + (version === 4 ? 4 * (frame[ip]! & 0xf) : 40);
  if (version === 4) adjust(frame, ip + 10, before, after);
  const offset = version === 4 && protocol === PROTOCOL_ICMPV6 ? undefined : CHECKSUM_AT.get(protocol);
  if (
    offset === undefined ||
    isLaterFragment ||
    transport + offset + 2 > ETHERNET_HEADER + recorded.length - at
  )
    return frame;
  const checksum = transport + offset;
  // A UDP checksum of 0 over IPv4 means that there is none.
  if (protocol === PROTOCOL_UDP && get16(frame, checksum) === 0) return frame;
  adjust(frame, checksum, before, after);
  if (protocol === PROTOCOL_UDP && get16(frame, checksum) === 0) frame.fill(0xff, checksum, checksum + 2);
  return frame;
}

/** RFC 1624, equation 3: HC' = ~(~HC + ~m + m'). */
function adjust(frame: Uint8Array, at: number, before: number, after: number): void {
  const sum = ~foldSum((~get16(frame, at) & 0xffff) + (~before & 0xffff) + after) & 0xffff;
  frame[at] = sum >> 8;
  frame[at + 1] = sum & 0xff;
}

function address(frame: Uint8Array, at: number, size: number): bigint {
  return fromBytes(frame.subarray(at, at + size));
}
