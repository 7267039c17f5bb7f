/** The files of values of the kind `load`. */
import { defined, Random } from "../../../../base/index.js";
import { meanInterval, pairedTTest, signFlipTest, wilcoxonTest } from "../../../statistics/index.js";
import type { FileText } from "../../results.js";
import { csv } from "../../view/parts.js";
import { pooled } from "./figures.js";
import type { LoadOutcome } from "./load-figures.js";
import { figuresOf } from "./rows.js";
import type { LoadSettings } from "./schema.js";
import { type LoadPoint, type LoadSweep, pointName, type ShownScheme, schemesOf, unitOf } from "./shown.js";
import { SIZE_CLASSES, type SizeClass } from "./size-classes.js";

interface Values {
  readonly file: string;
  /** After the scheme and the swept keys. */
  readonly head: readonly string[];
  /** Whether an experiment with these settings has such values; absent: it always has them. */
  readonly has?: (settings: LoadSettings) => boolean;
  readonly lines: (outcomes: readonly LoadOutcome[]) => readonly (readonly unknown[])[];
}

const VALUES: readonly Values[] = [
  // Distributions of completion times and slowdowns over all seeds, reduced to about 200 points each.
  {
    file: "cdf.csv",
    head: ["size", "figure", "value", "fraction"],
    lines: (outcomes) =>
      (["all", ...SIZE_CLASSES] as const).flatMap((size) =>
        (["fct", "slowdown"] as const).flatMap((figure) =>
          pooled(outcomes, figure, size)
            .cdf()
            .map(({ x, fraction }) => [
              size,
              figure === "fct" ? "fct_ms" : "slowdown",
              Number((figure === "fct" ? x / 1e6 : x).toPrecision(8)),
              Number(fraction.toFixed(6)),
            ]),
        ),
      ),
  },
  // Utilisation of each direction of each link.
  {
    file: "links.csv",
    head: ["seed", "from", "to", "uplink", "utilisation"],
    lines: (outcomes) =>
      outcomes.flatMap(({ seed, links = [] }) =>
        links.map(({ from, to, uplink, utilisation }) => [seed, from, to, uplink, utilisation]),
      ),
  },
  // Bytes in the queue of each port that had any.
  {
    file: "queues.csv",
    head: ["seed", "switch", "port", "to", "mean_bytes", "p50_bytes", "p99_bytes", "max_bytes"],
    lines: (outcomes) =>
      outcomes.flatMap(({ seed, queues }) =>
        (queues?.ports ?? []).map((own) => [
          ...[seed, own.node, own.port, own.peer],
          ...[own.mean, own.p50, own.p99, own.max],
        ]),
      ),
  },
  // Priority flow control by direction of a link; and the links of deadlocks.
  {
    file: "pfc.csv",
    head: [
      "seed",
      "from",
      "to",
      "pauses",
      "frames",
      "paused_share",
      "headroom_bytes",
      "headroom_max_bytes",
      "drops",
    ],
    has: ({ queues }) => queues.pfc !== undefined,
    lines: (outcomes) =>
      outcomes.flatMap(({ seed, flowControl }) =>
        (flowControl?.links ?? []).map((own) => [
          ...[seed, own.from, own.to, own.pauses, own.frames, own.paused],
          ...[own.headroom, own.headroomMost, own.drops],
        ]),
      ),
  },
  // Packet trimming by the port of a switch.
  {
    file: "trimming.csv",
    head: ["seed", "switch", "to", "trimmed", "trimmed_lost", "headers_lost", "header_queue_max_bytes"],
    has: ({ queues }) => queues.trim !== undefined,
    lines: (outcomes) =>
      outcomes.flatMap(({ seed, trimmed = [] }) =>
        trimmed.map(({ from, to, trimmed: cut, lost, refused, most }) => [
          ...[seed, from, to, cut],
          ...[lost, refused, most],
        ]),
      ),
  },
  // What was sent, lost and delivered over time, one line for each bin.
  {
    file: "series.csv",
    head: ["seed", "from_ms", "sent", "lost_in_queues", "lost_by_faults", "delivered_bytes"],
    has: ({ series }) => series !== undefined,
    lines: (outcomes) =>
      outcomes.flatMap(({ seed, series }) =>
        (series?.sent ?? []).map((sent, bin) => [
          seed,
          Number(((bin * defined(series).binNs) / 1e6).toFixed(6)),
          sent,
          defined(series).lostInQueues[bin],
          defined(series).lostByFaults[bin],
          defined(series).delivered[bin],
        ]),
      ),
  },
  // Windows and round trips of the named flows over time.
  {
    file: "windows.csv",
    head: [
      "seed",
      "flow",
      "at_ms",
      "window_bytes",
      "in_flight_bytes",
      "smoothed_rtt_us",
      "acknowledged_bytes",
    ],
    has: ({ windows }) => windows !== undefined,
    lines: (outcomes) =>
      outcomes.flatMap(({ seed, windows = [] }) =>
        windows.map(({ flow, at, window, inFlight, smoothedRtt, acknowledged }) => [
          seed,
          flow,
          Number((at / 1e6).toFixed(6)),
          Math.round(window),
          inFlight,
          smoothedRtt === undefined ? "" : Number((smoothedRtt / 1e3).toFixed(3)),
          acknowledged,
        ]),
      ),
  },
];

export function loadFiles(sweep: LoadSweep): (readonly [name: string, text: FileText])[] {
  const has = (holds: (settings: LoadSettings) => boolean = () => true) =>
    sweep.points.some(({ experiment }) => holds(experiment.settings));
  return [
    ...VALUES.filter((values) => has(values.has)).map(
      (values) => [values.file, valuesCsv(sweep, values)] as const,
    ),
    ["tests.csv", testsCsv(sweep)],
    ...(has(({ record }) => record !== undefined) ? [["flows.jsonl", flowLines(sweep)] as const] : []),
  ];
}

function valuesCsv({ keys, points }: LoadSweep, { head, lines }: Values): string {
  const rows = points.flatMap(({ values, units }) =>
    units.flatMap(({ unit, outcomes }) => {
      const own = [unit.scheme.label, ...keys.map((key) => values[key])];
      return lines(outcomes).map((line) => [...own, ...line]);
    }),
  );
  return csv(["scheme", ...keys, ...head], rows);
}

function testsCsv(sweep: LoadSweep): string {
  const rows = comparisons(sweep).map((one) => [
    one.scheme.label,
    one.against.label,
    one.point,
    one.size,
    one.figure,
    one.pairs,
    ...[one.baseline, one.value, one.half, one.pT, one.pSigns, one.pRanks].map((value) =>
      Number(value.toPrecision(6)),
    ),
  ]);
  const figures = ["baseline", "value", "difference_ci95", "p_t", "p_signs", "p_ranks"];
  return csv(["scheme", "against", "point", "size", "figure", "pairs", ...figures], rows);
}

/** One JSON document a line, one line a measured flow, unit by unit. */
function* flowLines({ points }: LoadSweep): Generator<string> {
  for (const { values, units } of points)
    for (const { unit, outcomes } of units)
      for (const { seed, lines = [] } of outcomes)
        yield lines
          .map((line) => `${JSON.stringify({ scheme: unit.scheme.label, ...values, seed, ...line })}\n`)
          .join("");
}

// Whether two schemes differ: paired tests over the seeds; both schemes have the same flows under a seed.

/** Compared figures. Slowdowns weigh small and large flows equally. */
export const COMPARED = ["slowdown_mean", "slowdown_p99"] as const;

/** One figure of one size class at one point: a scheme compared with the first one of the file. */
export interface Comparison {
  readonly point: string;
  readonly scheme: ShownScheme;
  readonly against: ShownScheme;
  readonly size: string;
  readonly figure: (typeof COMPARED)[number];
  /** Seeds that both have. */
  readonly pairs: number;
  /** Means over these seeds: of the first scheme, and of this one. */
  readonly baseline: number;
  readonly value: number;
  /** Half of the 95 % confidence interval of the mean difference of a pair. */
  readonly half: number;
  /** Two-sided p-values: paired t test, sign-flip permutation of the mean, Wilcoxon's signed ranks. */
  readonly pT: number;
  readonly pSigns: number;
  readonly pRanks: number;
}

/** Comparisons of all points; empty with fewer than two seeds or schemes. */
export function comparisons(sweep: LoadSweep): Comparison[] {
  const [against, ...others] = schemesOf(sweep);
  if (against === undefined) return [];
  return sweep.points.flatMap((point) =>
    others.flatMap((scheme) =>
      (["all", ...SIZE_CLASSES] as const).flatMap((size) =>
        COMPARED.flatMap((figure) => compare(point, against, scheme, size, figure)),
      ),
    ),
  );
}

function compare(
  point: LoadPoint,
  against: ShownScheme,
  scheme: ShownScheme,
  size: "all" | SizeClass,
  figure: (typeof COMPARED)[number],
): Comparison[] {
  const [base, own] = [valuesOf(point, against, size, figure), valuesOf(point, scheme, size, figure)];
  const seeds = [...base.keys()].filter((seed) => own.has(seed));
  if (seeds.length < 2) return [];
  const [first, second] = [base, own].map((values) => seeds.map((seed) => defined(values.get(seed)))) as [
    number[],
    number[],
  ];
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  return [
    {
      point: pointName(point),
      scheme,
      against,
      size,
      figure,
      pairs: seeds.length,
      baseline: mean(first),
      value: mean(second),
      half: defined(meanInterval(first.map((one, i) => defined(second[i]) - one)).halfWidth),
      pT: pairedTTest(first, second).p,
      pSigns: signFlipTest(first, second, new Random("sign flips")).p,
      pRanks: wilcoxonTest(first, second).p,
    },
  ];
}

/** Values by seed. */
function valuesOf(
  point: LoadPoint,
  scheme: ShownScheme,
  size: "all" | SizeClass,
  figure: string,
): Map<number, number> {
  const unit = unitOf(point, scheme);
  return new Map(
    (unit?.outcomes ?? []).flatMap((outcome): [number, number][] => {
      const value = figuresOf(outcome, size)[figure];
      return value === undefined ? [] : [[outcome.seed, value]];
    }),
  );
}
