/** Table and page of the kind `load`: one page compares the schemes with figures, tables, tests and a description of each scheme. */
import { defined, escapeMarkup } from "../../../../base/index.js";
import type { FabricPlan } from "../../../schemes/index.js";
import { type SchemeRun, wireText } from "../../experiment.js";
import {
  faultLines,
  flatten,
  localNumber,
  type PageColumn,
  pageTable,
  rowColumns,
  word,
} from "../../view/parts.js";
import type { Column, Part, Parts, View } from "../../view/view.js";
import type { SchemeUnit } from "../kind.js";
import { chartsByKey, type KeyLine, linkMap, queueChart, slowdownCharts } from "./figures.js";
import type { LoadOutcome } from "./load-figures.js";
import type { LoadRow } from "./rows.js";
import type { Load } from "./schema.js";
import {
  axisKey,
  type LoadPoint,
  type LoadSweep,
  pointName,
  type ShownScheme,
  schemesOf,
  seriesOf,
  unitOf,
} from "./shown.js";
import { SIZE_CLASSES } from "./size-classes.js";
import { type COMPARED, type Comparison, comparisons, loadFiles } from "./values.js";

// The tables of the page of the kind `load`.

/** What a line of a table shows of a point. */
interface Line {
  readonly point: LoadPoint;
  readonly scheme: ShownScheme;
  readonly row: LoadRow;
}

function resultTable(
  { points }: LoadSweep,
  schemes: readonly ShownScheme[],
  columns: readonly Column<LoadRow>[],
): string {
  const lines = points.flatMap((point) => {
    const sizes = new Set(point.units.flatMap(({ rows }) => rows.map((row) => row.size)));
    return [...sizes].flatMap((size) => schemes.flatMap((scheme) => linesOf(point, scheme, size)));
  });
  return pageTable({
    columns: [
      ...pointColumn(points.length > 1, ({ point }: Line) => pointName(point)),
      word("size", ({ row }: Line, first) => (first ? row.size : "")),
      word("scheme", ({ scheme }: Line) => scheme.title),
      ...rowColumns(columns, rowsIn(lines), ({ row }: Line) => row),
    ],
    lines,
    first: ({ point, row }, before) => before?.point !== point || before.row.size !== row.size,
    box: BOX,
  });
}

/** Undefined where no run has figures of halves. */
function stateTable(
  { points }: LoadSweep,
  schemes: readonly ShownScheme[],
  columns: readonly Column<LoadRow>[],
): string | undefined {
  const lines = points
    .flatMap((point) => schemes.flatMap((scheme) => linesOf(point, scheme, "all")))
    .filter(({ row }) => row["offered_gbps"] !== undefined);
  if (lines.length === 0) return undefined;
  return pageTable({
    columns: [
      ...pointColumn(points.length > 1, ({ point }: Line) => pointName(point)),
      word("scheme", ({ scheme }: Line) => scheme.title),
      ...rowColumns(columns, rowsIn(lines), ({ row }: Line) => row),
    ],
    lines,
    first: ({ point }, before) => before?.point !== point,
    box: BOX,
  });
}

function linesOf(point: LoadPoint, scheme: ShownScheme, size: string): Line[] {
  const row = unitOf(point, scheme)?.rows.find((one) => one.size === size);
  return row === undefined ? [] : [{ point, scheme, row }];
}

function rowsIn(lines: readonly Line[]): LoadRow[] {
  return lines.map(({ row }) => row);
}

/** The point of the first line of a group. */
function pointColumn<L>(named: boolean, nameOf: (line: L) => string): PageColumn<L>[] {
  return named ? [word("point", (line: L, first) => (first ? nameOf(line) : ""))] : [];
}

const COMPARED_TITLES: Readonly<Record<(typeof COMPARED)[number], string>> = {
  slowdown_mean: "mean slowdown",
  slowdown_p99: "p99 slowdown",
};

function testTable(tests: readonly Comparison[]): string {
  const [{ against }] = tests as [Comparison];
  const changeOf = ({ value, baseline }: Comparison) => (value - baseline) / baseline;
  const verdict = (one: Comparison) =>
    Math.max(one.pT, one.pSigns, one.pRanks) < 0.05 ? (changeOf(one) < 0 ? "good" : "bad") : "";
  const figure = (heading: string, cell: (one: Comparison) => string) => ({ heading, cell });
  const chance = (value: number) => (value < 0.001 ? "&lt; 0.001" : value.toFixed(3));
  return pageTable({
    columns: [
      ...pointColumn(
        tests.some(({ point }) => point !== ""),
        ({ point }: Comparison) => point,
      ),
      word("scheme", ({ scheme }: Comparison, first) => (first ? scheme.title : "")),
      word("size", ({ size }: Comparison) => size),
      word("figure", (one: Comparison) => COMPARED_TITLES[one.figure]),
      figure(escapeMarkup(against.title), ({ baseline }) => localNumber(baseline, 2)),
      figure("this scheme", ({ value }) => localNumber(value, 2)),
      figure("change", (one) => {
        const change = changeOf(one);
        return `<span class="${verdict(one)}">${change > 0 ? "+" : ""}${(100 * change).toFixed(1)} %</span>`;
      }),
      figure("&plusmn;", ({ half, baseline }) => `${((100 * half) / baseline).toFixed(1)} %`),
      figure("p (t)", ({ pT }) => chance(pT)),
      figure("p (signs)", ({ pSigns }) => chance(pSigns)),
      figure("p (ranks)", ({ pRanks }) => chance(pRanks)),
    ],
    lines: tests,
    first: (one, before) => before?.point !== one.point || before.scheme !== one.scheme,
    box: BOX,
  });
}

/** What each scheme adds to the network, from its plan. */
export function mechanismTable(schemes: readonly SchemeRun[]): string {
  return pageTable({
    columns: [
      word("scheme", ({ title }: SchemeRun) => title),
      word("name", ({ scheme }: SchemeRun) => scheme),
      text("programs of switches", ({ plan }: SchemeRun) => plan.programs.map(({ name }) => name).join(", ")),
      text("after a timeout", ({ plan }: SchemeRun) => afterTimeout(plan)),
      text("controllers", ({ plan: { controllers = [] } }: SchemeRun) =>
        controllers.length === 0
          ? "none while it runs"
          : `${controllers.length} that run${controllers.length === 1 ? "s" : ""}`,
      ),
      text("settings", ({ parameters }: SchemeRun) => flatten(parameters).join(", ") || "none"),
      text("notes", ({ plan }: SchemeRun) => (plan.notes ?? []).join(" ")),
    ],
    lines: schemes,
    box: BOX,
  });
}

/** What leads a flow to another path after a timeout, as the plan says. */
function afterTimeout({ repaths, field }: Pick<FabricPlan, "repaths" | "field">): string {
  if (repaths === false) return "flows keep their path";
  return repaths === "hosts"
    ? `hosts choose another path, by a selector in ${field}`
    : "hosts do nothing; switches may lead the flow to another path, since it has paused";
}

/** Topology, traffic, transport, queues, faults and times of the experiment. */
function factsTable({ points, seeds, engine, keys }: LoadSweep): string {
  const [{ experiment }] = points as [LoadPoint, ...LoadPoint[]];
  const { settings } = experiment;
  const facts: [string, string][] = [
    ["experiment, engine, seeds", `${settings.name}, ${engine}, ${seeds.join(" ")}`],
    ["swept", keys.join(", ") || "nothing"],
    ["topology", flatten(settings.topology).join(", ")],
    ["load", settings.load === undefined ? "set by the traffic" : String(settings.load)],
    ["traffic", flatten(settings.traffic).join(", ")],
    [
      "warm_up, drain",
      `${settings.truncation === undefined ? `${settings.warm_up / 1e6} ms` : "found by a pilot run of each scheme and seed (MSER-5)"}, ${settings.drain / 1e6} ms`,
    ],
    ...(settings.measured_flows === undefined
      ? []
      : [["measured_flows", String(settings.measured_flows)] as [string, string]]),
    ...(settings.until === undefined
      ? []
      : [["until", flatten(settings.until).join(", ")] as [string, string]]),
    ["transport", flatten(settings.transport).join(", ")],
    ["queues", flatten(settings.queues).join(", ")],
    ...(engine === "sim" ? [["wire", wireText(settings.wire)] as [string, string]] : []),
    ["control channel", flatten(settings.control_channel).join(", ")],
    ...faultLines(experiment).map(([when, what]): [string, string] => [`fault, ${when}`, what]),
  ];
  return pageTable({
    columns: [
      word("key", ([name]: [string, string]) => name),
      text("value", ([, value]: [string, string]) => value),
    ],
    lines: facts,
    box: BOX,
  });
}

const BOX = 'class="wide"';

function text<L>(heading: string, cell: (line: L) => string): PageColumn<L> {
  return { heading, kind: "text", cell: (line) => escapeMarkup(cell(line)) };
}

const COLUMNS: readonly Column<LoadRow>[] = [
  { key: "size", title: "size", only: "terminal" },
  { key: "seeds", title: "seeds", only: "terminal" },
  { key: "converged", title: "converged", only: "terminal" },
  { key: "flows", title: "flows", digits: 0 },
  { key: "unfinished", title: "unfinished", heading: "un&shy;finished", digits: 0 },
  { key: "fct_mean_ms", title: "fct mean ms", heading: "FCT mean ms", digits: 3 },
  { key: "fct_p50_ms", title: "p50 ms", heading: "p50", digits: 3 },
  { key: "fct_p99_ms", title: "p99 ms", heading: "p99", digits: 3 },
  { key: "slowdown_mean", title: "slowdown mean", heading: "slow&shy;down mean", digits: 2 },
  { key: "slowdown_p50", title: "p50", digits: 2 },
  { key: "slowdown_p99", title: "p99", digits: 2 },
  { key: "rct_p99_ms", title: "request p99 ms", digits: 3 },
  { key: "rct_slowdown_mean", title: "request slowdown", digits: 2 },
  { key: "slowdown_mean_first", title: "1st half", digits: 2, only: "terminal" },
  { key: "slowdown_mean_second", title: "2nd half", digits: 2, only: "terminal" },
  { key: "offered_load", title: "offered load", digits: 3, only: "terminal" },
  { key: "achieved_load", title: "achieved load", digits: 3, only: "terminal" },
  { key: "goodput_gbps", title: "goodput Gbps", digits: 3 },
  { key: "retransmissions", title: "retransm.", heading: "retrans&shy;missions", digits: 0 },
  { key: "timeouts", title: "timeouts", heading: "time&shy;outs", digits: 0 },
  { key: "reordered_share", title: "reordered", digits: 4, only: "page" },
  { key: "drops", title: "drops", digits: 0 },
  { key: "pfc_pauses", title: "pauses", digits: 0 },
  { key: "pfc_paused_share_max", title: "paused", heading: "longest paused, share", digits: 3 },
  { key: "pfc_deadlocks", title: "deadlocks", digits: 0 },
  { key: "trimmed", title: "trimmed", digits: 0 },
  { key: "trimmed_lost", title: "trimmed lost", digits: 0 },
  { key: "headers_lost", title: "headers lost", digits: 0 },
  { key: "held_flows", title: "held flows", digits: 0 },
  { key: "held_p50_ms", title: "held p50 ms", digits: 3 },
  { key: "held_p99_ms", title: "p99 ms", heading: "held p99 ms", digits: 3 },
  { key: "held_max_ms", title: "max ms", heading: "held max ms", digits: 3 },
  { key: "silence_max_ms", title: "silence ms", heading: "longest silence ms", digits: 3 },
  { key: "goodput_before_gbps", title: "before Gbps", heading: "before the first command, Gbps", digits: 3 },
  { key: "goodput_since_gbps", title: "since Gbps", heading: "since then, Gbps", digits: 3 },
  { key: "link_cv", title: "link CV", digits: 3 },
  { key: "queue_p99_bytes", title: "queue p99 B", heading: "queue p99 bytes", digits: 0 },
  { key: "queue_worst_port_p99_bytes", title: "worst port p99", digits: 0, only: "page" },
];

/** How many seeds each cell has, and how small its interval is. */
const UNTIL_COLUMNS: readonly Column<LoadRow>[] = [
  { key: "seeds", title: "seeds", digits: 0 },
  { key: "interval_of_mean", title: "half of the interval, of the mean", digits: 4 },
  { key: "converged", title: "converged" },
  { key: "warm_up_ms", title: "mean warm-up, ms", digits: 3 },
];

/** Offered and achieved load, and the figures of both halves of the window: see `transient.ts`. */
const STATE_COLUMNS: readonly Column<LoadRow>[] = [
  { key: "offered_load", title: "offered load", digits: 3 },
  { key: "achieved_load", title: "achieved load", digits: 3 },
  { key: "offered_gbps", title: "offered Gbps", digits: 3 },
  { key: "goodput_gbps", title: "achieved Gbps", digits: 3 },
  { key: "slowdown_mean_first", title: "slow&shy;down mean, 1st half", digits: 2 },
  { key: "slowdown_mean_second", title: "2nd half", digits: 2 },
  { key: "fct_mean_ms_first", title: "FCT mean ms, 1st half", digits: 3 },
  { key: "fct_mean_ms_second", title: "2nd half", digits: 3 },
  { key: "link_utilisation_first", title: "utili&shy;sation of uplinks, 1st half", digits: 3 },
  { key: "link_utilisation_second", title: "2nd half", digits: 3 },
];

export const LOAD_VIEW: View<Load, SchemeUnit, LoadOutcome, LoadRow> = {
  columns: COLUMNS,
  page(sweep) {
    const { points, seeds } = sweep;
    const schemes = schemesOf(sweep);
    const { settings, source, schemes: runs } = defined(points[0]).experiment;
    const { until } = settings;
    const tests = comparisons(sweep);
    const state = stateTable(sweep, schemes, STATE_COLUMNS);
    const many = seeds.length > 1 ? ", ± half of the 95 % confidence interval (Student's t)" : "";
    return {
      style: "adaptive",
      lead: leadOf(sweep, schemes),
      parts: [
        ...overKey(sweep, schemes),
        {
          heading: "Results",
          note: `Means over ${until === undefined ? "" : "up to "}${count(seeds.length, "seed")}${many}. Flows, retransmissions, timeouts and drops are sums. Small: up to ${size(settings.sizes.small)}; large: from ${size(settings.sizes.large)}. Slowdown: completion time over that of the flow alone in the empty network.`,
          html: resultTable(sweep, schemes, COLUMNS),
        },
        until !== undefined && {
          heading: "Have the results converged?",
          note: `Each scheme runs under more seeds until half of the ${100 * until.confidence} % interval of ${until.metric} (${until.size}) is at most ${Number((100 * until.within).toPrecision(3))} % of the mean for all schemes of a point, at two looks in a row; at most under ${until.max_runs} seeds.`,
          html: resultTable(ofSize(sweep, until.size), schemes, UNTIL_COLUMNS),
        },
        state !== undefined && {
          heading: "Is the run long enough?",
          note: "Offered: payload of the flows that start in the measuring window; achieved: payload that receivers get in it; both over the capacity that a load of 1 would fill. In a network that has settled the two are nearly equal, and both halves of the window show the same figures.",
          html: state,
        },
        tests.length > 0 && {
          heading: "Do the schemes differ?",
          note: `Each scheme against ${escapeMarkup(defined(tests[0]).against.title)}, in pairs of one seed: both met the same flows. ± is half of the 95 % interval of the mean difference of a pair. Two-sided p-values of a paired t test, of a permutation of the signs (exact: at least ${2 ** (1 - Math.min(20, seeds.length))} with ${count(seeds.length, "seed")}) and of Wilcoxon's signed ranks; not corrected for the number of comparisons.`,
          html: testTable(tests),
        },
        { heading: "What the schemes do", html: mechanismTable(runs) },
        ...pointSections(points, schemes),
        { heading: "Parameters", html: factsTable(sweep) },
        { unfold: { title: "Experiment file", content: source.text } },
      ],
    };
  },
  files: loadFiles,
};

/** The same with the rows of one size class alone. */
function ofSize(sweep: LoadSweep, size: string): LoadSweep {
  const points = sweep.points.map((point) => ({
    ...point,
    units: point.units.map((unit) => ({ ...unit, rows: unit.rows.filter((row) => row.size === size) })),
  }));
  return { ...sweep, points };
}

function leadOf({ points, seeds, engine }: LoadSweep, schemes: readonly ShownScheme[]): string {
  const outcomes = points.flatMap(({ units }) => units.flatMap((unit) => unit.outcomes));
  const total = outcomes
    .flatMap(({ flows }) => SIZE_CLASSES.map((name) => flows[name].flows))
    .reduce((a, b) => a + b, 0);
  const where = engine === "sim" ? "the packet simulator" : `real switches (${engine})`;
  return `${count(schemes.length, "scheme")}, ${count(points.length, "point")}, ${count(seeds.length, "seed")}: ${total.toLocaleString("en-US")} measured flows in all runs, on ${where}.`;
}

function overKey(sweep: LoadSweep, schemes: readonly ShownScheme[]): Part[] {
  const key = axisKey(sweep);
  if (key === undefined || sweep.points.length < 2) return [];
  const groups = seriesOf(sweep, key);
  const [only] = schemes;
  // With one scheme the other swept keys distinguish the lines. With several, each combination of the other keys has its own figures.
  const sections: { readonly name: string; readonly lines: readonly KeyLine[] }[] =
    schemes.length === 1 && only !== undefined && groups.length > 1
      ? [
          {
            name: only.title,
            lines: groups.map(({ name, points }, place) => ({ title: name, place, scheme: only, points })),
          },
        ]
      : groups.map(({ name, points }) => ({
          name,
          lines: schemes.map((scheme) => ({ title: scheme.title, place: scheme.place, scheme, points })),
        }));
  return sections.flatMap(({ name, lines }, section): Part[] => {
    const charts = chartsByKey(key, lines);
    if (charts.length === 0) return [];
    const suffix = sections.length === 1 ? "" : `-${section + 1}`;
    const file = `figures/by-${key.replace(/[^A-Za-z0-9_-]+/g, "-")}${suffix}`;
    const figures = charts.map((drawing, i) => ({ file: `${file}-${i + 1}`, drawing }));
    const heading = `By ${key}${name === "" ? "" : `: ${name}`}`;
    return [{ heading, legend: lines, panels: { figures, joint: "\n" } }];
  });
}

/** Maximum number of points with figures of their own: the first, the last, and some in between. */
const SHOWN_POINTS = 6;

function pointSections(points: readonly LoadPoint[], schemes: readonly ShownScheme[]): Parts {
  const heading = "Distributions, links and queues";
  const [only, ...others] = points;
  if (only !== undefined && others.length === 0) return [{ heading }, ...pointParts(only, "", schemes)];
  const at = (i: number) => Math.round((i * (points.length - 1)) / (SHOWN_POINTS - 1));
  const shown =
    points.length <= SHOWN_POINTS
      ? points
      : Array.from({ length: SHOWN_POINTS }, (_, i) => defined(points[at(i)]));
  const left = points.length - shown.length;
  return [
    ...shown.map((point, i) => {
      const content = pointParts(point, `-${points.indexOf(point) + 1}`, schemes);
      const unfold = { title: pointName(point), open: i === shown.length - 1, content };
      return i === 0 ? { heading, runIn: true, unfold } : { unfold };
    }),
    left > 0 && { note: `${count(left, "point")} without figures here; results.csv and cdf.csv have all.` },
  ];
}

function pointParts(point: LoadPoint, suffix: string, schemes: readonly ShownScheme[]): Parts {
  const level = 3;
  const file = (name: string) => `figures/${name}${suffix}`;
  return [
    { legend: schemes },
    ...(["all", "small", "large"] as const).map((name) => {
      const both = slowdownCharts(point, name, schemes);
      if (both === undefined) return undefined;
      const figures = [
        { file: file(`slowdown-cdf-${name}`), drawing: both.cdf },
        { file: file(`slowdown-ccdf-${name}`), drawing: both.ccdf },
      ];
      return { heading: `Slowdown, ${name} flows`, level, panels: { figures } } as const;
    }),
    {
      heading: "Links between switches",
      level,
      figure: {
        file: file("links"),
        drawing: linkMap(point, schemes),
        caption:
          "A cell a link, in the order of the topology; its colour is the utilisation in the measuring window: pale 0, blue 60 %, orange 100 %. Mean over the seeds.",
      },
    },
    {
      heading: "Queues over time",
      level,
      figure: {
        file: file("queues"),
        drawing: queueChart(point, schemes),
        caption: "What waits at all switch ports together, means of short intervals, first seed.",
      },
    },
  ];
}

function count(n: number, noun: string): string {
  return `${n.toLocaleString("en-US")} ${noun}${n === 1 ? "" : "s"}`;
}

function size(bytes: number): string {
  return bytes >= 1e6 ? `${bytes / 1e6} MB` : bytes >= 1000 ? `${bytes / 1000} KB` : `${bytes} bytes`;
}
