/** Rows of the kind `spread`. */
import { quantile } from "../../../statistics/index.js";
import { ratio, type SpreadOutcome } from "./outcome.js";

/** A row of `results.json`. */
export type SpreadRow = Readonly<Record<string, unknown>>;

export function spreadRow({ lost, cvs, noise, worst, pods }: SpreadOutcome): SpreadRow {
  const digits = (value: number | undefined) => (value === undefined ? null : Number(value.toPrecision(6)));
  const at = (share: number) => (cvs.length === 0 ? undefined : quantile(cvs, share));
  return {
    groups: cvs.length,
    cv_p50: digits(at(0.5)),
    cv_p90: digits(at(0.9)),
    cv_max: digits(cvs.at(-1)),
    groups_above_01: cvs.filter((cv) => cv > 0.1).length,
    chance_p50: digits(noise.length === 0 ? undefined : quantile(noise, 0.5)),
    chance_max: digits(noise.at(-1)),
    worst_switch: worst?.node ?? null,
    worst_slots: worst?.slots ?? null,
    // A link without any load: JSON has no infinity.
    pods_max_over_min: pods === undefined || Math.min(...pods) === 0 ? null : digits(ratio(pods)),
    lost,
  };
}
