/** What a word of SRAM holds, bit by bit: packings that the open compiler took or gave up for public and made programs. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type WordEntry, wordHolds } from "../../../src/toolchain/fit/memory/word.js";
import { runs } from "../../fuzz-seed.js";

const entry = (bytes: number, ghost: number, overhead: number, overheadBits = 64): WordEntry => ({
  bytes: new Array<number>(bytes).fill(0xff),
  ghost,
  overhead,
  overheadBits,
  hasVersion: true,
});

describe("entries of a word", () => {
  // Of a key of 32 bits ten are in the hash: 6 bits of a byte are left, beside which no version stands. With ways of four blocks twelve are.
  it.each<[string, WordEntry, number, number, boolean]>([
    ["four bytes, 16 bits of data", entry(4, 10, 16, 63), 3, 1, false],
    ["four bytes, 16 bits of data, larger ways", entry(4, 12, 16, 63), 3, 1, true],
    ["four bytes, 16 bits of data, shared by two blocks", entry(4, 10, 16, 63), 5, 2, true],
    ["four bytes, 15 bits of an address", entry(4, 11, 15), 3, 1, false],
    ["four bytes, 15 bits of an address, shared by two blocks", entry(4, 10, 15), 5, 2, true],
    ["six bytes", entry(6, 10, 0), 3, 1, false],
    ["six bytes, larger ways", entry(6, 12, 0), 3, 1, true],
    ["six bytes, shared by three blocks", entry(6, 10, 0), 8, 3, true],
    ["six bytes, 14 bits of an address", entry(6, 10, 14), 9, 4, false],
    ["six bytes, 14 bits of an address, in one block", entry(6, 10, 14), 2, 1, true],
    ["overhead of 65 bits together", entry(2, 10, 13), 5, 1, false],
    // Versions of nine entries are in four and a half bytes, the last two of the block among them.
    ["a byte, with a version each", { ...entry(3, 10, 0), bytes: [0xff, 0xff, 0x03] }, 9, 1, true],
    // A block shares two entries with the next one, not one and not three.
    [
      "nine bytes of which four have holes, shared by four blocks",
      { ...entry(9, 0, 0), bytes: [0x03, 0xff, 0x7f, 0xff, 0xff, 0xf0, 0x0f, 0xf0, 0x01], hasVersion: false },
      7,
      4,
      true,
    ],
    [
      "eight bytes of which four have holes, shared by four blocks",
      { ...entry(8, 0, 0), bytes: [0xff, 0xff, 0xff, 0xf0, 0xff, 0x0f, 0x0f, 0x01] },
      8,
      4,
      false,
    ],
  ])("of %s", (_, one, count, width, holds) => {
    expect(wordHolds(one, count, width)).toBe(holds);
  });

  it("have no more bits and bytes than the word, and overhead within half of it", () => {
    let held = 0;
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 255 }), { minLength: 1, maxLength: 16 }),
        fc.integer({ min: 0, max: 14 }),
        fc.integer({ min: 0, max: 32 }),
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 4 }),
        (bytes, ghost, overhead, count, width) => {
          if (!wordHolds({ bytes, ghost, overhead, overheadBits: 64, hasVersion: true }, count, width))
            return;
          held++;
          const bits = bytes.reduce((sum, mask) => sum + mask.toString(2).replaceAll("0", "").length, 0);
          const stored = Math.max(0, bits - ghost);
          expect(count * (stored + overhead + 4)).toBeLessThanOrEqual(128 * width);
          // Each byte of the key that is not implied has a byte of its own.
          expect(count * Math.ceil(stored / 8)).toBeLessThanOrEqual(16 * width);
          expect(Math.ceil(count / width) * overhead).toBeLessThanOrEqual(64);
        },
      ),
      runs(400),
    );
    expect(held).toBeGreaterThan(40);
  });
});
