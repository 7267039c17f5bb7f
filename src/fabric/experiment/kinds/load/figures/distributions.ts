/** Distributions of slowdowns at one point: the whole distribution (CDF), and its tail (CCDF) on logarithmic axes. */
import { QuantileSketch } from "../../../../statistics/index.js";
import { type PlotLibrary, plotSvg } from "../../../plot.js";
import type { LoadOutcome } from "../outcome.js";
import { SIZE_CLASSES, type SizeClass } from "../size-classes.js";
import { type LoadPoint, type ShownScheme, unitOf } from "./data.js";
import { GRID, lineOf, PLOT_STYLE, WIDTH } from "./style.js";

interface DistributionPoint {
  readonly x: number;
  readonly fraction: number;
}

/** Slowdowns, or completion times in nanoseconds, of all seeds in one distribution. */
export function pooled(
  outcomes: readonly LoadOutcome[],
  figure: "fct" | "slowdown",
  size: SizeClass | "all",
): QuantileSketch {
  const names = size === "all" ? SIZE_CLASSES : [size];
  return outcomes
    .flatMap(({ flows }) => names.map((name) => QuantileSketch.fromJson(flows[name][figure])))
    .reduce((a, b) => a.merged(b), new QuantileSketch());
}

/** CDF and CCDF of the slowdown of a size class; undefined where no flow of it ended. */
export function slowdownFigures(
  Plot: PlotLibrary,
  point: LoadPoint,
  size: SizeClass | "all",
  schemes: readonly ShownScheme[],
): { readonly cdf: string; readonly ccdf: string } | undefined {
  const lines = schemes.flatMap((scheme) => {
    const unit = unitOf(point, scheme);
    const points = unit === undefined ? [] : pooled(unit.outcomes, "slowdown", size).cdf(300);
    return points.length === 0 ? [] : [{ scheme, points }];
  });
  if (lines.length === 0) return undefined;
  const xs = lines.flatMap(({ points }) => points.map(({ x }) => x));
  const [low, high] = [Math.min(...xs), Math.max(...xs)];
  const domain = [Math.min(low, 1), Math.max(high, low * 2)];
  const least = Math.min(
    0.1,
    ...lines.flatMap(({ points }) =>
      points.map(({ fraction }) => 1 - fraction).filter((share) => share > 1e-9),
    ),
  );
  const curve = (marked: (points: readonly DistributionPoint[]) => readonly DistributionPoint[]) =>
    lines.map(({ scheme, points }) => {
      const { colour, dash } = lineOf(scheme.place);
      return Plot.line(marked(points), {
        x: "x",
        y: "fraction",
        stroke: colour,
        strokeWidth: 2,
        curve: "step-after",
        strokeDasharray: dash ?? "none",
      });
    });
  const shared = {
    width: WIDTH / 2 - 12,
    height: 260,
    marginLeft: 52,
    marginTop: 30,
    marginBottom: 36,
    style: PLOT_STYLE,
  };
  const x = { type: "log", domain, label: "slowdown", ticks: 6, tickFormat: shortNumber } as const;
  return {
    cdf: plotSvg(Plot, {
      ...shared,
      x,
      y: { domain: [0, 1], label: "flows with at most this slowdown", tickFormat: percent },
      marks: [
        Plot.gridY(GRID),
        ...curve((points) => [{ x: domain[0]!, fraction: 0 }, { x: points[0]!.x, fraction: 0 }, ...points]),
      ],
    }),
    ccdf: plotSvg(Plot, {
      ...shared,
      x,
      y: { type: "log", domain: [least, 1], label: "flows with more", tickFormat: percent, ticks: 4 },
      marks: [
        Plot.gridY(GRID),
        ...curve((points) =>
          [{ x: domain[0]!, fraction: 0 }, ...points]
            .map(({ x: at, fraction }) => ({ x: at, fraction: 1 - fraction }))
            .filter(({ fraction }) => fraction > 1e-9),
        ),
      ],
    }),
  };
}

function percent(fraction: number): string {
  return `${Number((fraction * 100).toPrecision(2))} %`;
}

/** Ticks at 1, 2 and 5 times powers of ten; there is no space for more. */
function shortNumber(value: number): string {
  const digit = value / 10 ** Math.floor(Math.log10(value) + 1e-9);
  return [1, 2, 5].some((one) => Math.abs(digit - one) < 1e-6) ? value.toLocaleString("en-US") : "";
}
