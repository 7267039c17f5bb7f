import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type FanOuts,
  HOPS,
  layOut,
  missingBits,
  readSlice,
  selectorValues,
  type VersionBit,
  writeSlice,
} from "../../../../src/fabric/schemes/pecmp/layout.js";
import type { Control } from "../../../../src/fabric/schemes/pecmp/matrix.js";

const same = (n: number) => ({ least: n, most: n });

describe("appendix E: 1 ToR, 4 leaves, 2 spines", () => {
  const fanOuts: FanOuts = { tor: same(4), leaf: same(2), spine: same(4) };
  const bits = (control: Control, version: VersionBit) =>
    layOut(control, "flow_label", version, fanOuts, 2).bits;

  it("needs 2, 8 and 8 bits", () => {
    expect((["offset", "hops", "both"] as const).map((c) => bits(c, "none"))).toEqual([2, 8, 8]);
  });
  it("and one more for the version", () => {
    expect((["offset", "hops", "both"] as const).map((c) => bits(c, "overall"))).toEqual([3, 9, 9]);
  });
  it("or one more for every hop", () => {
    expect((["offset", "hops", "both"] as const).map((c) => bits(c, "per-hop"))).toEqual([3, 11, 11]);
  });
  it("tells 5, 3, 5 and 8, 4, 8 values apart", () => {
    expect([4, 2, 4].map((n) => selectorValues("hops", n))).toEqual([5, 3, 5]);
    expect([4, 2, 4].map((n) => selectorValues("both", n))).toEqual([8, 4, 8]);
  });
});

describe("slices", () => {
  const fanOut = fc.integer({ min: 2, max: 64 }).map(same);
  const fanOuts = fc.record(
    { nic: fanOut, tor: fanOut, leaf: fanOut, spine: fanOut, legs: fanOut },
    { requiredKeys: [] },
  );
  const layout = fc
    .tuple(fanOuts, fc.constantFrom("hops", "both"), fc.constantFrom("none", "overall", "per-hop"))
    .map(([hops, control, version]) =>
      layOut(control as Control, "flow_label", version as VersionBit, hops, 0),
    );

  it("do not overlap, version bits included, and fill the bits in use", () => {
    fc.assert(
      fc.property(layout, ({ slices, bits }) => {
        const owners = new Map<number, number>();
        for (const slice of Object.values(slices)) {
          for (let i = 0; i < slice.width; i++) {
            owners.set(slice.low + i, (owners.get(slice.low + i) ?? 0) + 1);
          }
        }
        const versions = new Set(Object.values(slices).flatMap((s) => s.version ?? []));
        for (const version of versions) owners.set(version, (owners.get(version) ?? 0) + 1);
        expect([...owners.values()].every((count) => count === 1)).toBe(true);
        expect([...owners.keys()].sort((a, b) => a - b)).toEqual(Array.from({ length: bits }, (_, i) => i));
      }),
    );
  });

  it("are written and read without touching each other", () => {
    fc.assert(
      fc.property(layout, fc.nat(2 ** 26), fc.nat(1000), fc.nat(4), (layout, start, v, which) => {
        const hop = HOPS[which]!;
        const width = layout.slices[hop]?.width ?? 0;
        const value = v % 2 ** width;
        const before = start % 2 ** layout.bits;
        const after = writeSlice(layout, hop, before, value);
        expect(readSlice(layout, hop, after)).toBe(value);
        for (const other of HOPS) {
          if (other !== hop) expect(readSlice(layout, other, after)).toBe(readSlice(layout, other, before));
        }
      }),
    );
  });

  it("are one and the same under control of offsets", () => {
    const { slices, shared, bits } = layOut("offset", "dscp", "overall", { tor: same(8), legs: same(2) }, 3);
    expect(shared).toBe(true);
    expect(bits).toBe(4);
    expect(slices).toEqual({ tor: { low: 0, width: 3, version: 3 }, legs: { low: 0, width: 3, version: 3 } });
  });

  it("say how many bits the field lacks", () => {
    const hops = { tor: same(8), leaf: same(64), spine: same(8) };
    expect(missingBits(layOut("both", "dscp", "none", hops, 6))).toBe(15 - 6);
    expect(missingBits(layOut("both", "flow_label", "none", hops, 6))).toBe(0);
  });
});
