/** IPv4 (RFC 791): a view over the header at `at`, and its representation. */

import { addWords, adjustChecksum, finishChecksum, isWhole } from "./checksum.js";
import { emitOptions, type Option, optionsLength, parseOptions } from "./options.js";
import { get16, get32, getAddress, put16, putAddress } from "./words.js";

/** Bytes of a header without options. */
export const LENGTH = 20;
export const ADDRESS_LENGTH = 4;
/** Positions of fields, for code that cannot afford a call for each. The destination address follows the source address. */
export const TRAFFIC_CLASS_AT = 1;
export const TOTAL_LENGTH_AT = 2;
const IDENTIFICATION_AT = 4;
const FRAGMENT_AT = 6;
export const TTL_AT = 8;
export const PROTOCOL_AT = 9;
const CHECKSUM_AT = 10;
export const SOURCE_AT = 12;
const DESTINATION_AT = 16;
/** First byte of a header without options. */
export const PLAIN = 0x45;
const DONT_FRAGMENT = 0x4000;
const MORE_FRAGMENTS = 0x2000;
const OFFSET_MASK = 0x1fff;

export function version(bytes: Uint8Array, at: number): number {
  return bytes[at]! >>> 4;
}

export function headerLength(bytes: Uint8Array, at: number): number {
  return (bytes[at]! & 15) * 4;
}

/** Whether the version is 4, and the header has no options. */
export function isPlain(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === PLAIN;
}

/** DSCP and ECN. */
export function trafficClass(bytes: Uint8Array, at: number): number {
  return bytes[at + TRAFFIC_CLASS_AT]!;
}

/** Sets bits of the ECN field, and not the checksum. */
export function addEcn(bytes: Uint8Array, at: number, bits: number): void {
  bytes[at + TRAFFIC_CLASS_AT]! |= bits;
}

/** Changes DSCP and ECN, and the checksum accordingly. */
export function updateTrafficClass(bytes: Uint8Array, at: number, value: number): void {
  const old = bytes[at + TRAFFIC_CLASS_AT]!;
  if (value === old) return;
  bytes[at + TRAFFIC_CLASS_AT] = value;
  adjustChecksum(bytes, at + CHECKSUM_AT, 0xffff - old + value);
}

/** Bytes of header and payload. */
export function totalLength(bytes: Uint8Array, at: number): number {
  return get16(bytes, at + TOTAL_LENGTH_AT);
}

export function setTotalLength(bytes: Uint8Array, at: number, value: number): void {
  put16(bytes, at + TOTAL_LENGTH_AT, value);
}

export function identification(bytes: Uint8Array, at: number): number {
  return get16(bytes, at + IDENTIFICATION_AT);
}

export function isFragment(bytes: Uint8Array, at: number): boolean {
  return (get16(bytes, at + FRAGMENT_AT) & (MORE_FRAGMENTS | OFFSET_MASK)) !== 0;
}

/** Whether the packet is a fragment that does not begin with the transport header. */
export function isLaterFragment(bytes: Uint8Array, at: number): boolean {
  return (get16(bytes, at + FRAGMENT_AT) & OFFSET_MASK) !== 0;
}

export function ttl(bytes: Uint8Array, at: number): number {
  return bytes[at + TTL_AT]!;
}

/** Changes the TTL, and the checksum accordingly. */
export function updateTtl(bytes: Uint8Array, at: number, value: number): void {
  const old = bytes[at + TTL_AT]!;
  if (value === old) return;
  bytes[at + TTL_AT] = value;
  adjustChecksum(bytes, at + CHECKSUM_AT, 0xffff - (old << 8) + (value << 8));
}

export function protocol(bytes: Uint8Array, at: number): number {
  return bytes[at + PROTOCOL_AT]!;
}

export function checksum(bytes: Uint8Array, at: number): number {
  return get16(bytes, at + CHECKSUM_AT);
}

export function setChecksum(bytes: Uint8Array, at: number, value: number): void {
  put16(bytes, at + CHECKSUM_AT, value);
}

/** Changes the checksum as the sum of the header changes by `added`; see {@link adjustChecksum}. */
export function updateChecksum(bytes: Uint8Array, at: number, added: number): void {
  adjustChecksum(bytes, at + CHECKSUM_AT, added);
}

/** Computes the checksum. */
export function writeChecksum(bytes: Uint8Array, at: number): void {
  setChecksum(bytes, at, 0);
  setChecksum(bytes, at, finishChecksum(headerSum(bytes, at)));
}

function headerSum(bytes: Uint8Array, at: number): number {
  return addWords(bytes, at, at + headerLength(bytes, at), 0);
}

/** Whether the checksum covers the header as it is. */
export function hasRightChecksum(bytes: Uint8Array, at: number): boolean {
  return isWhole(headerSum(bytes, at));
}

export function source(bytes: Uint8Array, at: number): number {
  return get32(bytes, at + SOURCE_AT);
}

export function destination(bytes: Uint8Array, at: number): number {
  return get32(bytes, at + DESTINATION_AT);
}

/** Whether the destination is a multicast address, or one of the reserved block with the broadcast address. */
export function isToGroup(bytes: Uint8Array, at: number): boolean {
  return bytes[at + DESTINATION_AT]! >= 224;
}

export interface Header {
  readonly dscp: number;
  readonly ecn: number;
  readonly identification: number;
  readonly dontFragment: boolean;
  readonly moreFragments: boolean;
  /** In units of eight bytes. */
  readonly fragmentOffset: number;
  readonly ttl: number;
  readonly protocol: number;
  readonly source: bigint;
  readonly destination: bigint;
  /** At most 40 bytes with their padding. */
  readonly options: readonly Option[];
  readonly payloadLength: number;
}

/** Fields of a packet that is sent whole: identification 0 with "don't fragment" set, an atomic datagram (RFC 6864). */
export const ATOMIC = {
  identification: 0,
  dontFragment: true,
  moreFragments: false,
  fragmentOffset: 0,
  options: [],
} as const;

/** Bytes of a header with its options. */
export function emittedLength({ options }: Header): number {
  return LENGTH + optionsLength(options);
}

/** Whether a whole packet stands in `bytes[at, end)`, with a right header checksum; bytes may follow the packet. */
export function check(bytes: Uint8Array, at: number, end: number): boolean {
  return hasWholePacket(bytes, at, end) && hasRightChecksum(bytes, at);
}

/** Whether version and lengths are possible, and the packet ends within `bytes[at, end)`. */
export function hasWholePacket(bytes: Uint8Array, at: number, end: number): boolean {
  if (end < at + LENGTH || version(bytes, at) !== 4) return false;
  const header = headerLength(bytes, at);
  return header >= LENGTH && totalLength(bytes, at) >= header && at + totalLength(bytes, at) <= end;
}

/** Undefined where {@link check} says no, or the options are malformed. */
export function parse(bytes: Uint8Array, at: number, end: number): Header | undefined {
  if (!check(bytes, at, end)) return undefined;
  const header = headerLength(bytes, at);
  const options = parseOptions(bytes, at + LENGTH, at + header);
  if (options === undefined) return undefined;
  const fragment = get16(bytes, at + FRAGMENT_AT);
  return {
    dscp: trafficClass(bytes, at) >>> 2,
    ecn: trafficClass(bytes, at) & 3,
    identification: identification(bytes, at),
    dontFragment: (fragment & DONT_FRAGMENT) !== 0,
    moreFragments: (fragment & MORE_FRAGMENTS) !== 0,
    fragmentOffset: fragment & OFFSET_MASK,
    ttl: ttl(bytes, at),
    protocol: protocol(bytes, at),
    source: getAddress(bytes, at + SOURCE_AT, ADDRESS_LENGTH),
    destination: getAddress(bytes, at + DESTINATION_AT, ADDRESS_LENGTH),
    options,
    payloadLength: totalLength(bytes, at) - header,
  };
}

/** Writes the header with its checksum into zeros. */
export function emit(bytes: Uint8Array, at: number, header: Header): void {
  const length = emittedLength(header);
  bytes[at] = 0x40 | (length / 4);
  bytes[at + TRAFFIC_CLASS_AT] = (header.dscp << 2) | header.ecn;
  setTotalLength(bytes, at, length + header.payloadLength);
  put16(bytes, at + IDENTIFICATION_AT, header.identification);
  const flags = (header.dontFragment ? DONT_FRAGMENT : 0) | (header.moreFragments ? MORE_FRAGMENTS : 0);
  put16(bytes, at + FRAGMENT_AT, flags | header.fragmentOffset);
  bytes[at + TTL_AT] = header.ttl;
  bytes[at + PROTOCOL_AT] = header.protocol;
  putAddress(bytes, at + SOURCE_AT, ADDRESS_LENGTH, header.source);
  putAddress(bytes, at + DESTINATION_AT, ADDRESS_LENGTH, header.destination);
  emitOptions(bytes, at + LENGTH, header.options);
  writeChecksum(bytes, at);
}
