/**
 * The members of a weighted group: each next hop as often as its weight says, within the entries that a switch has for a group
 * (Zhou et al., WCMP, EuroSys 2014, section 3).
 */
import { z } from "zod";

/** The parameter `group_members`: most members of a group, where each next hop stands as often as its weight says. */
export const groupMembersSchema = z.number().int().min(2).max(4096).default(128);

/** Members that a switch has room for: 16 bits of indexes. */
export const MOST_MEMBERS = 65_536;

/**
 * How often each next hop stands in a group of at most `most` members, in proportion to the capacities. Exact where that fits.
 * Otherwise members are given one by one to the next hop that then carries least more than its share, and of all group sizes
 * on the way the one with the least oversubscription is used (the paper's algorithm 1 minimises the same figure).
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

/** The largest ratio of the share that a next hop gets to the share that it should get; 1 is exact. */
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
