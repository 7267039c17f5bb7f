/** Frames as fields: what the hosts of the designs send, and what the second models expect. */
import { addWords, finishChecksum } from "../../../src/base/packets/index.js";

/** A field: its value, and its width in bits. */
export type Field = readonly [value: number | bigint, bits: number];

/** The fields one after the other, high bit first; together they are whole bytes. */
export function pack(...fields: readonly Field[]): Uint8Array {
  let value = 0n;
  let bits = 0;
  for (const [field, width] of fields) {
    value = (value << BigInt(width)) | BigInt.asUintN(width, BigInt(field));
    bits += width;
  }
  if (bits % 8 !== 0) throw new Error(`fields have ${bits} bits`);
  const bytes = new Uint8Array(bits / 8);
  for (let i = bytes.length - 1; i >= 0; i--) {
    bytes[i] = Number(value & 255n);
    value >>= 8n;
  }
  return bytes;
}

/** The big-endian number of `length` bytes at a position. */
export function at(bytes: Uint8Array, position: number, length: number): number {
  let value = 0;
  for (let i = position; i < position + length; i++) value = value * 256 + (bytes[i] ?? 0);
  return value;
}

export function join(...parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  for (const part of parts) {
    all.set(part, end);
    end += part.length;
  }
  return all;
}

export const ETHERNET_BYTES = 14;
export const IPV4_BYTES = 20;
export const UDP_BYTES = 8;

export function ethernet(destination: number, source: number, type: number): Uint8Array {
  return pack([destination, 48], [source, 48], [type, 16]);
}

export interface Ipv4Fields {
  readonly source: number;
  readonly destination: number;
  readonly protocol: number;
  /** Bytes behind the header. */
  readonly length: number;
  readonly ttl?: number;
  readonly dscp?: number;
  readonly identification?: number;
}

/** A header without options, with its checksum. */
export function ipv4(fields: Ipv4Fields): Uint8Array {
  const { source, destination, protocol, length, ttl = 64, dscp = 0, identification = 0 } = fields;
  const header = pack(
    [0x45, 8],
    [dscp << 2, 8],
    [IPV4_BYTES + length, 16],
    [identification, 16],
    [0, 16],
    [ttl, 8],
    [protocol, 8],
    [0, 16],
    [source, 32],
    [destination, 32],
  );
  const sum = finishChecksum(addWords(header, 0, IPV4_BYTES, 0));
  header[10] = sum >>> 8;
  header[11] = sum & 255;
  return header;
}

/** A header without a checksum, as UDP over IPv4 allows. */
export function udp(source: number, destination: number, length: number): Uint8Array {
  return pack([source, 16], [destination, 16], [UDP_BYTES + length, 16], [0, 16]);
}
