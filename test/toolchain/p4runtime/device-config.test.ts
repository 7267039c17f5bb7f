/** The two forms of p4_device_config: BMv2 JSON, plain or inside PI's p4.tmp.P4DeviceConfig. */
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Diagnostics } from "../../../src/base/index.js";
import { DeviceError } from "../../../src/toolchain/device/index.js";
import { readDeviceConfig } from "../../../src/toolchain/p4runtime/device-config.js";
import { cpuProgram } from "./program.js";

const { bmv2 } = cpuProgram();
const json = new TextEncoder().encode(JSON.stringify(bmv2));

/** Extras with one pair, as a map entry of protobuf. */
const extras = new BinaryWriter()
  .tag(1, WireType.LengthDelimited)
  .fork()
  .tag(1, WireType.LengthDelimited)
  .string("port")
  .tag(2, WireType.LengthDelimited)
  .string("9090")
  .join()
  .finish();

const FIELDS = {
  reassign: (writer: BinaryWriter) => writer.tag(1, WireType.Varint).bool(true),
  extras: (writer: BinaryWriter) => writer.tag(2, WireType.LengthDelimited).bytes(extras),
  data: (writer: BinaryWriter) => writer.tag(3, WireType.LengthDelimited).bytes(json),
  other: (writer: BinaryWriter) => writer.tag(9, WireType.Bit32).fixed32(7),
};

function messageOf(...fields: (keyof typeof FIELDS)[]): Uint8Array {
  const writer = new BinaryWriter();
  for (const field of fields) FIELDS[field](writer);
  return writer.finish();
}

function read(bytes: Uint8Array) {
  const diagnostics = new Diagnostics();
  const program = readDeviceConfig(bytes, diagnostics);
  return { program, diagnostics };
}

function refusalOf(bytes: Uint8Array): string {
  try {
    read(bytes);
  } catch (error) {
    if (error instanceof DeviceError) return `${error.code} ${error.message}`;
    throw error;
  }
  throw new Error("nothing was refused");
}

describe("p4_device_config", () => {
  it("is BMv2 JSON, also after white space", () => {
    expect(read(json).program?.program).toBe(bmv2.program);
    expect(read(new TextEncoder().encode(`\n  ${JSON.stringify(bmv2)}`)).program?.program).toBe(bmv2.program);
  });

  it("is BMv2 JSON in the device_data of a P4DeviceConfig, whatever its other fields", () => {
    for (const message of [
      messageOf("data"),
      messageOf("reassign", "data"),
      messageOf("reassign", "extras", "data"),
      messageOf("extras", "data", "other"),
      messageOf("data", "reassign"),
    ]) {
      expect(read(message).program?.program).toBe(bmv2.program);
    }
  });

  it("takes the last device_data, as protobuf does", () => {
    const broken = new BinaryWriter()
      .tag(3, WireType.LengthDelimited)
      .bytes(new Uint8Array([0x7b]))
      .finish();
    expect(read(new Uint8Array([...broken, ...messageOf("data")])).program?.program).toBe(bmv2.program);
    expect(read(new Uint8Array([...messageOf("data"), ...broken])).program).toBeUndefined();
  });

  it("says which byte of a malformed message is wrong", () => {
    const message = messageOf("reassign", "data");
    expect(refusalOf(message.subarray(0, 40))).toMatch(
      /^INVALID_ARGUMENT p4_device_config: byte 2 of the P4DeviceConfig: no protobuf field can be read here/,
    );
    expect(refusalOf(new Uint8Array([0x08, 0x01, 0x18, 0x01]))).toBe(
      "INVALID_ARGUMENT p4_device_config: byte 2 of the P4DeviceConfig: field 3 has wire type 0, not 2",
    );
    expect(refusalOf(new Uint8Array([0x08, 0x01, 0x07]))).toContain("byte 2");
    for (const empty of [messageOf("reassign"), new Uint8Array([0x1a, 0x00])])
      expect(refusalOf(empty)).toContain("has no device_data");
  });

  it("says where the JSON inside is wrong", () => {
    const text = new TextEncoder().encode('{\n "header_types": 1\n}');
    const message = new BinaryWriter().tag(3, WireType.LengthDelimited).bytes(text).finish();
    const { program, diagnostics } = read(message);
    expect(program).toBeUndefined();
    const { span } = diagnostics.list[0]!;
    expect([span!.file.path, span!.file.position(span!.start).line]).toEqual([
      "p4_device_config.device_data",
      2,
    ]);
  });

  it("answers every sequence of bytes with a program, diagnostics or INVALID_ARGUMENT", () => {
    const started = fc
      .tuple(fc.constantFrom(0x08, 0x12, 0x1a, 0x7b), fc.uint8Array({ maxLength: 40 }))
      .map(([first, rest]) => new Uint8Array([first, ...rest]));
    fc.assert(
      fc.property(fc.oneof(started, fc.uint8Array({ maxLength: 40 })), (bytes) => {
        try {
          const { program, diagnostics } = read(bytes);
          return program !== undefined || diagnostics.hasErrors;
        } catch (error) {
          return error instanceof DeviceError && error.code === "INVALID_ARGUMENT";
        }
      }),
      { seed: 7, numRuns: 500 },
    );
  });
});
