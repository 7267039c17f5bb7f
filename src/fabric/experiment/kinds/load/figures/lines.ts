/** A figure of half the page's width with a line for each scheme. */
import { type PlotLibrary, plotSvg } from "../../../plot.js";
import { GRID, lineOf, PLOT_STYLE, WIDTH } from "./style.js";

export interface Line {
  readonly scheme: string;
  /** Position among the schemes of the experiment, which determines colour and dashes. */
  readonly place: number;
  readonly dots: readonly { readonly x: number; readonly y: number }[];
}

/** Undefined where no line has a point. `x` and `y`: labels; `dotted`: draws a dot for each value, with its figure. */
export function linesFigure(
  Plot: PlotLibrary,
  lines: readonly Line[],
  x: string,
  y: string,
  dotted: boolean,
): string | undefined {
  if (lines.every(({ dots }) => dots.length === 0)) return undefined;
  const marks = lines.flatMap(({ scheme, place, dots }) => {
    const { colour, dash } = lineOf(place);
    const line = Plot.line(dots, {
      x: "x",
      y: "y",
      stroke: colour,
      strokeWidth: 2,
      strokeDasharray: dash ?? "none",
    });
    if (!dotted) return [line];
    const title = (dot: { y: number }) => `${scheme}: ${Number(dot.y.toPrecision(5))}`;
    return [line, Plot.dot(dots, { x: "x", y: "y", r: 3, fill: colour, title })];
  });
  return plotSvg(Plot, {
    width: WIDTH / 2 - 12,
    height: 250,
    marginLeft: 58,
    marginTop: 30,
    marginBottom: 36,
    style: PLOT_STYLE,
    x: { label: x, nice: false, inset: 8, ticks: 6 },
    y: { label: y, grid: false, zero: true, nice: true, ticks: 5 },
    marks: [Plot.gridY(GRID), ...marks],
  });
}
