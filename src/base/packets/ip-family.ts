/** Positions of the fields of IP and TCP headers, and functions that read them. Positions count from the start of the IP header. */

import { CE, PROTOCOL_TCP } from "./numbers.js";
import { get16 } from "./words.js";

/** An IPv4 header without options, or an IPv6 header without extensions. */
export interface Family {
  readonly version: 4 | 6;
  readonly ethertype: number;
  readonly addressLength: number;
  /** Of the IP header. */
  readonly length: number;
  /** Offset of the addresses, which the ports follow: the key of a flow. */
  readonly keyAt: number;
  readonly keyLength: number;
}

export const IPV4: Family = {
  version: 4,
  ethertype: 0x0800,
  addressLength: 4,
  length: 20,
  keyAt: 12,
  keyLength: 12,
};

export const IPV6: Family = {
  version: 6,
  ethertype: 0x86dd,
  addressLength: 16,
  length: 40,
  keyAt: 8,
  keyLength: 36,
};

/** Whether a switch has marked the packet: congestion experienced. */
export function isMarked(bytes: Uint8Array, ip: number, family: Family): boolean {
  return ((family === IPV4 ? bytes[ip + 1]! : bytes[ip + 1]! >>> 4) & 3) === CE;
}

/** The family of a flow key. */
export function familyOf(key: Uint8Array): Family {
  return key.length === IPV4.keyLength ? IPV4 : IPV6;
}

/** Whether `bytes[ip, end)` is a TCP segment, and no fragment of one, with an IP header without options. */
export function isTcp(bytes: Uint8Array, ip: number, end: number, family: Family): boolean {
  if (end - ip < family.length + 20) return false;
  if (family === IPV6) return bytes[ip]! >>> 4 === 6 && bytes[ip + 6] === PROTOCOL_TCP;
  return bytes[ip] === 0x45 && bytes[ip + 9] === PROTOCOL_TCP && !isFragment(bytes, ip);
}

/** Of an IPv4 packet. */
export function isFragment(bytes: Uint8Array, ip: number): boolean {
  return (get16(bytes, ip + 6) & 0x3fff) !== 0;
}

/** The end of the packet by the length in its own header. */
export function endOf(bytes: Uint8Array, ip: number, family: Family): number {
  return family === IPV4 ? ip + get16(bytes, ip + 2) : ip + 40 + get16(bytes, ip + 4);
}

export function dscpOf(bytes: Uint8Array, ip: number, family: Family): number {
  return family === IPV4 ? bytes[ip + 1]! >>> 2 : ((bytes[ip]! & 15) << 2) | (bytes[ip + 1]! >>> 6);
}

/** 0 in IPv4. */
export function flowLabelOf(bytes: Uint8Array, ip: number, family: Family): number {
  return family === IPV4 ? 0 : ((bytes[ip + 1]! & 15) << 16) | get16(bytes, ip + 2);
}
