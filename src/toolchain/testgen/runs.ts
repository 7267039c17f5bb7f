/** The runs of a test on the switch, which differ in what no test can choose: what differs between two of them is not expected. */

/** The time of the switch's clock, and the seed of its random numbers. */
export const RUNS = [
  { now: 0, seed: 1 },
  { now: 123_456_789, seed: 2 },
  { now: 2 ** 41 + 98_765, seed: 3 },
] as const;

/** The times in nanoseconds, in the bits that a Tofino's clock has. */
export const TIMES: readonly bigint[] = RUNS.map(({ now }) => BigInt.asUintN(48, BigInt(now) * 1000n));
