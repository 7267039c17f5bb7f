/** Unsigned big-endian numbers in bytes. */

import { fromBytes, toBytes } from "../index.js";

export function put16(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value >>> 8;
  bytes[at + 1] = value;
}

export function put32(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value >>> 24;
  bytes[at + 1] = value >>> 16;
  bytes[at + 2] = value >>> 8;
  bytes[at + 3] = value;
}

export function get16(bytes: Uint8Array, at: number): number {
  return (bytes[at]! << 8) | bytes[at + 1]!;
}

export function get32(bytes: Uint8Array, at: number): number {
  return ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0;
}

/** An address of `length` bytes. It allocates: for representations, not for each packet. */
export function getAddress(bytes: Uint8Array, at: number, length: number): bigint {
  return fromBytes(bytes.subarray(at, at + length));
}

export function putAddress(bytes: Uint8Array, at: number, length: number, address: bigint): void {
  bytes.set(toBytes(address, length), at);
}
