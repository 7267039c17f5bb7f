/** Table, page, figures and files of the kind `failover`. The page compares the results with the closed forms. */
import { escapeMarkup } from "../../../../base/index.js";
import { cdfPoints } from "../../../statistics/index.js";
import { isPartial } from "../../faults/drawn-failures.js";
import type { SweepResults } from "../../results.js";
import { csv } from "../../view/csv.js";
import { fabricPage, onlyRun, type Run, rowsPage, schemeTitle } from "../../view/fabric-page.js";
import { schemeTable, word } from "../../view/table.js";
import type { Column, Page, Part, View } from "../../view/view.js";
import { cdfFigure, figureLines, isGradual } from "./cdf-figure.js";
import { hasModelTimes, type PathExample, type Row, type Series, theoryOf } from "./results.js";
import type { Experiment, FailoverUnit } from "./schema.js";
import { topologyFigure } from "./topology-figure.js";

type FailoverSweep = SweepResults<Experiment, FailoverUnit, Series, Row>;
type FailoverRun = Run<Experiment, Series, Row>;

const COLUMNS: readonly Column<Row>[] = [
  { key: "failure", title: "failure", only: "terminal" },
  { key: "runs", title: "runs", html: ({ runs }) => runs.toLocaleString("en-US") },
  { key: "equal_sites", title: "N" },
  {
    key: "first_try_success",
    title: "first try",
    format: (value) => formatPercent(value as number | null),
    html: (row) => (row.first_try_success === 1 ? '<span class="good">100 %</span>' : undefined),
    beside: { key: "theory_first_try_success", title: "(theory)" },
  },
  time("p50_ms", "p50 ms", "theory_p50_ms"),
  time("p95_ms", "p95 ms", "theory_p95_ms"),
  time("p99_ms", "p99 ms"),
  time("max_ms", "max ms"),
  { key: "repaths_mean", title: "re-paths", digits: 2, beside: { key: "theory_repaths_mean" } },
  { key: "copies_mean", title: "copies", digits: 2 },
  // Without failures that let packets pass there is no column of timeouts: a run ends with the recovery.
  { key: "timeouts_per_flow", title: "timeouts", digits: 2, optional: true },
];

function time(key: keyof Row, title: string, theory?: keyof Row): Column<Row> {
  const format: Column<Row>["format"] = (value, row) => formatMs(value as number | null, row);
  return {
    key,
    title,
    format,
    ...(theory === undefined ? {} : { beside: { key: theory, title: "(theory)" } }),
  };
}

export const FAILOVER_VIEW: View<Experiment, FailoverUnit, Series, Row> = {
  columns: COLUMNS,
  page(results) {
    const run = onlyRun(results);
    return run === undefined ? rowsPage(results) : runPage(results, run);
  },
  files(results) {
    const run = onlyRun(results);
    return run === undefined ? [] : [["samples.csv", samplesCsv(run.outcomes)]];
  },
};

function runPage(results: FailoverSweep, run: FailoverRun): Page {
  const { experiment, rows } = run;
  return fabricPage(results, {
    lead: headline(run),
    parts: [
      cdfPart(run),
      {
        heading: "Results",
        html: schemeTable(
          [
            word("scheme", ({ scheme }: Row) => schemeTitle(experiment.schemes, scheme)),
            word("failed", (row: Row) => failureTitle(experiment, row)),
          ],
          COLUMNS,
          rows,
        ),
      },
      {
        note: `A run is one flow, open before the failure, with a path of its own in each direction; the element that fails is drawn from the two. Time is counted from the failure to the retransmission that gets through; its acknowledgement is back one round trip later. N: equal-cost elements that each direction chooses from. Copies: packets of both ends beyond one for each timeout and one for each received segment, a flow, until it recovered.${observationNote(run)} ${theoryNote(run)}`,
      },
      { heading: "Fabric", ...topologyPart(run) },
    ],
    facts: facts(experiment),
    data: [["Distributions as CSV", cdfCsv(run.outcomes)]],
  });
}

function cdfPart(run: FailoverRun): Part {
  const { experiment, outcomes, engine } = run;
  const lines = figureLines(experiment, outcomes, engine);
  const circles = hasTheory(run) ? " Circles: closed form, one a try." : "";
  return {
    figure: {
      file: "recovery-cdf",
      drawing: cdfFigure(lines, experiment.settings.give_up / 1e6),
      caption: `Share of the flows that have recovered, over the time since the failure (logarithmic).${circles}`,
    },
  };
}

function topologyPart(run: FailoverRun): Part {
  const { experiment } = run;
  const example = shownExample(run);
  const failed = example && escapeMarkup(example.failed);
  const before = failed && ` <span class="before">Dashed: one flow's data before ${failed} fails.</span>`;
  const after = example?.after && ' <span class="after">Solid: after its first re-path.</span>';
  return {
    figure: {
      file: "topology",
      drawing: { svg: topologyFigure(experiment.topology, example) },
      caption: `${escapeMarkup(describeTopology(experiment))}${before ?? ""}${after ?? ""}`,
    },
  };
}

/** The example of the series that recovers best, if its path after the recovery is known. */
function shownExample({ outcomes, rows }: FailoverRun): PathExample | undefined {
  const known = outcomes.filter(({ example }) => example !== undefined);
  const success = (one: Series) =>
    one.example?.after === undefined ? -1 : (rows[outcomes.indexOf(one)]!.first_try_success ?? 0);
  return known.reduce<Series | undefined>(
    (best, one) => (best === undefined || success(one) > success(best) ? one : best),
    undefined,
  )?.example;
}

function observationNote({ experiment }: FailoverRun): string {
  if (!experiment.failures.some(isPartial)) return "";
  const time = ms(experiment.settings.observation);
  return ` Failures that let packets pass are observed for ${time}: timeouts of a flow in that time, and the time to the last recovery in it, 0 without a timeout; first try: at most one timeout.`;
}

function theoryNote({ experiment, outcomes, engine }: FailoverRun): string {
  const formulas = new Set(outcomes.flatMap(({ scheme }) => scheme.plan.closedForm?.formula ?? []));
  const missed = [...formulas].map((formula) => `, ${escapeMarkup(formula)} missed tries`);
  const misses = `Small grey figures: closed form${missed.join("")}`;
  if (!hasModelTimes(engine)) return `${misses}.`;
  const { rto_margin, rto_cap } = experiment.settings.transport;
  const samples = outcomes.flatMap((one) => one.samples);
  const rtt = samples.reduce((sum, sample) => sum + sample.rttMs, 0) / samples.length;
  const first = `${(rtt + rto_margin / 1e6).toFixed(2)} ms`;
  return `${misses}, first RTO of ${escapeMarkup(first)}, doubled each time, at most ${rto_cap / 1e6} ms.`;
}

function hasTheory({ experiment, outcomes, engine }: FailoverRun): boolean {
  if (!hasModelTimes(engine)) return false;
  return outcomes.some(({ scheme, failure }) => {
    const tries = theoryOf(experiment, scheme, failure);
    return tries !== undefined && isGradual(tries);
  });
}

/** The result of each scheme in one sentence, from the rows. */
function headline({ rows, experiment }: FailoverRun): string {
  const sentences: string[] = [];
  for (const scheme of new Set(rows.map((row) => row.scheme))) {
    const own = rows.filter((row) => row.scheme === scheme);
    const runs = own.reduce((sum, row) => sum + row.runs, 0);
    const firstTries = own.reduce((sum, row) => sum + (row.first_try_success ?? 0) * row.runs, 0) / runs;
    const slowest = own.reduce((a, b) =>
      (b.p95_ms ?? Number.POSITIVE_INFINITY) > (a.p95_ms ?? Number.POSITIVE_INFINITY) ? b : a,
    );
    const name = `<strong>${escapeMarkup(schemeTitle(experiment.schemes, scheme))}</strong>`;
    if (own.every((row) => row.recovered === 0)) {
      sentences.push(`${name}: no flow recovers.`);
      continue;
    }
    const worst =
      slowest.p95_ms === null
        ? `more than 5 % of the flows never recover from a failed ${escapeMarkup(failureTitle(experiment, slowest))}`
        : `95 % of the flows recover within ${formatMs(slowest.p95_ms, slowest)} ms after the worst failure (${escapeMarkup(failureTitle(experiment, slowest))})`;
    if (own.some((row) => row.first_try_success === null)) {
      sentences.push(`${name}: each packet has a path of its own, and no flow leaves one; ${worst}.`);
      continue;
    }
    sentences.push(
      `${name}: the first re-path succeeds in <strong>${formatPercent(firstTries)}</strong> of ${runs.toLocaleString("en-US")} runs; ${worst}.`,
    );
  }
  return sentences.join(" ");
}

function failureTitle({ failures }: Experiment, { failure }: Row): string {
  return failures.find(({ name }) => name === failure)?.title ?? failure;
}

function failureText({ failures, settings }: Experiment): string {
  const names = failures.map(({ name }) => name).join(", ");
  const times = `${ms(settings.failure_time)} into the flow; given up after ${ms(settings.give_up)}`;
  const observed = failures.some(isPartial) ? `; observed for ${ms(settings.observation)}` : "";
  return `${names}; ${times}${observed}`;
}

function ms(ns: number): string {
  return `${ns / 1e6} ms`;
}

function describeTopology({ topology }: Experiment): string {
  const count = (role: string) => topology.nodes.filter((node) => node.role === role).length;
  const parts = [
    [topology.pods.length, "pods"],
    [count("tor"), "ToRs"],
    [count("leaf"), "leaves"],
    [count("spine"), "spines"],
    [count("switch"), "switches"],
    [count("host"), "hosts"],
    [topology.links.length, "links"],
  ] as const;
  const listed = parts
    .filter(([n]) => n > 0)
    .map(
      ([n, noun]) =>
        `${n} ${n === 1 ? noun.replace(/(ve|e)?s$/, (_, v) => (v === "ve" ? "f" : (v ?? ""))) : noun}`,
    );
  return `${topology.name}: ${listed.join(", ")}.`;
}

function facts(experiment: Experiment): [string, string][] {
  const { settings, schemes } = experiment;
  return [
    ["runs", schemes.map(({ label, runs }) => `${label}: ${runs}`).join(", ")],
    ["failure", failureText(experiment)],
    ["traffic", `pairs ${settings.traffic.pairs}, IPv${settings.traffic.ip}`],
  ];
}

/** Every run of every series; an empty `recovery_ms` is a flow that never recovered. On a testbed with the load of the run. */
function samplesCsv(series: readonly Series[]): string {
  const measured = series.some(({ samples }) => samples[0]?.load !== undefined);
  const percent = (share: number | undefined) => (share === undefined ? null : Math.round(100 * share));
  const rows = series.flatMap(({ scheme, failure, samples }) =>
    samples.map(({ recoveryMs, timeouts, rttMs, copies, load }, run) => [
      scheme.label,
      failure.name,
      run,
      Number.isFinite(recoveryMs) ? Number(recoveryMs.toFixed(6)) : null,
      timeouts,
      Number(rttMs.toFixed(6)),
      copies ?? null,
      ...(measured
        ? [
            percent(load?.machine),
            percent(load?.busiestSwitch),
            percent(load?.hosts),
            load?.lostFrames ?? null,
            load?.saturated ?? null,
          ]
        : []),
    ]),
  );
  const header = ["scheme", "failure", "run", "recovery_ms", "timeouts", "rtt_ms", "copies"];
  const loads = ["machine_percent", "busiest_switch_percent", "hosts_percent", "lost_frames", "saturated"];
  return csv(measured ? [...header, ...loads] : header, rows);
}

/** The distributions of the figure, thinned to about a hundred points each. */
function cdfCsv(series: readonly Series[]): string {
  const rows = series.flatMap(({ scheme, failure, samples }) =>
    cdfPoints(
      samples.map((sample) => sample.recoveryMs),
      100,
    ).map(({ x, fraction }) => [
      scheme.label,
      failure.name,
      Number(x.toFixed(6)),
      Number(fraction.toFixed(6)),
    ]),
  );
  return csv(["scheme", "failure", "recovery_ms", "fraction"], rows);
}

/** One decimal; a share below 1 is not rounded up to 100 %. */
function formatPercent(fraction: number | null): string | null {
  if (fraction === null) return null;
  return `${(fraction < 1 ? Math.min(99.9, fraction * 100) : 100).toFixed(1)} %`;
}

/** Three to four digits; a word for a quantile that never recovers. */
function formatMs(value: number | null, row: Pick<Row, "recovered">): string | null {
  if (value === null) return row.recovered < 1 ? "never" : null;
  return value < 100 ? value.toFixed(1) : value.toFixed(0);
}
