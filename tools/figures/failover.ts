/** The block of a page that shows how schemes leave a switch that fails in silence, from a run of the kind `failover`. */
import { block, type RunDocument, run } from "./block.js";
import { fixed, percent, table } from "./text.js";

interface Failover {
  readonly scheme: string;
  readonly runs: number;
  /** Share of the runs that recovered at the first try. */
  readonly first: number;
  /** Quantiles of the outage in ms; null: never. */
  readonly p50: number | null;
  readonly p95: number | null;
}

const outage = (ms: number | null) => (ms === null ? "never" : fixed(ms));

/** The rows of an experiment file. */
export const silentFailure = (file: string) =>
  block({
    runs: { all: run(file) },
    pick: {
      all: ({ rows }: RunDocument): Failover[] =>
        // biome-ignore lint/suspicious/noExplicitAny: a row of the kind failover.
        rows.map((row: any) => ({
          scheme: row.scheme,
          runs: row.runs,
          first: row.first_try_success,
          p50: row.p50_ms ?? null,
          p95: row.p95_ms ?? null,
        })),
    },
    render: ({ all }) =>
      table(
        ["scheme", "runs", "recovered at the first try", "median outage, ms", "95th percentile, ms"],
        all.map(({ scheme, runs, first, p50, p95 }) => [
          scheme,
          String(runs),
          percent(first, 1),
          outage(p50),
          outage(p95),
        ]),
      ),
  });
