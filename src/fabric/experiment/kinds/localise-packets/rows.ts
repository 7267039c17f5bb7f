/** Rows of the kind `localise_packets`, and the table of them. */
import { claim, formatTable } from "../../../../base/index.js";
import { quantile } from "../../../statistics/index.js";
import type { SchemeRun } from "../../scheme-run.js";
import { RESULTS } from "../localise/result.js";
import type { LocaliseOnEngine } from "./outcome.js";
import type { FailureClass } from "./schema.js";
import type { Named } from "./search.js";

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

const COLUMNS = [
  ["failed", "failed"],
  ["loss", "loss"],
  ["failures", "failures"],
  ["right", claim("localised")],
  ["set", "in a set"],
  ["wrong", "wrong"],
  ["several", "not one fault"],
  ["unnamed", "unnamed"],
  ["probes_p50", "probes p50"],
  ["probes_p95", "p95"],
  ["time_p50_ms", "ms p50"],
  ["time_p95_ms", "p95"],
  ["probes", "probes in all"],
  ["contradicted", "not as the path model"],
] as const;

/** `swept`: keys that a sweep adds to the rows. */
export function localisePacketsTable(rows: readonly LocalisePacketsRow[], swept: readonly string[]): string {
  return formatTable(
    ["scheme", ...swept, ...COLUMNS.map(([, head]) => head)],
    rows.map((row) => ["scheme", ...swept, ...COLUMNS.map(([key]) => key)].map((key) => row[key] ?? null)),
  );
}
