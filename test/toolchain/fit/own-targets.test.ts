/** Target files of one's own: whatever their numbers, what is placed is what the verifier counts. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Diagnostics } from "../../../src/base/index.js";
import { loadTarget } from "../../../src/cli/targets.js";
import { fitProgram, onePipe, pipesOf, type Target } from "../../../src/toolchain/fit/index.js";
import { compile } from "../../../src/toolchain/p4/index.js";
import { tnaSource } from "./programs.js";

const tofino = loadTarget("tofino");

const programOf = (size: number) =>
  compiled(`action go() { hdr.d.c = 1; }
    table t { key = { hdr.d.a : exact; hdr.d.b : exact; } actions = { go; } size = ${size}; }`);

function compiled(ingress: string) {
  const made = compile(
    { file: tnaSource({ ingress, apply: "t.apply();" }), form: "hardware" },
    new Diagnostics(),
  );
  return onePipe(made!.program, pipesOf(made!.program)[0]!);
}

interface Chip {
  readonly blocks: number;
  readonly depth?: number;
  /** Columns of a hash function. */
  readonly columns?: number | null;
}

const chip = ({ blocks, depth = 1024, columns = 52 }: Chip): Target => ({
  ...tofino,
  sram: { ...tofino.sram, blocks, depth, tofino_array: false },
  per_stage: { ...tofino.per_stage, hash_group_bits: columns },
});

const outcome = (size: number, own: Chip) => {
  const { verdict, placement } = fitProgram(programOf(size), chip(own));
  return [
    verdict,
    ...placement.stages.flatMap(({ srams, hash_bits: bits }) => (srams > 0 ? [srams, bits] : [])),
  ];
};

describe("a table in a chip of one's own", () => {
  it("takes as many hash functions as choose its blocks, three where two have too few bits", () => {
    // Six ways of 16 blocks and one of two: 42, 42 and 11 bits.
    expect(outcome(200_000, { blocks: 112 })).toEqual(["placed", 98, 95]);
  });

  it("has no place where a function has no columns for the lines of a way", () => {
    expect(outcome(1000, { blocks: 112, columns: 8 })).toEqual(["cannot fit"]);
  });

  it("has the bits of the lines that a block has", () => {
    expect(outcome(10_000, { blocks: 80, depth: 2048 }).slice(2)).toEqual([4 * 11]);
  });

  it("with a selector, whose groups the target does not state, takes no blocks for these", () => {
    const program = compiled(`Hash<bit<16>>(HashAlgorithm_t.CRC16) hash; ActionProfile(64) members;
      ActionSelector(members, hash, SelectorMode_t.FAIR, 32, 4) choice;
      action go() { hdr.d.c = 1; }
      table t { key = { hdr.d.a : exact; hdr.d.b : selector; } actions = { go; } implementation = choice; size = 64; }`);
    const selector = { ...tofino.selector, members_per_word: null, default_groups: null };
    const srams = (target: Target) => {
      const { verdict, placement } = fitProgram(program, target);
      return [verdict, placement.stages.reduce((sum, stage) => sum + stage.srams, 0)];
    };
    const [verdict, more] = srams(tofino);
    const [without, less] = srams({ ...tofino, selector });
    expect([verdict, without]).toEqual(["placed", "placed"]);
    expect(less).toBeLessThan(more as number);
  });

  it("is placed as the verifier counts it, or not placed", () => {
    const own = fc.record({
      blocks: fc.constantFrom(16, 80, 96, 112, 160, 320, 4096),
      depth: fc.constantFrom(256, 1000, 1024, 2048),
      columns: fc.constantFrom(null, 8, 36, 40, 46, 52, 64, 100),
    });
    fc.assert(
      fc.property(own, fc.constantFrom(100, 5000, 60_000, 200_000, 400_000, 3_000_000), (numbers, size) => {
        expect(["placed", "fits by counts", "cannot fit"]).toContain(
          fitProgram(programOf(size), chip(numbers)).verdict,
        );
      }),
      { numRuns: 60 },
    );
  });
});
