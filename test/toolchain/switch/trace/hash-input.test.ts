/**
 * The input of a hash in traces: the bits that the algorithm got, and the fields that they came from ("BMv2 JSON input format",
 * `calculations`: joined bit by bit, without what is in headers that are not valid). The result is the algorithm over these bytes.
 */
import { describe, expect, it } from "vitest";
import { fromHex } from "../../../../src/base/index.js";
import { bmv2Hash } from "../../../../src/toolchain/hash/index.js";
import type { bmv2 } from "../../../../src/toolchain/program/index.js";
import { type PacketTrace, Switch } from "../../../../src/toolchain/switch/index.js";
import { ManualClock } from "../golden.js";
import { changed, digits, field, header, hex, PACKET } from "../raw-program.js";
import { eventsOf } from "./features.js";

/** The event of the program's hash, a CRC-16/ARC, over these inputs. */
function hashed(input: readonly bmv2.CalculationInput[]) {
  const program = changed(({ calculations }) => {
    Object.assign(calculations.find(({ algo }) => algo === "crc16")!, { input });
  });
  const traces: PacketTrace[] = [];
  const device = new Switch(program, {
    clock: new ManualClock(),
    transmit: () => {},
    trace: (packet) => traces.push(packet),
  });
  device.receive(1, fromHex(digits(...Object.values(PACKET)))!);
  const [event] = eventsOf(traces[0]!.root, "hash");
  return event!;
}

const constant = (value: string, bitwidth?: number): bmv2.CalculationInput =>
  bitwidth === undefined ? hex(value) : { ...hex(value), bitwidth };

describe("the input of a hash", () => {
  it.each<[string, bmv2.CalculationInput[], Record<string, string>[], string]>([
    ["is nothing where it names nothing", [], [], ""],
    ["is a field", [field("h", "c")], [{ "h.c": "0x00000003" }], "00000003"],
    [
      "is filled up with zeros to whole bytes",
      [constant("0x1", 1), field("h", "a"), constant("0x2", 2)],
      [{ constant: "0x1" }, { "h.a": "0x01" }, { constant: "0x2" }],
      "80c0",
    ],
    [
      "has four bits for each digit of a constant without a width",
      [constant("0x0ab")],
      [{ constant: "0x0ab" }],
      "0ab0",
    ],
    [
      "has all fields of a header",
      [header("i")],
      [{ "i.a": "0x05" }, { "i.b": "0x0006" }, { "i.c": "0x00000007" }, { "i.d": "0x8000000000000008" }],
      PACKET.i,
    ],
    [
      "has the present bytes of a varbit",
      [header("v"), field("v", "data")],
      [{ "v.bits": "0x10" }, { "v.data": "0x0c0d" }, { "v.data": "0x0c0d" }],
      "10 0c0d 0c0d",
    ],
    [
      "leaves out what is in headers that are not valid",
      [field("w.p", "x"), header("k"), field("k", "data"), field("u.p", "x")],
      [{ "u.p.x": "0x0b" }],
      "0b",
    ],
    [
      "has the validity of a valid header as one bit, and none of another",
      [field("h", "$valid$"), field("z[0]", "$valid$"), field("h", "a")],
      [{ "h.isValid()": "0x1" }, { "h.a": "0x01" }],
      "8080",
    ],
    [
      "has metadata",
      [field("standard_metadata", "ingress_port"), constant("0x0", 7)],
      [{ "standard_metadata.ingress_port": "0x001" }, { constant: "0x00" }],
      "0080",
    ],
  ])("%s", (_, input, fields, expected) => {
    const { algorithm, inputs, bytes, result } = hashed(input);
    expect(algorithm).toBe("crc16");
    expect(inputs).toEqual(
      fields.flatMap((one) => Object.entries(one).map(([name, value]) => ({ field: name, value }))),
    );
    expect(bytes).toBe(digits(expected));
    const data = fromHex(bytes)!;
    expect(Number(result)).toBe(bmv2Hash("crc16")!(data, data.length));
  });
});
