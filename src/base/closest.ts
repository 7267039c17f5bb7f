/** "Did you mean ...?": the known name that a misspelt word most likely means. */

/** Longer words get no suggestion: the comparison takes time in the product of both lengths, and inputs are untrusted. */
const MAX_LENGTH = 100;

/**
 * The candidate with the fewest typing mistakes, regardless of case; `undefined` if even that one differs in more than
 * a third of the word's letters (in more than one letter, for words of up to five). Of several candidates with the same distance
 * the first. A candidate equal to the word is no suggestion.
 */
export function closest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > MAX_LENGTH) return undefined;
  const typed = word.toLowerCase();
  let best: string | undefined;
  let bound = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const candidate of candidates) {
    if (candidate === word || Math.abs(candidate.length - word.length) >= bound) continue;
    const distance = editDistance(typed, candidate.toLowerCase(), bound);
    if (distance < bound) {
      best = candidate;
      bound = distance;
    }
  }
  return best;
}

/** {@link closest} as the end of a message: `; did you mean "spine"?`, or nothing. `quote` is written on both sides. */
export function didYouMean(word: string, candidates: Iterable<string>, quote: string): string {
  const near = closest(word, candidates);
  return near === undefined ? "" : `; did you mean ${quote}${near}${quote}?`;
}

/**
 * Minimum number of insertions, deletions, replacements and swaps of neighbours that turn `a` into `b` (optimal string
 * alignment distance); `bound` if it is not below `bound`.
 */
function editDistance(a: string, b: string, bound: number): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    let smallest = i;
    for (let j = 1; j <= b.length; j++) {
      const replaced = last[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      let cost = Math.min(replaced, last[j]! + 1, row[j - 1]! + 1);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, beforeLast[j - 2]! + 1);
      row.push(cost);
      if (cost < smallest) smallest = cost;
    }
    // The minimum of the previous row is at most one smaller, and a swap from there costs 1: no later cell is below this.
    if (smallest >= bound) return bound;
    beforeLast = last;
    last = row;
  }
  return Math.min(bound, last[b.length]!);
}
