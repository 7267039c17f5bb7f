/** Figure 7b of the P-ECMP paper: the distribution of recovery times, on a logarithmic axis. */
import type { PlotOptions } from "@observablehq/plot";
import type { Tries } from "../../../schemes/index.js";
import { cdfPoints } from "../../../statistics/index.js";
import type { EngineName } from "../../experiment.js";
import { FAILURES } from "../../faults/drawn-failures.js";
import { svgText, WIDTH } from "../../view/figure.js";
import type { Drawing, PlotLibrary } from "../../view/view.js";
import { firstTimeoutMs, hasModelTimes, type Series, theoryOf, timeOfTry } from "./results.js";
import type { Experiment } from "./schema.js";

export interface FigureLine {
  name: string;
  style: LineStyle;
  points: { x: number; fraction: number }[];
  /** Closed form: time and fraction after each try; empty where there is none. */
  theory: { x: number; fraction: number }[];
  neverRecovers: boolean;
}

const HEIGHT = 420;
const MARGIN = { left: 58, right: 232, top: 18, bottom: 46 };

/** One line for each scheme and failure; lines of a scheme that coincide are merged under one name. */
export function figureLines(
  experiment: Experiment,
  series: readonly Series[],
  engine: EngineName = "sim",
): FigureLine[] {
  const lines: FigureLine[] = [];
  for (const [schemeIndex, scheme] of experiment.schemes.entries()) {
    const own = series.filter((one) => one.scheme === scheme);
    const drawn = own.map((one) => lineOf(experiment, one, schemeIndex, engine));
    const { title } = scheme;
    const [first] = drawn;
    if (first !== undefined && drawn.length > 1 && drawn.every((line) => coincide(line, first)))
      lines.push({ ...first, name: `${title}, every failure` });
    else lines.push(...drawn);
  }
  return lines;
}

function lineOf(experiment: Experiment, one: Series, schemeIndex: number, engine: EngineName): FigureLine {
  const times = one.samples.map((sample) => sample.recoveryMs);
  const theory: FigureLine["theory"] = [];
  const expected = theoryOf(experiment, one.scheme, one.failure);
  // One step, at the first try or never, needs no circles.
  if (hasModelTimes(engine) && expected !== undefined && isGradual(expected)) {
    const { rto_margin, rto_cap } = experiment.settings.transport;
    const first = firstTimeoutMs(rto_margin, one.samples);
    for (let tries = 1; tries <= 60; tries++) {
      const fraction = expected.recoveredAfter(tries);
      theory.push({ x: timeOfTry(tries, first, rto_cap / 1e6), fraction });
      if (1 - fraction < 0.002) break;
    }
  }
  return {
    name: `${one.scheme.title}, ${one.failure.title} fails`,
    style: lineStyle(schemeIndex, one.failure.name, experiment.failures.indexOf(one.failure)),
    points: cdfPoints(times),
    theory,
    neverRecovers: times.every((time) => time === Number.POSITIVE_INFINITY),
  };
}

/** Whether some flows recover at the first try and others at later ones. */
export function isGradual(tries: Tries): boolean {
  const first = tries.recoveredAfter(1);
  return first > 0 && first < 1;
}

/** Whether all samples of both lines lie within a tenth of one time, or neither flow ever recovers. */
function coincide(a: FigureLine, b: FigureLine): boolean {
  if (a.neverRecovers || b.neverRecovers) return a.neverRecovers === b.neverRecovers;
  const all = [...a.points, ...b.points].map((point) => point.x);
  const complete = [a, b].every((line) => line.points.at(-1)!.fraction === 1);
  return complete && Math.max(...all) < 1.5 * Math.min(...all);
}

export function cdfFigure(lines: readonly FigureLine[], giveUpMs: number): Drawing {
  const finite = lines.flatMap((line) => [...line.points, ...line.theory]).map((point) => point.x);
  const low = Math.min(5, ...finite) * 0.9;
  const high = Math.min(Math.max(100, ...finite) * 1.15, giveUpMs);
  return {
    plot: (Plot) => cdfOptions(Plot, lines, low, high),
    beside: `${svgText(
      [MARGIN.left + (WIDTH - MARGIN.left - MARGIN.right) / 2, HEIGHT - 8],
      "time from the failure to recovery",
      "middle",
    )}<g transform="translate(14 ${MARGIN.top + (HEIGHT - MARGIN.top - MARGIN.bottom) / 2}) rotate(-90)">${svgText([0, 0], "flows recovered", "middle")}</g>${legendOf(lines)}`,
  };
}

function cdfOptions(Plot: PlotLibrary, lines: readonly FigureLine[], low: number, high: number): PlotOptions {
  const marks = lines.flatMap((line) => {
    const last = line.points.at(-1)?.fraction ?? 0;
    const steps = [{ x: low, fraction: 0 }, ...line.points, { x: high, fraction: last }];
    return [
      Plot.line(steps, {
        x: "x",
        y: "fraction",
        stroke: line.style.colour,
        strokeWidth: 2.2,
        curve: "step-after",
        strokeDasharray: line.style.dash ?? "none",
      }),
      Plot.dot(
        line.theory.filter((point) => point.x <= high),
        { x: "x", y: "fraction", r: 3.2, fill: "white", stroke: line.style.colour, strokeWidth: 1.4 },
      ),
    ];
  });
  return {
    width: WIDTH,
    height: HEIGHT,
    marginLeft: MARGIN.left,
    marginRight: MARGIN.right,
    marginTop: MARGIN.top,
    marginBottom: MARGIN.bottom,
    style: { fontSize: "12px" },
    x: { type: "log", domain: [low, high], label: null },
    y: { domain: [0, 1], label: null },
    marks: [
      Plot.gridY({ stroke: "#e3e6e9", strokeOpacity: 1 }),
      Plot.gridX(decades(low, high), { stroke: "#eef0f2", strokeOpacity: 1 }),
      Plot.axisX(decades(low, high), { tickFormat: formatTick, tickSize: 4, color: "#4a525a" }),
      Plot.axisY({
        ticks: 5,
        tickFormat: (fraction: number) => `${Math.round(fraction * 100)} %`,
        tickSize: 0,
        color: "#4a525a",
      }),
      ...marks,
    ],
  };
}

/** 5, 10, 20, 50, 100, ... within the axis. */
function decades(low: number, high: number): number[] {
  const ticks: number[] = [];
  for (let power = 1; power <= high; power *= 10)
    for (const step of [1, 2, 5]) if (power * step >= low && power * step <= high) ticks.push(power * step);
  return ticks;
}

function formatTick(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${ms / 1000} s`;
}

function legendOf(lines: readonly FigureLine[]): string {
  const x = WIDTH - MARGIN.right + 16;
  let y = MARGIN.top + 12;
  let out = "";
  for (const line of lines) {
    const dash = line.style.dash === undefined ? "" : ` stroke-dasharray="${line.style.dash}"`;
    out += `<path d="M${x} ${y - 4}h22" fill="none" stroke="${line.style.colour}" stroke-width="2.6"${dash}></path>`;
    out += svgText([x + 30, y], line.name, "start");
    if (line.neverRecovers) {
      y += 15;
      out += svgText([x + 30, y], "(never recovers)", "start");
    }
    y += 21;
  }
  if (lines.some((line) => line.theory.length > 0)) {
    out += `<circle cx="${x + 11}" cy="${y - 4}" r="3.2" fill="white" stroke="#4a525a" stroke-width="1.4"></circle>`;
    out += svgText([x + 30, y], "closed form", "start");
  }
  return `<g>${out}</g>`;
}

/** Dark to light; people with red-green colour blindness can distinguish them too. */
const FAMILIES: readonly (readonly string[])[] = [
  ["#0b5cad", "#2f7fcb", "#5f9fdc", "#1c4f86"],
  ["#a8200d", "#dd6a1f", "#eda23a", "#8a4a6b"],
  ["#5b6570", "#7d8790", "#9aa3ab", "#48525c"],
  ["#0e7a5f", "#2f9e7f", "#64bda3", "#0a5a46"],
];

/** One-word failures of links are dashed; each group of four further failures has a pattern of its own. */
const DASHES: readonly (string | undefined)[] = [undefined, "8,4", "2,3", "10,3,2,3"];
const LINK_DASH = "5,3";

interface LineStyle {
  colour: string;
  dash: string | undefined;
}

/** `place`: index of the failure in the experiment. One-word failures have the same style in every experiment. */
function lineStyle(schemeIndex: number, failure: string, place: number): LineStyle {
  const family = FAMILIES[schemeIndex % FAMILIES.length]!;
  const word = (FAILURES as readonly string[]).indexOf(failure);
  if (word >= 0) return { colour: family[word]!, dash: failure === "link" ? LINK_DASH : undefined };
  const dash = DASHES[Math.floor(place / family.length) % DASHES.length];
  return { colour: family[place % family.length]!, dash };
}
