/** A figure with one line for each flow over time: outages are red, and each fault has a mark. */
import { effectName, endName } from "../../faults/fault.js";
import { svgText, WIDTH } from "../../view/page.js";
import type { FlowRecord } from "./flows.js";
import type { TimelineSeries } from "./results.js";
import type { Timeline } from "./schema.js";

const LEFT = 150;
const RIGHT = 20;
const TOP = 34;
const LINE = 13;
const TITLE = 24;
const COLOURS = { flow: "#0b5cad", outage: "#c8321a", mark: "#5b6570", grid: "#e3e6e9" };

/** The figure as a standalone SVG document. */
export function timelineFigure(source: Timeline, series: readonly TimelineSeries[]): string {
  const { duration } = source.settings;
  const x = (ns: number) => round(LEFT + ((WIDTH - LEFT - RIGHT) * Math.min(ns, duration)) / duration);
  const parts: string[] = [];
  let y = TOP;
  for (const { scheme, records } of series) {
    parts.push(svgText([8, y + TITLE - 8], scheme.title, "start", 13));
    y += TITLE;
    for (const [number, record] of records.entries()) {
      const { from, to } = record.flow;
      parts.push(svgText([LEFT - 8, y + 4], `${number}: ${from.name} - ${to.name}`, "end", 10));
      parts.push(...flowLine(record, duration, y, x));
      y += LINE;
    }
  }
  const bottom = y + 6;
  const mark = (at: number, dash: string, word: string) =>
    `<path d="M${x(at)} ${TOP - 6}V${bottom}" stroke="${COLOURS.mark}" stroke-dasharray="${dash}"></path>` +
    svgText([x(at) + 2, TOP - 10], word, "start", 10);
  const marks = source.faults.flatMap((fault) => [
    mark(fault.at, "6,3", effectName(fault)),
    ...(fault.until === undefined || fault.until >= duration
      ? []
      : [mark(fault.until, "2,4", endName(fault))]),
  ]);
  for (const { at, kind, controller } of source.controllerFaults)
    marks.push(mark(at, kind === "kill" ? "6,3" : "2,4", `${kind} ${controller}`));
  const ticks = Array.from({ length: 5 }, (_, i) => (duration * i) / 4).map(
    (ns) =>
      `<path d="M${x(ns)} ${TOP}V${bottom}" stroke="${COLOURS.grid}"></path>` +
      svgText([x(ns), bottom + 14], `${round(ns / 1e6)} ms`, ns === duration ? "end" : "middle", 11),
  );
  const height = bottom + 24;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" role="img" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" ` +
    `font-family="system-ui, sans-serif" fill="none">${[...ticks, ...parts, ...marks].join("")}</svg>\n`
  );
}

function flowLine(
  { flow, completion, outages }: FlowRecord,
  duration: number,
  y: number,
  x: (ns: number) => number,
): string[] {
  const stroke = (from: number, to: number, colour: string) =>
    `<path d="M${x(from)} ${y}H${x(to)}" stroke="${colour}" stroke-width="5"></path>`;
  const end = completion === undefined ? duration : flow.start + completion;
  return [
    stroke(flow.start, end, COLOURS.flow),
    ...outages.map(({ from, to }) => stroke(from, to ?? duration, COLOURS.outage)),
  ];
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
