/**
 * Measures the dependence of two choices on one path. A flow chooses member A at the first switch and member B at the second; if the
 * hashes are correlated, the flows that arrive over one A use only some of the Bs (polarisation; ATC 2022, section 2).
 *
 * Exact where both hashes are affine: over uniform inputs the pair of results is uniform over an affine space of 2^rank points,
 * which is listed, or which is a product where the ranks add up. Else estimated from random inputs.
 */
import { Random } from "../../base/index.js";
import { linearPart } from "./gf2.js";
import { drawInput } from "./inputs.js";
import { type MemberChoice, memberBits } from "./member-choice.js";

export interface Correlation {
  /** `exact`, or `sampled` from random inputs. */
  readonly by: "exact" | "sampled";
  readonly samples?: number;
  /** Bits that the results share, where the function and its group sizes are affine: rank A + rank B - rank of both. */
  readonly sharedBits?: number;
  /** Cramer's V of the members A and B: 0 for independent members, 1 where A determines B. */
  readonly correlation: number;
  /** Mutual information of A and B, in bits. */
  readonly mutualInformation: number;
  /**
   * Share of the flows of a first member that would have to move to another second member to get the load distribution of
   * all flows: 0 for independent hashes, 1 - 2^-s where s bits are shared.
   */
  readonly polarisedShare: number;
  /** The greatest load of a second member among the flows of a first one, divided by its fair share. */
  readonly worstLoad: number;
  /** The same figures for independent choices in a sample of this size: figures that do not exceed them show no correlation. */
  readonly noise?: Pick<Correlation, "correlation" | "mutualInformation" | "polarisedShare">;
}

/** Maximum rank: 2^24 points are listed in about a tenth of a second. */
const MAX_LISTED_RANK = 24;

export function correlate(
  a: MemberChoice,
  b: MemberChoice,
  bytes: number,
  options: { readonly samples: number; readonly seed: number },
): Correlation {
  const exact = a.hash.affine && b.hash.affine ? exactTable(a, b, bytes) : undefined;
  if (exact !== undefined) return { by: "exact", ...exact.shared, ...figures(exact.table, a.size, b.size) };
  const { samples, seed } = options;
  const { table, shuffled } = sampledTables(a, b, bytes, samples, seed);
  const { correlation, mutualInformation, polarisedShare } = figures(shuffled, a.size, b.size);
  return {
    by: "sampled",
    samples,
    ...figures(table, a.size, b.size),
    noise: { correlation, mutualInformation, polarisedShare },
  };
}

/** Bits of the hash that determine the member. */
function relevantBits({ hash, size }: MemberChoice): number {
  return Math.min(hash.width, memberBits(size) ?? hash.width);
}

/** Probabilities of all pairs of members, row after row; undefined where there are too many points to list. */
function exactTable(
  a: MemberChoice,
  b: MemberChoice,
  bytes: number,
): { table: Float64Array; shared: { sharedBits?: number } } | undefined {
  const [first, second] = [relevantBits(a), relevantBits(b)];
  const zero = new Uint8Array(bytes);
  const one = linearPart({ width: first, bytes, hash: a.hash.hash });
  const other = linearPart({ width: second, bytes, hash: b.hash.hash });
  const ranks = [one.rank(), other.rank()] as const;
  const rank = one.above(other).rank();
  const modular = memberBits(a.size) !== undefined && memberBits(b.size) !== undefined;
  const shared = modular ? { sharedBits: ranks[0] + ranks[1] - rank } : {};
  const offset = [a.hash.hash(zero), b.hash.hash(zero)] as const;
  const columns = Array.from(
    { length: 8 * bytes },
    (_, column) => [bitsOf(one, column), bitsOf(other, column)] as const,
  );
  if (rank === ranks[0] + ranks[1]) {
    const left = marginal(
      columns.map(([bits]) => bits),
      offset[0],
      a,
    );
    const right = marginal(
      columns.map(([, bits]) => bits),
      offset[1],
      b,
    );
    if (left === undefined || right === undefined) return undefined;
    const table = new Float64Array(a.size * b.size);
    for (let i = 0; i < a.size; i++)
      for (let j = 0; j < b.size; j++) table[i * b.size + j] = left[i]! * right[j]!;
    return { table, shared };
  }
  if (rank > MAX_LISTED_RANK) return undefined;
  const table = new Float64Array(a.size * b.size);
  const basis = independent(columns);
  let [x, y] = offset;
  const share = 2 ** -rank;
  for (let code = 1; ; code++) {
    table[((x >>> 0) % a.size) * b.size + ((y >>> 0) % b.size)]! += share;
    if (code === 2 ** rank) break;
    // Gray code: one basis vector changes from point to point.
    const [dx, dy] = basis[31 - Math.clz32(code & -code)]!;
    x ^= dx;
    y ^= dy;
  }
  return { table, shared };
}

function bitsOf(matrix: { rows: number; get(row: number, column: number): number }, column: number): number {
  let bits = 0;
  for (let row = 0; row < matrix.rows; row++) bits |= matrix.get(row, column) << row;
  return bits >>> 0;
}

/** A basis of the space that the pairs of words span. */
function independent(columns: readonly (readonly [number, number])[]): (readonly [number, number])[] {
  /** By position of the top bit: 0 to 31 in the second word, 32 to 63 in the first. */
  const echelon = new Map<number, readonly [number, number]>();
  for (let [x, y] of columns) {
    for (;;) {
      if (x === 0 && y === 0) break;
      const top = x !== 0 ? 63 - Math.clz32(x) : 31 - Math.clz32(y);
      const known = echelon.get(top);
      if (known === undefined) {
        echelon.set(top, [x, y]);
        break;
      }
      x = (x ^ known[0]) >>> 0;
      y = (y ^ known[1]) >>> 0;
    }
  }
  return [...echelon.values()];
}

/** Probability of each member over an affine space; undefined where it is too large to list and not the whole space. */
function marginal(
  columns: readonly number[],
  offset: number,
  { hash, size }: MemberChoice,
): Float64Array | undefined {
  const basis = independent(columns.map((bits) => [0, bits] as const)).map(([, bits]) => bits);
  const rank = basis.length;
  const table = new Float64Array(size);
  const bits = relevantBits({ hash, size });
  if (rank === bits) {
    // All values below 2^bits: the same number for each member, and one more for the first members.
    const values = 2 ** bits;
    const [whole, rest] = [Math.floor(values / size), values % size];
    for (let i = 0; i < size; i++) table[i] = (whole + (i < rest ? 1 : 0)) / values;
    return table;
  }
  if (rank > MAX_LISTED_RANK) return undefined;
  let value = offset;
  for (let code = 1; ; code++) {
    table[(value >>> 0) % size]! += 2 ** -rank;
    if (code === 2 ** rank) return table;
    value ^= basis[31 - Math.clz32(code & -code)]!;
  }
}

/** Shares of a sample of inputs; and of pairs of members from different inputs, which are independent. */
function sampledTables(a: MemberChoice, b: MemberChoice, bytes: number, samples: number, seed: number) {
  const random = new Random(seed);
  const input = new Uint8Array(bytes);
  const table = new Float64Array(a.size * b.size);
  const shuffled = new Float64Array(a.size * b.size);
  let last = 0;
  for (let i = 0; i <= samples; i++) {
    drawInput(input, random);
    const first = (a.hash.hash(input) >>> 0) % a.size;
    const second = (b.hash.hash(input) >>> 0) % b.size;
    if (i < samples) table[first * b.size + second]! += 1 / samples;
    if (i > 0) shuffled[first * b.size + last]! += 1 / samples;
    last = second;
  }
  return { table, shuffled };
}

function figures(table: Float64Array, m: number, n: number) {
  const rows = new Float64Array(m);
  const columns = new Float64Array(n);
  for (let i = 0; i < m; i++)
    for (let j = 0; j < n; j++) {
      rows[i]! += table[i * n + j]!;
      columns[j]! += table[i * n + j]!;
    }
  let [chi, information, moved, worst] = [0, 0, 0, 0];
  for (let i = 0; i < m; i++)
    for (let j = 0; j < n; j++) {
      const share = table[i * n + j]!;
      const fair = rows[i]! * columns[j]!;
      if (fair === 0) continue;
      chi += ((share - fair) * (share - fair)) / fair;
      if (share > 0) information += share * Math.log2(share / fair);
      moved += Math.abs(share - fair) / 2;
      worst = Math.max(worst, share / fair);
    }
  const freedom =
    Math.min(rows.filter((share) => share > 0).length, columns.filter((share) => share > 0).length) - 1;
  return {
    correlation: freedom > 0 ? Math.sqrt(chi / freedom) : 0,
    mutualInformation: Math.max(0, information),
    polarisedShare: moved,
    worstLoad: worst,
  };
}
