/** Ethernet frames for tests: TCP over IPv4 or IPv6, with a selector in any of the header fields. */

import { toBytes } from "../../../src/base/index.js";
import type { FlowKey } from "../../../src/base/packets/index.js";
import { type SelectorField, selectorHeaders } from "../../../src/base/packets/index.js";

export interface FrameOptions {
  readonly family: "ipv4" | "ipv6";
  readonly flow: FlowKey;
  readonly field: SelectorField;
  readonly selector: number;
  /** TTL or hop limit; by default what the field asks for, else 64. */
  readonly ttl?: number;
  readonly dstMac?: bigint;
  readonly srcMac?: bigint;
}

export function frameOf({
  family,
  flow,
  field,
  selector,
  ttl: given,
  dstMac = 2n,
  srcMac = 1n,
}: FrameOptions): Uint8Array {
  const headers = selectorHeaders(field, selector);
  const ttl = given ?? headers.ttl ?? 64;
  const etherType = family === "ipv4" ? 0x0800 : 0x86dd;
  const tag = headers.vlan === undefined ? [] : [...toBytes(0x8100n, 2), ...toBytes(BigInt(headers.vlan), 2)];
  const tcp = [
    ...toBytes(BigInt(flow.srcPort), 2),
    ...toBytes(BigInt(flow.dstPort), 2),
    ...new Array(16).fill(0x5a),
  ];
  const ip =
    family === "ipv4" ? ipv4(flow, headers.dscp, ttl, tcp.length) : ipv6(flow, headers, ttl, tcp.length);
  return Uint8Array.from([
    ...toBytes(dstMac, 6),
    ...toBytes(srcMac, 6),
    ...tag,
    ...toBytes(BigInt(etherType), 2),
    ...ip,
    ...tcp,
  ]);
}

function ipv4(flow: FlowKey, dscp: number, ttl: number, payload: number): number[] {
  const header = [
    ...[0x45, dscp << 2, ...toBytes(BigInt(20 + payload), 2), 0, 0, 0, 0, ttl, flow.protocol, 0, 0],
    ...toBytes(flow.src, 4),
    ...toBytes(flow.dst, 4),
  ];
  const sum = checksum(header);
  header[10] = sum >> 8;
  header[11] = sum & 0xff;
  return header;
}

function ipv6(
  flow: FlowKey,
  { dscp, flowLabel }: { dscp: number; flowLabel: number },
  ttl: number,
  payload: number,
) {
  const first = (6n << 28n) | (BigInt(dscp) << 22n) | BigInt(flowLabel);
  return [
    ...toBytes(first, 4),
    ...[...toBytes(BigInt(payload), 2), flow.protocol, ttl],
    ...toBytes(flow.src, 16),
    ...toBytes(flow.dst, 16),
  ];
}

/** Internet checksum (RFC 1071) of an even number of bytes. */
export function checksum(bytes: readonly number[]): number {
  let sum = 0;
  for (let i = 0; i < bytes.length; i += 2) sum += (bytes[i]! << 8) | bytes[i + 1]!;
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  return ~sum & 0xffff;
}
