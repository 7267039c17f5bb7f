/** The tables of the page of the kind `load`. */
import { escapeMarkup } from "../../../../base/index.js";
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
import type { Column } from "../../view/view.js";
import type { COMPARED, Comparison } from "./paired.js";
import type { LoadRow } from "./rows.js";
import { type LoadPoint, type LoadSweep, pointName, type ShownScheme, unitOf } from "./shown.js";

/** What a line of a table shows of a point. */
interface Line {
  readonly point: LoadPoint;
  readonly scheme: ShownScheme;
  readonly row: LoadRow;
}

export function resultTable(
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
export function stateTable(
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

export function testTable(tests: readonly Comparison[]): string {
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
      figure("scheme", ({ value }) => localNumber(value, 2)),
      figure("change", (one) => {
        const change = changeOf(one);
        return `<span class="${verdict(one)}">${change > 0 ? "+" : ""}${(100 * change).toFixed(1)} %</span>`;
      }),
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
export function factsTable({ points, seeds, engine, keys }: LoadSweep): string {
  const [{ experiment }] = points as [LoadPoint, ...LoadPoint[]];
  const { settings } = experiment;
  const facts: [string, string][] = [
    ["experiment, engine, seeds", `${settings.name}, ${engine}, ${seeds.join(" ")}`],
    ["swept", keys.join(", ") || "nothing"],
    ["topology", flatten(settings.topology).join(", ")],
    ["load", settings.load === undefined ? "set by the traffic" : String(settings.load)],
    ["traffic", flatten(settings.traffic).join(", ")],
    ["warm_up, drain", `${settings.warm_up / 1e6} ms, ${settings.drain / 1e6} ms`],
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
