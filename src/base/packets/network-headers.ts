/** Ethernet, an optional 802.1Q tag, and IPv4 or IPv6: the headers before the transport header of a frame. */

import { toBytes } from "../index.js";
import { addWords, finishChecksum } from "./checksum.js";
import { ECT_0, ETHERTYPE_IPV4, ETHERTYPE_IPV6, ETHERTYPE_VLAN } from "./numbers.js";
import type { SelectorHeaders } from "./selector-field.js";
import { put16, put32 } from "./words.js";

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
  const ipAt = 14 + (vlan === undefined ? 0 : 4);
  const transportAt = ipAt + (ipVersion === 4 ? 20 : 40);
  const bytes = new Uint8Array(transportAt + transportBytes);
  bytes.set(toBytes(dstMac, 6), 0);
  bytes.set(toBytes(srcMac, 6), 6);
  if (vlan !== undefined) {
    put16(bytes, 12, ETHERTYPE_VLAN);
    put16(bytes, 14, vlan & 0xfff);
  }
  put16(bytes, ipAt - 2, ipVersion === 4 ? ETHERTYPE_IPV4 : ETHERTYPE_IPV6);
  const addressBytes = ipVersion === 4 ? 4 : 16;
  const addressesAt = transportAt - 2 * addressBytes;
  if (ipVersion === 4) {
    bytes[ipAt] = 0x45;
    bytes[ipAt + 1] = (dscp & 0x3f) << 2;
    // Identification 0 with "don't fragment" set: an atomic datagram (RFC 6864).
    if (dontFragment) put16(bytes, ipAt + 6, 0x4000);
    bytes[ipAt + 8] = ttl;
    bytes[ipAt + 9] = protocol;
  } else {
    put32(bytes, ipAt, (6 << 28) | ((dscp & 0x3f) << 22) | (flowLabel & 0xfffff));
    bytes[ipAt + 6] = protocol;
    bytes[ipAt + 7] = ttl;
  }
  bytes.set(toBytes(src, addressBytes), addressesAt);
  bytes.set(toBytes(dst, addressBytes), addressesAt + addressBytes);
  put16(bytes, transportAt, srcPort);
  put16(bytes, transportAt + 2, dstPort);
  return {
    bytes,
    ipAt,
    transportAt,
    ipSum: ipVersion === 4 ? addWords(bytes, ipAt, transportAt, 0) : 0,
    pseudoSum: addWords(bytes, addressesAt, transportAt + 4, protocol),
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
    frame[ipAt + 1]! |= bits;
    put16(frame, ipAt + 2, 20 + transportLength);
    put16(frame, ipAt + 10, finishChecksum(ipSum + bits + 20 + transportLength));
  } else {
    if (ecn) frame[ipAt + 1]! |= ECT_0 << 4;
    put16(frame, ipAt + 4, transportLength);
  }
}
