/**
 * Which offsets a host may add to a selector to leave a failed path (P-ECMP, appendix C): an offset must not
 * be a multiple of any group size on the way, and should spread the load of the lost path.
 */

/** `odd`: for groups whose sizes are powers of two. `primes`: for groups of any size up to the largest. */
type OffsetRule = "odd" | "primes";

export interface OffsetSet {
  readonly rule: OffsetRule;
  /** Offsets to draw from with equal probability, ascending. */
  readonly offsets: readonly number[];
  /** Bits of a selector that holds them. */
  readonly bits: number;
}

/**
 * Offsets for a fabric whose largest group has `largest` >= 2 members. Odd rule: the odd numbers below
 * `largest`. Prime rule: the next N1 - 1 primes above `largest`, where N1 is the largest prime up to it.
 */
export function offsetSet(rule: OffsetRule, largest: number): OffsetSet {
  if (rule === "odd") {
    const offsets: number[] = [];
    for (let s = 1; s < largest; s += 2) offsets.push(s);
    return { rule, offsets, bits: bitsFor(largest) };
  }
  let count = largest;
  while (!isPrime(count)) count--;
  count--;
  const offsets: number[] = [];
  for (let p = largest + 1; offsets.length < count; p++) if (isPrime(p)) offsets.push(p);
  return { rule, offsets, bits: bitsFor(offsets[offsets.length - 1]! + 1) };
}

/** The rule for these group sizes: `odd` when all are powers of two, else `primes`. */
export function ruleFor(sizes: Iterable<number>): OffsetRule {
  for (const size of sizes) if ((size & (size - 1)) !== 0) return "primes";
  return "odd";
}

/** Number of bits for `values` different values: ceil(log2 values). */
export function bitsFor(values: number): number {
  let bits = 0;
  while (2 ** bits < values) bits++;
  return bits;
}

/** Load on the worst path after a re-path, all in 0..1 of what a path can carry (appendix C, tables 6 and 7). */
interface RepathLoad {
  /** Load before the failure at which the worst path becomes full: 1 / (1 + share it takes over). */
  readonly obtained: number;
  /** Distance to the optimum, an even spread over all n - 1 other paths. */
  readonly belowOptimum: number;
  /** Distance to an even spread over the paths that a prime offset can reach. */
  readonly belowReachable: number;
}

/** Load balance in a tier with groups of `n` when hosts draw from `offsets`. */
export function repathLoad(n: number, offsets: readonly number[]): RepathLoad {
  const counts = new Array<number>(n).fill(0);
  for (const offset of offsets) counts[offset % n]!++;
  const obtained = 1 / (1 + Math.max(...counts) / offsets.length);
  let reachable = 0;
  for (let residue = 1; residue < n; residue++) if (gcd(residue, n) === 1) reachable++;
  return {
    obtained,
    belowOptimum: 1 / (1 + 1 / (n - 1)) - obtained,
    belowReachable: 1 / (1 + 1 / reachable) - obtained,
  };
}

function isPrime(n: number): boolean {
  for (let d = 2; d * d <= n; d++) if (n % d === 0) return false;
  return n >= 2;
}

function gcd(a: number, b: number): number {
  return b === 0 ? a : gcd(b, a % b);
}
