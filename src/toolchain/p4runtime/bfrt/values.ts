/** Values of BF Runtime's messages: numbers as bytes with the highest first, lists, texts, truth values. */
import { create } from "@bufbuild/protobuf";
import { DeviceError } from "../../device/index.js";
import {
  type DataField,
  DataFieldSchema,
  type KeyField,
  KeyFieldSchema,
} from "../generated/bfrt_proto/bfruntime_pb.js";
import type { DataPart, KeyPart } from "./schema-index.js";

/** More bytes than any field has. */
const MAX_BYTES = 16_384;

function numberOf(bytes: Uint8Array, what: string): bigint {
  if (bytes.length > MAX_BYTES)
    throw new DeviceError("INVALID_ARGUMENT", `${what} has ${bytes.length} bytes`);
  let value = 0n;
  for (const byte of bytes) value = (value << 8n) | BigInt(byte);
  return value;
}

/** A number in so many bits. Throws INVALID_ARGUMENT where it does not fit. */
export function checkedNumber(bytes: Uint8Array, bits: number, what: string): bigint {
  const value = numberOf(bytes, what);
  if (value >> BigInt(bits) !== 0n)
    throw new DeviceError(
      "INVALID_ARGUMENT",
      `${what} is 0x${value.toString(16)}, which does not fit in ${bits} bits`,
    );
  return value;
}

const BITS: Readonly<Record<string, number>> = { uint8: 8, uint16: 16, uint32: 32, uint64: 64, bool: 8 };

export function bitsOf(type: { type: string; width?: number } | undefined): number {
  return type === undefined ? 32 : (type.width ?? BITS[type.type] ?? 64);
}

export function bytesOf(value: bigint, bits: number): Uint8Array {
  const size = Math.max(1, (bits + 7) >> 3);
  const bytes = new Uint8Array(size);
  for (let i = size - 1, rest = value; i >= 0; i--, rest >>= 8n) bytes[i] = Number(rest & 0xffn);
  return bytes;
}

/** The value of a field; a list where it is repeated. */
export type Value = bigint | boolean | string | number | readonly number[] | readonly boolean[] | Uint8Array;

export function readValue(field: DataField, part: DataPart): Value {
  const { value } = field;
  switch (value.case) {
    case "stream":
      // A list of bytes comes as it is.
      if (part.repeated && part.type?.type === "bytes") return value.value;
      return checkedNumber(value.value, bitsOf(part.type), part.name);
    case "intArrVal":
    case "boolArrVal":
      return value.value.val;
    case "boolVal":
    case "strVal":
    case "floatVal":
      return value.value;
    default:
      throw new DeviceError("INVALID_ARGUMENT", `the value of ${part.name} has no form that the table takes`);
  }
}

export function dataField(part: DataPart, value: Value): DataField {
  const field = create(DataFieldSchema, { fieldId: part.id });
  if (typeof value === "bigint") field.value = { case: "stream", value: bytesOf(value, bitsOf(part.type)) };
  else if (typeof value === "boolean") field.value = { case: "boolVal", value };
  else if (typeof value === "string") field.value = { case: "strVal", value };
  else if (typeof value === "number") field.value = { case: "floatVal", value };
  else if (value instanceof Uint8Array) field.value = { case: "stream", value };
  else {
    const isBool = part.type?.type === "bool";
    const made = create(DataFieldSchema, {
      fieldId: part.id,
      value: isBool
        ? { case: "boolArrVal", value: { val: value as boolean[] } }
        : { case: "intArrVal", value: { val: value as number[] } },
    });
    return made;
  }
  return field;
}

/** An exact key field as a number. */
export function exactKey(fields: readonly KeyField[], part: KeyPart): bigint {
  const found = fields.find(({ fieldId }) => fieldId === part.id);
  if (found?.matchType.case !== "exact")
    throw new DeviceError("INVALID_ARGUMENT", `the key field ${part.name} is missing`);
  return checkedNumber(found.matchType.value.value, bitsOf(part.type), part.name);
}

/** An exact key field as a text. */
export function exactText(fields: readonly KeyField[], part: KeyPart): string {
  const found = fields.find(({ fieldId }) => fieldId === part.id);
  if (found?.matchType.case !== "exact" || found.matchType.value.value.length > MAX_BYTES)
    throw new DeviceError("INVALID_ARGUMENT", `the key field ${part.name} is missing`);
  return new TextDecoder().decode(found.matchType.value.value);
}

export function keyField(part: KeyPart, value: bigint | string): KeyField {
  return typeof value === "bigint"
    ? exactField(part, value)
    : create(KeyFieldSchema, {
        fieldId: part.id,
        matchType: { case: "exact", value: { value: new TextEncoder().encode(value) } },
      });
}

export function exactField(part: KeyPart, value: bigint): KeyField {
  return create(KeyFieldSchema, {
    fieldId: part.id,
    matchType: { case: "exact", value: { value: bytesOf(value, bitsOf(part.type)) } },
  });
}

export function asNumber(value: Value | undefined): number {
  return typeof value === "bigint" ? Number(value) : typeof value === "number" ? value : 0;
}
