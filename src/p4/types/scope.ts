/** Names and where they can be seen (sections 6.3 and 6.9): one map a block, inside-out look-up. */
import type { Declaration } from "../syntax/ast.js";

/** Functions and methods may share a name, so a name stands for a list; for anything else it has one element. */
export class Scope {
  readonly names = new Map<string, Declaration[]>();

  constructor(readonly parent: Scope | undefined) {}

  /** The declarations of the innermost scope that knows the name. */
  lookup(name: string): Declaration[] | undefined {
    for (let scope: Scope | undefined = this; scope !== undefined; scope = scope.parent) {
      const found = scope.names.get(name);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Every name that can be seen from here, each once, inner ones first. */
  visible(): string[] {
    const all = new Set<string>();
    for (let scope: Scope | undefined = this; scope !== undefined; scope = scope.parent)
      for (const name of scope.names.keys()) all.add(name);
    return [...all];
  }
}

/** The candidate nearest to a misspelt name, if it is near enough to be meant. */
export function nearestName(name: string, candidates: Iterable<string>): string | undefined {
  const limit = name.length <= 3 ? 1 : name.length <= 6 ? 2 : 3;
  let best: string | undefined;
  let bestDistance = limit + 1;
  for (const candidate of candidates) {
    if (candidate === name || Math.abs(candidate.length - name.length) >= bestDistance) continue;
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase(), bestDistance);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Insertions, deletions, substitutions and swaps of neighbours between two words; gives up at `limit`. */
function editDistance(a: string, b: string, limit: number): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    let smallest = i;
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let cost = Math.min(row[j - 1]! + 1, last[j]! + 1, last[j - 1]! + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, beforeLast[j - 2]! + 1);
      row.push(cost);
      if (cost < smallest) smallest = cost;
    }
    if (smallest >= limit) return limit;
    beforeLast = last;
    last = row;
  }
  return last[b.length]!;
}
