import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DiagnosticError, Random } from "../../../src/base/index.js";
import { fieldEffects, shortestField } from "../../../src/toolchain/hash/delta.js";
import {
  collision,
  correlate,
  fieldLengths,
  hashFunctions,
  hashNamed,
  linearityOf,
  parseHash,
  parseInput,
  sliced,
} from "../../../src/toolchain/hash/index.js";
import { drawInput } from "../../../src/toolchain/hash/inputs.js";
import type { MemberChoice } from "../../../src/toolchain/hash/member-choice.js";

const choice = (text: string, size: number): MemberChoice => ({ hash: parseHash(text), size });
const SAMPLES = { samples: 20_000, seed: 1 };
const codeOf = (action: () => unknown): string => {
  try {
    action();
  } catch (error) {
    if (error instanceof DiagnosticError) return error.diagnostics[0]!.code;
    throw error;
  }
  return "none";
};

const affine = hashFunctions.filter((hash) => hash.affine);
const anyAffine = fc.constantFrom(...affine);

describe("names of hashes", () => {
  it("are unique, and found in any case", () => {
    expect(new Set(hashFunctions.map(({ name }) => name)).size).toBe(hashFunctions.length);
    expect(hashNamed("CRC-16/ARC")?.width).toBe(16);
  });

  it("take a seed and a slice", () => {
    const input = new TextEncoder().encode("123456789");
    const full = parseHash("crc-16/arc").hash(input);
    expect(full).toBe(0xbb3d);
    expect(parseHash("crc-16/arc:bits=4-11").hash(input)).toBe(0xb3);
    expect(parseHash("crc-16/arc:bits=15").hash(input)).toBe(1);
    expect(parseHash("crc-16/arc:seed=0x5").hash(input)).not.toBe(full);
    expect(parseHash("crc-32/iso-hdlc:bits=0-31").hash(input)).toBe(0xcbf43926);
  });

  it.each([
    ["crc-16/nothing", "P44101"],
    ["crc-16/arc:bits=3-16", "P44102"],
    ["crc-16/arc:bits=5-3", "P44102"],
    ["crc-16/arc:seed=4294967296", "P44102"],
    ["crc-16/arc:modulo=3", "P44102"],
  ])("%s is refused", (text, code) => {
    expect(codeOf(() => parseHash(text))).toBe(code);
  });

  it("refuses inputs without bytes", () => {
    expect(parseInput("ipv6").bytes).toBe(37);
    expect(parseInput("20").bytes).toBe(20);
    for (const text of ["0", "257", "tcp"]) expect(codeOf(() => parseInput(text))).toBe("P44103");
  });

  it("give the same hash for the same seed, whatever was hashed before", () => {
    for (const named of hashFunctions) {
      const [one, other] = [named.make(3), named.make(3)];
      const input = new Uint8Array(13).fill(7);
      other(new Uint8Array(37).fill(9));
      expect(other(input), named.name).toBe(one(input));
    }
  });
});

describe("linearity", () => {
  it("holds for every affine function, every slice and every power of two (RePaC, theorem 1)", () => {
    fc.assert(
      fc.property(
        anyAffine,
        fc.integer({ min: 0, max: 2 ** 32 - 1 }),
        fc.integer({ min: 0, max: 3 }),
        fc.integer({ min: 0, max: 8 }),
        (named, seed, low, bits) => {
          const hash = sliced(named, { seed, low, width: named.width - low });
          expect(linearityOf({ hash, size: 2 ** bits }, 13, 300, 1)).toMatchObject({
            affine: true,
            by: "construction",
          });
        },
      ),
      { numRuns: 200 },
    );
  });

  it.each([
    ["pearson", 8],
    ["csum16", 8],
    ["random", 8],
    ["crc-16/arc", 12],
    ["toeplitz", 7],
  ])("%s modulo %i has a counterexample that is one", (text, size) => {
    const { affine: holds, counterexample } = linearityOf(choice(text, size), 13, 10_000, 1);
    expect(holds).toBe(false);
    const { x, delta, got, expected } = counterexample!;
    const member = (input: Uint8Array) => parseHash(text).hash(input) % size;
    expect(member(x.map((byte, i) => byte ^ delta[i]!))).toBe(got);
    expect(member(x) ^ member(delta) ^ member(new Uint8Array(13))).toBe(expected);
    expect(got).not.toBe(expected);
  });

  it("does not promise what a modulo only happens to do", () => {
    const small = linearityOf(choice("crc-16/arc:bits=0-1", 12), 13, 1000, 1);
    expect(small).toMatchObject({ affine: true, by: "construction", rank: 2 });
  });
});

/** The joint distribution by listing all headers of two bytes. */
function listed(a: MemberChoice, b: MemberChoice) {
  const table = new Float64Array(a.size * b.size);
  const input = new Uint8Array(2);
  for (let header = 0; header < 65_536; header++) {
    input[0] = header >> 8;
    input[1] = header & 255;
    table[(a.hash.hash(input) % a.size) * b.size + (b.hash.hash(input) % b.size)]! += 1 / 65_536;
  }
  let information = 0;
  let moved = 0;
  for (let i = 0; i < a.size; i++)
    for (let j = 0; j < b.size; j++) {
      const row = table.slice(i * b.size, (i + 1) * b.size).reduce((sum, share) => sum + share, 0);
      let column = 0;
      for (let k = 0; k < a.size; k++) column += table[k * b.size + j]!;
      const share = table[i * b.size + j]!;
      if (share > 0) information += share * Math.log2(share / (row * column));
      moved += Math.abs(share - row * column) / 2;
    }
  return { information, moved };
}

describe("correlation", () => {
  it("is exact for affine functions: the same as over all headers", () => {
    fc.assert(
      fc.property(
        anyAffine,
        anyAffine,
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 12 }),
        (f, g, m, n) => {
          const [a, b] = [
            { hash: sliced(f, { seed: 5 }), size: m },
            { hash: sliced(g, {}), size: n },
          ];
          const found = correlate(a, b, 2, SAMPLES);
          const all = listed(a, b);
          expect(found.by).toBe("exact");
          expect(found.mutualInformation).toBeCloseTo(all.information, 6);
          expect(found.polarisedShare).toBeCloseTo(all.moved, 6);
        },
      ),
      { numRuns: 60 },
    );
  });

  it("of two CRCs with one polynomial is whole, whatever their seeds are (ATC 2022, section 2)", () => {
    for (const seed of [0, 1, 0xffffffff]) {
      const found = correlate(choice(`crc-16/arc:seed=${seed}`, 8), choice("crc-16/usb", 8), 13, SAMPLES);
      expect(found).toMatchObject({
        by: "exact",
        sharedBits: 3,
        correlation: 1,
        mutualInformation: 3,
        polarisedShare: 0.875,
        worstLoad: 8,
      });
    }
  });

  it("stays, for any seeds of a CRC: they move all headers by the same offset (ATC 2022, theorem 1)", () => {
    const seed = fc.integer({ min: 0, max: 2 ** 32 - 1 });
    const header = fc.uint8Array({ minLength: 13, maxLength: 13 });
    const agree = (name: string, seeds: readonly [number, number], x: Uint8Array, y: Uint8Array) => {
      const [one, two] = seeds.map((own) => hashNamed(name)!.make(own)) as [
        (bytes: Uint8Array) => number,
        (bytes: Uint8Array) => number,
      ];
      return (one(x) ^ one(y)) % 2 === (two(x) ^ two(y)) % 2;
    };
    const crcs = hashFunctions.filter(({ family }) => family === "crc").map(({ name }) => name);
    fc.assert(
      fc.property(fc.constantFrom(...crcs), seed, seed, header, header, (name, one, two, x, y) =>
        agree(name, [one, two], x, y),
      ),
      { numRuns: 500 },
    );
    // A seed of a function that is not linear makes another function.
    const random = new Random(1);
    const drawn = Array.from({ length: 100 }, () =>
      agree("random", [1, 2], drawInput(new Uint8Array(13), random), drawInput(new Uint8Array(13), random)),
    );
    expect(drawn).toContain(false);
    // So two groups of even sizes share at least the lowest bit.
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 8 }),
        fc.integer({ min: 1, max: 8 }),
        seed,
        seed,
        (m, n, a, b) => {
          const [first, second] = [
            choice(`crc-16/arc:seed=${a}`, 2 * m),
            choice(`crc-16/arc:seed=${b}`, 2 * n),
          ];
          const found = correlate(first, second, 13, SAMPLES);
          expect(found.by).toBe("exact");
          expect(found.polarisedShare).toBeGreaterThan(0.499);
        },
      ),
      { numRuns: 15 },
    );
  });

  it("of independent hashes is 0", () => {
    const found = correlate(choice("crc-16/arc", 8), choice("crc-32/iso-hdlc", 8), 13, SAMPLES);
    expect(found).toMatchObject({
      by: "exact",
      sharedBits: 0,
      correlation: 0,
      mutualInformation: 0,
      polarisedShare: 0,
      worstLoad: 1,
    });
  });

  it("has a polarised share of 1 - 2^-s where s bits are shared", () => {
    for (const shared of [0, 1, 2, 3]) {
      const found = correlate(
        choice("crc-16/arc:bits=0-2", 8),
        choice(`crc-16/arc:bits=${3 - shared}-${5 - shared}`, 8),
        13,
        SAMPLES,
      );
      expect(found.sharedBits).toBe(shared);
      expect(found.polarisedShare).toBeCloseTo(1 - 2 ** -shared, 12);
    }
  });

  it("is small for coprime groups of one function (ATC 2022, section 4)", () => {
    expect(
      correlate(choice("crc-16/arc", 8), choice("crc-16/arc", 7), 13, SAMPLES).polarisedShare,
    ).toBeLessThan(0.001);
    expect(
      correlate(choice("crc-16/arc", 8), choice("crc-16/arc", 6), 13, SAMPLES).polarisedShare,
    ).toBeGreaterThan(0.4);
  });

  it("from a sample is near that of all headers, and noise where there is none", () => {
    const independent = correlate(choice("pearson", 8), choice("crc-16/arc", 8), 13, SAMPLES);
    expect(independent.by).toBe("sampled");
    expect(independent.polarisedShare).toBeLessThan(2 * independent.noise!.polarisedShare);
    const same = correlate(choice("pearson", 8), choice("pearson", 8), 13, SAMPLES);
    expect(same.polarisedShare).toBeCloseTo(0.875, 2);
    expect(same.noise!.polarisedShare).toBeLessThan(0.1);
  });
});

describe("collisions", () => {
  it("are exact for affine functions: the same as over all headers", () => {
    fc.assert(
      fc.property(
        anyAffine,
        anyAffine,
        fc.integer({ min: 0, max: 6 }),
        fc.integer({ min: 0, max: 9 }),
        (f, g, bits, seed) => {
          const size = 2 ** bits;
          const [a, b] = [sliced(f, { seed }), sliced(g, {})];
          const input = new Uint8Array(2);
          let same = 0;
          for (let header = 0; header < 65_536; header++) {
            input[0] = header >> 8;
            input[1] = header & 255;
            if (a.hash(input) % size === b.hash(input) % size) same++;
          }
          const found = collision({ hash: a, size }, { hash: b, size }, 2, SAMPLES);
          expect(found).toEqual({ by: "exact", probability: same / 65_536 });
        },
      ),
      { numRuns: 40 },
    );
  });

  it.each([2, 4, 8])("of different families are 1/%i (P-ECMP, table 5)", (size) => {
    const names = ["random", "xor16", "crc-16/arc", "pearson"];
    for (const [i, first] of names.entries())
      for (const second of names.slice(i + 1)) {
        const { probability, error = 0 } = collision(choice(first, size), choice(second, size), 13, SAMPLES);
        expect(Math.abs(probability - 1 / size), `${first} ${second}`).toBeLessThanOrEqual(4 * error);
      }
  });

  it("need groups of one size", () => {
    expect(() => collision(choice("xor16", 4), choice("xor16", 8), 13, SAMPLES)).toThrow(RangeError);
  });
});

const TIERS = { tierBits: [1, 3, 6], maxBits: 64, bytesAfter: 0 };

describe("the shortest field of control bits", () => {
  it("reaches all combinations of next hops, and a shorter one does not", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.constantFrom(...affine), { minLength: 3, maxLength: 3 }),
        fc.integer({ min: 0, max: 2 }),
        (functions, bytesAfter) => {
          const options = { tierBits: [1, 2, 3], maxBits: 16, bytesAfter };
          const hashes = functions.map((named) => sliced(named, {}));
          const length = shortestField(
            hashes.map((hash) => fieldEffects(hash, options)),
            options,
          );
          const reached = (bits: number) => {
            const found = new Set<number>();
            const input = new Uint8Array(2 + bytesAfter);
            for (let value = 0; value < 2 ** bits; value++) {
              input[0] = value >> 8;
              input[1] = value & 255;
              found.add(
                hashes.reduce(
                  (all, hash, tier) => all * 8 + (hash.hash(input) % 2 ** options.tierBits[tier]!),
                  0,
                ),
              );
            }
            return found.size;
          };
          if (length === undefined) expect(reached(16)).toBeLessThan(64);
          else expect([reached(length), reached(length - 1) < 64]).toEqual([64, true]);
        },
      ),
      { numRuns: 60 },
    );
  });

  it("needs at least as many bits as the tiers have", () => {
    const hashes = ["crc-8/smbus", "crc-16/arc", "crc-32/iso-hdlc", "crc-16/dnp"].map(parseHash);
    const { settings, without, byLength, conflicts } = fieldLengths(hashes, TIERS);
    expect(settings).toBe(24);
    expect(without + [...byLength.values()].reduce((sum, count) => sum + count, 0)).toBe(24);
    expect(Math.min(...byLength.keys())).toBeGreaterThanOrEqual(10);
    expect(conflicts).toEqual([]);
  });

  it("does not exist for one polynomial on two tiers", () => {
    const hashes = ["crc-16/arc", "crc-16/usb", "crc-16/modbus"].map(parseHash);
    const { without, settings, conflicts } = fieldLengths(hashes, TIERS);
    expect(without).toBe(settings);
    expect(conflicts).toHaveLength(3);
  });

  it("does not depend on start value and final XOR", () => {
    const effects = (name: string) => fieldEffects(parseHash(name), TIERS);
    expect(effects("crc-16/ibm-sdlc")).toEqual(effects("crc-16/kermit"));
    expect(effects("crc-16/ibm-3740")).not.toEqual(effects("crc-16/kermit"));
  });
});

it("draws uniform bytes from a seed", () => {
  const draw = (seed: number) => drawInput(new Uint8Array(64), new Random(seed));
  expect(draw(1)).toEqual(draw(1));
  expect(draw(1)).not.toEqual(draw(2));
});

describe("tiers without a choice", () => {
  it("need no control bits", () => {
    expect(
      shortestField(
        [
          [0, 0],
          [0, 0],
        ].map((list) => Uint32Array.from(list)),
        { tierBits: [0, 0], maxBits: 2, bytesAfter: 0 },
      ),
    ).toBe(0);
  });
});
