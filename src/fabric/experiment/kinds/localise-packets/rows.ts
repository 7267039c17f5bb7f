/** Rows of the kind `localise_packets`. */
import { quantile } from "../../../statistics/index.js";
import type { SchemeRun } from "../../experiment.js";
import { RESULTS } from "../localise/result.js";
import type { FailureClass } from "./schema.js";
import type { LocaliseOnEngine, Named } from "./search.js";

/** A row of `results.json`. */
export type LocalisePacketsRow = { readonly scheme: string } & Readonly<
  Record<string, number | string | null>
>;

/** Rows of one scheme, over all seeds. */
export function localisePacketsRows(
  { label }: SchemeRun,
  classes: readonly FailureClass[],
  outcomes: readonly LocaliseOnEngine[],
): LocalisePacketsRow[] {
  if (outcomes.length === 0) return [];
  return classes.map(({ what, loss }, i) => ({
    scheme: label,
    failed: what,
    loss,
    ...figuresOf(outcomes.flatMap(({ failures }) => failures[i]!.named)),
  }));
}

function figuresOf(all: readonly Named[]): Record<string, number | null> {
  const names = all.filter(({ result }) => result !== "unnamed");
  const sum = (count: (one: Named) => number) => all.reduce((total, one) => total + count(one), 0);
  const at = (share: number, figure: (one: Named) => number) => {
    const sorted = names.map(figure).sort((a, b) => a - b);
    return sorted.length === 0 ? null : quantile(sorted, share);
  };
  const ms = (share: number) => {
    const time = at(share, (one) => one.time);
    return time === null ? null : Number((time / 1e6).toPrecision(4));
  };
  return {
    failures: all.length,
    ...Object.fromEntries(
      RESULTS.map((result) => [result, all.filter((one) => one.result === result).length]),
    ),
    probes_p50: at(0.5, ({ probes }) => probes),
    probes_p95: at(0.95, ({ probes }) => probes),
    time_p50_ms: ms(0.5),
    time_p95_ms: ms(0.95),
    probes: sum(({ probes }) => probes),
    contradicted: sum(({ contradicted }) => contradicted),
  };
}
