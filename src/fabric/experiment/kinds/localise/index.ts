/** The kind `localise`: how many probes name the element that loses packets, with exact next hops and with random probes. */

import { defined, escapeMarkup } from "../../../../base/index.js";
import { quantile } from "../../../statistics/index.js";
import { withSchemes } from "../../experiment.js";
import { decimals, textTable } from "../../view/parts.js";
import type { View } from "../../view/view.js";
import type { Kind } from "../kind.js";
import { eachSeed, fromTopology } from "../registered-kind.js";
import {
  type Localise,
  type LocaliseSettings,
  type LocaliseUnit,
  localiseOf,
  localiseSchema,
  namesNextHops,
} from "./check.js";
import type { LocaliseOutcome } from "./outcome.js";
import { RESULT_COLUMNS, type Result, resultsOf } from "./result.js";

// Rows of the kind `localise`.

/** A row of `results.json`. */
type LocaliseRow = Readonly<Record<string, number | string | null>>;

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
    ...Object.fromEntries(resultsOf(settings.faults).map((result) => [result, count(result)])),
    ...(settings.faults === 1 ? {} : setFigures(named)),
    probes_p50: at(0.5),
    probes_p95: at(0.95),
    probes_max: probes.at(-1) ?? null,
    time_p50_ms: time(at(0.5)),
    time_p95_ms: time(at(0.95)),
  };
}

/** Of two faults at once: mean and greatest number of named pairs, where pairs are named. */
function setFigures(named: LocaliseOutcome["named"]): LocaliseRow {
  const sets = named.flatMap((one) => one.sets ?? []);
  return {
    sets_mean: sets.length === 0 ? null : sets.reduce((sum, one) => sum + one, 0) / sets.length,
    sets_max: sets.length === 0 ? null : Math.max(...sets),
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

// Table and page of the kind `localise`.

const LOCALISE_VIEW: View<Localise, LocaliseUnit, LocaliseOutcome, LocaliseRow> = {
  columns: [
    { key: "failed", title: "failed" },
    { key: "loss", title: "loss", format: decimals(4) },
    { key: "failures", title: "failures" },
    { key: "candidates", title: "of" },
    ...RESULT_COLUMNS,
    { key: "sets_mean", title: "pairs", format: decimals(2) },
    { key: "sets_max", title: "at most", format: decimals(0) },
    { key: "probes_p50", title: "probes p50", format: decimals(0) },
    { key: "probes_p95", title: "p95", format: decimals(0) },
    { key: "time_p50_ms", title: "ms p50", format: decimals(1) },
    { key: "time_p95_ms", title: "p95", format: decimals(1) },
    { key: "n", title: "n", format: decimals(0) },
    { key: "crossed", title: "by a probe", format: decimals(2) },
    { key: "cover_probes", title: "probes to cover", format: decimals(1) },
    { key: "cover_ratio", title: "ratio", format: decimals(2) },
    { key: "coupon_collector", title: "n H(n)", format: decimals(1) },
    { key: "n_ln_n", title: "n ln n", format: decimals(1) },
  ],
  page: ({ keys, points, rows }) => ({
    style: "adaptive",
    parts: [
      { html: `<pre>${escapeMarkup(textTable(LOCALISE_VIEW.columns, rows, keys))}</pre>` },
      { unfold: { title: "Experiment file", content: defined(points[0]).experiment.source.text } },
    ],
  }),
};

export const LOCALISE: Kind<LocaliseSettings, Localise, LocaliseUnit, LocaliseOutcome, LocaliseRow> = {
  name: "localise",
  keys: ["probe_interval", "most_probes"],
  schema: withSchemes(localiseSchema),
  check: localiseOf,
  units: ({ units }) => units,
  takesRuns: false,
  runner: fromTopology(async (experiment, unit, stage) =>
    (await import("./outcome.js")).runLocalise(experiment, unit, stage),
  ),
  rows: eachSeed((experiment, unit, outcome) => [localiseRow(experiment, unit, outcome)]),
  notes: ({ units, topology, settings }) => {
    const runs = [...new Set(units.map(({ scheme }) => scheme))];
    const exact = (run: (typeof runs)[number]) =>
      namesNextHops(topology, run)
        ? `${run.label}: probes go where selectors lead them, over covers of all links between switches and then through suspects.`
        : `${run.label}: probes go between random hosts with random ports; their paths are known, which for an operator requires the hash functions.`;
    return [
      `${topology.nodes.filter(({ role }) => role !== "host").length} switches, without packets: paths follow the programs' own hash functions, and each element loses its share of the probes that cross it${settings.faults === 1 ? "" : ", two at once"}; naming an element needs a confidence of ${settings.confidence}.`,
      ...runs.map(exact),
    ];
  },
  view: LOCALISE_VIEW,
};
