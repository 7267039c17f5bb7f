import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Random } from "../../src/base/index.js";

const draw = (random: Random, count: number) => Array.from({ length: count }, () => random.uint32());

describe("Random", () => {
  it("gives the same numbers for the same seed on every machine", () => {
    expect(draw(new Random(1), 4)).toMatchInlineSnapshot(`
      [
        792534090,
        3215351813,
        160231488,
        1151041103,
      ]
    `);
    expect(draw(new Random("pecmp"), 2)).toMatchInlineSnapshot(`
      [
        4206008445,
        3578418530,
      ]
    `);
  });

  it("forks streams that depend on seed and label, not on what was drawn before", () => {
    const a = new Random(7);
    const before = draw(a.fork("flows"), 8);
    draw(a, 100);
    expect(draw(a.fork("flows"), 8)).toEqual(before);
    expect(draw(a.fork("failures"), 8)).not.toEqual(before);
    expect(draw(new Random(8).fork("flows"), 8)).not.toEqual(before);
  });

  it("gives different streams to neighbouring seeds and labels", () => {
    const first = new Map<string, string>();
    for (let seed = 0; seed < 40; seed++) {
      for (let label = 0; label < 40; label++) {
        const key = draw(new Random(seed).fork(label), 2).join();
        expect(first.get(key), `${seed}/${label}`).toBeUndefined();
        first.set(key, `${seed}/${label}`);
      }
    }
  });

  it("stays in range and covers it", () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 1, max: 12 }), (seed, bound) => {
        const random = new Random(seed);
        const seen = new Set(Array.from({ length: bound * 40 }, () => random.int(bound)));
        expect(seen.size).toBe(bound);
        expect(Math.max(...seen)).toBe(bound - 1);
      }),
      { numRuns: 50 },
    );
  });

  it("is uniform: 16 cells of 160,000 draws pass a chi-square test", () => {
    const random = new Random(3);
    const cells = new Array<number>(16).fill(0);
    for (let i = 0; i < 160_000; i++) cells[random.int(16)]!++;
    const chiSquare = cells.reduce((sum, n) => sum + (n - 10_000) ** 2 / 10_000, 0);
    expect(chiSquare).toBeLessThan(37.7); // 15 degrees of freedom, p = 0.001
  });

  it("draws exponential times with the mean asked for", () => {
    const random = new Random(5);
    let sum = 0;
    for (let i = 0; i < 100_000; i++) sum += random.exponential(2.5);
    expect(sum / 100_000).toBeCloseTo(2.5, 1);
  });

  it("shuffles into a permutation", () => {
    fc.assert(
      fc.property(fc.integer(), fc.array(fc.integer()), (seed, list) => {
        const shuffled = new Random(seed).shuffle([...list]);
        expect([...shuffled].sort((a, b) => a - b)).toEqual([...list].sort((a, b) => a - b));
      }),
    );
  });
});
