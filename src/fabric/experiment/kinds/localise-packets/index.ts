/**
 * The kind `localise_packets`: probes as packets, on the simulator and on real switches, name the element that loses packets. A unit is
 * a scheme: a testbed is booted once for all of its failures.
 */

import { defined } from "../../../../base/index.js";
import { quantile } from "../../../statistics/index.js";
import { type SchemeRun, withSchemes } from "../../experiment.js";
import { rowsPage } from "../../view/parts.js";
import type { View } from "../../view/view.js";
import type { Kind, SchemeUnit } from "../kind.js";
import { RESULT_COLUMNS, resultsOf } from "../localise/result.js";
import { onFabric } from "../registered-kind.js";
import {
  type FailureClass,
  failureClasses,
  type LocalisePackets,
  type LocalisePacketsSettings,
  localisePacketsOf,
  localisePacketsSchema,
} from "./check.js";
import type { LocaliseOnEngine, Named } from "./search.js";

// Table and page of the kind `localise_packets`.

const LOCALISE_PACKETS_VIEW: View<LocalisePackets, SchemeUnit, LocaliseOnEngine, LocalisePacketsRow> = {
  columns: [
    { key: "failed", title: "failed" },
    { key: "loss", title: "loss" },
    { key: "failures", title: "failures" },
    ...RESULT_COLUMNS,
    { key: "probes_p50", title: "probes p50" },
    { key: "probes_p95", title: "p95" },
    { key: "time_p50_ms", title: "ms p50" },
    { key: "time_p95_ms", title: "p95" },
    { key: "probes", title: "probes in all" },
    { key: "contradicted", title: "not as the path model" },
  ],
  page: rowsPage,
};

export const LOCALISE_PACKETS: Kind<
  LocalisePacketsSettings,
  LocalisePackets,
  SchemeUnit,
  LocaliseOnEngine,
  LocalisePacketsRow
> = {
  name: "localise_packets",
  keys: ["probes_at_once", "probe_timeout"],
  schema: withSchemes(localisePacketsSchema),
  takesRuns: false,
  check: localisePacketsOf,
  units: ({ schemes, settings }) => {
    const steps = settings.failures * failureClasses(settings).length;
    return schemes.map((scheme) => ({ scheme, name: "probes", steps }));
  },
  runner: onFabric({
    async onSimulator(experiment, { scheme }, stage) {
      const { localiseInSimulator } = await import("./on-simulator.js");
      return { failures: await localiseInSimulator(experiment, scheme, stage) };
    },
    testbed: async () => (await import("./on-testbed.js")).LOCALISE_ON_TESTBED,
  }),
  rows: ({ settings }, { scheme }, outcomes) =>
    localisePacketsRows(scheme, failureClasses(settings), outcomes),
  view: LOCALISE_PACKETS_VIEW,
};

// Rows of the kind `localise_packets`.

/** A row of `results.json`. */
type LocalisePacketsRow = { readonly scheme: string } & Readonly<Record<string, number | string | null>>;

/** Rows of one scheme, over all seeds. */
function localisePacketsRows(
  { label }: SchemeRun,
  classes: readonly FailureClass[],
  outcomes: readonly LocaliseOnEngine[],
): LocalisePacketsRow[] {
  if (outcomes.length === 0) return [];
  return classes.map(({ what, loss }, i) => ({
    scheme: label,
    failed: what,
    loss,
    ...figuresOf(outcomes.flatMap(({ failures }) => defined(failures[i]).named)),
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
      resultsOf(1).map((result) => [result, all.filter((one) => one.result === result).length]),
    ),
    probes_p50: at(0.5, ({ probes }) => probes),
    probes_p95: at(0.95, ({ probes }) => probes),
    time_p50_ms: ms(0.5),
    time_p95_ms: ms(0.95),
    probes: sum(({ probes }) => probes),
    contradicted: sum(({ contradicted }) => contradicted),
  };
}
