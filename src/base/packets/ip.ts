/** What IPv4 and IPv6 have in common, for code that handles both: one view, chosen by the family. Positions are those of the IP header. */

import { addWords } from "./checksum.js";
import * as Ipv4 from "./ipv4.js";
import * as Ipv6 from "./ipv6.js";
import { CE, ETHERTYPE_IPV4, ETHERTYPE_IPV6, PROTOCOL_TCP } from "./numbers.js";
import * as Tcp from "./tcp.js";

/** An IPv4 header without options, or an IPv6 header without extensions. */
export interface Family {
  readonly version: 4 | 6;
  readonly ethertype: number;
  readonly addressLength: number;
  /** Of the IP header. */
  readonly length: number;
  /** Offset of the addresses, which the ports follow: the key of a flow. */
  readonly keyAt: number;
  readonly keyLength: number;
}

/** Bytes of both ports, with which the headers of TCP and UDP begin. */
export const PORTS_LENGTH = 4;

export const IPV4: Family = {
  version: 4,
  ethertype: ETHERTYPE_IPV4,
  addressLength: Ipv4.ADDRESS_LENGTH,
  length: Ipv4.LENGTH,
  keyAt: Ipv4.SOURCE_AT,
  keyLength: 2 * Ipv4.ADDRESS_LENGTH + PORTS_LENGTH,
};

export const IPV6: Family = {
  version: 6,
  ethertype: ETHERTYPE_IPV6,
  addressLength: Ipv6.ADDRESS_LENGTH,
  length: Ipv6.LENGTH,
  keyAt: Ipv6.SOURCE_AT,
  keyLength: 2 * Ipv6.ADDRESS_LENGTH + PORTS_LENGTH,
};

/** The family of a flow key. */
export function familyOf(key: Uint8Array): Family {
  return key.length === IPV4.keyLength ? IPV4 : IPV6;
}

/** The family of an Ethernet type; undefined for other protocols. */
export function familyOfType(type: number): Family | undefined {
  return type === ETHERTYPE_IPV4 ? IPV4 : type === ETHERTYPE_IPV6 ? IPV6 : undefined;
}

/** The family of the header at `ip`, by its version. */
export function familyAt(bytes: Uint8Array, ip: number): Family {
  return Ipv4.version(bytes, ip) === 4 ? IPV4 : IPV6;
}

/** Length of the header, with the options of IPv4. */
export function headerLength(bytes: Uint8Array, ip: number, family: Family): number {
  return family === IPV4 ? Ipv4.headerLength(bytes, ip) : Ipv6.LENGTH;
}

/** Whether the version is that of the family, and the header has no options. */
export function isPlain(bytes: Uint8Array, ip: number, family: Family): boolean {
  return family === IPV4 ? Ipv4.isPlain(bytes, ip) : Ipv6.version(bytes, ip) === 6;
}

/** Protocol of IPv4, or next header of IPv6. */
export function protocol(bytes: Uint8Array, ip: number, family: Family): number {
  return family === IPV4 ? Ipv4.protocol(bytes, ip) : Ipv6.nextHeader(bytes, ip);
}

/** TTL or hop limit. */
export function hopLimit(bytes: Uint8Array, ip: number, family: Family): number {
  return family === IPV4 ? Ipv4.ttl(bytes, ip) : Ipv6.hopLimit(bytes, ip);
}

/** Changes TTL or hop limit, and the checksum of IPv4 accordingly. */
export function updateHopLimit(bytes: Uint8Array, ip: number, family: Family, value: number): void {
  if (family === IPV4) Ipv4.updateTtl(bytes, ip, value);
  else Ipv6.setHopLimit(bytes, ip, value);
}

/** DSCP and ECN. */
export function trafficClass(bytes: Uint8Array, ip: number, family: Family): number {
  return family === IPV4 ? Ipv4.trafficClass(bytes, ip) : Ipv6.trafficClass(bytes, ip);
}

export function dscp(bytes: Uint8Array, ip: number, family: Family): number {
  return trafficClass(bytes, ip, family) >>> 2;
}

/** Whether a switch has marked the packet: congestion experienced. */
export function isMarked(bytes: Uint8Array, ip: number, family: Family): boolean {
  return (trafficClass(bytes, ip, family) & 3) === CE;
}

/** 0 in IPv4. */
export function flowLabel(bytes: Uint8Array, ip: number, family: Family): number {
  return family === IPV4 ? 0 : Ipv6.flowLabel(bytes, ip);
}

/** Whether the packet is a fragment by the header itself, which in IPv6 cannot say so. */
export function isFragment(bytes: Uint8Array, ip: number, family: Family): boolean {
  return family === IPV4 && Ipv4.isFragment(bytes, ip);
}

/** Whether `bytes[ip, end)` is a TCP segment, and no fragment of one, with an IP header without options. */
export function isTcp(bytes: Uint8Array, ip: number, end: number, family: Family): boolean {
  return (
    end - ip >= family.length + Tcp.LENGTH &&
    isPlain(bytes, ip, family) &&
    protocol(bytes, ip, family) === PROTOCOL_TCP &&
    !isFragment(bytes, ip, family)
  );
}

/** The end of the packet by the length in its own header. */
export function endOf(bytes: Uint8Array, ip: number, family: Family): number {
  return family === IPV4
    ? ip + Ipv4.totalLength(bytes, ip)
    : ip + Ipv6.LENGTH + Ipv6.payloadLength(bytes, ip);
}

/** The fields of a packet that is sent whole, in either version. */
export interface Header {
  readonly dscp: number;
  readonly ecn: number;
  /** Without a meaning in IPv4. */
  readonly flowLabel: number;
  readonly hopLimit: number;
  readonly protocol: number;
  readonly source: bigint;
  readonly destination: bigint;
  readonly payloadLength: number;
  /** Without a meaning in IPv6. Default true. */
  readonly dontFragment?: boolean;
}

/** Writes a header without options, with the checksum of IPv4. */
export function emit(bytes: Uint8Array, ip: number, family: Family, header: Header): void {
  const { hopLimit, protocol, dontFragment = true } = header;
  if (family === IPV4) Ipv4.emit(bytes, ip, { ...header, ...Ipv4.ATOMIC, dontFragment, ttl: hopLimit });
  else Ipv6.emit(bytes, ip, { ...header, nextHeader: protocol });
}

/** Writes the length of a packet with these bytes, and the checksum of IPv4. */
export function finish(bytes: Uint8Array, ip: number, family: Family, length: number): void {
  if (family === IPV4) {
    Ipv4.setTotalLength(bytes, ip, length);
    Ipv4.writeChecksum(bytes, ip);
  } else Ipv6.setPayloadLength(bytes, ip, length - Ipv6.LENGTH);
}

/** Changes the length of a packet by added bytes, and the checksum of IPv4 by the sum that is added to it (see `without`). */
export function updateLength(bytes: Uint8Array, ip: number, family: Family, by: number): void {
  if (family !== IPV4) {
    Ipv6.setPayloadLength(bytes, ip, Ipv6.payloadLength(bytes, ip) + by);
    return;
  }
  Ipv4.setTotalLength(bytes, ip, Ipv4.totalLength(bytes, ip) + by);
  Ipv4.updateChecksum(bytes, ip, by > 0 ? by : 0xffff + by);
}

/**
 * Running sum over the pseudo-header of a transport protocol (RFC 9293, section 3.1; RFC 8200, section 8.1). `length`: bytes of the
 * transport header and its data.
 */
export function pseudoSum(
  bytes: Uint8Array,
  ip: number,
  family: Family,
  protocol: number,
  length: number,
): number {
  const from = ip + family.keyAt;
  return addWords(bytes, from, from + 2 * family.addressLength, protocol + length);
}
