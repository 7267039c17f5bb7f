/** Figures over a swept number, such as the load: one line a scheme, with confidence intervals. */
import { type PlotLibrary, plotSvg } from "../../../plot.js";
import type { LoadRow } from "../rows.js";
import { type LoadPoint, type ShownScheme, unitOf } from "./data.js";
import { GRID, lineOf, PLOT_STYLE, WIDTH } from "./style.js";

/** One panel: a figure of the rows of one size class. */
export interface Panel {
  readonly title: string;
  readonly size: string;
  readonly key: string;
}

interface Dot {
  readonly x: number;
  readonly y: number;
  readonly low: number;
  readonly high: number;
}

/** A line of every panel. Its place gives its colour. */
export interface KeyLine {
  readonly title: string;
  readonly place: number;
  readonly scheme: ShownScheme;
  readonly points: readonly LoadPoint[];
}

/** Panels beside each other; a panel is left out where no row has its figure. */
export function figuresByKey(
  Plot: PlotLibrary,
  key: string,
  panels: readonly Panel[],
  shown: readonly KeyLine[],
): string[] {
  return panels.flatMap((panel) => {
    const lines = shown.map((line) => ({ ...line, dots: dotsOf(line.points, key, panel, line.scheme) }));
    const all = lines.flatMap(({ dots }) => dots);
    if (all.length === 0) return [];
    const positive = all.every(({ y }) => y > 0);
    const wide = positive && Math.max(...all.map(({ y }) => y)) > 8 * Math.min(...all.map(({ y }) => y));
    const marks = lines.flatMap(({ title, place, dots }) => {
      const { colour, dash } = lineOf(place);
      return [
        Plot.line(dots, { x: "x", y: "y", stroke: colour, strokeWidth: 2, strokeDasharray: dash ?? "none" }),
        Plot.ruleX(dots, { x: "x", y1: "low", y2: "high", stroke: colour, strokeWidth: 1.2 }),
        Plot.dot(dots, {
          x: "x",
          y: "y",
          r: 3,
          fill: colour,
          title: (dot: Dot) => `${title}: ${dot.y}`,
        }),
      ];
    });
    const xs = [...new Set(all.map(({ x }) => x))].sort((a, b) => a - b);
    return [
      plotSvg(Plot, {
        width: WIDTH / 2 - 12,
        height: 250,
        marginLeft: 52,
        marginTop: 30,
        marginBottom: 36,
        style: PLOT_STYLE,
        x: { label: key, ticks: xs, tickFormat: String, type: "linear", nice: false, inset: 12 },
        y: {
          label: panel.title,
          type: wide ? "log" : "linear",
          zero: !wide,
          grid: false,
          nice: true,
          ticks: 5,
          tickFormat: plain,
        },
        marks: [Plot.gridY(GRID), ...marks],
      }),
    ];
  });
}

function dotsOf(
  points: readonly LoadPoint[],
  key: string,
  { size, key: figure }: Panel,
  scheme: ShownScheme,
): Dot[] {
  return points
    .flatMap((point): Dot[] => {
      const row: LoadRow | undefined = unitOf(point, scheme)?.rows.find((one) => one.size === size);
      const y = row?.[figure];
      if (typeof y !== "number") return [];
      const interval = row![`${figure}_ci95`];
      const half = typeof interval === "number" ? interval : 0;
      return [
        { x: point.values[key] as number, y, low: Math.max(y - half, y > 0 ? y / 100 : y), high: y + half },
      ];
    })
    .sort((a, b) => a.x - b.x);
}

function plain(value: number): string {
  return value.toLocaleString("en-US", { maximumSignificantDigits: 4 });
}
