/** p4c writes negative constants with a sign; simple_switch ends when it reads them, we take their bits. */
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../../../src/base/index.js";
import { bmv2Bits, bmv2Number, readBmv2 } from "../../../../src/toolchain/program/index.js";
import { goldenText, startUnconfigured } from "../golden.js";

describe("negative numbers of BMv2 JSON", () => {
  it("are two's complement in their width", () => {
    expect([bmv2Number("0x1f"), bmv2Number("-0x1f")]).toEqual([31n, -31n]);
    expect([bmv2Bits("-0x1", 12), bmv2Bits("0x1fff", 12)]).toEqual([0xfffn, 0x1fffn]);
  });

  it("can be in keys, parameters and default actions", () => {
    const text = new SourceFile("negative.json", goldenText("negative", "negative.json")!);
    expect(readBmv2(text, new Diagnostics())).toBeDefined();
    const { play } = startUnconfigured("negative");
    const packet = (before: string) => `01000000${before}0000000000`;
    const left = (before: string) => play(0, packet(before))[0]!.hex.slice(8, 16);
    expect(left("ffffffff")).toBe("fffffffe");
    expect(left("fffffffd")).toBe("00000007");
    expect(left("00000001")).toBe("fffffffb");
  });
});
