/** The runs of a test on the switch, which differ in what no test can choose: what differs between two of them is not expected. */
import type { Bmv2Program } from "../program/index.js";

/** The time of the switch's clock, and the seed of its random numbers. */
export const RUNS = [
  { now: 0, seed: 1 },
  { now: 123_456_789, seed: 2 },
  { now: 2 ** 41 + 98_765, seed: 3 },
] as const;

/** More runs of a program with random numbers: a random bit is the same in all of them in one of 2^15 tests. */
const MORE = Array.from({ length: 13 }, (_, i) => ({ now: 0, seed: RUNS.length + 1 + i }));

export function runsOf({ actions }: Bmv2Program): readonly { readonly now: number; readonly seed: number }[] {
  const isRandom = actions.some(({ primitives }) =>
    primitives.some(({ op }) => op === "modify_field_rng_uniform"),
  );
  return isRandom ? [...RUNS, ...MORE] : RUNS;
}

/** The times in nanoseconds, in the bits that a Tofino's clock has. */
export const TIMES: readonly bigint[] = RUNS.map(({ now }) => BigInt.asUintN(48, BigInt(now) * 1000n));
