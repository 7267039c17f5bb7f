/**
 * Compares ranks, lists of numbers of one length: the first number that differs decides.
 * @returns below 0 where `a` comes first, 0 for equal ones
 */
export function compareRanks(a: readonly number[], b: readonly number[]): number {
  for (const [i, value] of a.entries()) {
    const other = b[i] ?? 0;
    if (value !== other) return value < other ? -1 : 1;
  }
  return 0;
}
