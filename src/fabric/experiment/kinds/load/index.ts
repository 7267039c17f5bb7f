/** The kind `load`: flows that arrive by a workload, and their completion times. A unit is a scheme. */

import { defined } from "../../../../base/index.js";
import { Moments } from "../../../statistics/index.js";
import { withSchemes } from "../../experiment.js";
import type { Kind, SchemeUnit } from "../kind.js";
import { onFabric } from "../registered-kind.js";
import { loadOf } from "./check.js";
import { openWarnings, untilOf, withConvergence } from "./convergence.js";
import type { LoadFigures, LoadOutcome } from "./load-figures.js";
import type { HalfFigures } from "./meters/halves-meter.js";
import { type LoadRow, loadRows } from "./rows.js";
import { type Load, type LoadFile, type LoadSettings, loadFileSchema } from "./schema.js";
import { SIZE_CLASSES } from "./size-classes.js";
import { LOAD_VIEW } from "./view.js";

// Warns of runs that end while the network still fills. Two rules, on the flows of all seeds together (docs/load.md, "Is the run long enough?"):
//
// 1. In the window, receivers get less than 90 % of the payload of the flows that start in it: the network holds the rest.
// 2. The mean slowdown of the flows that start in the second half of the window differs from that of the first half by more than 20 %, and by
//    more than two standard errors of the difference. Where a fault begins or ends in the run, the halves differ for this reason, and the rule
//    is left out.
//
// They hold for drawn traffic. Recorded flows are what they are, and a closed loop offers what the network carries.

const LEAST_ACHIEVED = 0.9;
const MOST_CHANGE = 0.2;
const STANDARD_ERRORS = 2;

/** Of one unit under all its seeds; empty where the run is long enough. */
export function transientWarnings(
  { settings }: Pick<Load, "settings">,
  { scheme }: Pick<SchemeUnit, "scheme">,
  outcomes: readonly Pick<LoadOutcome, "halves" | "nominalBps">[],
): string[] {
  const halves = outcomes.flatMap(({ halves: own, nominalBps }) =>
    own === undefined || nominalBps === undefined ? [] : [own],
  );
  const why = [filling(halves.flat()), settings.faults.length > 0 ? undefined : drift(halves)].filter(
    (text) => text !== undefined,
  );
  if (why.length === 0) return [];
  return [
    `${scheme.title}: the run ends in the transient: ${why.join("; ")}. The figures depend on the length of the run: use more flows, and a longer warm_up.`,
  ];
}

/** The load that the whole traffic offers; undefined where a part has an interval of its own, or starts flows when others complete. */
function loadOfAll({ load, traffic }: Pick<LoadSettings, "load" | "traffic">): number | undefined {
  return traffic.mix?.some(({ share }) => share === undefined) ? undefined : load;
}

function filling(parts: readonly HalfFigures[]): string | undefined {
  const of = (key: "startedBytes" | "deliveredBytes") => parts.reduce((sum, part) => sum + part[key], 0);
  const share = of("deliveredBytes") / of("startedBytes");
  if (!(share < LEAST_ACHIEVED)) return undefined;
  return `receivers got ${percent(share)} of the payload that was offered in the window (limit ${percent(LEAST_ACHIEVED)})`;
}

function drift(halves: readonly (readonly [HalfFigures, HalfFigures])[]): string | undefined {
  const [first, second] = ([0, 1] as const).map((which) => {
    const all = new Moments();
    for (const pair of halves) all.merge(Moments.fromJson(pair[which].slowdown));
    return all;
  }) as [Moments, Moments];
  const change = second.mean - first.mean;
  const error = Math.sqrt(first.variance / first.count + second.variance / second.count);
  if (!(Math.abs(change) > MOST_CHANGE * first.mean && Math.abs(change) > STANDARD_ERRORS * error))
    return undefined;
  return `the mean slowdown is ${first.mean.toFixed(2)} in the first half of the window and ${second.mean.toFixed(2)} in the second`;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(0)} %`;
}

export const LOAD: Kind<LoadFile, Load, SchemeUnit, LoadOutcome, LoadRow> = {
  name: "load",
  keys: ["load", "warm_up", "measured_flows", "drain", "record", "series", "sizes", "until"],
  schema: withSchemes(loadFileSchema),
  takesRuns: false,
  check: loadOf,
  units: ({ schemes }) => schemes.map((scheme) => ({ scheme, name: "load", steps: 1 })),
  runner: onFabric({
    async onSimulator(experiment, { scheme }, stage) {
      const { loadInSimulator } = await import("./on-simulator.js");
      const { truncated } = await import("./truncation.js");
      const { settled, experiment: own } = await truncated(experiment, scheme, stage);
      const measured = await loadInSimulator(own, scheme, stage);
      const figures: LoadFigures = settled ? measured : { ...measured, unsettled: true };
      await stage.stepDone();
      return { scheme, ...figures };
    },
    testbed: async () => (await import("./on-testbed.js")).LOAD_ON_TESTBED,
  }),
  // only the scheme needs a conversion
  portable: {
    toJson: ({ scheme: _, ...figures }): LoadFigures => figures,
    fromJson: (json, { scheme }) => ({ scheme, ...(json as LoadFigures) }),
  },
  dependsOn: ({ traffic }) => traffic.files,
  until: ({ settings: { until } }) => until && untilOf(until),
  rows: ({ settings }, _unit, outcomes) =>
    withConvergence(loadRows(outcomes, loadOfAll(settings), settings.truncation), outcomes, settings),
  unitNotes: loadNotes,
  warnings: (experiment, unit, outcomes) => [
    ...transientWarnings(experiment, unit, outcomes),
    ...unsettledWarnings(unit, outcomes),
    ...openWarnings(experiment.settings, unit, outcomes),
    ...deadlockWarnings(unit, outcomes),
  ],
  view: LOAD_VIEW,
};

/** A note of each run names the links. */
function deadlockWarnings({ scheme }: SchemeUnit, outcomes: readonly LoadOutcome[]): string[] {
  const seeds = outcomes.filter(({ flowControl }) => (flowControl?.deadlocks.length ?? 0) > 0).length;
  return seeds === 0
    ? []
    : [
        `${scheme.title}: priority flow control comes to a deadlock under ${seeds} of ${outcomes.length} seeds: these figures are of a network of which a part stands still. The notes name the links.`,
      ];
}

/** Pilot runs that did not leave the transient in their first half. */
function unsettledWarnings({ scheme }: SchemeUnit, outcomes: readonly LoadOutcome[]): string[] {
  const seeds = outcomes.filter(({ unsettled }) => unsettled);
  return seeds.length === 0
    ? []
    : [
        `${scheme.title}: MSER-5 finds no end of the transient in the first half of the flows under ${seeds.length} of ${outcomes.length} seeds: the second half is measured. Use more flows.`,
      ];
}

// Notes on the outcomes that a reader of the results must know.

/** One sentence each, on one unit under all its seeds. */
function loadNotes({ scheme }: SchemeUnit, outcomes: readonly LoadOutcome[]): string[] {
  const total = (of: (outcome: LoadOutcome) => number) => outcomes.reduce((sum, one) => sum + of(one), 0);
  const inClasses = (key: "flows" | "unfinished") => (outcome: LoadOutcome) =>
    SIZE_CLASSES.reduce((sum, name) => sum + outcome.flows[name][key], 0);
  const [flows, unfinished] = [total(inClasses("flows")), total(inClasses("unfinished"))];
  const outside = outcomes.filter(({ outsideWindow }) => outsideWindow !== undefined);
  const leftOut = total(({ linesLeftOut = 0 }) => linesLeftOut);
  return [
    ...(unfinished === 0
      ? []
      : [
          `${scheme.title}: ${unfinished} of ${flows} measured flows had not ended at the end of the drain; completion times and slowdowns leave them out, and so are better than the real ones.`,
        ]),
    ...trafficEndedNotes(scheme.title, outcomes),
    ...(outside.length === 0 ? [] : [windowNote(scheme.title, outside, outcomes.length)]),
    ...windowNotes(scheme.title, outcomes),
    ...(leftOut === 0
      ? []
      : [`${scheme.title}: flows.jsonl leaves out ${leftOut} flows beyond record_limit.`]),
  ];
}

/** Under `measured_flows`: the load must last until the measured flows have ended. */
function trafficEndedNotes(title: string, outcomes: readonly LoadOutcome[]): string[] {
  const early = outcomes.filter(({ trafficEndedNs }) => trafficEndedNs !== undefined);
  if (early.length === 0) return [];
  const { started, trafficEndedNs } = defined(early[0]);
  const seeds =
    outcomes.length === 1
      ? ""
      : ` (under ${early.length} of ${outcomes.length} seeds; these figures are of the first)`;
  return [
    `${title}: the traffic ends after ${started} flows, at ${Number((defined(trafficEndedNs) / 1e6).toPrecision(6))} ms, before the flows of measured_flows have ended${seeds}: the last ones meet a network that empties. Write more traffic.flows, a longer traffic.duration, or a smaller measured_flows.`,
  ];
}

/** The window ends with the last arrival; of few or long flows most payload arrives later. */
function windowNote(title: string, outside: readonly LoadOutcome[], all: number): string {
  const { outsideWindow, window } = defined(outside[0]);
  const { within, after } = defined(outsideWindow);
  const share = Math.round((100 * after) / (within + after));
  const [from, to] = window.map((ns) => `${Number((ns / 1e6).toPrecision(6))}`);
  const seeds = all === 1 ? "" : ` (under ${outside.length} of ${all} seeds; these figures are of the first)`;
  return `${title}: goodput, links and queues are measured from ${from} to ${to} ms, and ${share} % of the payload of the window and later arrived after it${seeds}: they do not describe these flows. traffic.duration gives the window another end.`;
}

function windowNotes(title: string, outcomes: readonly LoadOutcome[]): string[] {
  const leftOut = outcomes.reduce((sum, { windowsLeftOut = 0 }) => sum + windowsLeftOut, 0);
  return leftOut === 0
    ? []
    : [
        `${title}: windows.csv leaves out ${leftOut} samples: write a longer windows.interval, or fewer flows.`,
      ];
}
