/** What theory says about re-pathing after a failure: how the number of tries is distributed, without any clock. */

/** A failure of one element on the paths of a flow. */
export interface FailureCase {
  /** Elements of this kind, equally likely, that each direction of a flow chooses from; undefined: no one number. */
  readonly sites: number | undefined;
  /** Whether the switches of a tier choose from equally many next hops in a direction. */
  readonly symmetric: boolean;
}

/** The tries until a flow is back on working paths; the first try is the first retransmission timeout. */
export interface Tries {
  /** Expected number; 0 for hosts that never try. */
  readonly mean: number;
  /** Share of the flows that have recovered after this many tries, from 1. */
  recoveredAfter(tries: number): number;
  /** Tries that at least `fraction` of the flows do not exceed; Infinity where no try can succeed. */
  atQuantile(fraction: number): number;
}

export interface ClosedForm {
  /** For the note of a report: the share of missed tries as a formula, if it is one. */
  readonly formula?: string;
  /** Undefined where the theory does not cover the failure. */
  tries(failure: FailureCase): Tries | undefined;
}

/** Hosts that stay on their path. */
export const NEVER_LEAVES: ClosedForm = {
  tries: () => ({ mean: 0, recoveredAfter: () => 0, atQuantile: () => Number.POSITIVE_INFINITY }),
};

/** Hosts whose first try avoids any single failure, where there is another element and tiers are even. */
export const LEAVES_FOR_SURE: ClosedForm = {
  tries: ({ sites, symmetric }) =>
    symmetric && sites !== undefined && sites > 1
      ? { mean: 1, recoveredAfter: () => 1, atQuantile: () => 1 }
      : undefined,
};

/**
 * Hosts that draw both directions anew at each try (P-ECMP, NSDI'25, section 2.1). A flow's two directions each cross one
 * of N equal switches, at random and independently; a try succeeds if both avoid the failed one.
 */
export const DRAWS_BOTH_DIRECTIONS: ClosedForm = {
  formula: "1 \u2212 ((N\u22121)/N)\u00b2",
  tries: ({ sites }) => {
    if (sites === undefined) return undefined;
    return {
      mean: expectedTries(sites),
      recoveredAfter: (tries) => {
        const miss = 1 - successProbability(sites);
        let left = 1;
        for (let i = 0; i < tries; i++) left *= miss;
        return 1 - left;
      },
      atQuantile: (fraction) => triesAtQuantile(sites, fraction),
    };
  },
};

/** Chance that one random try succeeds: ((N-1)/N)^2. */
export function successProbability(n: number): number {
  return ((n - 1) / n) ** 2;
}

/** Equation (1): expected number of random tries, N^2/(N-1)^2. */
export function expectedTries(n: number): number {
  return 1 / successProbability(n);
}

/** Random tries that at least `fraction` of the flows do not exceed; Infinity where no try can succeed. */
export function triesAtQuantile(n: number, fraction: number): number {
  const success = successProbability(n);
  if (success === 0) return Number.POSITIVE_INFINITY;
  if (success === 1) return 1;
  return Math.max(1, Math.ceil(Math.log(1 - fraction) / Math.log(1 - success) - 1e-9));
}
