/** Recorded packets with the addresses of other hosts: IPv4 and IPv6, checksums kept right by their differences (RFC 1624). */

import { addWords, adjustChecksum, foldSum } from "./checksum.js";
import * as Ethernet from "./ethernet.js";
import * as Icmpv6 from "./icmpv6.js";
import * as Ip from "./ip.js";
import * as Ipv4 from "./ipv4.js";
import { Chain } from "./ipv6-extensions.js";
import {
  ETHERTYPE_SERVICE_VLAN,
  ETHERTYPE_VLAN,
  PROTOCOL_ICMPV6,
  PROTOCOL_TCP,
  PROTOCOL_UDP,
} from "./numbers.js";
import * as Tcp from "./tcp.js";
import * as Udp from "./udp.js";
import * as Vlan from "./vlan.js";
import { get16, getAddress, put16, putAddress } from "./words.js";

/** Link types of captures that are read (www.tcpdump.org/linktypes.html): Ethernet, and IP without a link. */
const ETHERNET = 1;
const RAW_IP: ReadonlySet<number> = new Set([12, 101, 228, 229]);

const VLAN_TAGS: ReadonlySet<number> = new Set([ETHERTYPE_VLAN, ETHERTYPE_SERVICE_VLAN]);

/** By protocol: position in the transport header of the checksum, which covers the addresses. */
const CHECKSUM_AT: ReadonlyMap<number, number> = new Map([
  [PROTOCOL_TCP, Tcp.CHECKSUM_AT],
  [PROTOCOL_UDP, Udp.CHECKSUM_AT],
  [PROTOCOL_ICMPV6, Icmpv6.CHECKSUM_AT],
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
    if (frame.length < Ethernet.LENGTH) return undefined;
    at = Ethernet.LENGTH;
    while (at + Vlan.LENGTH <= frame.length && VLAN_TAGS.has(Ethernet.payloadType(frame, at)))
      at += Vlan.LENGTH;
    if (Ip.familyOfType(Ethernet.payloadType(frame, at)) === undefined) return undefined;
  }
  if (at >= frame.length) return undefined;
  const version = Ipv4.version(frame, at);
  if (version !== 4 && version !== 6) return undefined;
  const { length, keyAt, addressLength } = Ip.familyAt(frame, at);
  if (at + length > frame.length) return undefined;
  const source = getAddress(frame, at + keyAt, addressLength);
  const destination = getAddress(frame, at + keyAt + addressLength, addressLength);
  return { version, at, source, destination };
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
  const ip = Ethernet.LENGTH;
  const family = version === 4 ? Ip.IPV4 : Ip.IPV6;
  const frame = new Uint8Array(ip + Math.max(length, recorded.length) - at);
  const captured = ip + recorded.length - at;
  Ethernet.emit(frame, {
    destination: ends.destinationMac,
    source: ends.sourceMac,
    type: family.ethertype,
  });
  frame.set(recorded.subarray(at), ip);
  const addresses = ip + family.keyAt;
  const addressesEnd = addresses + 2 * family.addressLength;
  const before = foldSum(addWords(frame, addresses, addressesEnd, 0));
  putAddress(frame, addresses, family.addressLength, ends.source);
  putAddress(frame, addresses + family.addressLength, family.addressLength, ends.destination);
  const after = foldSum(addWords(frame, addresses, addressesEnd, 0));
  // The part of RFC 1624 that takes the old addresses out and puts the new ones in.
  const change = (~before & 0xffff) + after;
  if (version === 4) Ipv4.updateChecksum(frame, ip, change);
  const checksum = addressedChecksum(frame, family, captured);
  if (checksum === undefined) return frame;
  adjustChecksum(frame, checksum.at, change);
  if (checksum.isUdp && get16(frame, checksum.at) === 0) put16(frame, checksum.at, 0xffff);
  return frame;
}

/** The captured checksum of the transport header, if it covers the addresses. */
function addressedChecksum(
  frame: Uint8Array,
  family: Ip.Family,
  captured: number,
): { readonly at: number; readonly isUdp: boolean } | undefined {
  const ip = Ethernet.LENGTH;
  let protocol = Ip.protocol(frame, ip, family);
  let transport = ip + Ip.headerLength(frame, ip, family);
  if (family === Ip.IPV4) {
    if (Ipv4.isLaterFragment(frame, ip) || protocol === PROTOCOL_ICMPV6) return undefined;
  } else {
    const chain = new Chain();
    // The pseudo-header of a packet that is routed on has an address that is not replaced.
    if (!chain.read(frame, ip, captured) || chain.isLaterFragment || chain.isRoutedOn) return undefined;
    protocol = chain.protocol;
    transport = chain.at;
  }
  const offset = CHECKSUM_AT.get(protocol);
  if (offset === undefined || transport + offset + 2 > captured) return undefined;
  const isUdp = protocol === PROTOCOL_UDP;
  // A UDP checksum of 0 over IPv4 means that there is none.
  return isUdp && Udp.hasNoChecksum(frame, transport) ? undefined : { at: transport + offset, isUdp };
}
