/** The files that a load experiment writes in addition to `results.json` and `results.csv`. */
import { csv } from "../../csv.js";
import type { FileText } from "../../write.js";
import { type LoadSweep, schemesOf, unitOf } from "./figures/data.js";
import { pooled } from "./figures/distributions.js";
import { comparePage } from "./page.js";
import { comparisons } from "./paired.js";
import { SIZE_CLASSES } from "./size-classes.js";

export async function loadFiles(sweep: LoadSweep): Promise<[name: string, text: FileText][]> {
  const { figures, html } = await comparePage(sweep);
  const lines = flowLines(sweep);
  return [
    ["report.html", html],
    ...figures.map(([name, svg]): [string, FileText] => [`figures/${name}`, svg]),
    ["cdf.csv", cdfCsv(sweep)],
    ["links.csv", linksCsv(sweep)],
    ["queues.csv", queuesCsv(sweep)],
    ["tests.csv", testsCsv(sweep)],
    ...(sweep.points.every(({ experiment }) => experiment.settings.series === undefined)
      ? []
      : [["series.csv", seriesCsv(sweep)] as [string, FileText]]),
    ...(sweep.points.every(({ experiment }) => experiment.settings.windows === undefined)
      ? []
      : [["windows.csv", windowsCsv(sweep)] as [string, FileText]]),
    ...(lines === undefined ? [] : [["flows.jsonl", lines] as [string, FileText]]),
  ];
}

/** Lines of all units, each with the swept values first. */
function eachUnit(
  sweep: LoadSweep,
  lines: (unit: NonNullable<ReturnType<typeof unitOf>>) => readonly (readonly unknown[])[],
): unknown[][] {
  const schemes = schemesOf(sweep);
  return sweep.points.flatMap((point) =>
    schemes.flatMap((scheme) => {
      const unit = unitOf(point, scheme);
      if (unit === undefined) return [];
      const head = [scheme.label, ...sweep.keys.map((key) => text(point.values[key]))];
      return lines(unit).map((line) => [...head, ...line]);
    }),
  );
}

/** Distributions of completion times and slowdowns over all seeds, reduced to about 200 points each. */
function cdfCsv(sweep: LoadSweep): string {
  const rows = eachUnit(sweep, ({ outcomes }) =>
    ["all" as const, ...SIZE_CLASSES].flatMap((size) =>
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
  );
  return csv(["scheme", ...sweep.keys, "size", "figure", "value", "fraction"], rows);
}

/** Utilisation of each direction of each link, by seed. */
function linksCsv(sweep: LoadSweep): string {
  const rows = eachUnit(sweep, ({ outcomes }) =>
    outcomes.flatMap(({ seed, links = [] }) =>
      links.map(({ from, to, uplink, utilisation }) => [seed, from, to, uplink, utilisation]),
    ),
  );
  return csv(["scheme", ...sweep.keys, "seed", "from", "to", "uplink", "utilisation"], rows);
}

/** Bytes in the queue of each port that had any, by seed. */
function queuesCsv(sweep: LoadSweep): string {
  const rows = eachUnit(sweep, ({ outcomes }) =>
    outcomes.flatMap(({ seed, queues }) =>
      (queues?.ports ?? []).map(({ node, port, peer, mean, p50, p99, max }) => [
        seed,
        node,
        port,
        peer,
        mean,
        p50,
        p99,
        max,
      ]),
    ),
  );
  const figures = ["mean_bytes", "p50_bytes", "p99_bytes", "max_bytes"];
  return csv(["scheme", ...sweep.keys, "seed", "switch", "port", "to", ...figures], rows);
}

/** What was sent, lost and delivered over time, one line for each bin, by seed. */
function seriesCsv(sweep: LoadSweep): string {
  const rows = eachUnit(sweep, ({ outcomes }) =>
    outcomes.flatMap(({ seed, series }) =>
      (series?.sent ?? []).map((sent, bin) => [
        seed,
        Number(((bin * series!.binNs) / 1e6).toFixed(6)),
        sent,
        series!.lostInQueues[bin],
        series!.lostByFaults[bin],
        series!.delivered[bin],
      ]),
    ),
  );
  const figures = ["sent", "lost_in_queues", "lost_by_faults", "delivered_bytes"];
  return csv(["scheme", ...sweep.keys, "seed", "from_ms", ...figures], rows);
}

/** Windows and round trips of the named flows over time, by seed. */
function windowsCsv(sweep: LoadSweep): string {
  const rows = eachUnit(sweep, ({ outcomes }) =>
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
  );
  const figures = ["window_bytes", "in_flight_bytes", "smoothed_rtt_us", "acknowledged_bytes"];
  return csv(["scheme", ...sweep.keys, "seed", "flow", "at_ms", ...figures], rows);
}

function testsCsv(sweep: LoadSweep): string {
  const rows = comparisons(sweep).map((one) => [
    one.scheme.label,
    one.against.label,
    one.point,
    one.size,
    one.figure,
    one.pairs,
    ...[one.baseline, one.value, one.pT, one.pSigns, one.pRanks].map((value) => Number(value.toPrecision(6))),
  ]);
  const figures = ["baseline", "value", "p_t", "p_signs", "p_ranks"];
  return csv(["scheme", "against", "point", "size", "figure", "pairs", ...figures], rows);
}

/** One JSON document a line, one line a measured flow, unit by unit; undefined where nothing was recorded. */
function flowLines(sweep: LoadSweep): Iterable<string> | undefined {
  if (sweep.points.every(({ experiment }) => experiment.settings.record === undefined)) return undefined;
  return linesOfUnits(sweep);
}

function* linesOfUnits(sweep: LoadSweep): Generator<string> {
  const schemes = schemesOf(sweep);
  for (const point of sweep.points)
    for (const scheme of schemes) {
      const unit = unitOf(point, scheme);
      if (unit === undefined) continue;
      const head = { scheme: unit.unit.scheme.label, ...point.values };
      for (const { seed, lines = [] } of unit.outcomes)
        yield lines.map((line) => `${JSON.stringify({ ...head, seed, ...line })}\n`).join("");
    }
}

function text(value: unknown): unknown {
  return typeof value === "object" ? JSON.stringify(value) : value;
}
