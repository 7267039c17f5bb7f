/**
 * The figures of a page and the table of its rows as data: `figures.json` in a folder of results, from which `p4loom figures` makes figures for
 * papers without another run.
 */
import { z } from "zod";
import { defined, given } from "../../../base/index.js";
import type { SweepResults } from "../results.js";
import type { Axis, Chart, Described, Dot, Drawing, Figure, Page, Parts } from "../view/view.js";

export const FIGURES_FILE = "figures.json";

const axisSchema = z
  .strictObject({
    /** Quantity and unit. */
    label: z.string().max(200),
    scale: z.enum(["linear", "log"]),
    domain: z.tuple([z.number(), z.number()]).optional(),
    /** Values with ticks. */
    ticks: z.array(z.number()).max(200).optional(),
    /** Whether the axis begins at 0. */
    zero: z.boolean().optional(),
  })
  .refine(({ scale, domain }) => scale === "linear" || domain === undefined || isLogDomain(domain), {
    path: ["domain"],
    error: "a logarithmic axis begins above 0 and ends above its beginning",
  });

/** Whether an axis in logarithms can have these ends: others have no logarithm, or no length. */
export function isLogDomain([low, high]: readonly [number, number]): boolean {
  return low > 0 && low < high && Number.isFinite(high);
}

/** x, y, and the ends of the confidence interval where there is one. */
const dotSchema = z.array(z.number()).min(2).max(4);

const lineSchema = z.strictObject({
  title: z.string().max(300),
  /** Of its style: lines of one scheme have the same one in all figures. */
  place: z.number().int().min(0).max(10_000),
  /** A closed form: circles without a line. */
  theory: z.boolean().optional(),
  dots: z.array(dotSchema).max(100_000),
});

/** Lower-case words, as the names of our figures: they become names of files and labels of LaTeX. */
const nameSchema = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,150}$/, "expected the name of a figure");

const chartSchema = z.strictObject({
  name: nameSchema,
  caption: z.string().max(2000),
  x: axisSchema,
  y: axisSchema,
  /** Whether a value holds up to the next one. */
  steps: z.boolean(),
  lines: z.array(lineSchema).max(1000),
});

const cellSchema = z.union([z.string(), z.number(), z.null()]);

export const figuresSchema = z.strictObject({
  experiment: z.string(),
  title: z.string(),
  engine: z.string(),
  seeds: z.number().int().min(1),
  /** Swept keys. */
  keys: z.array(z.string()).max(100),
  charts: z.array(chartSchema).max(10_000),
  /** Figures that are no charts: their SVG documents are beside this file. */
  drawings: z
    .array(
      z.strictObject({
        name: nameSchema,
        file: z.string().regex(/^([\w-]+\/)*[\w.-]+\.svg$/),
        caption: z.string().max(2000),
      }),
    )
    .max(10_000),
  table: z.strictObject({
    header: z.array(z.string()).max(1000),
    rows: z.array(z.array(cellSchema)).max(100_000),
  }),
});

export type FiguresData = z.output<typeof figuresSchema>;
export type PaperChart = FiguresData["charts"][number];
export type PaperAxis = PaperChart["x"];
export type PaperLine = PaperChart["lines"][number];

interface Cells {
  readonly header: readonly string[];
  readonly rows: readonly (readonly (string | number | null | undefined)[])[];
}

/** The text of `figures.json`, a line each chart. */
export function figuresData<E extends Described, U, O, R>(
  { points, engine, keys, seeds }: SweepResults<E, U, O, R>,
  { parts }: Page,
  { header, rows }: Cells,
): string {
  const { settings } = defined(points[0]).experiment;
  const charts: PaperChart[] = [];
  const drawings: FiguresData["drawings"] = [];
  for (const { figure, place } of figuresOf(parts, [])) {
    const { file, drawing, caption } = figure;
    const texts = [...place, caption === undefined ? "" : plainText(caption)].filter((text) => text !== "");
    const words = texts.map((text) => text.replace(/\.$/, "")).join(". ");
    const name = file.replace(/^figures\//, "").replaceAll("/", "-");
    const chart = chartOf(drawing);
    if (chart !== undefined) charts.push(chartData(name, chart, words));
    else if (drawing !== undefined) drawings.push({ name, file: `${file}.svg`, caption: sentence(words) });
  }
  const { name: experiment, title = experiment } = settings;
  const head = { experiment, title, engine, seeds: Math.max(1, seeds.length), keys };
  const table = { header, rows: rows.map((row) => row.map((cell) => cell ?? null)) };
  const lines = (list: readonly unknown[]) =>
    list.length === 0 ? "[]" : `[\n${list.map((one) => JSON.stringify(one)).join(",\n")}\n]`;
  const members = [
    ...Object.entries(head).map(([key, value]) => `"${key}":${JSON.stringify(value)}`),
    ...[`"charts":${lines(charts)}`, `"drawings":${lines(drawings)}`, `"table":${JSON.stringify(table)}`],
  ];
  return `{${members.join(",\n")}}\n`;
}

/** The figures of parts, with what stands above them: headings, and the titles of what a reader unfolds. */
function* figuresOf(
  parts: Parts,
  outer: readonly string[],
): Generator<{ readonly figure: Figure; readonly place: readonly string[] }> {
  let section = "";
  for (const part of parts) {
    if (!part) continue;
    const { heading, level = 2, figure, panels, unfold } = part;
    if (heading !== undefined && level === 2) section = heading;
    const place = [...outer, section, ...(heading === undefined || level === 2 ? [] : [heading])];
    const own = [...(figure === undefined ? [] : [figure]), ...(panels?.figures ?? [])];
    for (const one of own) yield { figure: one, place };
    if (unfold !== undefined && typeof unfold.content !== "string")
      yield* figuresOf(unfold.content, [...outer, section, unfold.title]);
  }
}

function chartOf(drawing: Drawing | undefined): Chart | undefined {
  if (drawing === undefined || "svg" in drawing) return undefined;
  return "plot" in drawing ? drawing.chart : drawing;
}

function chartData(
  name: string,
  { x, y, lines, steps = false, intervals = false }: Chart,
  words: string,
): PaperChart {
  const dotOf = ({ x: at, y: value, low, high }: Dot) =>
    intervals && low !== undefined && high !== undefined ? [at, value, low, high] : [at, value];
  const axes = { x: axisData(x), y: axisData(y) };
  return {
    ...{ name, ...axes, steps },
    caption: `${sentence(words)}${words === "" ? "" : " "}${captionOfAxes(axes.x, axes.y, intervals)}`,
    lines: lines.flatMap(({ title, place, dots, theory }) => {
      const own = dots.map(dotOf).filter((dot) => dot.every(Number.isFinite));
      return own.length === 0 ? [] : [{ title, place, ...given({ theory }), dots: own }];
    }),
  };
}

function axisData(axis: Axis): PaperAxis {
  const { label, paper, type, domain, ticks, zero } = axis as {
    label?: string | null;
    paper?: string;
    type?: string;
    domain?: Iterable<unknown>;
    ticks?: unknown;
    zero?: boolean;
  };
  const ends = domain === undefined ? [] : [...domain];
  const [low, high] = ends;
  const scale = type === "log" ? "log" : "linear";
  const numbers: [number, number] | undefined =
    typeof low === "number" && typeof high === "number" ? [low, high] : undefined;
  return {
    label: paper ?? label ?? "",
    scale,
    ...given({
      // An axis without ends has those of its values.
      domain: scale === "log" && numbers !== undefined && !isLogDomain(numbers) ? undefined : numbers,
      ticks: Array.isArray(ticks) ? ticks.filter((tick) => typeof tick === "number") : undefined,
      zero,
    }),
  };
}

function captionOfAxes(x: PaperAxis, y: PaperAxis, intervals: boolean): string {
  const scale = (axis: PaperAxis) => (axis.scale === "log" ? ", logarithmic" : "");
  const bars = intervals ? " Bars: 95 % confidence intervals (Student's t, over seeds)." : "";
  return `Vertical: ${y.label}${scale(y)}; horizontal: ${x.label}${scale(x)}.${bars}`;
}

function sentence(words: string): string {
  return words === "" || /[.!?]$/.test(words) ? words : `${words}.`;
}

/** Of HTML and of SVG alike. */
const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  "#39": "'",
  shy: "",
  ndash: "–",
  plusmn: "±",
};

/** A text of HTML or SVG without its escapes. */
export function unescaped(text: string): string {
  return text.replace(/&([#\w]+);/g, (whole, name: string) => ENTITIES[name] ?? whole);
}

/** The text of HTML of ours. */
function plainText(html: string): string {
  return unescaped(html.replace(/<[^>]*>/g, ""))
    .replace(/\s+/g, " ")
    .trim();
}
