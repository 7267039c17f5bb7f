/** The kind `timeline`: given flows, and faults at given times. A unit is a scheme. */
import { escapeMarkup, given } from "../../../../base/index.js";
import { nodeNamed } from "../../../topology/index.js";
import { withSchemes } from "../../experiment.js";
import { effectName, endName } from "../../faults/fault.js";
import type { RunLoad } from "../../testbed/machine-load.js";
import { svgText, WIDTH } from "../../view/page.js";
import {
  csv,
  fabricPage,
  faultLines,
  onlyRun,
  type Run,
  rowsPage,
  schemeTable,
  schemeTitle,
  word,
} from "../../view/parts.js";
import type { Column, View } from "../../view/view.js";
import type { Kind, SchemeUnit } from "../kind.js";
import { eachSeed, onFabric } from "../registered-kind.js";
import { type Timeline, type TimelineFile, timelineOf, timelineSchema } from "./check.js";
import {
  type FlowRecord,
  recoveredText,
  recoveryOf,
  type TimelineFlow,
  type TimelineRow,
  type TimelineSeries,
  timelineRow,
} from "./flows.js";

// A figure with one line for each flow over time: outages are red, and each fault has a mark.

const LEFT = 150;
const RIGHT = 20;
const TOP = 34;
const LINE = 13;
const TITLE = 24;
const COLOURS = { flow: "#0b5cad", outage: "#c8321a", mark: "#5b6570", grid: "#e3e6e9" };

/** The figure as a standalone SVG document. */
function timelineFigure(source: Timeline, series: readonly TimelineSeries[]): string {
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

// Table, page, figure and file of the kind `timeline`.

type NumberKey = "bytes" | "fct_ms" | "timeouts" | "repaths" | "copies" | "longest_outage_ms";

function number(key: NumberKey, title: string, digits?: number): Column<TimelineRow> {
  const html = (row: TimelineRow) => row[key]?.toLocaleString("en-US", { maximumFractionDigits: 1 });
  return { key, title, html, ...given({ digits }) };
}

const COLUMNS: readonly Column<TimelineRow>[] = [
  { key: "flow", title: "flow", only: "terminal" },
  { key: "from", title: "from", only: "terminal" },
  { key: "to", title: "to", only: "terminal" },
  number("bytes", "bytes"),
  number("fct_ms", "fct ms", 1),
  number("timeouts", "timeouts"),
  number("repaths", "re-paths"),
  number("copies", "copies"),
  number("longest_outage_ms", "outage ms", 1),
  { title: "recovered", format: (_, row) => recoveredText(row) },
];

const TIMELINE_VIEW: View<Timeline, SchemeUnit, TimelineSeries, TimelineRow> = {
  columns: COLUMNS,
  page(results) {
    const run = onlyRun(results);
    if (run === undefined) return rowsPage(results);
    const { experiment, engine, outcomes, rows } = run;
    return fabricPage(results, {
      parts: [
        {
          figure: {
            file: "timeline",
            drawing: { svg: timelineFigure(experiment, outcomes) },
            caption:
              "A line a flow, from its start to its end. Red: outages, from the last progress before a timeout to the next one. Dashed: faults, and dotted where one ends.",
          },
        },
        { heading: "Faults", html: faultList(experiment) },
        {
          heading: "Results",
          html: schemeTable(
            [
              word("scheme", ({ scheme }: TimelineRow) => schemeTitle(experiment.schemes, scheme)),
              word("flow", ({ flow, from, to }: TimelineRow) => `${flow}: ${from} to ${to}`),
            ],
            COLUMNS,
            rows,
          ),
        },
        {
          note: `Outage: the longest time from the last acknowledgement of new data before a timeout to the first one after it${engine === "sim" ? "" : ", a lower bound: hosts report the timeout, which came at least the RTO margin after the last progress"}. Recovered: left, if data flowed again while all faults of the outage still acted; repaired, if only after one of them had ended; yes, without a fault.`,
        },
      ],
      facts: [["traffic", `IPv${experiment.settings.traffic.ip}`]],
    });
  },
  files(results) {
    const run = onlyRun(results);
    return run === undefined ? [] : [["outages.csv", outagesCsv(run)]];
  },
};

function outagesCsv({ experiment, outcomes }: Run<Timeline, TimelineSeries, TimelineRow>): string {
  const ms = (ns: number | undefined) => (ns === undefined ? null : Number((ns / 1e6).toFixed(3)));
  const outages = outcomes.flatMap(({ scheme, records }) =>
    records.flatMap((record, flow) =>
      record.outages.map((outage) => [
        scheme.label,
        flow,
        ms(outage.firstTimeout),
        ms(outage.to),
        outage.timeouts,
        ms(outage.from),
        recoveryOf(outage, experiment.faults) ?? null,
      ]),
    ),
  );
  const head = ["first_timeout_ms", "recovered_ms", "timeouts", "last_progress_ms", "recovered_by"];
  return csv(["scheme", "flow", ...head], outages);
}

function faultList(timeline: Timeline): string {
  const lines = faultLines(timeline).map((parts) => `<li>${escapeMarkup(parts.join(": "))}</li>`);
  return lines.length === 0 ? "<p>None.</p>" : `<ul>${lines.join("")}</ul>`;
}

interface FlowsJson {
  readonly records: readonly (Omit<FlowRecord, "flow"> & {
    readonly flow: Omit<TimelineFlow, "from" | "to"> & { readonly from: string; readonly to: string };
  })[];
  readonly load?: RunLoad;
}

type Portable = NonNullable<Kind<TimelineFile, Timeline, SchemeUnit, TimelineSeries, object>["portable"]>;

const PORTABLE_FLOWS: Portable = {
  toJson: ({ records, load }): FlowsJson => ({
    records: records.map((record) => ({
      ...record,
      flow: { ...record.flow, from: record.flow.from.name, to: record.flow.to.name },
    })),
    ...given({ load }),
  }),
  fromJson: (json, { scheme }, { topology }) => {
    const { records, load } = json as FlowsJson;
    return {
      scheme,
      // JSON leaves out what is undefined.
      records: records.map(({ flow, completion, outages, broken, ...record }) => ({
        ...record,
        flow: {
          ...flow,
          from: nodeNamed(topology, flow.from)!,
          to: nodeNamed(topology, flow.to)!,
          bytes: flow.bytes,
        },
        completion,
        outages: outages.map((outage) => ({ ...outage, to: outage.to })),
        broken,
      })),
      ...given({ load }),
    };
  },
};

export const TIMELINE: Kind<TimelineFile, Timeline, SchemeUnit, TimelineSeries, TimelineRow> = {
  name: "timeline",
  keys: ["flows", "faults"],
  schema: withSchemes(timelineSchema),
  takesRuns: false,
  check: timelineOf,
  units: ({ schemes }) => schemes.map((scheme) => ({ scheme, name: "flows", steps: 1 })),
  runner: onFabric({
    async onSimulator(timeline, { scheme }, stage) {
      const { playInSimulator } = await import("./on-simulator.js");
      const records = await playInSimulator(timeline, scheme, stage);
      await stage.stepDone();
      return { scheme, records };
    },
    testbed: async () => (await import("./on-testbed.js")).TIMELINE_ON_TESTBED,
  }),
  rows: eachSeed(({ faults }, _unit, { scheme, records, load }) =>
    records.map((record, flow) => timelineRow(scheme, flow, record, faults, load)),
  ),
  portable: PORTABLE_FLOWS,
  view: TIMELINE_VIEW,
  isOneRun: true,
};
