/** UDP (RFC 768): a view over the header at `at`, and its representation. */

import { addWords, finishChecksum, isWhole } from "./checksum.js";
import { get16, put16 } from "./words.js";

export const LENGTH = 8;
/** Position of the checksum. */
export const CHECKSUM_AT = 6;

export function srcPort(bytes: Uint8Array, at: number): number {
  return get16(bytes, at);
}

export function dstPort(bytes: Uint8Array, at: number): number {
  return get16(bytes, at + 2);
}

/** Bytes of header and payload. */
export function length(bytes: Uint8Array, at: number): number {
  return get16(bytes, at + 4);
}

export function setLength(bytes: Uint8Array, at: number, value: number): void {
  put16(bytes, at + 4, value);
}

/** Whether the sender has computed no checksum, as it may over IPv4. */
export function hasNoChecksum(bytes: Uint8Array, at: number): boolean {
  return get16(bytes, at + CHECKSUM_AT) === 0;
}

/** Writes the checksum for a running sum that was taken with the field at zero. A checksum of 0 is sent as all ones: 0 means none. */
export function setChecksum(bytes: Uint8Array, at: number, sum: number): void {
  put16(bytes, at + CHECKSUM_AT, finishChecksum(sum) || 0xffff);
}

/** Computes the checksum of the datagram `bytes[at, end)`. `pseudoSum`: see {@link Ip.pseudoSum}. */
export function writeChecksum(bytes: Uint8Array, at: number, end: number, pseudoSum: number): void {
  put16(bytes, at + CHECKSUM_AT, 0);
  setChecksum(bytes, at, addWords(bytes, at, end, pseudoSum));
}

export interface Header {
  readonly srcPort: number;
  readonly dstPort: number;
  readonly payloadLength: number;
}

/**
 * Whether `bytes[at, end)` is a whole datagram with a right checksum. Over IPv4 a datagram may come without one (RFC 768), over IPv6 not (RFC
 * 8200, section 8.1): `version` decides.
 */
export function check(
  bytes: Uint8Array,
  at: number,
  end: number,
  pseudoSum: number,
  version: 4 | 6,
): boolean {
  if (!hasWholeDatagram(bytes, at, end)) return false;
  return (version === 4 && hasNoChecksum(bytes, at)) || isWhole(addWords(bytes, at, end, pseudoSum));
}

/** Whether the datagram's own length is that of `bytes[at, end)`. */
function hasWholeDatagram(bytes: Uint8Array, at: number, end: number): boolean {
  return end >= at + LENGTH && length(bytes, at) === end - at;
}

/** Undefined for anything but a whole datagram in `bytes[at, end)`. */
export function parse(bytes: Uint8Array, at: number, end: number): Header | undefined {
  if (!hasWholeDatagram(bytes, at, end)) return undefined;
  return {
    srcPort: srcPort(bytes, at),
    dstPort: dstPort(bytes, at),
    payloadLength: length(bytes, at) - LENGTH,
  };
}

/** Writes the header without its checksum, which {@link writeChecksum} writes after the payload. */
export function emit(bytes: Uint8Array, at: number, header: Header): void {
  put16(bytes, at, header.srcPort);
  put16(bytes, at + 2, header.dstPort);
  setLength(bytes, at, LENGTH + header.payloadLength);
}
