/**
 * Durations of PNA's expire-time profiles (`ExpireTimeProfileId_t`), which the specification leaves to the control plane. The first eight are at
 * first those that p4c's back end for DPDK writes (`backends/dpdk/constants.h`: `default_learner_table_timeout`), the others last as its
 * remaining ones. They belong to the switch, so they stay when the program changes.
 */
import { defined } from "../../../base/index.js";

/** `ExpireTimeProfileId_t` has eight bits. */
export const PROFILES = 256;

const SECONDS = [10, 30, 60, 120, 300, 43_200];
const OTHERS = 120;

export class ExpireTimes {
  readonly #nanoseconds = Array.from(
    { length: PROFILES },
    (_, profile) => BigInt(SECONDS[profile] ?? OTHERS) * 1_000_000_000n,
  );

  of(profile: number): bigint {
    return defined(this.#nanoseconds[profile]);
  }

  /** 0: entries last for ever. */
  set(profile: number, nanoseconds: bigint): void {
    this.#nanoseconds[profile] = nanoseconds;
  }
}
