/** The rows of a fluid experiment: one scheme, one point of the sweep, one seed. */
import { QuantileSketch } from "../../../statistics/index.js";
import type { FluidOutcome } from "./outcome.js";

/** Figures of the measured time. A figure that does not exist has no key: where no flow ended, there is no completion time. */
export type FluidRow = Readonly<Record<string, number | string>>;

/** `stalls`: the run has faults. */
export function fluidRow(scheme: string, outcome: FluidOutcome, stalls: boolean): FluidRow {
  const { measuredNs, deliveredBytes, offeredBytes, links, idleLinks } = outcome;
  const completion = QuantileSketch.fromJson(outcome.completion);
  const gbps = (bytes: number) => round((bytes * 8) / measuredNs);
  return {
    scheme,
    throughput_gbps: gbps(deliveredBytes),
    ...(offeredBytes === 0 ? {} : { offered_gbps: gbps(offeredBytes) }),
    mean_links: round(outcome.meanLinks),
    idle_links_percent: links === 0 ? 0 : round((100 * idleLinks) / links),
    link_utilisation_p50: outcome.utilisation[50]!,
    link_utilisation_p99: outcome.utilisation[99]!,
    flows: outcome.flows,
    open_flows: outcome.open,
    most_open_flows: outcome.mostOpen,
    ...(completion.count === 0
      ? {}
      : {
          fct_mean_ms: round(completion.mean / 1e6),
          fct_p50_ms: round(completion.quantile(0.5) / 1e6),
          fct_p99_ms: round(completion.quantile(0.99) / 1e6),
        }),
    moved_flows: round(outcome.moved),
    ...(stalls ? { stalled_flows: round(outcome.stalled) } : {}),
  };
}

/** Six significant digits. */
function round(value: number): number {
  return Number(value.toPrecision(6));
}

/** Gain over the first scheme of the same point and seed, in percent; undefined for the first scheme itself. */
export function gainOf(
  row: FluidRow,
  rows: readonly FluidRow[],
  keys: readonly string[],
): number | undefined {
  const same = (key: string) => (one: FluidRow) => JSON.stringify(one[key]) === JSON.stringify(row[key]);
  const base = rows.find((one) => ["seed", ...keys].every((key) => same(key)(one)));
  if (base === undefined || base["scheme"] === row["scheme"] || Number(base["throughput_gbps"]) === 0)
    return undefined;
  return 100 * (Number(row["throughput_gbps"]) / Number(base["throughput_gbps"]) - 1);
}
