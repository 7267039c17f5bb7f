/**
 * How often two hash functions choose the same member (P-ECMP, appendix B, table 5): how often a host that changes its path by
 * using another function stays on the same path.
 */
import { Random } from "../../base/index.js";
import { linearPart } from "./gf2.js";
import { drawInput } from "./inputs.js";
import { type MemberChoice, memberBits } from "./member-choice.js";

export interface Collision {
  readonly by: "exact" | "sampled";
  /** Probability over uniform inputs. */
  readonly probability: number;
  /** Standard error, for a sampled estimate. */
  readonly error?: number;
}

/** Both choices are from groups of one size. Throws RangeError for groups of different sizes. */
export function collision(
  a: MemberChoice,
  b: MemberChoice,
  bytes: number,
  options: { readonly samples: number; readonly seed: number },
): Collision {
  if (a.size !== b.size) throw new RangeError("groups of different sizes");
  const bits = memberBits(a.size);
  const size = a.size;
  if (a.hash.affine && b.hash.affine && bits !== undefined) {
    const mask = size - 1;
    const difference = (input: Uint8Array) => ((a.hash.hash(input) ^ b.hash.hash(input)) & mask) >>> 0;
    return { by: "exact", probability: zeroShare(difference, bits, bytes) };
  }
  const { samples, seed } = options;
  const random = new Random(seed);
  const input = new Uint8Array(bytes);
  let same = 0;
  for (let i = 0; i < samples; i++) {
    drawInput(input, random);
    if ((a.hash.hash(input) >>> 0) % size === (b.hash.hash(input) >>> 0) % size) same++;
  }
  const probability = same / samples;
  return { by: "sampled", probability, error: Math.sqrt((probability * (1 - probability)) / samples) };
}

/** Share of the inputs for which an affine function is 0: 2^-rank, or none where 0 is not in its image. */
function zeroShare(difference: (input: Uint8Array) => number, bits: number, bytes: number): number {
  const width = Math.max(1, bits);
  const matrix = linearPart({ width, bytes, hash: difference });
  const constant = difference(new Uint8Array(bytes));
  /** Row-reduced columns by their top bit. */
  const echelon: number[] = [];
  const reduce = (vector: number): number => {
    let rest = vector;
    for (let top = width - 1; top >= 0; top--)
      if ((rest >>> top) & 1 && echelon[top] !== undefined) rest ^= echelon[top]!;
    return rest;
  };
  let rank = 0;
  for (let column = 0; column < matrix.columns; column++) {
    let vector = 0;
    for (let row = 0; row < width; row++) vector |= matrix.get(row, column) << row;
    const rest = reduce(vector);
    if (rest === 0) continue;
    echelon[31 - Math.clz32(rest)] = rest;
    rank++;
  }
  return reduce(constant) === 0 ? 2 ** -rank : 0;
}
