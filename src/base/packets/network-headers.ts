/** Ethernet, an optional 802.1Q tag, and IPv4 or IPv6: the headers before the transport header of a frame. */

import { addWords, finishChecksum } from "./checksum.js";
import * as Ethernet from "./ethernet.js";
import * as Ip from "./ip.js";
import * as Ipv4 from "./ipv4.js";
import * as Ipv6 from "./ipv6.js";
import { ECT_0, ETHERTYPE_VLAN } from "./numbers.js";
import type { SelectorHeaders } from "./selector-field.js";
import * as Vlan from "./vlan.js";
import { put16 } from "./words.js";

const HOP_LIMIT = 64;

/** How selectors are written into headers and read back. */
export interface SelectorCodec {
  headersOf(selector: number): SelectorHeaders;
  selectorOf(headers: SelectorHeaders): number;
}

/** Addresses and ports of one direction of a flow, as in its packets. */
export interface FlowAddresses {
  ipVersion: 4 | 6;
  srcMac: bigint;
  dstMac: bigint;
  src: bigint;
  dst: bigint;
  srcPort: number;
  dstPort: number;
}

/** Headers up to the ports, and room for the rest of the transport header. Lengths and checksums are 0, ECN is "not capable". */
export interface PreparedHeaders {
  readonly bytes: Uint8Array;
  readonly ipAt: number;
  readonly transportAt: number;
  /** Sum over the IPv4 header; 0 for IPv6. */
  readonly ipSum: number;
  /** Sum over addresses, protocol and ports: the pseudo-header without the length. */
  readonly pseudoSum: number;
}

export function prepareHeaders(
  { ipVersion, srcMac, dstMac, src, dst, srcPort, dstPort }: FlowAddresses,
  { dscp, vlan, flowLabel, ttl = HOP_LIMIT }: SelectorHeaders,
  protocol: number,
  transportBytes: number,
  dontFragment = true,
): PreparedHeaders {
  const family = ipVersion === 4 ? Ip.IPV4 : Ip.IPV6;
  const ipAt = Ethernet.LENGTH + (vlan === undefined ? 0 : Vlan.LENGTH);
  const transportAt = ipAt + family.length;
  const bytes = new Uint8Array(transportAt + transportBytes);
  const type = vlan === undefined ? family.ethertype : ETHERTYPE_VLAN;
  Ethernet.emit(bytes, { destination: dstMac, source: srcMac, type });
  if (vlan !== undefined) {
    const tag = { priority: 0, dropEligible: false, id: vlan & 0xfff, type: family.ethertype };
    Vlan.emit(bytes, Ethernet.LENGTH, tag);
  }
  Ip.emit(bytes, ipAt, family, {
    dscp: dscp & 0x3f,
    ecn: 0,
    flowLabel: flowLabel & 0xfffff,
    hopLimit: ttl,
    protocol,
    source: src,
    destination: dst,
    payloadLength: 0,
    dontFragment,
  });
  if (ipVersion === 4) {
    Ipv4.setTotalLength(bytes, ipAt, 0);
    Ipv4.setChecksum(bytes, ipAt, 0);
  }
  put16(bytes, transportAt, srcPort);
  put16(bytes, transportAt + 2, dstPort);
  return {
    bytes,
    ipAt,
    transportAt,
    ipSum: ipVersion === 4 ? addWords(bytes, ipAt, transportAt, 0) : 0,
    pseudoSum: addWords(bytes, ipAt + family.keyAt, transportAt + Ip.PORTS_LENGTH, protocol),
  };
}

/**
 * Writes the fields of the IP header that depend on the packet, into a frame that begins with these bytes: the ECN field, the length and,
 * for IPv4, the checksum. `transportLength`: bytes from the transport header to the end.
 */
export function finishIp(
  frame: Uint8Array,
  { ipAt, ipSum }: PreparedHeaders,
  ipVersion: 4 | 6,
  ecn: boolean,
  transportLength: number,
): void {
  if (ipVersion === 4) {
    const bits = ecn ? ECT_0 : 0;
    const length = Ipv4.LENGTH + transportLength;
    Ipv4.addEcn(frame, ipAt, bits);
    Ipv4.setTotalLength(frame, ipAt, length);
    Ipv4.setChecksum(frame, ipAt, finishChecksum(ipSum + bits + length));
  } else {
    if (ecn) Ipv6.addEcn(frame, ipAt, ECT_0);
    Ipv6.setPayloadLength(frame, ipAt, transportLength);
  }
}
