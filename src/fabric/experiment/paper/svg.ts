/** A chart for a paper as an SVG document, drawn by the renderer of pages in the paper's style: size of a column, one font, a legend above. */
import type { Markish, PlotOptions } from "@observablehq/plot";
import { escapeMarkup, given } from "../../../base/index.js";
import { svgOf } from "../view/page.js";
import type { PlotLibrary } from "../view/view.js";
import { isLogDomain, type PaperAxis, type PaperChart, type PaperLine } from "./data.js";
import { MOST_SYMBOLS, type PaperStyle, strokeOf } from "./style.js";

/** Lengths are points of 1/72 inch, in the document too. */
export async function paperSvg(chart: PaperChart, style: PaperStyle): Promise<string> {
  const { column_width: width, height } = style;
  const legend = legendOf(chart.lines, style);
  const whole = height + legend.height;
  const svg = await svgOf({
    plot: (Plot) => optionsOf(Plot, chart, style, legend.height),
    beside: legend.markup,
  });
  return svg
    .replace(/ width="[\d.]+" height="[\d.]+"/, ` width="${round(width)}pt" height="${round(whole)}pt"`)
    .replace(/(<svg [^>]*>)/, `$1<title>${escapeMarkup(chart.caption)}</title>`);
}

function optionsOf(
  Plot: PlotLibrary,
  { x, y, lines, steps }: PaperChart,
  style: PaperStyle,
  top: number,
): PlotOptions {
  const { column_width: width, height, font, font_size: size, line_width: stroke } = style;
  const marks = lines.flatMap(({ dots, place, theory = false }): Markish[] => {
    const { colour, dash, symbol } = strokeOf(style, place);
    const points = dots.map(([at, value, low, high]) => ({ x: at, y: value, low, high }));
    const place_ = { x: "x", y: "y" } as const;
    if (theory)
      return [
        Plot.dot(points, {
          ...place_,
          r: size / 4,
          fill: "white",
          stroke: colour,
          strokeWidth: stroke * 0.7,
        }),
      ];
    const intervals = points.filter(({ low, high }) => low !== undefined && high !== undefined);
    return [
      Plot.line(points, {
        ...{ ...place_, stroke: colour, strokeWidth: stroke },
        ...given({
          strokeDasharray: dash.length === 0 ? undefined : dash.join(","),
          curve: steps ? ("step-after" as const) : undefined,
        }),
      }),
      ...(intervals.length === 0
        ? []
        : [
            Plot.ruleX(intervals, {
              x: "x",
              y1: "low",
              y2: "high",
              stroke: colour,
              strokeWidth: stroke * 0.7,
            }),
          ]),
      ...(steps || points.length > MOST_SYMBOLS
        ? []
        : [Plot.dot(points, { ...place_, symbol: symbol.plot, r: size / 4, fill: colour, stroke: colour })]),
    ];
  });
  return {
    ...{ width: round(width), height: round(height + top) },
    ...{ marginLeft: round(5 * size), marginRight: round(1.2 * size) },
    ...{ marginTop: round(top + size), marginBottom: round(3.4 * size) },
    style: { fontFamily: font.family, fontSize: `${size}px`, background: "none", color: "#000000" },
    x: scaleOf(x),
    y: scaleOf(y),
    marks: [
      Plot.gridY({ stroke: "#d9d9d9", strokeOpacity: 1, strokeWidth: 0.4, ...ticksOf(y) }),
      Plot.axisX({
        label: x.label,
        labelAnchor: "center",
        labelArrow: "none",
        ...axisStyle(size),
        ...ticksOf(x),
      }),
      Plot.axisY({
        label: y.label,
        labelAnchor: "center",
        labelArrow: "none",
        ...axisStyle(size),
        ...ticksOf(y),
      }),
      ...marks,
    ],
  };
}

function scaleOf({ scale, domain, zero }: PaperAxis): NonNullable<PlotOptions["x"]> {
  return { type: scale, nice: domain === undefined && scale === "linear", ...given({ domain, zero }) };
}

function ticksOf({ scale, ticks, domain }: PaperAxis) {
  if (ticks !== undefined && ticks.length > 0) return { ticks: spread(ticks, 7) };
  if (scale === "log" && domain !== undefined) return { ticks: logTicks(domain) };
  return { ticks: 5 };
}

const axisStyle = (size: number) => ({ fontSize: size, tickSize: 3, color: "#000000", tickFormat: tickText });

/** At most so many of the values, evenly. */
function spread(values: readonly number[], most: number): number[] {
  const step = Math.ceil(values.length / most);
  return values.filter((_, i) => i % step === 0);
}

/** Powers of ten within the axis, with 2 and 5 times them where there are few. None for ends that a logarithmic axis cannot have. */
export function logTicks([low, high]: readonly [number, number]): number[] {
  if (!isLogDomain([low, high])) return [];
  const decades = Math.log10(high / low);
  const steps = decades > 4 ? [1] : decades > 2 ? [1, 3] : [1, 2, 5];
  const ticks: number[] = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high) + 1e-9; power++)
    for (const step of steps) {
      const tick = Number((step * 10 ** power).toPrecision(3));
      if (tick >= low * 0.999 && tick <= high * 1.001) ticks.push(tick);
    }
  return ticks;
}

export function tickText(value: unknown): string {
  if (typeof value !== "number") return String(value);
  if (value !== 0 && (Math.abs(value) < 1e-3 || Math.abs(value) >= 1e6))
    return value.toExponential().replace("e+", "e");
  return value.toLocaleString("en-US", { maximumSignificantDigits: 4 });
}

interface Legend {
  readonly markup: string;
  readonly height: number;
}

/** Entries in rows above the frame: as many columns as the longest title leaves. Widths of text are estimates from above: 0.56 em a letter. */
function legendOf(lines: readonly PaperLine[], style: PaperStyle): Legend {
  const { column_width: width, font_size: size, line_width: stroke, font } = style;
  if (lines.length === 0) return { markup: "", height: 0 };
  const sample = 2.4 * size;
  const entry = Math.max(...lines.map(({ title }) => sample + (title.length * 0.56 + 1.6) * size));
  const columns = Math.max(1, Math.min(lines.length, Math.floor((width - size) / entry)));
  const rowHeight = 1.35 * size;
  const entries = lines.map(({ title, place, theory = false }, i) => {
    const { colour, dash } = strokeOf(style, place);
    const x = round(size / 2 + (i % columns) * ((width - size) / columns));
    const y = round(size + Math.floor(i / columns) * rowHeight);
    const dashes = dash.length === 0 ? "" : ` stroke-dasharray="${dash.join(",")}"`;
    const mark = theory
      ? `<circle cx="${round(x + sample / 2)}" cy="${round(y - 0.3 * size)}" r="${round(size / 4)}" fill="white" stroke="${colour}" stroke-width="${round(stroke * 0.7)}"></circle>`
      : `<path d="M${x} ${round(y - 0.3 * size)}h${round(sample)}" fill="none" stroke="${colour}" stroke-width="${round(stroke)}"${dashes}></path>`;
    return `${mark}<text x="${round(x + sample + 0.5 * size)}" y="${y}">${escapeMarkup(title)}</text>`;
  });
  return {
    markup: `<g fill="#000000" font-family="${escapeMarkup(font.family)}" font-size="${size}" text-anchor="start">${entries.join("")}</g>`,
    height: round(Math.ceil(lines.length / columns) * rowHeight + 0.3 * size),
  };
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
