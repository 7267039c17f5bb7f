/** Figures of a fluid experiment: throughput gain and links of a path over a swept number, utilisation of links, throughput over time. */
import type { PlotLibrary } from "../../plot.js";
import type { SweepPoint, SweepResults } from "../kind.js";
import { type Line, linesFigure } from "../load/figures/lines.js";
import type { Fluid, FluidRun } from "./fluid.js";
import type { FluidOutcome } from "./outcome.js";
import { type FluidRow, gainOf } from "./rows.js";

export type FluidSweep = SweepResults<Fluid, FluidRun, FluidOutcome, FluidRow>;
type FluidPoint = SweepPoint<Fluid, FluidRun, FluidOutcome, FluidRow>;

/** The first swept key whose values are all numbers; undefined where there is none. */
export function axisKey({ keys, points }: FluidSweep): string | undefined {
  return keys.find((key) => points.every(({ values }) => typeof values[key] === "number"));
}

export function schemesOf({ points }: FluidSweep): string[] {
  return [...new Set(points.flatMap(({ units }) => units.map(({ unit }) => unit.scheme)))];
}

/** A figure over the axis: the mean over seeds and over the values of other swept keys. */
export function overAxis(
  Plot: PlotLibrary,
  sweep: FluidSweep,
  key: string,
  title: string,
  value: (row: FluidRow, rows: readonly FluidRow[]) => number | undefined,
): string | undefined {
  const rows = sweep.points.flatMap(({ units }) => units.flatMap((unit) => unit.rows));
  const lines = schemesOf(sweep).map((scheme, place): Line => {
    const own = rows.filter((row) => row["scheme"] === scheme);
    const xs = [...new Set(own.map((row) => Number(row[key])))].sort((a, b) => a - b);
    const dots = xs.flatMap((x) => {
      const ys = own.flatMap((row) => (Number(row[key]) === x ? (value(row, rows) ?? []) : []));
      return ys.length === 0 ? [] : [{ x, y: ys.reduce((sum, y) => sum + y, 0) / ys.length }];
    });
    return { scheme, place, dots };
  });
  return linesFigure(Plot, lines, key, title, true);
}

export function gainFigure(Plot: PlotLibrary, sweep: FluidSweep, key: string): string | undefined {
  return overAxis(Plot, sweep, key, "throughput gain (%)", (row, rows) => gainOf(row, rows, sweep.keys));
}

/** Share of the links whose utilisation is at most x, at one point of the sweep, for the first seed. */
export function utilisationFigure(
  Plot: PlotLibrary,
  { units }: FluidPoint,
  schemes: readonly string[],
): string | undefined {
  const lines = units.flatMap(({ unit, outcomes }): Line[] => {
    const [first] = outcomes;
    if (first === undefined) return [];
    const last = first.utilisation.length - 1;
    const dots = first.utilisation.map((x, i) => ({ x, y: i / last }));
    return [{ scheme: unit.scheme, place: schemes.indexOf(unit.scheme), dots }];
  });
  return linesFigure(Plot, lines, "utilisation of a link", "share of the links", false);
}

/** Throughput by epoch at one point of the sweep, for the first seed. */
export function timeFigure(
  Plot: PlotLibrary,
  { units, experiment }: FluidPoint,
  schemes: readonly string[],
): string | undefined {
  const { epoch } = experiment.settings;
  const lines = units.flatMap(({ unit, outcomes }): Line[] => {
    const [first] = outcomes;
    if (first === undefined) return [];
    const dots = first.gbps.map((y, i) => ({ x: ((i + 1) * epoch) / 1e9, y }));
    return [{ scheme: unit.scheme, place: schemes.indexOf(unit.scheme), dots }];
  });
  return linesFigure(Plot, lines, "time (s)", "throughput (Gbps)", false);
}
