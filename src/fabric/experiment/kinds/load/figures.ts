/** Figures of the kind `load`: over a swept number, distributions of slowdowns, links and queues. */
import { defined, given } from "../../../../base/index.js";
import { QuantileSketch } from "../../../statistics/index.js";
import { PLOT_STYLE, WIDTH } from "../../view/page.js";
import type { Chart, ChartLine, Dot, Drawing, LegendLine } from "../../view/view.js";
import type { LoadOutcome } from "./load-figures.js";
import type { LinkUse } from "./meters/link-meter.js";
import type { LoadRow } from "./rows.js";
import { type LoadPoint, type ShownScheme, unitOf } from "./shown.js";
import { SIZE_CLASSES, type SizeClass } from "./size-classes.js";

/** One panel: a figure of the rows of one size class. */
interface Panel {
  readonly title: string;
  readonly size: string;
  readonly key: string;
}

const PANELS: readonly Panel[] = [
  { title: "slowdown, mean, all flows", size: "all", key: "slowdown_mean" },
  { title: "slowdown, p99, all flows", size: "all", key: "slowdown_p99" },
  { title: "FCT, mean, small flows (ms)", size: "small", key: "fct_mean_ms" },
  { title: "FCT, p99, small flows (ms)", size: "small", key: "fct_p99_ms" },
  { title: "FCT, mean, medium flows (ms)", size: "medium", key: "fct_mean_ms" },
  { title: "FCT, mean, large flows (ms)", size: "large", key: "fct_mean_ms" },
  { title: "requests, p99 (ms)", size: "all", key: "rct_p99_ms" },
  { title: "unevenness of uplinks (CV)", size: "all", key: "link_cv" },
  { title: "worst queue, p99 (bytes)", size: "all", key: "queue_worst_port_p99_bytes" },
];

/** A line of every panel. */
export interface KeyLine extends LegendLine {
  readonly scheme: ShownScheme;
  readonly points: readonly LoadPoint[];
}

/** Charts over a swept number, such as the load, with confidence intervals; a panel is left out where no row has its figure. */
export function chartsByKey(key: string, shown: readonly KeyLine[]): Chart[] {
  return PANELS.flatMap((panel): Chart[] => {
    const lines = shown.map(
      ({ title, place, points, scheme }): ChartLine => ({
        ...{ title, place },
        dots: points.flatMap((point) => dotOf(point, key, panel, scheme)).sort((a, b) => a.x - b.x),
      }),
    );
    const all = lines.flatMap(({ dots }) => dots);
    if (all.length === 0) return [];
    const ys = all.map(({ y }) => y);
    const wide = Math.min(...ys) > 0 && Math.max(...ys) > 8 * Math.min(...ys);
    const ticks = [...new Set(all.map(({ x }) => x))].sort((a, b) => a - b);
    return [
      {
        lines,
        x: {
          label: key,
          ...given({ paper: key === "load" ? "load (share of the capacity)" : undefined }),
          ticks,
          tickFormat: String,
          type: "linear",
          nice: false,
          inset: 12,
        },
        y: {
          ...{ label: panel.title, type: wide ? "log" : "linear", zero: !wide, grid: false, nice: true },
          ticks: 5,
          tickFormat: (value: number) => value.toLocaleString("en-US", { maximumSignificantDigits: 4 }),
        },
        intervals: true,
        dot: ({ title }, { y }) => `${title}: ${y}`,
      },
    ];
  });
}

function dotOf(point: LoadPoint, key: string, { size, key: figure }: Panel, scheme: ShownScheme): Dot[] {
  const row: LoadRow | undefined = unitOf(point, scheme)?.rows.find((one) => one.size === size);
  const y = row?.[figure];
  if (typeof y !== "number") return [];
  const interval = defined(row)[`${figure}_ci95`];
  const half = typeof interval === "number" ? interval : 0;
  const low = Math.max(y - half, y > 0 ? y / 100 : y);
  return [{ x: point.values[key] as number, y, low, high: y + half }];
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

/**
 * Slowdowns of a size class at one point: the whole distribution (CDF), and its tail (CCDF) on logarithmic axes. Undefined where no flow of
 * it ended.
 */
export function slowdownCharts(
  point: LoadPoint,
  size: SizeClass | "all",
  schemes: readonly ShownScheme[],
): { readonly cdf: Chart; readonly ccdf: Chart } | undefined {
  const lines = schemes.flatMap((scheme): ChartLine[] => {
    const unit = unitOf(point, scheme);
    const points = unit === undefined ? [] : pooled(unit.outcomes, "slowdown", size).cdf(300);
    return points.length === 0
      ? []
      : [{ ...scheme, dots: points.map(({ x, fraction }) => ({ x, y: fraction })) }];
  });
  if (lines.length === 0) return undefined;
  const xs = lines.flatMap(({ dots }) => dots.map(({ x }) => x));
  const [low, high] = [Math.min(...xs), Math.max(...xs)];
  const domain: [number, number] = [Math.min(low, 1), Math.max(high, low * 2)];
  const start = { x: domain[0], y: 0 };
  const tails = lines.map((line) => ({
    ...line,
    dots: [start, ...line.dots].map(({ x, y }) => ({ x, y: 1 - y })).filter(({ y }) => y > 1e-9),
  }));
  const least = Math.min(0.1, ...tails.flatMap(({ dots }) => dots.map(({ y }) => y)));
  const shared = {
    x: {
      type: "log",
      domain,
      label: "slowdown",
      paper: "slowdown (FCT / FCT of the flow alone)",
      ticks: 6,
      tickFormat: shortNumber,
    },
    frame: { height: 260 },
    steps: true,
  } as const;
  return {
    cdf: {
      ...shared,
      lines: lines.map((line) => ({
        ...line,
        dots: [start, { x: defined(line.dots[0]).x, y: 0 }, ...line.dots],
      })),
      y: {
        domain: [0, 1],
        label: "flows with at most this slowdown",
        paper: "share of flows with at most it",
        tickFormat: percent,
      },
    },
    ccdf: {
      ...shared,
      lines: tails,
      y: {
        type: "log",
        domain: [least, 1],
        label: "flows with more",
        paper: "share of flows with more",
        tickFormat: percent,
        ticks: 4,
      },
    },
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

/** Bytes in all switch queues together over time, for the first seed. Undefined where no unit has figures of queues. */
export function queueChart(point: LoadPoint, schemes: readonly ShownScheme[]): Chart | undefined {
  const lines = schemes.flatMap((scheme): ChartLine[] => {
    const queues = unitOf(point, scheme)?.outcomes[0]?.queues;
    if (queues === undefined) return [];
    const { binNs, mean } = queues.total;
    return [
      { ...scheme, dots: mean.map((bytes, bin) => ({ x: ((bin + 0.5) * binNs) / 1e6, y: bytes / 1000 })) },
    ];
  });
  if (lines.length === 0) return undefined;
  return {
    lines,
    x: { label: "ms from the start of the traffic", paper: "time since the start of the traffic (ms)" },
    y: { label: "KB in all switch queues", paper: "data in all switch queues (KB)", zero: true, nice: true },
    frame: { width: WIDTH, height: 220, marginLeft: 60, marginTop: 28 },
    strokeWidth: 1.5,
  };
}

interface Cell {
  readonly scheme: string;
  readonly place: number;
  readonly direction: string;
  readonly link: string;
  readonly utilisation: number;
}

/**
 * Heat map of the links between switches: a strip a scheme, a cell a link and direction; means over the seeds. Undefined where no unit has
 * figures of links between switches.
 */
export function linkMap(point: LoadPoint, schemes: readonly ShownScheme[]): Drawing | undefined {
  const cells = schemes.flatMap((scheme) => cellsOf(point, scheme));
  if (cells.length === 0) return undefined;
  const rows = new Set(cells.map(({ scheme, direction }) => `${scheme} ${direction}`)).size;
  const shown = schemes.filter(({ title }) => cells.some(({ scheme }) => scheme === title));
  return {
    plot: (Plot) => ({
      ...{
        width: WIDTH,
        height: 64 + 22 * rows,
        marginLeft: 150,
        marginRight: 44,
        marginTop: 8,
        marginBottom: 28,
      },
      style: PLOT_STYLE,
      padding: 0,
      x: { type: "band", axis: null, padding: 0 },
      y: { domain: shown.map(({ title }) => title), label: null, padding: 0.12, tickSize: 0 },
      fy: {
        label: null,
        domain: ["up", "down"].filter((one) => cells.some(({ direction }) => direction === one)),
        padding: 0.12,
      },
      marks: [
        Plot.cell(cells, {
          x: "place",
          y: "scheme",
          fy: "direction",
          fill: (cell: Cell) => heat(cell.utilisation),
          inset: 0,
          title: (cell: Cell) => `${cell.link}: ${Math.round(100 * cell.utilisation)} %`,
        }),
      ],
    }),
  };
}

/** From transparent blue (idle) over blue (60 %) to orange (full): legible on light and dark pages. */
function heat(utilisation: number): string {
  const share = Math.min(Math.max(utilisation, 0), 1);
  if (share <= 0.6) return `rgba(47,127,203,${Number((0.06 + (0.94 * share) / 0.6).toFixed(3))})`;
  const toward = (share - 0.6) / 0.4;
  const mix = (a: number, b: number) => Math.round(a + (b - a) * toward);
  return `rgba(${mix(47, 217)},${mix(127, 100)},${mix(203, 30)},1)`;
}

function cellsOf(point: LoadPoint, scheme: ShownScheme): Cell[] {
  const lists = (unitOf(point, scheme)?.outcomes ?? []).flatMap(({ links }) =>
    links === undefined ? [] : [links],
  );
  const [first] = lists;
  if (first === undefined) return [];
  const isFabric = switchLinks(first);
  const places = { up: 0, down: 0 };
  return first.flatMap(({ from, to, uplink }, i): Cell[] => {
    if (!isFabric[i]) return [];
    const direction = uplink ? "up" : "down";
    const utilisation = lists.reduce((sum, links) => sum + defined(links[i]).utilisation, 0) / lists.length;
    return [
      { scheme: scheme.title, place: places[direction]++, direction, link: `${from} to ${to}`, utilisation },
    ];
  });
}

/** Whether each direction belongs to a link between switches: one of its two directions, which are neighbours in the list, is an uplink. */
function switchLinks(links: readonly LinkUse[]): boolean[] {
  return links.map(({ uplink }, i) => uplink || links[i ^ 1]?.uplink === true);
}
