/** Rows of the kind `localise`. */
import { quantile } from "../../../statistics/index.js";
import type { Localise, LocaliseUnit } from "./check.js";
import type { LocaliseOutcome } from "./outcome.js";
import { RESULTS, type Result } from "./result.js";

/** A row of `results.json`. */
export type LocaliseRow = Readonly<Record<string, number | string | null>>;

export function localiseRow(
  { settings }: Localise,
  { what, loss }: LocaliseUnit,
  { named, covered, candidates, hosts, switches }: LocaliseOutcome,
): LocaliseRow {
  if (what === "ways" || what === "links")
    return { failed: what === "ways" ? WAYS : LINKS, switches, ...coverFigures(covered) };
  const count = (result: Result) => named.filter((one) => one.result === result).length;
  const probes = named.flatMap((one) => (one.probes < 0 ? [] : [one.probes])).sort((a, b) => a - b);
  const at = (share: number) => (probes.length === 0 ? null : quantile(probes, share));
  const time = (sent: number | null) =>
    sent === null ? null : (sent / hosts) * (settings.probe_interval / 1e6);
  return {
    failed: what,
    loss,
    switches,
    failures: named.length,
    candidates,
    ...Object.fromEntries(RESULTS.map((result) => [result, count(result)])),
    probes_p50: at(0.5),
    probes_p95: at(0.95),
    probes_max: probes.at(-1) ?? null,
    time_p50_ms: time(at(0.5)),
    time_p95_ms: time(at(0.95)),
  };
}

const WAYS = "none: ways of a pair";
const LINKS = "none: all links";

/**
 * Number of probes that cover n paths of a pair of hosts, or n directed links. For random probes the coupon collector expects n times the
 * n-th harmonic number, divided by the number that a probe crosses.
 */
function coverFigures(covered: LocaliseOutcome["covered"]): LocaliseRow {
  const mean = (values: readonly number[]) =>
    values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
  const ended = covered.filter(({ probes }) => probes >= 0);
  const n = mean(covered.map(({ things }) => things))!;
  const probes = mean(ended.map((one) => one.probes));
  const least = mean(covered.map(({ things, crossed }) => things / crossed))!;
  return {
    covers: covered.length,
    n,
    crossed: mean(covered.map(({ crossed }) => crossed))!,
    cover_probes: probes,
    cover_ratio: probes === null ? null : probes / least,
    coupon_collector: mean(covered.map(({ things, crossed }) => collectorOf(things) / crossed))!,
    n_ln_n: mean(covered.map(({ things, crossed }) => (things * Math.log(things)) / crossed))!,
  };
}

/** n (1 + 1/2 + ... + 1/n). */
export function collectorOf(n: number): number {
  let sum = 0;
  for (let i = 1; i <= n; i++) sum += n / i;
  return sum;
}
