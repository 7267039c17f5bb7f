/** Bytes in all switch queues together over time, one line for each scheme. */
import { type PlotLibrary, plotSvg } from "../../../plot.js";
import { type LoadPoint, type ShownScheme, unitOf } from "./data.js";
import { GRID, lineOf, PLOT_STYLE, WIDTH } from "./style.js";

/** For the first seed. Undefined where no unit has figures of queues. */
export function queueFigure(
  Plot: PlotLibrary,
  point: LoadPoint,
  schemes: readonly ShownScheme[],
): string | undefined {
  const lines = schemes.flatMap((scheme) => {
    const queues = unitOf(point, scheme)?.outcomes[0]?.queues;
    if (queues === undefined) return [];
    const { binNs, mean } = queues.total;
    return [
      {
        scheme,
        points: mean.map((bytes, bin) => ({ ms: ((bin + 0.5) * binNs) / 1e6, bytes: bytes / 1000 })),
      },
    ];
  });
  if (lines.length === 0) return undefined;
  return plotSvg(Plot, {
    width: WIDTH,
    height: 220,
    marginLeft: 60,
    marginTop: 28,
    marginBottom: 36,
    style: PLOT_STYLE,
    x: { label: "ms from the start of the traffic" },
    y: { label: "KB in all switch queues", zero: true, nice: true },
    marks: [
      Plot.gridY(GRID),
      ...lines.map(({ scheme, points }) => {
        const { colour, dash } = lineOf(scheme.place);
        return Plot.line(points, {
          x: "ms",
          y: "bytes",
          stroke: colour,
          strokeWidth: 1.5,
          strokeDasharray: dash ?? "none",
        });
      }),
    ],
  });
}
