/**
 * The `p4_device_config` of a forwarding pipeline config (P4Runtime spec 7), which is opaque to the standard. For
 * v1model targets it is BMv2 JSON, either plain or inside the message that PI (the P4Runtime library of BMv2) reads:
 *
 *     package p4.tmp;
 *     message P4DeviceConfig {
 *       bool reassign = 1;      // PI: detach the device before the load; a load here always replaces everything
 *       Extras extras = 2;      // options of PI's own targets; no effect on a v1model target
 *       bytes device_data = 3;  // the BMv2 JSON
 *     }
 *
 * The controllers of the P4 tutorials (`p4runtime_lib/bmv2.py`) send only the second form.
 */
import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { type Diagnostics, SourceFile } from "../../base/index.js";
import { DeviceError } from "../device/index.js";
import { type Bmv2Program, readBmv2 } from "../program/index.js";

const REASSIGN = 1;
const EXTRAS = 2;
const DEVICE_DATA = 3;

const WIRE_TYPES: Readonly<Record<number, WireType>> = {
  [REASSIGN]: WireType.Varint,
  [EXTRAS]: WireType.LengthDelimited,
  [DEVICE_DATA]: WireType.LengthDelimited,
};

/** JSON begins with `{` or white space; the message begins with the tag of a field, which is never valid JSON. */
function isMessage(bytes: Uint8Array): boolean {
  const first = bytes[0];
  return Object.entries(WIRE_TYPES).some(([field, type]) => first === Number(field) * 8 + type);
}

/** The `device_data`. As in every protobuf message, unknown fields are skipped and the last of a repeated field counts. */
function deviceDataOf(bytes: Uint8Array): Uint8Array {
  const reader = new BinaryReader(bytes);
  let data: Uint8Array | undefined;
  let start = 0;
  const malformed = (why: string): DeviceError =>
    new DeviceError("INVALID_ARGUMENT", `p4_device_config: byte ${start} of the P4DeviceConfig: ${why}`);
  while (reader.pos < reader.len) {
    start = reader.pos;
    try {
      const [field, type] = reader.tag();
      const expected = WIRE_TYPES[field] ?? type;
      if (type !== expected) throw malformed(`field ${field} has wire type ${type}, not ${expected}`);
      if (field === DEVICE_DATA) data = reader.bytes();
      else reader.skip(type, field);
    } catch (error) {
      if (error instanceof DeviceError) throw error;
      throw malformed(`no protobuf field can be read here (${(error as Error).message})`);
    }
  }
  if (data === undefined || data.length === 0)
    throw new DeviceError(
      "INVALID_ARGUMENT",
      "p4_device_config: the P4DeviceConfig has no device_data (field 3), which is BMv2 JSON",
    );
  return data;
}

/**
 * The program in a `p4_device_config`; undefined when the BMv2 JSON has errors, which are in `diagnostics` with their
 * places in the JSON. Throws INVALID_ARGUMENT, with the byte, when a P4DeviceConfig is malformed.
 */
export function readDeviceConfig(bytes: Uint8Array, diagnostics: Diagnostics): Bmv2Program | undefined {
  const wrapped = isMessage(bytes);
  const name = wrapped ? "p4_device_config.device_data" : "p4_device_config";
  // broken UTF-8 becomes characters that JSON allows in strings only
  const text = new TextDecoder().decode(wrapped ? deviceDataOf(bytes) : bytes);
  return readBmv2(new SourceFile(name, text), diagnostics);
}
