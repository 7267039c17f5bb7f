/**
 * Values as byte strings (P4Runtime spec 8.3): big-endian, sent in the shortest form, accepted in any length
 * as long as the value fits its width. The empty string is no value.
 */
import { fromHex, toHex } from "../../../base/index.js";
import { DeviceError, type Naming } from "../../device/index.js";
import type { Slot } from "../../program/index.js";

/** Largest number that arithmetic on doubles keeps exact, in whole bytes. */
const SMALL_BYTES = 6;
const SMALL_LIMIT = 1n << 48n;

/** The shortest byte string of a non-negative value; 0 is one zero byte. */
export function encodeValue(value: bigint): Uint8Array {
  if (value < SMALL_LIMIT) {
    let rest = Number(value);
    let length = 1;
    for (let high = rest; high >= 256; high = Math.floor(high / 256)) length++;
    const bytes = new Uint8Array(length);
    for (let i = length - 1; i >= 0; i--) {
      bytes[i] = rest % 256;
      rest = Math.floor(rest / 256);
    }
    return bytes;
  }
  const digits = value.toString(16);
  return fromHex(digits.length % 2 === 0 ? digits : `0${digits}`)!;
}

/** The number that a byte string represents, of any length. */
export function bytesToValue(bytes: Uint8Array): bigint {
  let start = 0;
  while (start < bytes.length - SMALL_BYTES && bytes[start] === 0) start++;
  if (bytes.length - start > SMALL_BYTES) return BigInt(`0x${toHex(bytes.subarray(start))}`);
  let value = 0;
  for (let i = start; i < bytes.length; i++) value = value * 256 + bytes[i]!;
  return BigInt(value);
}

/** The type against which a value is checked: `what` begins the messages, such as `action "x": parameter "port"`. */
export type Width = Pick<Slot, "bitwidth" | "isString" | "stringType">;

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The number of a name on the wire: UTF-8, without a rule of its own for the empty string. */
export function decodeName(bytes: Uint8Array, type: string, names: Naming, what: () => string): bigint {
  let name: string;
  try {
    name = UTF8.decode(bytes);
  } catch {
    throw new DeviceError("INVALID_ARGUMENT", `${what()}: 0x${toHex(bytes)} is no UTF-8 text`);
  }
  try {
    return names.number(type, name);
  } catch (error) {
    if (error instanceof DeviceError) error.message = `${what()}: ${error.message}`;
    throw error;
  }
}

export function encodeName(number: bigint, type: string, names: Naming): Uint8Array {
  return new TextEncoder().encode(names.name(type, number));
}

/**
 * The code with which a byte string is refused: INVALID_ARGUMENT within a match, an action or packet metadata (spec
 * 9.1.1, 9.1.2, 16.6), OUT_OF_RANGE elsewhere (8.3).
 */
export type WidthCode = "INVALID_ARGUMENT" | "OUT_OF_RANGE";

/** Encodes a value of the slot's width, or its name; throws `code` when it does not fit. */
export function encodeSlot(
  names: Naming,
  value: bigint,
  slot: Width,
  what: () => string,
  code: WidthCode = "INVALID_ARGUMENT",
): Uint8Array {
  if (slot.stringType !== undefined) return encodeName(value, slot.stringType, names);
  if (value < 0n || value >> BigInt(slot.bitwidth) !== 0n) {
    throw new DeviceError(code, `${what()}: ${value} does not fit ${slot.bitwidth} bits`);
  }
  return encodeValue(value);
}

/** Decodes a value of the slot's width, or its name; throws `code` for no bytes and for a value too wide. */
export function decodeSlot(
  names: Naming,
  bytes: Uint8Array,
  slot: Width,
  what: () => string,
  code: WidthCode = "INVALID_ARGUMENT",
): bigint {
  if (slot.stringType !== undefined) return decodeName(bytes, slot.stringType, names, what);
  if (bytes.length === 0) throw new DeviceError(code, `${what()}: the byte string is empty`);
  const value = bytesToValue(bytes);
  if (bytes.length * 8 > slot.bitwidth && value >> BigInt(slot.bitwidth) !== 0n) {
    throw new DeviceError(code, `${what()}: 0x${toHex(bytes)} does not fit ${slot.bitwidth} bits`);
  }
  return value;
}

/** Shortest two's complement of a value of `int<width>` given as its unsigned bits. */
export function encodeSigned(bits: bigint, width: number): Uint8Array {
  const value = BigInt.asIntN(width, bits);
  let length = 1;
  while (BigInt.asIntN(8 * length, value) !== value) length++;
  const digits = BigInt.asUintN(8 * length, value).toString(16);
  return fromHex(digits.padStart(2 * length, "0"))!;
}

/** The unsigned bits of a value of `int<width>`; throws OUT_OF_RANGE where it does not fit. */
export function decodeSigned(bytes: Uint8Array, width: number, what: () => string): bigint {
  if (bytes.length === 0) throw new DeviceError("OUT_OF_RANGE", `${what()}: the byte string is empty`);
  const value = BigInt.asIntN(8 * bytes.length, bytesToValue(bytes));
  if (BigInt.asIntN(width, value) !== value) {
    throw new DeviceError("OUT_OF_RANGE", `${what()}: ${value} does not fit int<${width}>`);
  }
  return BigInt.asUintN(width, value);
}
