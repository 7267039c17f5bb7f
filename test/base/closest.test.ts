import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { closest, didYouMean } from "../../src/base/index.js";

/** Optimal string alignment distance, straight from its recursive definition. */
function distance(a: string, b: string): number {
  if (a === "" || b === "") return a.length + b.length;
  const same = a.at(-1) === b.at(-1) ? 0 : 1;
  const swapped =
    a.length > 1 && b.length > 1 && a.at(-1) === b.at(-2) && a.at(-2) === b.at(-1)
      ? distance(a.slice(0, -2), b.slice(0, -2)) + 1
      : Number.POSITIVE_INFINITY;
  return Math.min(
    distance(a.slice(0, -1), b.slice(0, -1)) + same,
    distance(a.slice(0, -1), b) + 1,
    distance(a, b.slice(0, -1)) + 1,
    swapped,
  );
}

describe("closest", () => {
  it("finds a word with a letter too many, too few, wrong, or two swapped", () => {
    for (const typed of ["spiness", "spins", "spimes", "sipnes"])
      expect(closest(typed, ["leaves", "spines"])).toBe("spines");
  });

  it("ignores case", () => {
    expect(closest("Pods", ["pods"])).toBe("pods");
  });

  it("allows one mistake in short words and one in three letters of longer ones", () => {
    expect(closest("ab", ["axy"])).toBeUndefined();
    expect(closest("abcde", ["abcxy"])).toBeUndefined();
    expect(closest("abcdef", ["abcdxy"])).toBe("abcdxy");
    expect(closest("abcdef", ["abcxyz"])).toBeUndefined();
  });

  it("does not suggest the word itself", () => {
    expect(closest("spines", ["spines"])).toBeUndefined();
    expect(closest("spines", ["spines", "spine"])).toBe("spine");
  });

  it("takes the nearest candidate, and the first of equally near ones", () => {
    const letters = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 6 });
    fc.assert(
      fc.property(letters, fc.array(letters, { maxLength: 5 }), (word, candidates) => {
        const limit = Math.max(1, Math.floor(word.length / 3));
        const near = candidates
          .filter((candidate) => candidate !== word)
          .map((candidate) => ({ candidate, cost: distance(word, candidate) }))
          .filter(({ cost }) => cost <= limit)
          .reduce<{ candidate?: string; cost: number }>(
            (best, next) => (next.cost < best.cost ? next : best),
            {
              cost: Number.POSITIVE_INFINITY,
            },
          );
        expect(closest(word, candidates)).toBe(near.candidate);
      }),
    );
  });

  it("compares no words of more than 100 letters", () => {
    expect(closest("a".repeat(100), ["a".repeat(101)])).toBe("a".repeat(101));
    expect(closest("a".repeat(101), ["a".repeat(100)])).toBeUndefined();
  });
});

describe("didYouMean", () => {
  it("is the end of a message, or nothing", () => {
    expect(didYouMean("pecpm", ["ecmp", "pecmp"], "`")).toBe("; did you mean `pecmp`?");
    expect(didYouMean("hula", ["ecmp"], "`")).toBe("");
  });
});
