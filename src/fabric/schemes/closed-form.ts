/** Closed forms for re-pathing after a failure: the distribution of the number of tries, without times. */

/** A failure of one element on the paths of a flow. */
export interface FailureCase {
  /** Number of elements of this kind, equally likely, that each direction of a flow chooses from; undefined where it is not constant. */
  readonly sites: number | undefined;
  /** Whether all switches of a tier have the same number of next hops in a direction. */
  readonly symmetric: boolean;
  /** Whether a flow has one segment in flight. */
  readonly oneSegment: boolean;
}

/** The number of tries until a flow is on working paths; the first try is the first retransmission timeout. */
export interface Tries {
  /** Expected number; 0 for hosts that never re-path. */
  readonly mean: number;
  /** Share of the flows that have recovered after this many tries, from 1. */
  recoveredAfter(tries: number): number;
  /** Number of tries that at least `fraction` of the flows do not exceed; Infinity where no try can succeed. */
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

/** Hosts whose first try avoids any single failure, if another element exists and tiers are even. */
export const LEAVES_FOR_SURE: ClosedForm = {
  tries: ({ sites, symmetric }) =>
    symmetric && sites !== undefined && sites > 1
      ? { mean: 1, recoveredAfter: () => 1, atQuantile: () => 1 }
      : undefined,
};

/**
 * Hosts that draw both directions again at each try (P-ECMP, NSDI'25, section 2.1). A flow's two directions each cross one
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

/** The shares of the flows whose data, acknowledgements, or both cross the failed one of N equal elements, each at random. */
function hitShares(n: number) {
  const one = 1 / n;
  const hit = 1 - (1 - one) ** 2;
  return { data: (one * (1 - one)) / hit, acks: (one * (1 - one)) / hit, both: one ** 2 / hit };
}

/**
 * One copy: the sender always leaves its path at a timeout, and the receiver always leaves its own when it receives data that it already
 * has (P-ECMP with offsets in PRR's roles). For a flow with one segment in flight:
 *
 * - Data hit: the first try leaves, and recovers.
 * - Acknowledgements hit: the receiver leaves at the first try, unless the sender moves from its healthy path to the failed
 *   one, which is one of N - 1 others. Then the second try leaves, and recovers.
 * - Both hit: in half of the cases the failure occurs between data and acknowledgement, so that the receiver has the data, and
 *   the first try moves both. Otherwise the first try delivers the data, and the cases above apply from the second try on,
 *   where `returns(N)` is the probability that the sender's second move leads back to the first path.
 */
export function leavesWhenDuplicated(returns: (sites: number) => number): ClosedForm {
  return {
    tries: ({ sites, symmetric, oneSegment }) => {
      if (!symmetric || !oneSegment || sites === undefined || sites < 2) return undefined;
      const { data, acks, both } = hitShares(sites);
      const wrong = 1 / (sites - 1);
      const back = returns(sites);
      const first = data + acks * (1 - wrong) + both / 2;
      const second = acks * wrong + (both / 2) * (1 - back);
      const third = (both / 2) * back;
      return distributed((tries) => [0, first, first + second][tries] ?? 1, first + 2 * second + 3 * third);
    },
  };
}

/**
 * Two copies of each segment after a timeout, on the old path and on one that is drawn again at each try; the same for acknowledgements
 * (PRR with `copies: 2`). With q = 1 / N a drawn path is the failed one. A try misses with probability
 *
 * - q where data are hit: the drawn path fails, too;
 * - q^2 (2 - q) where acknowledgements are hit: each copy of the data that arrives makes the receiver draw one path;
 * - 1 - (1 - q)^2 where both are hit.
 */
export const DRAWS_BESIDE_THE_OLD_PATH: ClosedForm = {
  tries: ({ sites, oneSegment }) => {
    if (sites === undefined || !oneSegment) return undefined;
    const q = 1 / sites;
    const { data, acks, both } = hitShares(sites);
    const parts = [
      { share: data, miss: q },
      { share: acks, miss: q ** 2 * (2 - q) },
      { share: both, miss: 1 - (1 - q) ** 2 },
    ];
    const left = (tries: number) => parts.reduce((sum, { share, miss }) => sum + share * miss ** tries, 0);
    const mean = parts.reduce((sum, { share, miss }) => sum + (share === 0 ? 0 : share / (1 - miss)), 0);
    return distributed((tries) => 1 - left(tries), mean);
  },
};

/** @param recoveredAfter the share of the flows that have recovered after this number of tries, from 0 */
function distributed(recoveredAfter: (tries: number) => number, mean: number): Tries {
  return {
    mean,
    recoveredAfter,
    atQuantile: (fraction) => {
      if (!Number.isFinite(mean)) return Number.POSITIVE_INFINITY;
      let tries = 1;
      while (recoveredAfter(tries) < fraction - 1e-12) tries++;
      return tries;
    },
  };
}

/** Probability that one random try succeeds: ((N-1)/N)^2. */
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
