/** The files of the kind `failover`: samples, figures, and a page that compares the results with the closed forms. */
import { escapeMarkup } from "../../../../base/index.js";
import { isPartial } from "../../faults/drawn-failures.js";
import { inline, resultsPage, schemeTitle } from "../../page.js";
import { cdfFigure, figureLines, isGradual } from "./cdf-figure.js";
import {
  type FailoverResults,
  formatMs,
  formatPercent,
  hasModelTimes,
  type PathExample,
  type Row,
  type Series,
} from "./results.js";
import type { Experiment } from "./schema.js";
import { cdfCsv, samplesCsv } from "./tables.js";
import { theoryOf } from "./theory.js";
import { topologyFigure } from "./topology-figure.js";

/** Every run, the figures, and the page. */
export async function failoverFiles(results: FailoverResults): Promise<[name: string, text: string][]> {
  const { source: experiment, series } = results;
  const lines = figureLines(experiment, series, results.engine);
  const cdfSvg = await cdfFigure(lines, experiment.settings.give_up / 1e6);
  const example = shownExample(results);
  const topologySvg = topologyFigure(experiment.topology, example);
  const html = resultsPage(results, {
    lead: headline(results),
    body: [
      `<figure>${inline(cdfSvg)}<figcaption>Share of the flows that have recovered, over the time since the failure (logarithmic).${hasTheory(results) ? " Circles: closed form, one a try." : ""}</figcaption></figure>`,
      "<h2>Results</h2>",
      resultTable(results.rows, experiment),
      `<p class="note">A run is one flow, open before the failure, with a path of its own in each direction; the element that fails is drawn from the two. Time is counted from the failure to the retransmission that gets through; its acknowledgement is back one round trip later. N: equal-cost elements that each direction chooses from. Copies: packets of both ends beyond one for each timeout and one for each received segment, a flow, until it recovered.${observationNote(results)} ${theoryNote(results)}</p>`,
      "<h2>Fabric</h2>",
      `<figure>${inline(topologySvg)}<figcaption>${escapeMarkup(describeTopology(experiment))}${example === undefined ? "" : ` <span class="before">Dashed: one flow's data before ${escapeMarkup(example.failed)} fails.</span>${example.after === undefined ? "" : ' <span class="after">Solid: after its first re-path.</span>'}`}</figcaption></figure>`,
    ],
    facts: facts(experiment),
    data: [["Distributions as CSV", cdfCsv(series)]],
  });
  return [
    ["samples.csv", samplesCsv(series)],
    ["recovery-cdf.svg", cdfSvg],
    ["topology.svg", topologySvg],
    ["report.html", html],
  ];
}

/** The example of the series that recovers best, if its path after the recovery is known. */
function shownExample({ series, rows }: FailoverResults): PathExample | undefined {
  const known = series.filter(({ example }) => example !== undefined);
  const success = (one: Series) =>
    one.example?.after === undefined ? -1 : (rows[series.indexOf(one)]!.first_try_success ?? 0);
  return known.reduce<Series | undefined>(
    (best, one) => (best === undefined || success(one) > success(best) ? one : best),
    undefined,
  )?.example;
}

function observationNote({ source }: FailoverResults): string {
  if (!source.failures.some(isPartial)) return "";
  const time = ms(source.settings.observation);
  return ` Failures that let packets pass are observed for ${time}: timeouts of a flow in that time, and the time to the last recovery in it, 0 without a timeout; first try: at most one timeout.`;
}

function theoryNote(results: FailoverResults): string {
  const formulas = new Set(results.series.flatMap(({ scheme }) => scheme.plan.closedForm?.formula ?? []));
  const missed = [...formulas].map((formula) => `, ${escapeMarkup(formula)} missed tries`);
  const misses = `Small grey figures: closed form${missed.join("")}`;
  if (!hasModelTimes(results.engine)) return `${misses}.`;
  const cap = results.source.settings.transport.rto_cap / 1e6;
  return `${misses}, first RTO of ${escapeMarkup(firstRto(results))}, doubled each time, at most ${cap} ms.`;
}

function hasTheory(results: FailoverResults): boolean {
  const { source, series } = results;
  if (!hasModelTimes(results.engine)) return false;
  return series.some(({ scheme, failure }) => {
    const tries = theoryOf(source, scheme, failure);
    return tries !== undefined && isGradual(tries);
  });
}

/** The result of each scheme in one sentence, from the rows. */
function headline({ rows, source }: FailoverResults): string {
  const sentences: string[] = [];
  for (const scheme of new Set(rows.map((row) => row.scheme))) {
    const own = rows.filter((row) => row.scheme === scheme);
    const runs = own.reduce((sum, row) => sum + row.runs, 0);
    const firstTries = own.reduce((sum, row) => sum + (row.first_try_success ?? 0) * row.runs, 0) / runs;
    const slowest = own.reduce((a, b) =>
      (b.p95_ms ?? Number.POSITIVE_INFINITY) > (a.p95_ms ?? Number.POSITIVE_INFINITY) ? b : a,
    );
    const name = `<strong>${escapeMarkup(schemeTitle(source.schemes, scheme))}</strong>`;
    if (own.every((row) => row.recovered === 0)) {
      sentences.push(`${name}: no flow recovers.`);
      continue;
    }
    const worst =
      slowest.p95_ms === null
        ? `more than 5 % of the flows never recover from a failed ${escapeMarkup(failureTitle(source, slowest))}`
        : `95 % of the flows recover within ${formatMs(slowest.p95_ms, slowest)} ms after the worst failure (${escapeMarkup(failureTitle(source, slowest))})`;
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

function resultTable(rows: readonly Row[], experiment: Experiment): string {
  const observed = rows.some((row) => row.timeouts_per_flow !== null);
  const head = [
    "scheme",
    "failed",
    "runs",
    "N",
    "first try",
    "p50 ms",
    "p95 ms",
    "p99 ms",
    "max ms",
    "re-paths",
    "copies",
    ...(observed ? ["timeouts"] : []),
  ];
  const cells = rows.map((row, i) => {
    const first = i > 0 && rows[i - 1]!.scheme !== row.scheme;
    const both = (value: string | null, theory: string | null) =>
      `${value ?? "&ndash;"}${theory === null ? "" : `<small>${theory}</small>`}`;
    const time = (value: number | null, theory: number | null) =>
      both(formatMs(value, row), theory === null ? null : formatMs(theory, row));
    const data = [
      row.runs.toLocaleString("en-US"),
      row.equal_sites === null ? "&ndash;" : String(row.equal_sites),
      both(
        row.first_try_success === 1
          ? `<span class="good">100 %</span>`
          : formatPercent(row.first_try_success),
        formatPercent(row.theory_first_try_success),
      ),
      time(row.p50_ms, row.theory_p50_ms),
      time(row.p95_ms, row.theory_p95_ms),
      time(row.p99_ms, null),
      time(row.max_ms, null),
      both(
        row.repaths_mean.toFixed(2),
        row.theory_repaths_mean === null ? null : row.theory_repaths_mean.toFixed(2),
      ),
      row.copies_mean === null ? "&ndash;" : row.copies_mean.toFixed(2),
      ...(observed ? [row.timeouts_per_flow?.toFixed(2) ?? "&ndash;"] : []),
    ];
    return `<tr${first ? ' class="first"' : ""}><td class="word">${escapeMarkup(schemeTitle(experiment.schemes, row.scheme))}</td><td class="word">${escapeMarkup(failureTitle(experiment, row))}</td>${data.map((cell) => `<td>${cell}</td>`).join("")}</tr>`;
  });
  const header = head.map((name, i) => `<th${i < 2 ? ' class="word"' : ""}>${name}</th>`).join("");
  return `<table><thead><tr>${header}</tr></thead><tbody>${cells.join("\n")}</tbody></table>`;
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

function firstRto(results: FailoverResults): string {
  const samples = results.series.flatMap((one) => one.samples);
  const rtt = samples.reduce((sum, sample) => sum + sample.rttMs, 0) / samples.length;
  return `${(rtt + results.source.settings.transport.rto_margin / 1e6).toFixed(2)} ms`;
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
