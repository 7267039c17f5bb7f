/** Takes some of many mutants, by a seed. */
import { Random } from "../../base/index.js";

/**
 * At most `count` of the mutants, in their order. The same seed and the same names give the same choice; a mutant that is added elsewhere
 * does not change the order in which the others are preferred.
 */
export function chooseMutants<M extends { readonly name: string }>(
  mutants: readonly M[],
  count: number,
  seed: number,
): M[] {
  if (mutants.length <= count) return [...mutants];
  const random = new Random(seed);
  const ranked = mutants
    .map((mutant) => ({ mutant, rank: random.fork(mutant.name).float() }))
    .sort((a, b) => a.rank - b.rank);
  const chosen = new Set(ranked.slice(0, count).map(({ mutant }) => mutant));
  return mutants.filter((mutant) => chosen.has(mutant));
}
