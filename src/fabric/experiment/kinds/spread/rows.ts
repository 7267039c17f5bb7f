/** Rows of the kind `spread`, and the table of them. */
import { type Cell, formatTable } from "../../../../base/index.js";
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

const COLUMNS: readonly (readonly [key: string, head: string])[] = [
  ["groups", "groups"],
  ["cv_p50", "CV p50"],
  ["cv_p90", "p90"],
  ["cv_max", "max"],
  ["groups_above_01", "CV > 0.1"],
  ["chance_p50", "chance p50"],
  ["chance_max", "max"],
  ["worst_switch", "worst at"],
  ["worst_slots", "slots"],
  ["pods_max_over_min", "pods max/min"],
  ["lost", "lost"],
];

/** `swept`: keys that a sweep adds to the rows. */
export function spreadTable(rows: readonly SpreadRow[], swept: readonly string[]): string {
  const columns = COLUMNS.filter(([key]) => rows.some((row) => row[key] !== null));
  const keys = [...swept, ...(new Set(rows.map((row) => row["seed"])).size > 1 ? ["seed"] : [])];
  const cell = (value: unknown): Cell =>
    typeof value === "number"
      ? Number.isInteger(value)
        ? value
        : value.toFixed(3)
      : typeof value === "string"
        ? value
        : value === null
          ? null
          : JSON.stringify(value);
  return formatTable(
    ["scheme", ...keys, ...columns.map(([, head]) => head)],
    rows.map((row) => ["scheme", ...keys, ...columns.map(([key]) => key)].map((key) => cell(row[key]))),
  );
}
