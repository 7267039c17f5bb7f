/** The extension headers of IPv6 (RFC 8200, section 4; RFC 4302): a view that finds what follows them, and their representation. */

import * as Ipv6 from "./ipv6.js";
import {
  PROTOCOL_AUTHENTICATION,
  PROTOCOL_DESTINATION_OPTIONS,
  PROTOCOL_FRAGMENT,
  PROTOCOL_HOP_BY_HOP,
  PROTOCOL_ROUTING,
} from "./numbers.js";
import { get16 } from "./words.js";

/** A fragment header has no length field. */
const FRAGMENT_LENGTH = 8;

/** Whether a header of this number is an extension header that is understood here. */
export function isExtension(nextHeader: number): boolean {
  return (
    nextHeader === PROTOCOL_HOP_BY_HOP ||
    nextHeader === PROTOCOL_ROUTING ||
    nextHeader === PROTOCOL_FRAGMENT ||
    nextHeader === PROTOCOL_AUTHENTICATION ||
    nextHeader === PROTOCOL_DESTINATION_OPTIONS
  );
}

/** Bytes of the extension header of number `type` at `at`. */
export function length(bytes: Uint8Array, at: number, type: number): number {
  if (type === PROTOCOL_FRAGMENT) return FRAGMENT_LENGTH;
  // An authentication header counts words and leaves out two of them, the others units of eight bytes without the first.
  return type === PROTOCOL_AUTHENTICATION ? (bytes[at + 1]! + 2) * 4 : (bytes[at + 1]! + 1) * 8;
}

/** What follows the extension headers of a packet. One object is reused for all packets. */
export class Chain {
  /** Protocol of the header at {@link at}. */
  protocol = 0;
  at = 0;
  isFragment = false;
  /** Whether the packet is a fragment that does not begin with the transport header. */
  isLaterFragment = false;
  /** Whether a routing header names further nodes, so that the header does not have the final destination. */
  isRoutedOn = false;

  /** Follows the headers of the packet `bytes[ip, end)`, whose first header is whole; false where they pass its end. */
  read(bytes: Uint8Array, ip: number, end: number): boolean {
    this.protocol = Ipv6.nextHeader(bytes, ip);
    this.at = ip + Ipv6.LENGTH;
    this.isFragment = false;
    this.isLaterFragment = false;
    this.isRoutedOn = false;
    while (isExtension(this.protocol) && !this.isLaterFragment) {
      const { at, protocol } = this;
      if (at + 8 > end) return false;
      const bytesOfHeader = length(bytes, at, protocol);
      if (at + bytesOfHeader > end) return false;
      if (protocol === PROTOCOL_FRAGMENT) {
        // The lowest bit says that more fragments follow, the upper 13 bits are the offset.
        this.isFragment = (get16(bytes, at + 2) & 0xfff9) !== 0;
        this.isLaterFragment = get16(bytes, at + 2) >>> 3 !== 0;
      }
      if (protocol === PROTOCOL_ROUTING && bytes[at + 3] !== 0) this.isRoutedOn = true;
      this.protocol = bytes[at]!;
      this.at = at + bytesOfHeader;
    }
    return true;
  }
}

export interface Extension {
  /** Its number as a next header. */
  readonly type: number;
  /**
   * All bytes after the number of the next header and the length: 6 of a fragment header, whose second byte is 0, else such a number that the
   * header has whole units of eight bytes (of four bytes for an authentication header).
   */
  readonly data: Uint8Array;
}

export interface Extensions {
  readonly headers: readonly Extension[];
  /** Number and position of what follows them. */
  readonly protocol: number;
  readonly at: number;
  readonly isFragment: boolean;
}

/** The extension headers of the packet `bytes[ip, end)`, whose first header is whole; undefined where they pass its end. */
export function parse(bytes: Uint8Array, ip: number, end: number): Extensions | undefined {
  const chain = new Chain();
  if (!chain.read(bytes, ip, end)) return undefined;
  const headers: Extension[] = [];
  let type = Ipv6.nextHeader(bytes, ip);
  for (let at = ip + Ipv6.LENGTH; at < chain.at; ) {
    const next = at + length(bytes, at, type);
    headers.push({ type, data: bytes.slice(at + 2, next) });
    type = bytes[at]!;
    at = next;
  }
  return { headers, protocol: chain.protocol, at: chain.at, isFragment: chain.isFragment };
}

/** Bytes of the headers. */
export function emittedLength(headers: readonly Extension[]): number {
  return headers.reduce((sum, { data }) => sum + 2 + data.length, 0);
}

/** Writes the headers at `at`, and behind them the number of the last next header. Returns their end. */
export function emit(bytes: Uint8Array, at: number, headers: readonly Extension[], protocol: number): number {
  for (const [index, { type, data }] of headers.entries()) {
    bytes[at] = headers[index + 1]?.type ?? protocol;
    bytes[at + 1] = lengthField(type, 2 + data.length);
    bytes.set(data, at + 2);
    at += 2 + data.length;
  }
  return at;
}

function lengthField(type: number, bytes: number): number {
  if (type === PROTOCOL_FRAGMENT) return 0;
  return type === PROTOCOL_AUTHENTICATION ? bytes / 4 - 2 : bytes / 8 - 1;
}
