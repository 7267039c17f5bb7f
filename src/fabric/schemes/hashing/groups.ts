/**
 * Slots of groups: how often each next hop occurs in a group of a given size (ATC 2022, sections 4.2 and 4.3), and the deviation
 * from the intended shares.
 */

/** How a weighted group is extended to another size. */
type Duplication = "naive" | "split";

/**
 * The next hop of each slot of a group with `size` slots. `weights`: a whole number of at least 1 for each next hop.
 *
 * `naive`: the group counts as W = sum of weights equal entries, which are repeated in order until there are `size`. `split`: the
 * weighted group is repeated floor(size / W) times, and the next hops get the remaining slots in turn.
 */
export function slotsOf(weights: readonly number[], size: number, how: Duplication): number[] {
  const whole = weights.flatMap((weight, hop) => Array<number>(weight).fill(hop));
  const entries = interleaved(weights, whole.length);
  if (how === "naive") return Array.from({ length: size }, (_, slot) => whole[slot % whole.length]!);
  const rest = size % whole.length;
  const repeated = Array.from({ length: size - rest }, (_, slot) => entries[slot % entries.length]!);
  return [...repeated, ...Array.from({ length: rest }, (_, slot) => slot % weights.length)];
}

/** The entries of a weighted group, in rounds over all next hops: equal weights give each next hop in turn. */
function interleaved(weights: readonly number[], total: number): number[] {
  const list: number[] = [];
  for (let round = 0; list.length < total; round++)
    for (const [hop, weight] of weights.entries()) if (weight > round) list.push(hop);
  return list;
}

/** Standard deviation over mean of the slots of each next hop divided by its weight (of the whole population, as in the paper). */
export function unevenness(weights: readonly number[], slots: readonly number[]): number {
  const counts = weights.map(() => 0);
  for (const hop of slots) counts[hop]!++;
  return variation(counts.map((count, hop) => count / weights[hop]!));
}

/** Coefficient of variation: standard deviation over mean; 0 for an empty list and where all are 0. */
function variation(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  if (!(mean > 0)) return 0;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length) / mean;
}

export function areCoprime(a: number, b: number): boolean {
  return b === 0 ? a === 1 : areCoprime(b, a % b);
}

/**
 * Of all sizes up to `most` that are coprime to `others`, the one with the minimum unevenness over these groups, and of
 * equal ones the smallest; undefined where there is none. A size is at least that of the largest group. `known` caches results for further
 * calls with the same `how`.
 */
export function bestSize(
  groups: readonly (readonly number[])[],
  others: readonly number[],
  most: number,
  how: Duplication,
  known = new Map<string, number>(),
): number | undefined {
  const least = Math.max(...groups.map((weights) => weights.reduce((sum, weight) => sum + weight, 0)));
  const distinct = [...new Map(groups.map((weights) => [weights.join(" "), weights]))];
  let best: number | undefined;
  let bestCv = Number.POSITIVE_INFINITY;
  for (let size = least; size <= most; size++) {
    if (!others.every((other) => areCoprime(size, other))) continue;
    let cv = 0;
    for (const [name, weights] of distinct) {
      const key = `${size} ${name}`;
      const own = known.get(key) ?? unevenness(weights, slotsOf(weights, size, how));
      known.set(key, own);
      cv = Math.max(cv, own);
    }
    if (cv < bestCv - 1e-12) [best, bestCv] = [size, cv];
  }
  return best;
}

/** The weights of a group's next hops: equal parts of the group have the weights of the list. */
export function partWeights(weights: readonly number[], ports: number): number[] {
  return Array.from({ length: ports }, (_, i) => weights[Math.floor((i * weights.length) / ports)]!);
}
