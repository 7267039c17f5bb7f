/**
 * What theory says about re-pathing (P-ECMP, NSDI'25, section 2.1). A flow's two directions each cross one of N
 * equal switches, at random and independently; a try succeeds if both avoid the failed one.
 */

/** Chance that one random try succeeds: ((N-1)/N)^2. */
export function successProbability(n: number): number {
  return ((n - 1) / n) ** 2;
}

/** Equation (1): expected number of random tries, N^2/(N-1)^2. */
export function expectedTries(n: number): number {
  return 1 / successProbability(n);
}

/** Tries that at least `fraction` of the flows do not exceed; Infinity where no try can succeed. */
export function triesAtQuantile(n: number, fraction: number): number {
  const success = successProbability(n);
  if (success === 0) return Number.POSITIVE_INFINITY;
  if (success === 1) return 1;
  return Math.max(1, Math.ceil(Math.log(1 - fraction) / Math.log(1 - success) - 1e-9));
}

/** Time from the failure to the `tries`-th timeout: the first after `first`, each next one doubled up to `cap`. */
export function timeOfTry(tries: number, first: number, cap: number): number {
  if (tries === Number.POSITIVE_INFINITY) return tries;
  let total = 0;
  let wait = first;
  for (let i = 0; i < tries; i++) {
    total += Math.min(wait, cap);
    wait *= 2;
  }
  return total;
}
