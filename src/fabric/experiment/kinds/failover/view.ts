/**
 * Table, page, figures and files of the kind `failover`. The page compares the results with the closed forms; its figures are the distribution
 * of recovery times (figure 7b of the P-ECMP paper) and the fabric with a path before and after a failure. One page, and therefore one file.
 */

import type { PlotOptions } from "@observablehq/plot";
import { defined, escapeMarkup, given } from "../../../../base/index.js";
import type { Tries } from "../../../schemes/index.js";
import { cdfPoints } from "../../../statistics/index.js";
import { type Topology, type TopologyNode, tierOf } from "../../../topology/index.js";
import type { EngineName } from "../../experiment.js";
import type { SweepResults } from "../../results.js";
import { svgText, WIDTH } from "../../view/page.js";
import {
  csv,
  fabricPage,
  onlyRun,
  type Run,
  rowsPage,
  schemeTable,
  schemeTitle,
  word,
} from "../../view/parts.js";
import type { Chart, ChartLine, Column, Drawing, Page, Part, PlotLibrary, View } from "../../view/view.js";
import { FAILURES, isPartial } from "./failures.js";
import {
  firstTimeoutMs,
  hasModelTimes,
  type PathExample,
  type Row,
  type Series,
  theoryOf,
  timeOfTry,
} from "./results.js";
import type { Experiment, FailoverUnit } from "./schema.js";

// Figure 7b of the P-ECMP paper: the distribution of recovery times, on a logarithmic axis.

interface FigureLine {
  name: string;
  style: LineStyle;
  points: { x: number; fraction: number }[];
  /** Closed form: time and fraction after each try; empty where there is none. */
  theory: { x: number; fraction: number }[];
  neverRecovers: boolean;
}

const HEIGHT = 420;
const MARGIN = { left: 58, right: 232, top: 18, bottom: 46 };

/** One line for each scheme and failure; lines of a scheme that coincide are merged under one name. */
export function figureLines(
  experiment: Experiment,
  series: readonly Series[],
  engine: EngineName = "sim",
): FigureLine[] {
  const lines: FigureLine[] = [];
  for (const [schemeIndex, scheme] of experiment.schemes.entries()) {
    const own = series.filter((one) => one.scheme === scheme);
    const drawn = own.map((one) => lineOf(experiment, one, schemeIndex, engine));
    const { title } = scheme;
    const [first] = drawn;
    if (first !== undefined && drawn.length > 1 && drawn.every((line) => coincide(line, first)))
      lines.push({ ...first, name: `${title}, every failure` });
    else lines.push(...drawn);
  }
  return lines;
}

function lineOf(experiment: Experiment, one: Series, schemeIndex: number, engine: EngineName): FigureLine {
  const times = one.samples.map((sample) => sample.recoveryMs);
  const theory: FigureLine["theory"] = [];
  const expected = theoryOf(experiment, one.scheme, one.failure);
  // One step, at the first try or never, needs no circles.
  if (hasModelTimes(engine) && expected !== undefined && isGradual(expected)) {
    const { rto_margin, rto_cap } = experiment.settings.transport;
    const first = firstTimeoutMs(rto_margin, one.samples);
    for (let tries = 1; tries <= 60; tries++) {
      const fraction = expected.recoveredAfter(tries);
      theory.push({ x: timeOfTry(tries, first, rto_cap / 1e6), fraction });
      if (1 - fraction < 0.002) break;
    }
  }
  return {
    name: `${one.scheme.title}, ${one.failure.title} fails`,
    style: lineStyle(schemeIndex, one.failure.name, experiment.failures.indexOf(one.failure)),
    points: cdfPoints(times),
    theory,
    neverRecovers: times.every((time) => time === Number.POSITIVE_INFINITY),
  };
}

/** Whether some flows recover at the first try and others at later ones. */
function isGradual(tries: Tries): boolean {
  const first = tries.recoveredAfter(1);
  return first > 0 && first < 1;
}

/** Whether all samples of both lines lie within a tenth of one time, or neither flow ever recovers. */
function coincide(a: FigureLine, b: FigureLine): boolean {
  if (a.neverRecovers || b.neverRecovers) return a.neverRecovers === b.neverRecovers;
  const all = [...a.points, ...b.points].map((point) => point.x);
  const complete = [a, b].every((line) => defined(line.points.at(-1)).fraction === 1);
  return complete && Math.max(...all) < 1.5 * Math.min(...all);
}

function cdfFigure(lines: readonly FigureLine[], giveUpMs: number): Drawing {
  const finite = lines.flatMap((line) => [...line.points, ...line.theory]).map((point) => point.x);
  const low = Math.min(5, ...finite) * 0.9;
  const high = Math.min(Math.max(100, ...finite) * 1.15, giveUpMs);
  return {
    plot: (Plot) => cdfOptions(Plot, lines, low, high),
    chart: cdfChart(lines, low, high),
    beside: `${svgText(
      [MARGIN.left + (WIDTH - MARGIN.left - MARGIN.right) / 2, HEIGHT - 8],
      "time from the failure to recovery",
      "middle",
    )}<g transform="translate(14 ${MARGIN.top + (HEIGHT - MARGIN.top - MARGIN.bottom) / 2}) rotate(-90)">${svgText([0, 0], "flows recovered", "middle")}</g>${legendOf(lines)}`,
  };
}

/** The same by its lines, in one style for all schemes. */
function cdfChart(lines: readonly FigureLine[], low: number, high: number): Chart {
  return {
    lines: lines.flatMap(({ name, points, theory }, place): ChartLine[] => {
      const dots = [...points, { x: high, fraction: points.at(-1)?.fraction ?? 0 }];
      const closed = theory.filter(({ x }) => x <= high).map(({ x, fraction: y }) => ({ x, y }));
      return [
        { title: name, place, dots: [{ x: low, y: 0 }, ...dots.map(({ x, fraction: y }) => ({ x, y }))] },
        ...(closed.length === 0
          ? []
          : [{ title: `${name}, closed form`, place, dots: closed, theory: true }]),
      ];
    }),
    x: { type: "log", domain: [low, high], label: "time from the failure to recovery (ms)" },
    y: { domain: [0, 1], label: "share of flows recovered" },
    steps: true,
  };
}

function cdfOptions(Plot: PlotLibrary, lines: readonly FigureLine[], low: number, high: number): PlotOptions {
  const marks = lines.flatMap((line) => {
    const last = line.points.at(-1)?.fraction ?? 0;
    const steps = [{ x: low, fraction: 0 }, ...line.points, { x: high, fraction: last }];
    return [
      Plot.line(steps, {
        x: "x",
        y: "fraction",
        stroke: line.style.colour,
        strokeWidth: 2.2,
        curve: "step-after",
        strokeDasharray: line.style.dash ?? "none",
      }),
      Plot.dot(
        line.theory.filter((point) => point.x <= high),
        { x: "x", y: "fraction", r: 3.2, fill: "white", stroke: line.style.colour, strokeWidth: 1.4 },
      ),
    ];
  });
  return {
    width: WIDTH,
    height: HEIGHT,
    marginLeft: MARGIN.left,
    marginRight: MARGIN.right,
    marginTop: MARGIN.top,
    marginBottom: MARGIN.bottom,
    style: { fontSize: "12px" },
    x: { type: "log", domain: [low, high], label: null },
    y: { domain: [0, 1], label: null },
    marks: [
      Plot.gridY({ stroke: "#e3e6e9", strokeOpacity: 1 }),
      Plot.gridX(decades(low, high), { stroke: "#eef0f2", strokeOpacity: 1 }),
      Plot.axisX(decades(low, high), { tickFormat: formatTick, tickSize: 4, color: "#4a525a" }),
      Plot.axisY({
        ticks: 5,
        tickFormat: (fraction: number) => `${Math.round(fraction * 100)} %`,
        tickSize: 0,
        color: "#4a525a",
      }),
      ...marks,
    ],
  };
}

/** 5, 10, 20, 50, 100, ... within the axis. */
function decades(low: number, high: number): number[] {
  const ticks: number[] = [];
  for (let power = 1; power <= high; power *= 10)
    for (const step of [1, 2, 5]) if (power * step >= low && power * step <= high) ticks.push(power * step);
  return ticks;
}

function formatTick(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${ms / 1000} s`;
}

function legendOf(lines: readonly FigureLine[]): string {
  const x = WIDTH - MARGIN.right + 16;
  let y = MARGIN.top + 12;
  let out = "";
  for (const line of lines) {
    const dash = line.style.dash === undefined ? "" : ` stroke-dasharray="${line.style.dash}"`;
    out += `<path d="M${x} ${y - 4}h22" fill="none" stroke="${line.style.colour}" stroke-width="2.6"${dash}></path>`;
    out += svgText([x + 30, y], line.name, "start");
    if (line.neverRecovers) {
      y += 15;
      out += svgText([x + 30, y], "(never recovers)", "start");
    }
    y += 21;
  }
  if (lines.some((line) => line.theory.length > 0)) {
    out += `<circle cx="${x + 11}" cy="${y - 4}" r="3.2" fill="white" stroke="#4a525a" stroke-width="1.4"></circle>`;
    out += svgText([x + 30, y], "closed form", "start");
  }
  return `<g>${out}</g>`;
}

/**
 * One colour for each one-word failure, in their order; people with red-green colour blindness can distinguish the first four, which are dark
 * to light. The line of a link is dashed, too.
 */
const FAMILIES: readonly (readonly string[])[] = [
  ["#0b5cad", "#2f7fcb", "#5f9fdc", "#1c4f86", "#7a5cc7"],
  ["#a8200d", "#dd6a1f", "#eda23a", "#8a4a6b", "#c2416b"],
  ["#5b6570", "#7d8790", "#9aa3ab", "#48525c", "#2b3138"],
  ["#0e7a5f", "#2f9e7f", "#64bda3", "#0a5a46", "#7a8f1d"],
];

/** One-word failures of links are dashed; each group of five further failures has a pattern of its own. */
const DASHES: readonly (string | undefined)[] = [undefined, "8,4", "2,3", "10,3,2,3"];
const LINK_DASH = "5,3";

interface LineStyle {
  colour: string;
  dash: string | undefined;
}

/** `place`: index of the failure in the experiment. One-word failures have the same style in every experiment. */
function lineStyle(schemeIndex: number, failure: string, place: number): LineStyle {
  const family = defined(FAMILIES[schemeIndex % FAMILIES.length]);
  const word = (FAILURES as readonly string[]).indexOf(failure);
  if (word >= 0) return { colour: defined(family[word]), dash: failure === "link" ? LINK_DASH : undefined };
  const dash = DASHES[Math.floor(place / family.length) % DASHES.length];
  return { colour: defined(family[place % family.length]), dash };
}

// A drawing of the fabric: tiers as rows, pods side by side, and one flow's path before and after a failure.

const SIDE = 64;
const ROW_TOP = 30;
const ROW_GAP = 78;
/** Space between neighbouring pods, in pixels. */
const POD_GAP = 36;

const TIER_NAMES = ["hosts", "ToRs", "leaves", "spines"];
const COLOURS = {
  link: "#d5dade",
  node: "#ffffff",
  edge: "#5b6570",
  label: "#2b3137",
  before: "#c8321a",
  after: "#0b5cad",
  failed: "#c8321a",
};

interface Point {
  x: number;
  y: number;
}

/** The drawing as a standalone SVG document. */
function topologyFigure(topology: Topology, example: PathExample | undefined): string {
  const at = layOut(topology);
  const tiers = [...new Set(topology.nodes.map((node) => tierOf(node)))].sort((a, b) => b - a);
  const height = ROW_TOP + (tiers.length - 1) * ROW_GAP + 34;
  const parts: string[] = [];
  for (const link of topology.links)
    parts.push(line(defined(at[link.a.node]), defined(at[link.b.node]), COLOURS.link, 0.8));
  if (example !== undefined) {
    parts.push(
      path(
        example.before.map((node) => defined(at[node])),
        COLOURS.before,
        "6,4",
      ),
    );
    if (example.after !== undefined)
      parts.push(
        path(
          example.after.map((node) => defined(at[node])),
          COLOURS.after,
        ),
      );
  }
  for (const node of topology.nodes) parts.push(shape(node, defined(at[node.index]), topology));
  if (example !== undefined) parts.push(...failureMark(topology, example, at));
  for (const [row, tier] of tiers.entries())
    parts.push(label(8, ROW_TOP + row * ROW_GAP + 4, TIER_NAMES[tier] ?? `stage ${tier}`, "start"));
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" role="img" width="${WIDTH}" height="${height}" ` +
    `viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui, sans-serif" font-size="12">${parts.join("")}</svg>\n`
  );
}

/** Rows by tier, top tier first. The nodes of a pod divide the width of that pod; other nodes divide the whole width. */
function layOut(topology: Topology): Point[] {
  const tiers = [...new Set(topology.nodes.map((node) => tierOf(node)))].sort((a, b) => b - a);
  const pods = Math.max(1, topology.pods.length);
  const inner = WIDTH - SIDE - 12;
  const podWidth = (inner - POD_GAP * (pods - 1)) / pods;
  const at: Point[] = [];
  for (const [row, tier] of tiers.entries()) {
    const nodes = topology.nodes.filter((node) => tierOf(node) === tier);
    const groups = new Map<number | undefined, TopologyNode[]>();
    for (const node of nodes) groups.set(node.pod, [...(groups.get(node.pod) ?? []), node]);
    for (const [pod, members] of groups) {
      const left = pod === undefined ? SIDE : SIDE + pod * (podWidth + POD_GAP);
      const width = pod === undefined ? inner : podWidth;
      members.forEach((node, i) => {
        at[node.index] = {
          x: Math.round((left + ((i + 0.5) * width) / members.length) * 10) / 10,
          y: ROW_TOP + row * ROW_GAP,
        };
      });
    }
  }
  return at;
}

function shape(node: TopologyNode, { x, y }: Point, topology: Topology): string {
  const peers = topology.nodes.filter((other) => tierOf(other) === tierOf(node) && other.pod === node.pod);
  const room = (node.pod === undefined ? WIDTH - SIDE : (WIDTH - SIDE) / topology.pods.length) / peers.length;
  const half = Math.max(2, Math.min(node.role === "host" ? 5 : 11, room / 2 - 1.5));
  const title = `<title>${escapeMarkup(node.name)}</title>`;
  const style = `fill="${COLOURS.node}" stroke="${COLOURS.edge}" stroke-width="1.3"`;
  if (node.role === "host")
    return `<circle cx="${x}" cy="${y}" r="${round(half)}" ${style}>${title}</circle>`;
  const tall = Math.min(half, 8);
  return (
    `<rect x="${round(x - half)}" y="${round(y - tall)}" width="${round(2 * half)}" height="${round(2 * tall)}" ` +
    `rx="2" ${style}>${title}</rect>`
  );
}

function failureMark(topology: Topology, example: PathExample, at: readonly Point[]): string[] {
  let centre: Point | undefined;
  if (example.failedNode !== undefined) centre = at[example.failedNode];
  if (example.failedLink !== undefined) {
    const { a, b } = defined(topology.links[example.failedLink]);
    const [p, q] = [defined(at[a.node]), defined(at[b.node])];
    centre = { x: (p.x + q.x) / 2, y: (p.y + q.y) / 2 };
  }
  if (centre === undefined) return [];
  const { x, y } = centre;
  const d = 7;
  return [
    `<path d="M${x - d} ${y - d}L${x + d} ${y + d}M${x + d} ${y - d}L${x - d} ${y + d}" ` +
      `stroke="${COLOURS.failed}" stroke-width="3.2" stroke-linecap="round"></path>`,
  ];
}

function path(points: readonly Point[], colour: string, dash?: string): string {
  const d = points.map(({ x, y }, i) => `${i === 0 ? "M" : "L"}${x} ${y}`).join("");
  return `<path d="${d}" fill="none" stroke="${colour}" stroke-width="2.4"${dash === undefined ? "" : ` stroke-dasharray="${dash}"`} stroke-linejoin="round"></path>`;
}

function line(a: Point, b: Point, colour: string, width: number): string {
  return `<path d="M${a.x} ${a.y}L${b.x} ${b.y}" stroke="${colour}" stroke-width="${width}"></path>`;
}

function label(x: number, y: number, content: string, anchor: string): string {
  return `<text x="${x}" y="${y}" text-anchor="${anchor}" fill="${COLOURS.label}">${escapeMarkup(content)}</text>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

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
    ...given({ beside: theory === undefined ? undefined : { key: theory, title: "(theory)" } }),
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
    one.example?.after === undefined ? -1 : (defined(rows[outcomes.indexOf(one)]).first_try_success ?? 0);
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
