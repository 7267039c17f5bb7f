/** Rows of the kind `requests`, one for each scheme and point over all seeds. */
import { QuantileSketch, quantile } from "../../../statistics/index.js";
import type { SchemeRun } from "../../experiment.js";
import type { RequestsOutcome } from "./on-simulator.js";
import type { Application } from "./schema.js";

/** A row of `results.json`. */
export type RequestsRow = { readonly scheme: string } & Readonly<Record<string, number | string | null>>;

export function requestsRow(
  { label }: SchemeRun,
  { jitter, hang }: Application,
  outcomes: readonly RequestsOutcome[],
): RequestsRow {
  const sum = (count: (outcome: RequestsOutcome) => number) =>
    outcomes.reduce((total, outcome) => total + count(outcome), 0);
  const latency = outcomes
    .map((outcome) => QuantileSketch.fromJson(outcome.latency))
    .reduce((a, b) => a.merged(b), new QuantileSketch());
  const ms = (share: number) =>
    latency.count === 0 ? null : Number((latency.quantile(share) / 1e6).toPrecision(6));
  return {
    scheme: label,
    seeds: outcomes.length,
    ios: sum(({ ios }) => ios),
    unfinished: sum(({ unfinished }) => unfinished),
    slow: sum(({ slow }) => slow),
    latency_p50_ms: ms(0.5),
    latency_p99_ms: ms(0.99),
    latency_max_ms: ms(1),
    ...stretches(
      "jitter",
      outcomes.map((outcome) => outcome.jitter),
      jitter,
    ),
    ...stretches(
      "hang",
      outcomes.map((outcome) => outcome.hang),
      hang,
    ),
    reconnects: sum(({ reconnects }) => reconnects),
    timeouts: sum(({ timeouts }) => timeouts),
  };
}

/** The share of the seeds with an interval of at least `least`, and the lengths of these intervals. */
function stretches(name: string, lengths: readonly number[], least: number): Record<string, number | null> {
  const own = lengths.filter((length) => length >= least).sort((a, b) => a - b);
  const seconds = (ns: number) => Number((ns / 1e9).toFixed(3));
  const at = (share: number) => (own.length === 0 ? null : seconds(quantile(own, share)));
  return {
    [`${name}_share`]: own.length / lengths.length,
    [`${name}_min_s`]: own.length === 0 ? null : seconds(own[0]!),
    [`${name}_p50_s`]: at(0.5),
    [`${name}_max_s`]: own.length === 0 ? null : seconds(own.at(-1)!),
  };
}
