/**
 * Clove-ECN (Katta et al., CoNEXT 2017) in plain words: the weights of the paths of two hosts from the list of all reports, and whether a choice is
 * one of the round robin's, from the list of all choices. Nothing is kept between two questions.
 */
export interface Mark {
  readonly path: number;
  readonly at: number;
}

export interface CloveRules {
  readonly paths: number;
  readonly relay: number;
  readonly memory: number;
  readonly reduction: number;
}

/** The marks that the receiver relays: of each path none sooner than `relay` after the one before. */
function relayed(marks: readonly Mark[], { relay }: CloveRules): Mark[] {
  const last = new Map<number, number>();
  return marks.filter(({ path, at }) => {
    const before = last.get(path);
    if (before !== undefined && at - before < relay) return false;
    last.set(path, at);
    return true;
  });
}

export function weightsAfter(marks: readonly Mark[], rules: CloveRules): number[] {
  const reports = relayed(marks, rules);
  let weights: number[] = Array(rules.paths).fill(1 / rules.paths);
  for (const [i, { path, at }] of reports.entries()) {
    const congested = new Set(
      reports
        .slice(0, i + 1)
        .filter((one) => at - one.at < rules.memory)
        .map((one) => one.path),
    );
    congested.add(path);
    const free = weights.map((_, other) => other).filter((other) => !congested.has(other));
    if (free.length === 0) continue;
    const lost = weights[path]! * rules.reduction;
    weights = weights.map((weight, other) =>
      other === path ? weight - lost : free.includes(other) ? weight + lost / free.length : weight,
    );
  }
  return weights;
}

/**
 * The paths that a smooth weighted round robin may take next: those whose claim, the sum of their weights at all choices so far and at this one
 * less how often they were taken, is the greatest; several where rounding decides.
 */
export function mayTake(
  history: readonly { readonly weights: readonly number[]; readonly path: number }[],
  now: readonly number[],
): number[] {
  const claims = now.map(
    (weight, path) =>
      weight + history.reduce((sum, one) => sum + one.weights[path]! - (one.path === path ? 1 : 0), 0),
  );
  const most = Math.max(...claims);
  return claims.map((_, path) => path).filter((path) => claims[path]! > most - 1e-9);
}
