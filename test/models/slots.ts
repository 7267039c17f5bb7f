/** Entries of groups: WCMP, and sizes that are coprime (Xu et al., sections 2.2, 4 and the proof of theorem 2). */
import { type Fraction, fraction, minus, sum, times, toNumber } from "./fraction.js";

/** Equal-cost ports on q entries: port i has floor(q / m), and one more if i < q mod m (section 4.2). */
export const ecmpSlots = (members: number, entries: number): number[] =>
  Array.from({ length: members }, (_, i) => Math.floor(entries / members) + (i < entries % members ? 1 : 0));

/** Naive: the W = sum of weights entries are themselves the ports of an equal-cost group of q entries (4.3, figure 12a). */
export function naiveSlots(weights: readonly number[], entries: number): number[] {
  const copies = ecmpSlots(
    weights.reduce((a, b) => a + b, 0),
    entries,
  );
  let at = 0;
  return weights.map((weight) => copies.slice(at, (at += weight)).reduce((a, b) => a + b, 0));
}

/** Split: floor(q / W) times the weights, and the rest of the entries as if the ports were equal (4.3, figure 12b). */
export function splitSlots(weights: readonly number[], entries: number): number[] {
  const total = weights.reduce((a, b) => a + b, 0);
  const whole = Math.floor(entries / total);
  const rest = ecmpSlots(weights.length, entries % total);
  return weights.map((weight, i) => weight * whole + rest[i]!);
}

/** Population CV of slots over weights (5.1), from exact fractions: sqrt(n * sum x^2 / (sum x)^2 - 1). */
export function slotVariation(slots: readonly number[], weights: readonly number[]): number {
  const shares = slots.map((count, i) => fraction(count, weights[i]!));
  const mean = times(sum(shares), fraction(1, shares.length));
  const squares = sum(shares.map((share) => times(minus(share, mean), minus(share, mean))));
  return Math.sqrt(toNumber(squares) / shares.length) / toNumber(mean);
}

export const coprime = (a: number, b: number): boolean => (b === 0 ? a === 1 : coprime(b, a % b));

/**
 * Theorem 2, with numbers in place of "much greater": the largest |P(H % q2 % m2 = j | H % q1 % m1 = i) - P(H % q2 % m2 = j)|
 * over all i and j, by counting all values of the hash. 1 where port i gets no value at all: nothing is then independent.
 */
export function worstDependence(
  values: number,
  [q1, m1]: readonly [number, number],
  [q2, m2]: readonly [number, number],
): number {
  const joint = Array.from({ length: m1 }, () => new Array<number>(m2).fill(0));
  for (let hash = 0; hash < values; hash++) joint[(hash % q1) % m1]![(hash % q2) % m2]!++;
  let worst = 0;
  for (const row of joint) {
    const given = row.reduce((a, b) => a + b, 0);
    if (given === 0) return 1;
    for (const [j, count] of row.entries()) {
      const all = joint.reduce((total, other) => total + other[j]!, 0) / values;
      worst = Math.max(worst, Math.abs(count / given - all));
    }
  }
  return worst;
}

/** Equation 2: q1 % m1 / q1 + q2 % m2 / q2. */
export const approximationError = (q1: number, m1: number, q2: number, m2: number): Fraction =>
  sum([fraction(q1 % m1, q1), fraction(q2 % m2, q2)]);

/** Condition 1 in its weakest form: every port has an entry. A group of fewer entries than ports leaves ports without load. */
export const everyPortHasAnEntry = (entries: number, members: number): boolean => entries >= members;
