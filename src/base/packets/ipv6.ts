/** IPv6 (RFC 8200): a view over the header at `at`, and its representation. Its extension headers are in `ipv6-extensions.ts`. */

import { get16, get32, getAddress, put16, put32, putAddress } from "./words.js";

export const LENGTH = 40;
export const ADDRESS_LENGTH = 16;
/** Positions of fields, for code that cannot afford a call for each. The destination address follows the source address. */
export const PAYLOAD_LENGTH_AT = 4;
export const NEXT_HEADER_AT = 6;
export const HOP_LIMIT_AT = 7;
export const SOURCE_AT = 8;
const DESTINATION_AT = 24;

export function version(bytes: Uint8Array, at: number): number {
  return bytes[at]! >>> 4;
}

/** DSCP and ECN. */
export function trafficClass(bytes: Uint8Array, at: number): number {
  return ((bytes[at]! & 15) << 4) | (bytes[at + 1]! >>> 4);
}

/** Sets bits of the ECN field. */
export function addEcn(bytes: Uint8Array, at: number, bits: number): void {
  bytes[at + 1]! |= bits << 4;
}

export function flowLabel(bytes: Uint8Array, at: number): number {
  return ((bytes[at + 1]! & 15) << 16) | get16(bytes, at + 2);
}

/** Writes the version, the traffic class and the flow label. */
export function setFirstWord(bytes: Uint8Array, at: number, trafficClass: number, flowLabel: number): void {
  put32(bytes, at, (6 << 28) | (trafficClass << 20) | flowLabel);
}

/** Bytes after this header, extension headers among them. */
export function payloadLength(bytes: Uint8Array, at: number): number {
  return get16(bytes, at + PAYLOAD_LENGTH_AT);
}

export function setPayloadLength(bytes: Uint8Array, at: number, value: number): void {
  put16(bytes, at + PAYLOAD_LENGTH_AT, value);
}

export function nextHeader(bytes: Uint8Array, at: number): number {
  return bytes[at + NEXT_HEADER_AT]!;
}

export function hopLimit(bytes: Uint8Array, at: number): number {
  return bytes[at + HOP_LIMIT_AT]!;
}

export function setHopLimit(bytes: Uint8Array, at: number, value: number): void {
  bytes[at + HOP_LIMIT_AT] = value;
}

/** Whether the destination is a multicast address. */
export function isToGroup(bytes: Uint8Array, at: number): boolean {
  return bytes[at + DESTINATION_AT] === 0xff;
}

/** Whether one of the addresses is of one link (RFC 4291, section 2.5.6), or otherwise local (fe00::/8). */
export function hasLinkAddress(bytes: Uint8Array, at: number): boolean {
  return bytes[at + SOURCE_AT] === 0xfe || bytes[at + DESTINATION_AT] === 0xfe;
}

export interface Header {
  readonly dscp: number;
  readonly ecn: number;
  readonly flowLabel: number;
  readonly payloadLength: number;
  readonly nextHeader: number;
  readonly hopLimit: number;
  readonly source: bigint;
  readonly destination: bigint;
}

/** Whether a whole packet stands in `bytes[at, end)`; bytes may follow the packet. */
export function check(bytes: Uint8Array, at: number, end: number): boolean {
  if (end < at + LENGTH || version(bytes, at) !== 6) return false;
  return at + LENGTH + payloadLength(bytes, at) <= end;
}

/** Undefined where {@link check} says no. */
export function parse(bytes: Uint8Array, at: number, end: number): Header | undefined {
  if (!check(bytes, at, end)) return undefined;
  const first = get32(bytes, at);
  return {
    dscp: (first >>> 22) & 0x3f,
    ecn: (first >>> 20) & 3,
    flowLabel: first & 0xfffff,
    payloadLength: payloadLength(bytes, at),
    nextHeader: nextHeader(bytes, at),
    hopLimit: hopLimit(bytes, at),
    source: getAddress(bytes, at + SOURCE_AT, ADDRESS_LENGTH),
    destination: getAddress(bytes, at + DESTINATION_AT, ADDRESS_LENGTH),
  };
}

export function emit(bytes: Uint8Array, at: number, header: Header): void {
  setFirstWord(bytes, at, (header.dscp << 2) | header.ecn, header.flowLabel);
  setPayloadLength(bytes, at, header.payloadLength);
  bytes[at + NEXT_HEADER_AT] = header.nextHeader;
  setHopLimit(bytes, at, header.hopLimit);
  putAddress(bytes, at + SOURCE_AT, ADDRESS_LENGTH, header.source);
  putAddress(bytes, at + DESTINATION_AT, ADDRESS_LENGTH, header.destination);
}
