/** The results of the kind `failover`: samples of single runs, and the rows that summarise them. */

import { defined, given } from "../../../../base/index.js";
import type { Tries } from "../../../schemes/index.js";
import { mean, summarise } from "../../../statistics/index.js";
import { computeRoutes, type Topology } from "../../../topology/index.js";
import type { EngineName, SchemeRun } from "../../experiment.js";
import type { RunResults } from "../../results.js";
import type { RunLoad } from "../../testbed/machine-load.js";
import { type DrawnFailure, equalSites, isPartial, isSingleCut } from "./failures.js";
import type { Experiment } from "./schema.js";

/** One run: one flow that a failure hit. */
export interface Sample {
  /**
   * Milliseconds from the failure to the departure of the retransmission that was acknowledged. Infinity: none
   * within `give_up`; 0: data got through without a timeout. The closed forms and P-ECMP's figure 7 count in this way. For a failure
   * that lets packets pass: the last such retransmission in the observation counts; 0: there was no timeout; Infinity: the
   * retransmission of the last timeout was lost.
   */
  recoveryMs: number;
  /** Timeouts between the failure and the recovery, or the end. */
  timeouts: number;
  /** Smoothed round-trip time at the failure, in milliseconds. */
  rttMs: number;
  /**
   * Packets that both ends sent beyond one for each timeout and one for each received segment, from the failure to the
   * recovery or the end. Absent on a testbed, whose hosts do not report it.
   */
  copies?: number;
  /** Only on a testbed. */
  load?: RunLoad;
}

/** Nodes that a flow's data crossed before the failure and after the recovery, for the report's drawing. */
export interface PathExample {
  failed: string;
  before: readonly number[];
  after: readonly number[] | undefined;
  failedNode: number | undefined;
  failedLink: number | undefined;
}

/** All runs of one scheme under one failure. */
export interface Series {
  scheme: SchemeRun;
  failure: DrawnFailure;
  samples: readonly Sample[];
  example: PathExample | undefined;
}

/** One line of the result table. Times of a quantile that never recovers are null. */
export interface Row {
  scheme: string;
  /** Name of the failure. */
  failure: string;
  runs: number;
  /** Fraction that recovered within `give_up`; of a failure that lets packets pass, by the end of the observation. */
  recovered: number;
  /** Fraction that recovered at their first timeout; for a failure that lets packets pass, with at most one timeout. Null where each packet has a path of its own. */
  first_try_success: number | null;
  p50_ms: number | null;
  p95_ms: number | null;
  p99_ms: number | null;
  max_ms: number | null;
  /** Re-path attempts of a flow until it recovered. */
  repaths_mean: number;
  /**
   * Mean number of copies that both ends of a flow sent until the flow recovered: packets beyond one for each timeout and one
   * for each received segment. The acknowledgement of a segment that is a copy does not count. Null on a testbed, whose
   * hosts do not report copies.
   */
  copies_mean: number | null;
  /**
   * Mean number of timeouts of a flow during the observation that follows a failure which lets packets pass; null for other
   * failures, whose runs end with the recovery.
   */
  timeouts_per_flow: number | null;
  /** Equal-cost sites that each direction chooses from; null where the number differs between pairs of hosts. */
  equal_sites: number | null;
  /** Closed forms (P-ECMP, section 2.1); null where there is none. */
  theory_first_try_success: number | null;
  theory_p50_ms: number | null;
  theory_p95_ms: number | null;
  theory_repaths_mean: number | null;
  /** On a testbed: runs during which the machine was saturated. */
  saturated_runs?: number;
}

/** Results with all that the report shows. */
export type FailoverResults = RunResults<Experiment, Series, Row>;

export function rowOf(experiment: Experiment, series: Series, engine: EngineName = "sim"): Row {
  const { scheme, failure, samples } = series;
  const times = summarise(samples.map((sample) => sample.recoveryMs));
  const recovered = samples.filter((sample) => sample.recoveryMs !== Number.POSITIVE_INFINITY);
  const n = equalSites(experiment.topology, experiment.settings.traffic.pairs, failure);
  return {
    scheme: scheme.label,
    failure: failure.name,
    runs: samples.length,
    recovered: round(recovered.length / samples.length, 6),
    first_try_success:
      scheme.plan.sprays === true
        ? null
        : round(recovered.filter(({ timeouts }) => timeouts <= 1).length / samples.length, 6),
    p50_ms: finite(times.p50),
    p95_ms: finite(times.p95),
    p99_ms: finite(times.p99),
    max_ms: finite(times.max),
    repaths_mean: scheme.plan.repaths ? round(mean(samples.map((sample) => sample.timeouts)), 4) : 0,
    copies_mean: meanCopies(samples),
    timeouts_per_flow: isPartial(failure) ? round(mean(samples.map(({ timeouts }) => timeouts)), 4) : null,
    equal_sites: n ?? null,
    ...theoryColumns(experiment, series),
    ...(hasModelTimes(engine) ? {} : { theory_p50_ms: null, theory_p95_ms: null }),
    ...given({
      saturated_runs:
        samples[0]?.load === undefined ? undefined : samples.filter(({ load }) => load?.saturated).length,
    }),
  };
}

/**
 * Whether timeouts occur at the times of the closed forms. A real kernel counts in ticks, and a busy machine
 * delays its timers; the number of tries does not depend on that.
 */
export function hasModelTimes(engine: EngineName): boolean {
  return engine === "sim";
}

type TheoryColumns = Pick<
  Row,
  "theory_first_try_success" | "theory_p50_ms" | "theory_p95_ms" | "theory_repaths_mean"
>;

function theoryColumns(experiment: Experiment, { scheme, failure, samples }: Series): TheoryColumns {
  const tries = theoryOf(experiment, scheme, failure);
  const { rto_margin, rto_cap } = experiment.settings.transport;
  const first = firstTimeoutMs(rto_margin, samples);
  const time = (fraction: number) =>
    tries === undefined ? null : finite(timeOfTry(tries.atQuantile(fraction), first, rto_cap / 1e6));
  return {
    theory_first_try_success: tries === undefined ? null : round(tries.recoveredAfter(1), 6),
    theory_p50_ms: time(0.5),
    theory_p95_ms: time(0.95),
    theory_repaths_mean: tries === undefined ? null : finite(tries.mean),
  };
}

/** The RTO that the closed forms start from: the measured round trip plus the margin, in milliseconds. */
export function firstTimeoutMs(marginNs: number, samples: readonly Sample[]): number {
  return mean(samples.map((sample) => sample.rttMs)) + marginNs / 1e6;
}

function meanCopies(samples: readonly Sample[]): number | null {
  const copies = samples.flatMap((sample) => sample.copies ?? []);
  return copies.length < samples.length ? null : round(mean(copies), 4);
}

/** Times and fractions are rounded so that files stay readable; microseconds and millionths remain. */
function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}

function finite(value: number): number | null {
  return Number.isFinite(value) ? round(value, 3) : null;
}

/** Undefined where the scheme has no closed form for this failure. */
export function theoryOf(
  experiment: Experiment,
  { plan }: SchemeRun,
  failure: DrawnFailure,
): Tries | undefined {
  if (!isSingleCut(failure)) return undefined;
  const { settings, topology } = experiment;
  return plan.closedForm?.tries({
    sites: equalSites(topology, settings.traffic.pairs, failure),
    oneSegment: settings.transport.window_segments === 1,
    symmetric: settings.topology.kind !== "graph" && hasEvenTiers(topology),
  });
}

/** Whether all switches of a tier have the same number of next hops in a direction. */
function hasEvenTiers(topology: Topology): boolean {
  const sizes = new Map<string, number>();
  for (const { node, hopSets } of computeRoutes(topology)) {
    for (const { direction, ports } of hopSets) {
      const key = `${defined(topology.nodes[node]).role} ${direction}`;
      if ((sizes.get(key) ?? ports.length) !== ports.length) return false;
      sizes.set(key, ports.length);
    }
  }
  return true;
}

/** Time from the failure to the `tries`-th timeout: the first after `first`, each next one doubled up to `cap`. */
export function timeOfTry(tries: number, first: number, cap: number): number {
  if (tries === Number.POSITIVE_INFINITY) return tries;
  let total = 0;
  let wait = first;
  for (let i = 0; i < tries; i++) {
    total += Math.min(wait, cap);
    wait *= 2;
  }
  return total;
}
