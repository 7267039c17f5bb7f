import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  alwaysMoves,
  controlMatrix,
  matrixRow,
  matrixRows,
  memberCount,
  nextHop,
  rowCount,
} from "../../../../src/fabric/schemes/pecmp/matrix.js";

const rows = (...parameters: Parameters<typeof controlMatrix>) =>
  matrixRows(controlMatrix(...parameters)).map((row) => [...row]);

describe("control matrices", () => {
  it("shift each row right by one (figure 3)", () => {
    expect(rows("offset", 4)).toEqual([
      [0, 1, 2, 3],
      [3, 0, 1, 2],
      [2, 3, 0, 1],
      [1, 2, 3, 0],
    ]);
    // "The selector is 2 and the outcome of the ECMP processing is N - 2: N - 4."
    expect(nextHop(controlMatrix("offset", 9), 2, 9 - 2)).toBe(9 - 4);
  });

  it("name one next hop a row, after the base group", () => {
    expect(rows("hops", 3)).toEqual([[0, 1, 2], [0], [1], [2]]);
  });

  it("concatenate both, offsets first (section 3.3)", () => {
    expect(rows("both", 2)).toEqual([[0, 1], [1, 0], [0], [1]]);
  });

  it("wrap selectors modulo M, s = M included", () => {
    const matrix = controlMatrix("both", 3);
    expect(rowCount(matrix)).toBe(6);
    for (const hash of [0, 1, 2]) {
      expect(nextHop(matrix, 6, hash)).toBe(nextHop(matrix, 0, hash));
      expect(nextHop(matrix, 6 + 4, hash)).toBe(1);
    }
  });

  it("keep F[s, h] - F[s0, h] = G(s) - G(s0) mod N for every hash", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 70 }), fc.nat(500), fc.nat(500), (n, s, s0) => {
        const matrix = controlMatrix("offset", n);
        const mod = (x: number) => ((x % n) + n) % n;
        for (let h = 0; h < n; h++) {
          expect(mod(nextHop(matrix, s, h) - nextHop(matrix, s0, h))).toBe(mod(s0 - s));
        }
      }),
    );
  });

  it("agree with their own rows, weights or not", () => {
    const control = fc.constantFrom("offset" as const, "hops" as const, "both" as const);
    const weights = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(control, fc.oneof(weights, fc.constant(undefined)), fc.nat(99), (kind, w, s) => {
        const matrix = controlMatrix(kind, w?.length ?? 5, w);
        const row = matrixRow(matrix, s % rowCount(matrix));
        for (let h = 0; h < matrix.base.length; h++) {
          expect(nextHop(matrix, s, h)).toBe(row[h % row.length]);
        }
        expect(memberCount(matrix)).toBe(matrixRows(matrix).reduce((sum, r) => sum + r.length, 0));
      }),
    );
  });

  it("give a next hop its weight in every offset row (WCMP)", () => {
    const weights = [3, 1, 2];
    for (const row of rows("offset", 3, weights)) {
      expect(weights.map((_, i) => row.filter((cell) => cell === i).length)).toEqual(weights);
    }
    expect(rows("offset", 3, weights)).toHaveLength(6);
  });

  it("spread equal next hops apart, so that a step moves where weights allow it", () => {
    expect([...controlMatrix("offset", 2, [2, 2]).base]).toEqual([0, 1, 0, 1]);
    expect([...controlMatrix("offset", 3, [2, 1, 1]).base]).toEqual([0, 1, 2, 0]);
    expect(alwaysMoves(controlMatrix("offset", 2, [2, 2]), 0, 1)).toBe(true);
    expect(alwaysMoves(controlMatrix("offset", 2, [2, 2]), 0, 2)).toBe(false);
    expect(alwaysMoves(controlMatrix("offset", 3, [2, 1, 1]), 0, 1)).toBe(false);
    expect(alwaysMoves(controlMatrix("offset", 3, [2, 1, 1]), 0, 2)).toBe(true);
  });

  it("always move when the offset is no multiple of N, never when it is", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.nat(100), fc.nat(100), (n, from, to) => {
        expect(alwaysMoves(controlMatrix("offset", n), from, to)).toBe((to - from) % n !== 0);
      }),
    );
  });
});
