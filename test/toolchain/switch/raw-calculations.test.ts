/**
 * Inputs of calculations in the BMv2 JSON ("BMv2 JSON input format", `calculations`): fields, constants, whole headers and the payload,
 * joined bit by bit, with headers that are not valid left out. Checked by the checksum of RFC 1071 and by CRC-16/ARC.
 */
import { describe, expect, it } from "vitest";
import { fromHex, toHex } from "../../../src/base/index.js";
import type { bmv2 } from "../../../src/toolchain/program/index.js";
import { Switch } from "../../../src/toolchain/switch/index.js";
import { ManualClock } from "./golden.js";
import { changed, digits, field, header, hex, PACKET } from "./raw-program.js";

const PAYLOAD = "a1b2c3";

/** The field h.b of the packet that leaves: the result of the program's one calculation over these inputs. */
function result(algo: string, input: readonly bmv2.CalculationInput[]): number {
  const program = changed(({ calculations, actions }) => {
    const calculation = calculations.find((one) => one.algo === "csum16")!;
    Object.assign(calculation, { algo, input });
    const act = actions.find(({ name }) => name === "TheIngress.act")!;
    // The checksum is updated where h.a is 0xee.
    act.primitives = [{ op: "modify_field", parameters: [field("h", "a"), hex("0xee")] }];
  });
  const sent: string[] = [];
  const transmit = (_: number, frame: Uint8Array) => sent.push(toHex(frame));
  new Switch(program, { clock: new ManualClock(), transmit }).receive(
    1,
    fromHex(digits(...Object.values(PACKET), PAYLOAD))!,
  );
  return Number.parseInt(sent[0]!.slice(2, 6), 16);
}

/** The one's complement of the sum of the 16-bit words, zeros after an odd end. */
function internetChecksum(bytes: Uint8Array): number {
  let sum = 0;
  for (const [i, byte] of bytes.entries()) sum += i % 2 === 0 ? 256 * byte : byte;
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
  return ~sum & 0xffff;
}

function crc16(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 1) === 1 ? (crc >>> 1) ^ 0xa001 : crc >>> 1;
  }
  return crc;
}

const payload: bmv2.CalculationInput = { type: "payload" };
const constant = (value: string, bitwidth: number): bmv2.CalculationInput => ({ ...hex(value), bitwidth });
const [c, d] = [field("h", "c"), field("h", "d")];

describe("a checksum", () => {
  /** What h.b is in the packet that leaves, where act sets h.a to this value. */
  const updated = (a: string, change: (checksum: bmv2.Checksum) => void): string => {
    const program = changed(({ checksums, actions }) => {
      change(checksums[0]!);
      const act = actions.find(({ name }) => name === "TheIngress.act")!;
      act.primitives = [{ op: "modify_field", parameters: [field("h", "a"), hex(a)] }];
    });
    const sent: string[] = [];
    const transmit = (_: number, frame: Uint8Array) => sent.push(toHex(frame));
    const device = new Switch(program, { clock: new ManualClock(), transmit });
    device.receive(1, fromHex(digits(...Object.values(PACKET)))!);
    return sent[0]!.slice(2, 6);
  };
  const right = (0xffff ^ 7).toString(16);

  it("is updated where its condition holds, and always without a condition", () => {
    expect(updated("0xee", () => {})).toBe(right);
    expect(updated("0xef", () => {})).toBe("0002");
    const always = (checksum: bmv2.Checksum) => {
      checksum.if_cond = null;
    };
    expect(updated("0xef", always)).toBe(right);
  });

  it.each<[string, string, boolean, number]>([
    ["that is right", right, true, 0],
    ["that is wrong", "1234", true, 1],
    ["that is wrong, where its condition does not hold", "1234", false, 0],
  ])("%s is verified", (_, b, holds, expected) => {
    const program = changed(({ checksums, actions }) => {
      Object.assign(checksums[0]!, { verify: true, update: false, if_cond: { type: "bool", value: holds } });
      const act = actions.find(({ name }) => name === "TheIngress.act")!;
      act.primitives = [
        { op: "modify_field", parameters: [field("h", "a"), field("standard_metadata", "checksum_error")] },
      ];
    });
    const sent: string[] = [];
    const transmit = (_: number, frame: Uint8Array) => sent.push(toHex(frame));
    const device = new Switch(program, { clock: new ManualClock(), transmit });
    device.receive(
      1,
      fromHex(digits(...Object.values({ ...PACKET, h: `01 ${b} 00000003 0000000000000004` })))!,
    );
    expect(Number.parseInt(sent[0]!.slice(0, 2), 16)).toBe(expected);
  });
});

describe("a calculation takes", () => {
  it.each<[string, bmv2.CalculationInput[], string]>([
    ["fields", [c, d], "00000003 0000000000000004"],
    ["nothing", [], ""],
    ["constants of any width", [constant("0x123", 12), c, constant("0x4", 4)], "123 00000003 4"],
    ["a header", [header("i")], PACKET.i],
    [
      "a header, beside a field that is not at a byte",
      [constant("0x5", 4), header("s[0]"), constant("0x6", 4)],
      "5096",
    ],
    ["a header with a varbit", [header("v"), c], `${PACKET.v} 00000003`],
    ["a varbit", [field("v", "data"), c], "0c0d 00000003"],
    [
      "nothing of headers that are not valid",
      [header("k"), field("w.p", "x"), c, header("z[2]")],
      "00000003",
    ],
    ["no header at all, since none is valid", [header("w.p"), field("k", "bits")], ""],
    ["the payload", [c, payload], `00000003 ${PAYLOAD}`],
    [
      "a varbit, a header that is not valid, and the payload",
      [header("v"), header("k"), payload],
      `${PACKET.v} ${PAYLOAD}`,
    ],
  ])("%s", (_, input, expected) => {
    const bytes = fromHex(digits(expected))!;
    expect(result("csum16", input)).toBe(internetChecksum(bytes));
    expect(result("crc16", input)).toBe(crc16(bytes));
  });
});
