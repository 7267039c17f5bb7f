/** Results and figures as CSV in long form, one figure a line, which R and pandas group and pivot without a reshape; `NA` is a missing value of both. */
import { csv } from "../view/parts.js";
import type { FiguresData } from "./data.js";

type Row = Readonly<Record<string, unknown>>;

/**
 * Lines `<what names the row>,metric,unit,value,ci95`. What names a row: its scheme, its seed, the swept keys, and all keys whose values are words
 * in every row. The unit is that of the metric's name; figures without a unit have `1`. `ci95`: half of the confidence interval.
 */
export function longRows(rows: readonly Row[], swept: readonly string[]): string {
  const all = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const isWord = (value: unknown) => typeof value === "string" || typeof value === "boolean";
  const names = all.filter(
    (key) =>
      ["scheme", "seed", ...swept].includes(key) ||
      (rows.some((row) => isWord(row[key])) && rows.every((row) => row[key] == null || isWord(row[key]))),
  );
  const isInterval = (key: string) => key.endsWith(INTERVAL) && all.includes(key.slice(0, -INTERVAL.length));
  const metrics = all.filter(
    (key) => !names.includes(key) && !isInterval(key) && rows.every((row) => isFigure(row[key])),
  );
  return csv(
    [...names, "metric", "unit", "value", "ci95"],
    rows.flatMap((row) =>
      metrics
        .filter((key) => row[key] !== undefined)
        .map((key) => [
          ...names.map((name) => row[name] ?? MISSING),
          ...[key, unitOf(key), row[key] ?? MISSING, row[`${key}${INTERVAL}`] ?? MISSING],
        ]),
    ),
  );
}

const INTERVAL = "_ci95";
const MISSING = "NA";

function isFigure(value: unknown): boolean {
  return value === undefined || value === null || typeof value === "number";
}

/** The last words of the names of our figures (ARCHITECTURE.md, "Outputs"). */
const UNITS: readonly (readonly [name: RegExp, unit: string])[] = [
  [/_ns(_|$)/, "ns"],
  [/_us(_|$)/, "us"],
  [/_ms(_|$)/, "ms"],
  [/_s$/, "s"],
  [/_gbps(_|$)/, "Gbit/s"],
  [/_mbps(_|$)/, "Mbit/s"],
  [/_bytes(_|$)/, "bytes"],
  [/_kb(_|$)/, "KB"],
  [/_percent(_|$)/, "percent"],
];

function unitOf(key: string): string {
  return UNITS.find(([name]) => name.test(key))?.[1] ?? "1";
}

/** Lines `figure,line,x,y,low,high` of all charts; low and high are the ends of the confidence interval. */
export function longCharts(charts: FiguresData["charts"]): string {
  return csv(
    ["figure", "line", "x", "y", "low", "high"],
    charts.flatMap(({ name, lines }) =>
      lines.flatMap(({ title, dots }) =>
        dots.map(([x, y, low, high]) => [name, title, x, y, low ?? MISSING, high ?? MISSING]),
      ),
    ),
  );
}
