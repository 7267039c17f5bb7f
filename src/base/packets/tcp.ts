/** TCP (RFC 9293, section 3.1): a view over the header at `at`, and its representation. Its options are in `tcp-options.ts`. */

import { addWords, adjustChecksum, finishChecksum, isWhole } from "./checksum.js";
import { emitOptions, type Option, optionsLength, parseOptions } from "./options.js";
import { get16, get32, put16, put32 } from "./words.js";

/** Bytes of a header without options, and the most that it has with them. */
export const LENGTH = 20;
export const MOST_LENGTH = 60;
/** Positions of fields, for code that cannot afford a call for each. */
export const SRC_PORT_AT = 0;
export const DST_PORT_AT = 2;
export const SEQUENCE_AT = 4;
export const ACKNOWLEDGEMENT_AT = 8;
export const LENGTH_AT = 12;
export const FLAGS_AT = 13;
export const WINDOW_AT = 14;
export const CHECKSUM_AT = 16;
const URGENT_AT = 18;

export function srcPort(bytes: Uint8Array, at: number): number {
  return get16(bytes, at + SRC_PORT_AT);
}

export function dstPort(bytes: Uint8Array, at: number): number {
  return get16(bytes, at + DST_PORT_AT);
}

export function sequence(bytes: Uint8Array, at: number): number {
  return get32(bytes, at + SEQUENCE_AT);
}

/** `value` is taken modulo 2^32. */
export function setSequence(bytes: Uint8Array, at: number, value: number): void {
  put32(bytes, at + SEQUENCE_AT, value);
}

export function acknowledgement(bytes: Uint8Array, at: number): number {
  return get32(bytes, at + ACKNOWLEDGEMENT_AT);
}

/** `value` is taken modulo 2^32. */
export function setAcknowledgement(bytes: Uint8Array, at: number, value: number): void {
  put32(bytes, at + ACKNOWLEDGEMENT_AT, value);
}

/** Bytes of the header with its options. */
export function headerLength(bytes: Uint8Array, at: number): number {
  return (bytes[at + LENGTH_AT]! >>> 4) * 4;
}

/** `length`: a multiple of 4. The reserved bits become 0. */
export function setHeaderLength(bytes: Uint8Array, at: number, length: number): void {
  bytes[at + LENGTH_AT] = (length / 4) << 4;
}

/**
 * Changes the length of the header by a multiple of 4 bytes; the reserved bits stay. The sum of the segment changes by {@link lengthSum}, the
 * checksum does not yet.
 */
export function lengthenHeader(bytes: Uint8Array, at: number, by: number): void {
  bytes[at + LENGTH_AT]! += lengthSum(by) >> 8;
}

/** What `by` bytes of header are in the sum of a segment, by the field of its length. */
export function lengthSum(by: number): number {
  return (by / 4) << 12;
}

export function flags(bytes: Uint8Array, at: number): number {
  return bytes[at + FLAGS_AT]!;
}

export function setFlags(bytes: Uint8Array, at: number, value: number): void {
  bytes[at + FLAGS_AT] = value;
}

/** Changes the flags, and the checksum accordingly. */
export function updateFlags(bytes: Uint8Array, at: number, value: number): void {
  const old = bytes[at + FLAGS_AT]!;
  bytes[at + FLAGS_AT] = value;
  adjustChecksum(bytes, at + CHECKSUM_AT, 0xffff - old + value);
}

/** Not scaled. */
export function window(bytes: Uint8Array, at: number): number {
  return get16(bytes, at + WINDOW_AT);
}

export function setWindow(bytes: Uint8Array, at: number, value: number): void {
  put16(bytes, at + WINDOW_AT, value);
}

export function setChecksum(bytes: Uint8Array, at: number, value: number): void {
  put16(bytes, at + CHECKSUM_AT, value);
}

/** Changes the checksum as the sum of the segment changes by `added`; see {@link adjustChecksum}. */
export function updateChecksum(bytes: Uint8Array, at: number, added: number): void {
  adjustChecksum(bytes, at + CHECKSUM_AT, added);
}

/** Computes the checksum of the segment `bytes[at, end)`. `pseudoSum`: see {@link Ip.pseudoSum}. */
export function writeChecksum(bytes: Uint8Array, at: number, end: number, pseudoSum: number): void {
  setChecksum(bytes, at, 0);
  setChecksum(bytes, at, finishChecksum(addWords(bytes, at, end, pseudoSum)));
}

export interface Header {
  readonly srcPort: number;
  readonly dstPort: number;
  readonly sequence: number;
  readonly acknowledgement: number;
  readonly flags: number;
  readonly window: number;
  readonly urgent: number;
  /** At most 40 bytes with their padding. */
  readonly options: readonly Option[];
}

/** Bytes of a header with its options. */
export function emittedLength({ options }: Header): number {
  return LENGTH + optionsLength(options);
}

/** Whether `bytes[at, end)` is a segment with a whole header and a right checksum. */
export function check(bytes: Uint8Array, at: number, end: number, pseudoSum: number): boolean {
  return hasWholeHeader(bytes, at, end) && isWhole(addWords(bytes, at, end, pseudoSum));
}

/** Whether the header with its options ends within `bytes[at, end)`. */
export function hasWholeHeader(bytes: Uint8Array, at: number, end: number): boolean {
  if (end < at + LENGTH) return false;
  const length = headerLength(bytes, at);
  return length >= LENGTH && end >= at + length;
}

/** Undefined where the header is not whole, or its options are malformed. */
export function parse(bytes: Uint8Array, at: number, end: number): Header | undefined {
  if (!hasWholeHeader(bytes, at, end)) return undefined;
  const options = parseOptions(bytes, at + LENGTH, at + headerLength(bytes, at));
  if (options === undefined) return undefined;
  return {
    srcPort: srcPort(bytes, at),
    dstPort: dstPort(bytes, at),
    sequence: sequence(bytes, at),
    acknowledgement: acknowledgement(bytes, at),
    flags: flags(bytes, at),
    window: window(bytes, at),
    urgent: get16(bytes, at + URGENT_AT),
    options,
  };
}

/** Writes the header into zeros, without its checksum, which {@link writeChecksum} writes after the payload. */
export function emit(bytes: Uint8Array, at: number, header: Header): void {
  put16(bytes, at + SRC_PORT_AT, header.srcPort);
  put16(bytes, at + DST_PORT_AT, header.dstPort);
  setSequence(bytes, at, header.sequence);
  setAcknowledgement(bytes, at, header.acknowledgement);
  setHeaderLength(bytes, at, emittedLength(header));
  setFlags(bytes, at, header.flags);
  setWindow(bytes, at, header.window);
  put16(bytes, at + URGENT_AT, header.urgent);
  emitOptions(bytes, at + LENGTH, header.options);
}
