/** The key `until`: which figure decides the number of seeds, and which cells have not converged. A cell is a scheme at a point. */
import { relativeHalfWidth } from "../../../statistics/index.js";
import type { SchemeUnit, Until } from "../kind.js";
import type { LoadOutcome } from "./load-figures.js";
import { figuresOf, type LoadRow } from "./rows.js";
import type { LoadSettings } from "./schema.js";

type UntilSettings = NonNullable<LoadSettings["until"]>;

export function untilOf(until: UntilSettings): Until<LoadOutcome> {
  const { confidence, within, min_runs: least, max_runs: most } = until;
  return { rule: { confidence, within, least, most }, figure: (outcome) => figureOf(until, outcome) };
}

function figureOf({ metric, size }: UntilSettings, outcome: LoadOutcome): number | undefined {
  return figuresOf(outcome, size)[metric];
}

/** Half of the interval of a cell as a part of its mean. */
function widthOf(until: UntilSettings, outcomes: readonly LoadOutcome[]): number {
  return relativeHalfWidth(
    outcomes.flatMap((outcome) => figureOf(until, outcome) ?? []),
    until.confidence,
  );
}

/** The row of the rule's size class says how small the interval is, and whether that is enough. */
export function withConvergence(
  rows: readonly LoadRow[],
  outcomes: readonly LoadOutcome[],
  { until }: Pick<LoadSettings, "until">,
): readonly LoadRow[] {
  if (until === undefined || outcomes.length === 0) return rows;
  const width = widthOf(until, outcomes);
  return rows.map((row) =>
    row.size === until.size
      ? {
          ...row,
          ...(Number.isFinite(width) ? { interval_of_mean: Number(width.toPrecision(4)) } : {}),
          converged: width <= until.within ? "yes" : "no",
        }
      : row,
  );
}

/** A sentence for a cell that has not converged. */
export function openWarnings(
  { until }: Pick<LoadSettings, "until">,
  { scheme }: SchemeUnit,
  outcomes: readonly LoadOutcome[],
): string[] {
  if (until === undefined || outcomes.length === 0) return [];
  const width = widthOf(until, outcomes);
  if (width <= until.within) return [];
  const { metric, size, confidence, within, max_runs } = until;
  const percent = (part: number) => `${Number((100 * part).toPrecision(3))} %`;
  const found = Number.isFinite(width) ? `± ${percent(width)} of its mean` : "unknown";
  const more =
    outcomes.length < max_runs
      ? "jobs of further seeds failed, or have not run"
      : "a greater until.max_runs, more flows a run, or a wider until.within lets it converge";
  return [
    `${scheme.title}: not converged: the ${percent(confidence)} interval of ${metric} (${size}) is ${found} after ${outcomes.length} seeds, not within ${percent(within)}: ${more}.`,
  ];
}
