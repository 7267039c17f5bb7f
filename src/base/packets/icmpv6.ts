/** ICMPv6 (RFC 4443): as ICMP, but with other types, and a checksum that covers the pseudo-header. */

import { addWords, finishChecksum, isWhole } from "./checksum.js";
import * as Icmp from "./icmp.js";
import { put16 } from "./words.js";

export const LENGTH = Icmp.LENGTH;
/** Position of the checksum. */
export const CHECKSUM_AT = Icmp.CHECKSUM_AT;

export const UNREACHABLE = 1;
export const TIME_EXCEEDED = 3;
export const ECHO_REQUEST = 128;
export const ECHO_REPLY = 129;

export type Header = Icmp.Header;

export { code, emit, identifier, sequence, type } from "./icmp.js";

/** Computes the checksum of the message `bytes[at, end)`. `pseudoSum`: see {@link Ip.pseudoSum}. */
export function writeChecksum(bytes: Uint8Array, at: number, end: number, pseudoSum: number): void {
  put16(bytes, at + CHECKSUM_AT, 0);
  put16(bytes, at + CHECKSUM_AT, finishChecksum(addWords(bytes, at, end, pseudoSum)));
}

/** Whether `bytes[at, end)` is a whole message with a right checksum. */
export function check(bytes: Uint8Array, at: number, end: number, pseudoSum: number): boolean {
  return end >= at + LENGTH && isWhole(addWords(bytes, at, end, pseudoSum));
}

/** Undefined for less than a header. */
export function parse(bytes: Uint8Array, at: number, end: number): Header | undefined {
  if (end < at + LENGTH) return undefined;
  return {
    type: Icmp.type(bytes, at),
    code: Icmp.code(bytes, at),
    identifier: Icmp.identifier(bytes, at),
    sequence: Icmp.sequence(bytes, at),
  };
}
