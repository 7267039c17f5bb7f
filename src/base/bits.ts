/** Bit strings as numbers: masks, two's complement, and big-endian bytes. For compile time and control plane. */

/** 2^width - 1. */
export function maskOf(width: number): bigint {
  return (1n << BigInt(width)) - 1n;
}

/** The value modulo 2^width, as an unsigned number. */
export function toUnsigned(value: bigint, width: number): bigint {
  return BigInt.asUintN(width, value);
}

/** The value modulo 2^width read as two's complement. */
export function toSigned(value: bigint, width: number): bigint {
  return BigInt.asIntN(width, value);
}

/** How many bits a non-negative value needs; 0 needs none. */
export function bitLength(value: bigint): number {
  return value === 0n ? 0 : value.toString(2).length;
}

/** The result of a comparison of P4 (`==`, `!=`, `<`, `<=`, `>`, `>=`); undefined for another operation. */
export function compareNumbers(op: string, a: bigint, b: bigint): boolean | undefined {
  switch (op) {
    case "==":
      return a === b;
    case "!=":
      return a !== b;
    case "<":
      return a < b;
    case "<=":
      return a <= b;
    case ">":
      return a > b;
    case ">=":
      return a >= b;
    default:
      return undefined;
  }
}

/** Big-endian bytes, exactly `length` of them; higher bits are cut off. */
export function toBytes(value: bigint, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let i = length - 1; i >= 0 && value !== 0n; i--) {
    bytes[i] = Number(value & 0xffn);
    value >>= 8n;
  }
  return bytes;
}

/** The number that big-endian bytes represent; 0 for no bytes. */
export function fromBytes(bytes: Uint8Array): bigint {
  let value = 0n;
  for (const byte of bytes) value = (value << 8n) | BigInt(byte);
  return value;
}

const DIGITS = "0123456789abcdef";
/** The two digits of each byte, as codes beside each other in memory. */
const PAIRS = new Uint16Array(
  Uint8Array.from({ length: 512 }, (_, i) => DIGITS.charCodeAt((i & 1) === 0 ? i >> 5 : (i >> 1) & 15))
    .buffer,
);
const ASCII = new TextDecoder();

/**
 * Lower-case hexadecimal digits of bytes. In V8 a string that is concatenated digit by digit is a tree of 32 bytes for each digit until it is
 * read, and traces keep such strings of whole packets; here it is one flat string.
 */
export function toHex(bytes: Uint8Array): string {
  const codes = new Uint16Array(bytes.length);
  for (let i = 0; i < bytes.length; i++) codes[i] = PAIRS[bytes[i]!]!;
  return ASCII.decode(codes);
}

/** Bytes of hexadecimal digits; undefined when the text is not an even number of hex digits. */
export function fromHex(text: string): Uint8Array | undefined {
  if (text.length % 2 !== 0 || !/^[0-9a-fA-F]*$/.test(text)) return undefined;
  const bytes = new Uint8Array(text.length / 2);
  for (let i = 0; i < bytes.length; i++) bytes[i] = Number.parseInt(text.slice(2 * i, 2 * i + 2), 16);
  return bytes;
}
