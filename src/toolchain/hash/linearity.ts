/**
 * Whether a hash, a slice of one, or a choice of a member is affine over GF(2): h(x ^ d) = h(x) ^ h(d) ^ h(0). RePaC (ATC 2021,
 * section 3) needs it: then a change d of the header moves all flows by the same offset.
 */
import { Random } from "../../base/index.js";
import { linearPart } from "./gf2.js";
import { drawInput } from "./inputs.js";
import { type MemberChoice, memberBits } from "./member-choice.js";

interface Counterexample {
  /** Bytes of the header, and of the change. */
  readonly x: Uint8Array;
  readonly delta: Uint8Array;
  /** Index of the chosen member for x ^ delta. */
  readonly got: number;
  /** The index that an affine choice would give. */
  readonly expected: number;
}

export interface Linearity {
  readonly affine: boolean;
  /**
   * `construction`: the function is made of shifts and XORs alone, so no test is needed. `tests`: no counterexample was
   * found, which is no proof. `counterexample`: there is one.
   */
  readonly by: "construction" | "tests" | "counterexample";
  /** Random pairs of a header and a change that were tested. */
  readonly tests: number;
  /** Rank of the linear part over GF(2): 2^rank members can be reached from any header. Absent where it is not affine. */
  readonly rank?: number;
  readonly counterexample?: Counterexample;
}

/**
 * Tests `tests` random pairs, and the rank. A modulo that is no power of two mixes sums with carries into the bits, so it has a
 * counterexample for nearly every function.
 */
export function linearityOf(
  { hash, size }: MemberChoice,
  bytes: number,
  tests: number,
  seed: number,
): Linearity {
  const choose = (input: Uint8Array) => hash.hash(input) % size;
  const random = new Random(seed);
  const zero = choose(new Uint8Array(bytes));
  const [x, delta, sum] = [new Uint8Array(bytes), new Uint8Array(bytes), new Uint8Array(bytes)];
  for (let test = 1; test <= tests; test++) {
    drawInput(x, random);
    drawInput(delta, random);
    for (let i = 0; i < bytes; i++) sum[i] = x[i]! ^ delta[i]!;
    const got = choose(sum);
    const expected = (choose(x) ^ choose(delta) ^ zero) >>> 0;
    if (got !== expected)
      return {
        affine: false,
        by: "counterexample",
        tests: test,
        counterexample: { x, delta, got, expected },
      };
  }
  const bits = memberBits(size);
  const width = Math.min(hash.width, bits ?? hash.width);
  const rank = linearPart({ width, bytes, hash: choose }).rank();
  // A modulo above the largest value of the slice changes nothing.
  const plain = bits !== undefined || size > 2 ** hash.width - 1;
  return { affine: true, by: hash.affine && plain ? "construction" : "tests", tests, rank };
}
