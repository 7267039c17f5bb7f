/**
 * The members of a weighted group: each next hop in proportion to its weight, within the maximum number of members of a group
 * (Zhou et al., WCMP, EuroSys 2014, section 3).
 */
import { z } from "zod";

/** The parameter `group_members`: maximum number of members of a group, in which each next hop occurs in proportion to its weight. */
export const groupMembersSchema = z.number().int().min(2).max(4096).default(128);

/** Maximum number of members of a switch: indexes have 16 bits. */
export const MOST_MEMBERS = 65_536;

/**
 * The number of occurrences of each next hop in a group of at most `most` members, in proportion to the capacities. Exact where that fits.
 * Otherwise members are added one by one for the next hop that is then least above its share, and of all group sizes
 * on the way the one with the minimum oversubscription is used (the paper's algorithm 1 minimises the same figure).
 *
 * @param capacities above 0, at most `most` of them
 */
export function replicas(capacities: readonly number[], most: number): number[] {
  const whole = capacities.map(Math.round);
  const divisor = whole.reduce(greatestCommonDivisor);
  const exact = whole.map((capacity) => capacity / divisor);
  if (sumOf(exact) <= most) return exact;
  const counts = capacities.map(() => 1);
  let best = [...counts];
  for (let size = counts.length; size < most; size++) {
    let least = 0;
    for (let i = 1; i < counts.length; i++)
      if ((counts[i]! + 1) * capacities[least]! < (counts[least]! + 1) * capacities[i]!) least = i;
    counts[least]!++;
    if (oversubscription(counts, capacities) < oversubscription(best, capacities)) best = [...counts];
  }
  return best;
}

/** The maximum ratio of the actual to the intended share of a next hop; 1 is exact. */
export function oversubscription(counts: readonly number[], capacities: readonly number[]): number {
  const members = sumOf(counts);
  const capacity = sumOf(capacities);
  return Math.max(...counts.map((count, i) => count / members / (capacities[i]! / capacity)));
}

function sumOf(list: readonly number[]): number {
  return list.reduce((sum, one) => sum + one, 0);
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
