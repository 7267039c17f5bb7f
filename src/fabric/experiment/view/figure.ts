/** Figures as standalone SVG documents, drawn by Observable Plot without a browser; the colours and sizes that they share. */
import type { Markish, PlotOptions } from "@observablehq/plot";
import { escapeMarkup, given } from "../../../base/index.js";
import { FakeDocument, printNode } from "./fake-document.js";
import type { Chart, ChartLine, Dot, Drawing, LegendLine, PlotLibrary } from "./view.js";

/** The library is loaded when a figure is drawn. */
export async function svgOf(drawing: Drawing): Promise<string> {
  if ("svg" in drawing) return drawing.svg;
  const Plot = await import("@observablehq/plot");
  const { plot, beside = "" } = "plot" in drawing ? drawing : { plot: () => chartOptions(Plot, drawing) };
  // The part of a document that Plot touches; its types name the whole one.
  const svg = Plot.plot({ ...plot(Plot), document: new FakeDocument() as never });
  return printNode(svg)
    .replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" role="img" ')
    .replace(/<\/svg>$/, `${beside}</svg>\n`);
}

/** A text of a drawing. */
export function svgText(
  [x, y]: readonly [x: number, y: number],
  content: string,
  anchor: "start" | "middle" | "end",
  size = 12,
): string {
  return `<text x="${x}" y="${y}" text-anchor="${anchor}" fill="#2b3137" font-size="${size}">${escapeMarkup(content)}</text>`;
}

export const WIDTH = 900;

/** Text has the colour of the page's text. */
export const PLOT_STYLE = {
  fontSize: "12px",
  background: "none",
  color: "currentColor",
  overflow: "visible",
};

function chartOptions(Plot: PlotLibrary, chart: Chart): PlotOptions {
  const { x, y, frame, lines, strokeWidth = 2, steps = false, intervals = false, dot } = chart;
  const marks = lines.flatMap((line): Markish[] => {
    const { dots } = line;
    const { colour, dash } = lineOf(line.place);
    const curve = Plot.line(dots, {
      ...{ x: "x", y: "y", stroke: colour, strokeWidth, strokeDasharray: dash ?? "none" },
      ...given({ curve: steps ? ("step-after" as const) : undefined }),
    });
    const interval = { x: "x", y1: "low", y2: "high", stroke: colour, strokeWidth: 1.2 };
    return [
      curve,
      ...(intervals ? [Plot.ruleX(dots, interval)] : []),
      ...(dot === undefined
        ? []
        : [Plot.dot(dots, { x: "x", y: "y", r: 3, fill: colour, title: (one: Dot) => dot(line, one) })]),
    ];
  });
  return {
    ...{ width: WIDTH / 2 - 12, height: 250, marginLeft: 52, marginTop: 30, marginBottom: 36, ...frame },
    style: PLOT_STYLE,
    ...given({ x, y }),
    marks: [Plot.gridY({ stroke: "currentColor", strokeOpacity: 0.13 }), ...marks],
  };
}

/** A chart of a line for each scheme between two labelled axes; undefined where no line has a point. `dotted`: with a dot for each value. */
export function lineChart(
  lines: readonly ChartLine[],
  [x, y]: readonly [x: string, y: string],
  dotted = false,
): Chart | undefined {
  if (lines.every(({ dots }) => dots.length === 0)) return undefined;
  return {
    lines,
    x: { label: x, nice: false, inset: 8, ticks: 6 },
    y: { label: y, grid: false, zero: true, nice: true, ticks: 5 },
    frame: { marginLeft: 58 },
    ...given({
      dot: dotted
        ? ({ title }: ChartLine, { y: value }: Dot) => `${title}: ${Number(value.toPrecision(5))}`
        : undefined,
    }),
  };
}

/**
 * Contrast of at least 3:1 with white and with the dark page: lines have colours of a middle lightness. People with colour blindness can
 * distinguish neighbours.
 */
const COLOURS = [
  "#2f7fcb",
  "#d9641e",
  "#1f9579",
  "#a45bc0",
  "#a8841a",
  "#d1476a",
  "#76818b",
  "#4b8f29",
] as const;

/** From the ninth line on lines are also dashed. */
function lineOf(place: number): { readonly colour: string; readonly dash: string | undefined } {
  const round = Math.floor(place / COLOURS.length);
  return { colour: COLOURS[place % COLOURS.length]!, dash: ["6,3", "2,3", "9,3,2,3"][round - 1] };
}

/** The lines of figures with their titles, as HTML. */
export function legendMarkup(lines: readonly LegendLine[]): string {
  const entries = lines.map(({ title, place }) => {
    const { colour, dash } = lineOf(place);
    const stroke = `stroke="${colour}" stroke-width="3"${dash === undefined ? "" : ` stroke-dasharray="${dash}"`}`;
    return `<span><svg width="26" height="8" aria-hidden="true"><path d="M0 4h26" ${stroke}></path></svg>${escapeMarkup(title)}</span>`;
  });
  return `<div class="legend">${entries.join("")}</div>`;
}
