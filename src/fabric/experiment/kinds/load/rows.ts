/** The rows of a load experiment: one scheme, one point of the sweep, one size class, all seeds. */
import { defined, given } from "../../../../base/index.js";
import {
  coefficientOfVariation,
  Moments,
  maxOverMean,
  mean,
  meanInterval,
  QuantileSketch,
  TimeWeighted,
} from "../../../statistics/index.js";
import type { LoadOutcome } from "./load-figures.js";
import type { FlowControlFigures } from "./meters/flow-control-meter.js";
import { addCounters, type ClassFigures, type CounterSums } from "./meters/flow-meter.js";
import { DROP_REASONS } from "./meters/link-meter.js";
import { SIZE_CLASSES, type SizeClass } from "./size-classes.js";

/**
 * Figures of a seed are computed from its flows alone. A row has their mean over the seeds, and with two seeds or more the half width of
 * the 95 % confidence interval of that mean (Student's t) in the key with the suffix `_ci95`. Numbers of flows, retransmissions, timeouts and
 * drops are sums over the seeds. A figure that does not exist has no key: where no flow finished, there is no completion time.
 */
export type LoadRow = { readonly scheme: string; readonly size: string } & Readonly<
  Record<string, number | string>
>;

/** Keys of the figures that are means over seeds, in their order: first those of every comparison, then the others. */
const TIMES = [
  "fct_mean_ms",
  "fct_p50_ms",
  "fct_p99_ms",
  "slowdown_mean",
  "slowdown_p50",
  "slowdown_p99",
] as const;
const NETWORK = ["link_cv", "queue_p99_bytes"] as const;
const FURTHER_TIMES = [
  "fct_p95_ms",
  "fct_p999_ms",
  "fct_max_ms",
  "slowdown_p95",
  "slowdown_p999",
  "slowdown_max",
] as const;
const FURTHER = [
  "jain",
  "reordered_share",
  "reordered_p99",
  "reordered_max",
  "reordering_p99_bytes",
  "link_utilisation",
  "link_max_over_mean",
  "queue_mean_bytes",
  "queue_p50_bytes",
  "queue_max_bytes",
  "queue_p99_packets",
  "queue_worst_port_p99_bytes",
  "rct_mean_ms",
  "rct_p50_ms",
  "rct_p99_ms",
  "rct_slowdown_mean",
  "rct_slowdown_p50",
  "rct_slowdown_max",
  "held_p50_ms",
  "held_p99_ms",
  "held_max_ms",
  "pfc_paused_share",
  "pfc_paused_share_max",
  "pfc_headroom_max_bytes",
  "header_queue_max_bytes",
  "silence_max_ms",
  "goodput_before_gbps",
  "goodput_since_gbps",
] as const;

/** Of all flows together: offered and achieved load, and the two halves of the window. */
const STATE = [
  "offered_load",
  "achieved_load",
  "offered_gbps",
  "fct_mean_ms_first",
  "fct_mean_ms_second",
  "slowdown_mean_first",
  "slowdown_mean_second",
  "link_utilisation_first",
  "link_utilisation_second",
] as const;

type Figures = Partial<Record<string, number>>;

/** `outcomes`: of one unit, one for each seed. Classes without flows have no row; `all` always has one, the first. `load`: the key of the file. */
export function loadRows(outcomes: readonly LoadOutcome[], load?: number, truncation?: string): LoadRow[] {
  const [first] = outcomes;
  if (first === undefined) return [];
  const network = outcomes.map(networkFigures);
  return ["all" as const, ...SIZE_CLASSES].flatMap((size): LoadRow[] => {
    const classes = outcomes.map(({ flows }) =>
      size === "all" ? merged(SIZE_CLASSES.map((name) => flows[name])) : flows[size],
    );
    const flows = sum(classes.map((one) => one.flows));
    if (size !== "all" && flows === 0) return [];
    const own = classes.map((one, i) => ({
      ...classFigures(one, defined(outcomes[i])),
      ...network[i],
      ...(size === "all" ? { warm_up_ms: defined(outcomes[i]).window[0] / 1e6 } : {}),
      ...(size === "all" ? stateFigures(defined(outcomes[i]), one.delivered, load) : {}),
    }));
    const over = (keys: readonly string[]) => keys.flatMap((key) => meanOf(key, own));
    const counters = sumCounters(classes.map((one) => one.counters));
    return [
      Object.fromEntries([
        ["scheme", first.scheme.label],
        ["size", size],
        ["seeds", outcomes.length],
        ["flows", flows],
        ["unfinished", sum(classes.map(({ unfinished }) => unfinished))],
        ...over(TIMES),
        ...over(["goodput_gbps"]),
        ...(truncation === undefined || size !== "all" ? [] : over(["warm_up_ms"])),
        ...optional("retransmissions", counters.retransmissions),
        ...optional("timeouts", counters.timeouts),
        ...optional("drops", dropsOf(outcomes) ?? lostAtSwitches(outcomes)),
        ...over(NETWORK),
        ...over(STATE),
        ...over(FURTHER_TIMES),
        ...over(FURTHER),
        ...optional("fast_retransmits", counters.fastRetransmits),
        ...optional("reordered", counters.reordered),
        ...(counters.reordered === undefined ? [] : [["reordered_flows", reorderedFlows(classes)]]),
        ...optional("max_reordering_bytes", counters.maxReorderingBytes),
        ...optional("marked", counters.marked),
        ...optional("repaths", counters.repaths),
        ...(counters.heldNs === undefined ? [] : [["held_flows", heldFlows(classes)]]),
        ...(size === "all" ? groupCounts(outcomes) : []),
        ...pauseCounts(outcomes),
        ...trimCounts(outcomes),
        ...saturation(outcomes),
        ...DROP_REASONS.flatMap((reason) => optional(`drops_${reason}`, dropsOf(outcomes, reason))),
      ]) as LoadRow,
    ];
  });
}

/** The figures of one seed and size class, or of all classes together, by their keys in rows. */
export function figuresOf(outcome: LoadOutcome, size: "all" | SizeClass): Figures {
  const { flows } = outcome;
  const one = size === "all" ? merged(SIZE_CLASSES.map((name) => flows[name])) : flows[size];
  return classFigures(one, outcome);
}

/** Figures of one seed; a figure that does not exist is absent. */
export function classFigures(one: ClassFigures, outcome: LoadOutcome): Figures {
  const { window, groups } = outcome;
  const [fct, slowdown] = [QuantileSketch.fromJson(one.fct), QuantileSketch.fromJson(one.slowdown)];
  const goodputs = Moments.fromJson(one.goodputs);
  const seconds = (window[1] - window[0]) / 1e9;
  const { reordered, segmentsSent, retransmissions } = one.counters;
  const arrived = (segmentsSent ?? 0) - (retransmissions ?? 0);
  const [late, furthest] = [QuantileSketch.fromJson(one.late), QuantileSketch.fromJson(one.furthest)];
  const requests = groups === undefined ? new QuantileSketch() : QuantileSketch.fromJson(groups.completion);
  return {
    ...timeFigures("fct", "_ms", fct, 1e6),
    ...timeFigures("slowdown", "", slowdown, 1),
    ...given({ goodput_gbps: seconds > 0 ? (8 * one.delivered) / seconds / 1e9 : undefined }),
    // Jain's index of the goodputs is 1 / (1 + CV^2).
    ...given({
      jain: goodputs.count === 0 ? undefined : 1 / (1 + goodputs.populationVariance / goodputs.mean ** 2),
    }),
    ...given({ reordered_share: reordered === undefined || arrived <= 0 ? undefined : reordered / arrived }),
    ...(late.count === 0
      ? {}
      : {
          reordered_p99: late.quantile(0.99),
          reordered_max: late.max,
          reordering_p99_bytes: furthest.quantile(0.99),
        }),
    ...timeFigures("rct", "_ms", requests, 1e6),
    ...(groups?.slowdown === undefined
      ? {}
      : timeFigures("rct_slowdown", "", QuantileSketch.fromJson(groups.slowdown), 1)),
    ...holdFigures(one, outcome),
  };
}

/** For how long new data were held back, the longest silence of a sender, and the goodput before and since the first command. */
function holdFigures(one: ClassFigures, { window: [begin, end], firstCommandNs }: LoadOutcome): Figures {
  if (firstCommandNs === undefined) return {};
  const { longestSilenceNs } = one.counters;
  const gbps = (bytes: number, ns: number) => (8 * bytes) / ns;
  const isDivided = one.deliveredBefore !== undefined && firstCommandNs < end;
  return {
    ...timeFigures("held", "_ms", QuantileSketch.fromJson(one.held), 1e6),
    ...given({ silence_max_ms: longestSilenceNs === undefined ? undefined : longestSilenceNs / 1e6 }),
    ...(isDivided
      ? {
          goodput_before_gbps: gbps(one.deliveredBefore, firstCommandNs - begin),
          goodput_since_gbps: gbps(one.delivered - one.deliveredBefore, end - firstCommandNs),
        }
      : {}),
  };
}

function timeFigures(name: string, unit: string, sketch: QuantileSketch, scale: number): Figures {
  if (sketch.count === 0) return {};
  const at = (fraction: number) => sketch.quantile(fraction) / scale;
  return {
    [`${name}_mean${unit}`]: sketch.mean / scale,
    [`${name}_p50${unit}`]: at(0.5),
    [`${name}_p95${unit}`]: at(0.95),
    [`${name}_p99${unit}`]: at(0.99),
    [`${name}_p999${unit}`]: at(0.999),
    [`${name}_max${unit}`]: sketch.max / scale,
  };
}

/** Figures of one seed; the same for all size classes. */
function networkFigures({ links, queues, flowControl, trimmed }: LoadOutcome): Figures {
  const uplinks = (links ?? []).filter(({ uplink }) => uplink).map(({ utilisation }) => utilisation);
  const bytes = queues && TimeWeighted.fromJson(queues.bytes);
  return {
    ...(flowControl === undefined ? {} : pauseFigures(flowControl)),
    ...(trimmed === undefined
      ? {}
      : { header_queue_max_bytes: trimmed.reduce((most, port) => Math.max(most, port.most), 0) }),
    ...(uplinks.length === 0
      ? {}
      : {
          link_cv: coefficientOfVariation(uplinks),
          link_utilisation: mean(uplinks),
          link_max_over_mean: maxOverMean(uplinks),
        }),
    ...(queues === undefined || defined(bytes).duration === 0
      ? {}
      : {
          queue_p99_bytes: defined(bytes).quantile(0.99),
          queue_mean_bytes: defined(bytes).mean,
          queue_p50_bytes: defined(bytes).quantile(0.5),
          queue_max_bytes: defined(bytes).max,
          queue_p99_packets: TimeWeighted.fromJson(queues.packets).quantile(0.99),
          queue_worst_port_p99_bytes: queues.ports.reduce((most, { p99 }) => Math.max(most, p99), 0),
        }),
  };
}

/** The share of the window in which links were paused, as a mean over all directions that can be and of the one that was paused longest. */
function pauseFigures({ links, directions }: FlowControlFigures): Figures {
  return {
    pfc_paused_share: directions === 0 ? 0 : sum(links.map(({ paused }) => paused)) / directions,
    pfc_paused_share_max: links.reduce((most, { paused }) => Math.max(most, paused), 0),
    pfc_headroom_max_bytes: links.reduce((most, { headroomMost }) => Math.max(most, headroomMost), 0),
  };
}

/** Sums over the seeds: pauses, frames of flow control, frames that found no room, and the number of seeds with a deadlock. */
function pauseCounts(outcomes: readonly LoadOutcome[]): [string, number][] {
  const all = outcomes.flatMap(({ flowControl }) => flowControl ?? []);
  if (all.length === 0) return [];
  const of = (key: "pauses" | "frames" | "drops") =>
    sum(all.flatMap(({ links }) => links.map((link) => link[key])));
  return [
    ["pfc_pauses", of("pauses")],
    ["pfc_frames", of("frames")],
    ["pfc_drops", of("drops")],
    ["pfc_deadlocks", all.filter(({ deadlocks }) => deadlocks.length > 0).length],
  ];
}

/** Sums over the seeds: packets that were cut, those of them that were lost at once, and answers and headers of other switches that were lost. */
function trimCounts(outcomes: readonly LoadOutcome[]): [string, number][] {
  if (outcomes.every(({ trimmed }) => trimmed === undefined)) return [];
  const of = (key: "trimmed" | "lost" | "refused") =>
    sum(outcomes.flatMap(({ trimmed = [] }) => trimmed.map((port) => port[key])));
  return [
    ["trimmed", of("trimmed")],
    ["trimmed_lost", of("lost")],
    ["headers_lost", of("refused")],
  ];
}

/**
 * Offered is the payload of the flows that start in the window, achieved the payload that receivers get in it, both over the
 * capacity that a load of 1 would fill.
 */
function stateFigures(
  { halves, nominalBps, window }: LoadOutcome,
  delivered: number,
  load?: number,
): Figures {
  if (halves === undefined) return {};
  const bps = (bytes: number) => (8e9 * bytes) / (window[1] - window[0]);
  const offered = bps(sum(halves.map(({ startedBytes }) => startedBytes)));
  const capacity = load === undefined || nominalBps === undefined ? undefined : nominalBps / load;
  return {
    ...(capacity === undefined
      ? {}
      : { offered_load: offered / capacity, achieved_load: bps(delivered) / capacity }),
    offered_gbps: offered / 1e9,
    ...Object.assign(
      {},
      ...(["first", "second"] as const).map((name, i): Figures => {
        const { fctNs, slowdown, utilisation } = defined(halves[i]);
        return {
          ...given({ [`fct_mean_ms_${name}`]: fctNs[0] === 0 ? undefined : fctNs[1] / 1e6 }),
          ...given({ [`slowdown_mean_${name}`]: slowdown[0] === 0 ? undefined : slowdown[1] }),
          ...given({ [`link_utilisation_${name}`]: utilisation }),
        };
      }),
    ),
  };
}

/** All size classes together. */
export function merged(classes: readonly ClassFigures[]): ClassFigures {
  const sketches = (key: "fct" | "slowdown" | "late" | "furthest" | "held") =>
    classes
      .map((one) => QuantileSketch.fromJson(one[key]))
      .reduce((a, b) => a.merged(b))
      .toJson();
  const goodputs = new Moments();
  for (const one of classes) goodputs.merge(Moments.fromJson(one.goodputs));
  return {
    flows: sum(classes.map(({ flows }) => flows)),
    unfinished: sum(classes.map(({ unfinished }) => unfinished)),
    bytes: sum(classes.map(({ bytes }) => bytes)),
    delivered: sum(classes.map(({ delivered }) => delivered)),
    fct: sketches("fct"),
    slowdown: sketches("slowdown"),
    goodputs: goodputs.toJson(),
    late: sketches("late"),
    furthest: sketches("furthest"),
    held: sketches("held"),
    ...given({
      deliveredBefore: classes.every(({ deliveredBefore }) => deliveredBefore !== undefined)
        ? sum(classes.map(({ deliveredBefore }) => defined(deliveredBefore)))
        : undefined,
    }),
    counters: sumCounters(classes.map(({ counters }) => counters)),
  };
}

function sumCounters(list: readonly CounterSums[]): CounterSums {
  const sums: CounterSums = {};
  for (const counters of list) addCounters(sums, counters);
  return sums;
}

/** Flows with segments out of order. */
function reorderedFlows(classes: readonly ClassFigures[]): number {
  return sum(classes.map(({ late }) => QuantileSketch.fromJson(late).count));
}

/** Flows whose new data were held back. */
function heldFlows(classes: readonly ClassFigures[]): number {
  return sum(classes.map(({ held }) => QuantileSketch.fromJson(held).count));
}

/** The mean over the seeds that have the figure, with its confidence interval. */
function meanOf(key: string, figures: readonly Figures[]): [string, number][] {
  const values = figures.flatMap((one) => one[key] ?? []);
  if (values.length === 0) return [];
  const { mean: value, halfWidth } = meanInterval(values);
  return [
    [key, round(value)],
    ...(halfWidth === undefined ? [] : [[`${key}_ci95`, round(halfWidth)] as [string, number]]),
  ];
}

function groupCounts(outcomes: readonly LoadOutcome[]): [string, number][] {
  if (outcomes.every(({ groups }) => groups === undefined)) return [];
  const of = (key: "groups" | "unfinished") => sum(outcomes.map(({ groups }) => groups?.[key] ?? 0));
  return [
    ["requests", of("groups")],
    ["requests_unfinished", of("unfinished")],
  ];
}

/** On a testbed: number of seeds under which the machine was saturated. */
function saturation(outcomes: readonly LoadOutcome[]): [string, number][] {
  if (outcomes.every(({ load }) => load === undefined)) return [];
  return [["saturated", outcomes.filter(({ load }) => load?.saturated === true).length]];
}

/** Frames lost at real switches; undefined where no switch reports them. */
function lostAtSwitches(outcomes: readonly LoadOutcome[]): number | undefined {
  if (outcomes.some((one) => one.lostAtSwitches === undefined)) return undefined;
  return sum(outcomes.flatMap((one) => Object.values(defined(one.lostAtSwitches))));
}

/** Drops for one reason, or all; undefined where an engine does not report them. */
function dropsOf(
  outcomes: readonly LoadOutcome[],
  reason?: (typeof DROP_REASONS)[number],
): number | undefined {
  if (outcomes.some(({ drops }) => drops === undefined)) return undefined;
  return sum(
    outcomes.flatMap(({ drops }) =>
      reason === undefined ? Object.values(defined(drops)) : defined(drops)[reason],
    ),
  );
}

function optional(key: string, value: number | undefined): [string, number][] {
  return value === undefined ? [] : [[key, value]];
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Six significant digits, and no digits below a nanosecond. */
function round(value: number): number {
  return Number(Math.abs(value) >= 1 ? value.toFixed(6) : value.toPrecision(6));
}
