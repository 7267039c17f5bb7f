/** What views are made of: rows as text for a terminal, as HTML and as CSV, and the parts that the pages of kinds have in common. */
import { type Cell, defined, escapeMarkup, formatTable, given } from "../../../base/index.js";
import type { Topology } from "../../topology/index.js";
import type { ControllerFault } from "../control-plane.js";
import { type EngineName, type FabricExperiment, type SchemeRun, wireText } from "../experiment.js";
import { effectName, elementName, type Fault } from "../faults/fault.js";
import type { SweepPoint, SweepResults } from "../results.js";
import { lineChart } from "./page.js";
import type { ChartLine, Column, Columns, Described, Dot, Figure, LegendLine, Page, Parts } from "./view.js";

/** Cells by row. */
export interface TextCells {
  readonly header: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

/** `swept`: keys that a sweep adds to the rows. They follow the scheme, and the seed where there are several. */
export function textTable<R extends object>(
  columns: Columns<R>,
  rows: readonly R[],
  swept: readonly string[] = [],
): string {
  const cells = tableCells(columns, rows, swept);
  return formatTable(cells.header, cells.rows);
}

/** The cells of {@link textTable}. */
export function tableCells<R extends object>(
  columns: Columns<R>,
  rows: readonly R[],
  swept: readonly string[] = [],
): TextCells {
  const own = typeof columns === "function" ? columns(rows, swept) : columns;
  const seeds = new Set(rows.map((row) => valueAt(row, "seed"))).size > 1 ? ["seed"] : [];
  const keys = ["scheme", ...swept, ...seeds].map((key): Column<R> => ({ key, title: key, format: plain }));
  const shown = [...keys, ...shownColumns(own, rows, "terminal")].flatMap((column) => [
    column,
    ...besideOf(column).filter(({ title }) => title !== ""),
  ]);
  return {
    header: shown.map(({ title }) => title),
    rows: rows.map((row) => shown.map((column) => textOf(column, row))),
  };
}

function shownColumns<R extends object>(
  columns: readonly Column<R>[],
  rows: readonly R[],
  where: "terminal" | "page",
): Column<R>[] {
  return columns.filter(({ key, only = where, optional = false }) => {
    const has = (row: R) => (optional ? (valueAt(row, key) ?? undefined) : valueAt(row, key)) !== undefined;
    return only === where && (key === undefined || rows.some(has));
  });
}

/** The column of the second figures. */
function besideOf<R extends object>({ beside, digits, format }: Column<R>): Column<R>[] {
  if (beside === undefined) return [];
  const own = format && ((value: unknown, row: R) => (value === null ? null : format(value, row)));
  return [{ title: "", ...beside, ...given({ digits, format: own }) }];
}

function valueAt(row: object, key: string | undefined): unknown {
  return key === undefined ? undefined : (row as Readonly<Record<string, unknown>>)[key];
}

/** Null where the row has no value. */
function textOf<R extends object>({ key, format, digits }: Column<R>, row: R): Cell {
  const value = valueAt(row, key);
  if (format !== undefined) return format(value, row);
  if (digits === undefined) return significant(value);
  if (typeof value !== "number") return null;
  const interval = intervalOf(row, key);
  return interval === 0 ? value.toFixed(digits) : `${value.toFixed(digits)} ±${interval.toFixed(digits)}`;
}

/** Half of the confidence interval; 0 where there is none. */
function intervalOf(row: object, key: string | undefined): number {
  const interval = valueAt(row, `${key}_ci95`);
  return typeof interval === "number" && interval > 0 ? interval : 0;
}

/** A value as it is. */
function plain(value: unknown): Cell {
  return typeof value === "number" || typeof value === "string" ? value : JSON.stringify(value);
}

/** Four significant digits of a number that is not whole. */
function significant(value: unknown): Cell {
  if (value === null || value === undefined) return null;
  return typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(4)) : plain(value);
}

/** A format: so many digits after the point of a number that is not whole. */
export function decimals(digits: number): (value: unknown) => Cell {
  return (value) => {
    if (value === null || value === undefined) return null;
    return typeof value === "number" && !Number.isInteger(value) ? value.toFixed(digits) : plain(value);
  };
}

/** A column of a table of a page. `L`: what a line shows. */
export interface PageColumn<L> {
  /** HTML. */
  readonly heading: string;
  /** `word`: on the left, in one line; `text`: on the left, in several lines. */
  readonly kind?: "word" | "text" | undefined;
  /** HTML. `first`: the line begins a group. */
  readonly cell: (line: L, first: boolean) => string;
}

interface PageTable<L> {
  readonly columns: readonly PageColumn<L>[];
  readonly lines: readonly L[];
  /** Whether a line begins a group. */
  readonly first?: (line: L, before: L | undefined) => boolean;
  /** Attribute of a box around the table, in which it scrolls. */
  readonly box?: string;
  readonly joint?: string;
}

export function pageTable<L>({ columns, lines, first, box, joint = "\n" }: PageTable<L>): string {
  const tag = (name: string, kind: string | undefined, html: string) =>
    `<${name}${kind === undefined ? "" : ` class="${kind}"`}>${html}</${name}>`;
  const head = columns.map(({ heading, kind }) => tag("th", kind && "word", heading)).join("");
  const body = lines.map((line, i) => {
    const begins = first?.(line, lines[i - 1]) === true;
    const cells = columns.map(({ kind, cell }) => tag("td", kind, cell(line, begins))).join("");
    return `<tr${begins ? ' class="first"' : ""}>${cells}</tr>`;
  });
  const table = `<table><thead><tr>${head}</tr></thead><tbody>${body.join(joint)}</tbody></table>`;
  return box === undefined ? table : `<div ${box}>${table}</div>`;
}

/** The columns of a page for rows, which are parts of lines. */
export function rowColumns<R extends object, L>(
  columns: readonly Column<R>[],
  rows: readonly R[],
  rowOf: (line: L) => R,
): PageColumn<L>[] {
  return shownColumns(columns, rows, "page").map((column) => ({
    heading: column.heading ?? column.title,
    cell: (line) => cellOf(column, rowOf(line)),
  }));
}

/** A column of words: on the left. */
export function word<L>(heading: string, cell: (line: L, first: boolean) => string): PageColumn<L> {
  return { heading, kind: "word", cell: (line, first) => escapeMarkup(cell(line, first)) };
}

/** Rows of schemes, each of which begins a group. */
export function schemeTable<R extends { readonly scheme: string }>(
  words: readonly PageColumn<R>[],
  columns: readonly Column<R>[],
  lines: readonly R[],
): string {
  const first = (row: R, before: R | undefined) => before !== undefined && before.scheme !== row.scheme;
  return pageTable({ columns: [...words, ...rowColumns(columns, lines, (row: R) => row)], lines, first });
}

function cellOf<R extends object>(column: Column<R>, row: R): string {
  const { key, html, digits } = column;
  const value = valueAt(row, key);
  const interval = intervalOf(row, key);
  const number = () =>
    digits === undefined || typeof value !== "number"
      ? markupOf(textOf(column, row))
      : `${localNumber(value, digits)}${interval === 0 ? "" : `<small>±${localNumber(interval, digits)}</small>`}`;
  const own = html?.(row) ?? number();
  const [second = null] = besideOf(column).map((one) => textOf(one, row));
  return second === null ? own : `${own}<small>${markupOf(second)}</small>`;
}

function markupOf(cell: Cell): string {
  return cell === null || cell === undefined ? "&ndash;" : escapeMarkup(String(cell));
}

/** A number for a reader: at least two of the digits after the point. */
export function localNumber(value: number, digits: number): string {
  return value.toLocaleString("en-US", {
    maximumFractionDigits: digits,
    minimumFractionDigits: Math.min(digits, 2),
  });
}

/** A column for each key of the rows, in the order in which they first occur. `isWord`: whether its values are words; `none`: in place of null. */
export function keyColumns<R extends object>(
  rows: readonly R[],
  isWord: (key: string) => boolean,
  none = "",
): PageColumn<R>[] {
  const keys = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return keys.map((key) => ({
    heading: escapeMarkup(key),
    kind: isWord(key) ? "word" : undefined,
    cell: (row) => {
      const value = valueAt(row, key) ?? none;
      return escapeMarkup(typeof value === "string" ? value : JSON.stringify(value));
    },
  }));
}

/** Rows as a table with a column for each of their keys. */
export function rowTable<R extends object>(rows: readonly R[]): string {
  const columns = keyColumns(rows, () => false, '""');
  return pageTable({ columns, lines: rows, box: SCROLLS, joint: "" });
}

/** Attribute of a box in which a wide table scrolls. */
export const SCROLLS = 'style="overflow-x: auto"';

// Comma-separated values, for other programs that plot or check results.

/** Lines of comma-separated values: an empty cell for null, JSON for lists and maps. */
export function csv(header: readonly string[], rows: readonly (readonly unknown[])[]): string {
  const cell = (value: unknown) => {
    const text = value === null || value === undefined ? "" : csvText(value);
    return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [header, ...rows].map((row) => row.map(cell).join(",")).join("\n") + "\n";
}

function csvText(value: unknown): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Rows of any kind: the keys of all rows are the header, in the order in which they first occur. */
export function rowsCsv(rows: readonly object[]): string {
  const header = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return csv(
    header,
    rows.map((row) => header.map((key) => (row as Readonly<Record<string, unknown>>)[key])),
  );
}

// The page of kinds that need a fabric: parameters below the kind's own parts, then the data that the reader can unfold.

/** What a kind adds to the page. */
interface FabricParts {
  /** One paragraph of HTML below the title. */
  readonly lead?: string;
  readonly parts: Parts;
  /** Lines of the table of parameters in addition to those of all kinds. */
  readonly facts: readonly (readonly [name: string, value: string])[];
  /** Further data that the reader can unfold. */
  readonly data?: readonly (readonly [title: string, text: string])[];
}

export function fabricPage<E extends FabricExperiment, U, O, R extends object>(
  results: SweepResults<E, U, O, R>,
  { parts, facts, data = [], ...lead }: FabricParts,
): Page {
  const { seed, engine, programs, points } = results;
  const { settings, schemes, source } = defined(points[0]).experiment;
  const { packets, bytes, ecn_threshold } = settings.queues;
  const marks = ecn_threshold === undefined ? "" : `, marks from ${ecn_threshold} packets`;
  const parameters: (readonly [string, string])[] = [
    ["experiment, seed, engine", `${settings.name}, ${seed}, ${engine}`],
    ["topology", flatten(settings.topology).join(", ")],
    ["selector field", settings.selector],
    ...schemes.map(({ label, parameters: own }) => [`scheme ${label}`, flatten(own).join(", ")] as const),
    ...facts,
    ["transport", flatten({ ...settings.transport }).join(", ")],
    ["queues", `${packets} packets, ${bytes} bytes a port${marks}`],
    ...(engine === "sim" ? [["wire", wireText(settings.wire)] as const] : []),
    ["control channel", `${settings.control_channel.delay / 1e6} ms each way`],
  ];
  const unfolded: (readonly [string, string])[] = [
    ["Result table as CSV", rowsCsv(results.rows)],
    ...data,
    ["Experiment file", source.text],
    ...programs.map(({ file, text }) => [`Generated program ${file}`, text] as const),
  ];
  const lines = parameters.map(
    (cells) => `<tr>${cells.map((text) => `<td>${escapeMarkup(text)}</td>`).join("")}</tr>`,
  );
  return {
    style: "light",
    ...lead,
    parts: [
      ...parts,
      { heading: "Parameters", html: `<table class="parameters"><tbody>${lines.join("")}</tbody></table>` },
      { heading: "Data" },
      ...unfolded.map(([title, content]) => ({ unfold: { title, content } })),
    ],
  };
}

/** The page of a sweep whose kind has no parts of its own: its rows as a table. */
export function rowsPage<E extends FabricExperiment, U, O, R extends object>(
  results: SweepResults<E, U, O, R>,
): Page {
  const { keys, seeds, points } = results;
  const rows = results.rows;
  const isWord = (key: string) =>
    rows.some((row) => typeof ((row as Readonly<Record<string, unknown>>)[key] ?? 0) !== "number");
  const table = { columns: keyColumns(rows, isWord), lines: rows, box: SCROLLS };
  return fabricPage(results, {
    parts: [{ heading: "Results", html: pageTable(table) }],
    facts: [
      ["swept keys", keys.join(", ") || "none"],
      ["points, seeds", `${points.length}, ${seeds.length}`],
    ],
  });
}

/** One point under one seed. */
export interface Run<E, O, R> {
  readonly engine: EngineName;
  readonly experiment: E;
  /** Of its units, in their order. */
  readonly outcomes: readonly O[];
  readonly rows: readonly R[];
}

/** Undefined for several points or seeds. */
export function onlyRun<E, U, O, R>(results: SweepResults<E, U, O, R>): Run<E, O, R> | undefined {
  const { points, seeds, engine, rows } = results;
  const [point] = points;
  if (point === undefined || points.length > 1 || seeds.length > 1) return undefined;
  const { experiment, units } = point;
  return { engine, experiment, outcomes: units.flatMap(({ outcomes }) => outcomes), rows };
}

/** `key: value` for each value that is not empty, with rates and times in the units of the file. */
export function flatten(value: object, prefix = ""): string[] {
  return Object.entries(value).flatMap(([key, inner]) => {
    const name = prefix + key;
    if (inner === undefined) return [];
    if (Array.isArray(inner)) return inner.length === 0 ? [] : [`${name}: ${inner.length}`];
    if (typeof inner === "object" && inner !== null) return flatten(inner, `${name}.`);
    if (key === "rate") return [`${name}: ${inner / 1e9} Gbps`];
    if (key === "delay") return [`${name}: ${inner / 1e3} us`];
    if (/^rto_|_time$|^duration$|^interval$|timeout$|^time_wait$/.test(key))
      return [`${name}: ${inner / 1e6} ms`];
    return [`${name}: ${inner}`];
  });
}

/** Title of the scheme with this label. */
export function schemeTitle(schemes: readonly SchemeRun[], label: string): string {
  return schemes.find((scheme) => scheme.label === label)?.title ?? label;
}

interface WithFaults {
  readonly faults: readonly Fault[];
  readonly controllerFaults: readonly ControllerFault[];
  readonly topology: Topology;
}

/** The faults of an experiment: when, and what. */
export function faultLines({
  faults,
  controllerFaults,
  topology,
}: WithFaults): (readonly [when: string, what: string])[] {
  return [
    ...faults.map((fault) => {
      const until = fault.until === undefined ? "" : ` to ${fault.until / 1e6} ms`;
      const what = `${elementName(topology, fault.element)}, ${effectName(fault)}`;
      return [`${fault.at / 1e6} ms${until}`, what] as const;
    }),
    ...controllerFaults.map(
      ({ at, controller, kind }) => [`${at / 1e6} ms`, `controller ${controller}, ${kind}`] as const,
    ),
  ];
}

// The page of kinds whose runs have no packets: the kind's own parts, then parameters, the file and the rows.

/** `lead`: one paragraph as HTML. */
export function topologyPage<E extends Described, U, O, R extends object>(
  results: SweepResults<E, U, O, R>,
  lead: string,
  parts: Parts,
): Page {
  const { settings, source } = defined(results.points[0]).experiment;
  return {
    ...{ style: "adaptive", lead },
    parts: [
      ...parts,
      { heading: "Parameters", note: escapeMarkup(flatten(settings.topology).join(", ")) },
      { unfold: { title: "Experiment file", content: source.text } },
      { unfold: { title: "Results as CSV", content: rowsCsv(results.rows) } },
    ],
  };
}

interface OfScheme {
  readonly scheme: { readonly label: string };
}

/** The schemes of all points, each once, in the order of the files. */
export function schemeLegend<U extends OfScheme>({
  points,
}: Pick<SweepResults<unknown, U, unknown, unknown>, "points">): LegendLine[] {
  const labels = new Set(points.flatMap(({ units }) => units.map(({ unit }) => unit.scheme.label)));
  return [...labels].map((title, place) => ({ title, place }));
}

/** A chart with a line for each scheme of a point, of the first seed. */
export interface PointChart<E, U, O, R> {
  readonly file: string;
  readonly labels: readonly [x: string, y: string];
  /** Undefined where a scheme has no line. */
  readonly dots: (outcome: O, point: SweepPoint<E, U, O, R>) => readonly Dot[] | undefined;
}

/** The name of each point, `none` where nothing is swept, and its charts; their files have the number of the point where there are several. */
export function pointPanels<E, U extends OfScheme, O, R>(
  { points, keys }: SweepResults<E, U, O, R>,
  charts: readonly PointChart<E, U, O, R>[],
  none: string,
): { readonly name: string; readonly figures: Figure[] }[] {
  const legend = schemeLegend({ points });
  return points.map((point, i) => {
    const suffix = points.length === 1 ? "" : `-${i + 1}`;
    const name = keys.map((key) => `${key} ${JSON.stringify(point.values[key])}`).join(", ");
    const figures = charts.map(({ file, labels, dots }): Figure => {
      const lines = point.units.flatMap(({ unit, outcomes: [first] }): ChartLine[] => {
        const own = first === undefined ? undefined : dots(first, point);
        const line = defined(legend.find(({ title }) => title === unit.scheme.label));
        return own === undefined ? [] : [{ ...line, dots: own }];
      });
      return { file: `figures/${file}${suffix}`, drawing: lineChart(lines, labels) };
    });
    return { name: name === "" ? none : name, figures };
  });
}
