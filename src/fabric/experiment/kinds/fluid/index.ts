/** The kind `fluid`: rates of flows over the paths of schemes, without packets. A unit is a scheme. */

import { defined, given } from "../../../../base/index.js";
import { QuantileSketch } from "../../../statistics/index.js";
import { onlySchemes } from "../../experiment.js";
import type { SweepResults } from "../../results.js";
import { lineChart } from "../../view/page.js";
import {
  keyColumns,
  type PointChart,
  pageTable,
  pointPanels,
  SCROLLS,
  schemeLegend,
  topologyPage,
} from "../../view/parts.js";
import type { ChartLine, Column, Figure, View } from "../../view/view.js";
import type { Kind } from "../kind.js";
import { eachSeed, fromTopology } from "../registered-kind.js";
import { type FlowSim, type FlowSimRun, flowSimOf } from "./check.js";
import type { FlowSimOutcome } from "./outcome.js";
import { type FlowSimSettings, flowSimFileSchema } from "./schema.js";

// Table, page and figures of the kind `fluid`: throughput gain and links of a path over a swept number, utilisation of links, throughput over time.

type FlowSimSweep = SweepResults<FlowSim, FlowSimRun, FlowSimOutcome, FlowSimRow>;

const COLUMNS: readonly Column<FlowSimRow>[] = [
  { key: "throughput_gbps", title: "Gbps", digits: 1 },
  { key: "offered_gbps", title: "offered", digits: 1 },
  { key: "mean_links", title: "links", digits: 3 },
  { key: "idle_links_percent", title: "idle links %", digits: 2 },
  { key: "flows", title: "flows", digits: 0 },
  { key: "open_flows", title: "open", digits: 0 },
  { key: "stalled_flows", title: "stalled", digits: 0 },
  { key: "fct_p50_ms", title: "fct p50 ms", digits: 2 },
  { key: "fct_p99_ms", title: "p99 ms", digits: 2 },
];

const CHARTS: readonly PointChart<FlowSim, FlowSimRun, FlowSimOutcome, FlowSimRow>[] = [
  {
    file: "utilisation",
    labels: ["utilisation of a link", "share of the links"],
    dots: ({ utilisation }) => utilisation.map((x, i) => ({ x, y: i / (utilisation.length - 1) })),
  },
  {
    file: "time",
    labels: ["time (s)", "throughput (Gbps)"],
    dots: ({ gbps }, { experiment: { settings } }) =>
      gbps.map((y, i) => ({ x: ((i + 1) * settings.epoch) / 1e9, y })),
  },
];

const FLOW_SIM_VIEW: View<FlowSim, FlowSimRun, FlowSimOutcome, FlowSimRow> = {
  columns: (rows, swept) => [
    ...COLUMNS,
    {
      title: `gain over ${rows[0]?.["scheme"] ?? "first"} %`,
      format: (_, row) => gainOf(row, rows, swept)?.toFixed(1) ?? null,
    },
  ],
  page(results) {
    const { keys, seeds, points } = results;
    const rows = results.rows;
    const legend = schemeLegend(results);
    const lead = `Rates of flows without packets: ${legend.length} schemes, ${points.length} points, seeds ${seeds.join(", ")}.`;
    const gain = {
      heading: "gain %",
      cell: (row: FlowSimRow) => gainOf(row, rows, keys)?.toFixed(1) ?? "",
    };
    const columns = [...keyColumns(rows, (key) => key === "scheme"), gain];
    // The first swept key whose values are all numbers.
    const axis = keys.find((key) => points.every(({ values }) => typeof values[key] === "number"));
    return topologyPage(results, lead, [
      { legend },
      axis !== undefined && {
        heading: `By ${axis}`,
        panels: { figures: overAxis(results, axis), joint: "\n" },
      },
      { heading: "Results", html: pageTable({ columns, lines: rows, box: SCROLLS }) },
      { heading: "Links and throughput over time" },
      ...pointPanels(results, CHARTS, "Links and time").map(
        ({ name, figures }) => ({ heading: name, level: 3, panels: { figures } }) as const,
      ),
    ]);
  },
};

/** Figures over the axis: means over seeds and over the values of other swept keys. */
function overAxis(results: FlowSimSweep, axis: string): Figure[] {
  const rows = results.rows;
  const figure = (file: string, y: string, value: (row: FlowSimRow) => number | string | undefined) => {
    const lines = schemeLegend(results).map((line): ChartLine => {
      const own = rows.filter((row) => row["scheme"] === line.title);
      const xs = [...new Set(own.map((row) => Number(row[axis])))].sort((a, b) => a - b);
      const dots = xs.flatMap((x) => {
        const ys = own
          .filter((row) => Number(row[axis]) === x)
          .map(value)
          .filter((one) => typeof one === "number");
        return ys.length === 0 ? [] : [{ x, y: ys.reduce((sum, y) => sum + y, 0) / ys.length }];
      });
      return { ...line, dots };
    });
    return { file: `figures/${file}`, drawing: lineChart(lines, [axis, y], true) };
  };
  return [
    figure("gain", "throughput gain (%)", (row) => gainOf(row, rows, results.keys)),
    figure("throughput", "throughput (Gbps)", (row) => row["throughput_gbps"]),
    figure("links", "links of a path", (row) => row["mean_links"]),
    figure("idle", "idle links (%)", (row) => row["idle_links_percent"]),
  ];
}

export const FLOW_SIM: Kind<FlowSimSettings, FlowSim, FlowSimRun, FlowSimOutcome, FlowSimRow> = {
  name: "fluid",
  keys: ["epoch", "bundles", "rates"],
  schema: onlySchemes(flowSimFileSchema),
  check: flowSimOf,
  units: ({ runs }) => runs,
  takesRuns: false,
  runner: fromTopology(async (experiment, unit, stage) =>
    (await import("./outcome.js")).runFlowSim(experiment, unit, stage),
  ),
  rows: eachSeed(({ changes }, { scheme }, outcome) => [
    flowSimRow(scheme.label, outcome, changes.length > 0),
  ]),
  dependsOn: (_experiment, { dependsOn }) => dependsOn,
  notes: ({ settings: { bundles, epoch, step = epoch } }) => [
    `Rates of flows without packets: rates are constant in steps of ${step / 1e6} ms, and completion times are exact to a step.`,
    ...(bundles === undefined
      ? []
      : [
          `The flows of two racks share ${bundles} bundles with one path each; the limits of NICs are the rate of one NIC and the sum of a rack.`,
        ]),
  ],
  view: FLOW_SIM_VIEW,
};

// The rows of a fluid experiment: one scheme, one point of the sweep, one seed.

/** Figures of the measured time. A figure that does not exist has no key: where no flow ended, there is no completion time. */
type FlowSimRow = Readonly<Record<string, number | string>>;

/** `stalls`: the run has faults. */
function flowSimRow(scheme: string, outcome: FlowSimOutcome, stalls: boolean): FlowSimRow {
  const { measuredNs, deliveredBytes, offeredBytes, links, idleLinks } = outcome;
  const completion = QuantileSketch.fromJson(outcome.completion);
  const gbps = (bytes: number) => round((bytes * 8) / measuredNs);
  return {
    scheme,
    throughput_gbps: gbps(deliveredBytes),
    ...given({ offered_gbps: offeredBytes === 0 ? undefined : gbps(offeredBytes) }),
    mean_links: round(outcome.meanLinks),
    idle_links_percent: links === 0 ? 0 : round((100 * idleLinks) / links),
    link_utilisation_p50: defined(outcome.utilisation[50]),
    link_utilisation_p99: defined(outcome.utilisation[99]),
    flows: outcome.flows,
    open_flows: outcome.open,
    most_open_flows: outcome.mostOpen,
    ...(completion.count === 0
      ? {}
      : {
          fct_mean_ms: round(completion.mean / 1e6),
          fct_p50_ms: round(completion.quantile(0.5) / 1e6),
          fct_p99_ms: round(completion.quantile(0.99) / 1e6),
        }),
    moved_flows: round(outcome.moved),
    ...given({ stalled_flows: stalls ? round(outcome.stalled) : undefined }),
  };
}

/** Six significant digits. */
function round(value: number): number {
  return Number(value.toPrecision(6));
}

/** Gain over the first scheme of the same point and seed, in percent; undefined for the first scheme itself. */
function gainOf(row: FlowSimRow, rows: readonly FlowSimRow[], keys: readonly string[]): number | undefined {
  const same = (key: string) => (one: FlowSimRow) => JSON.stringify(one[key]) === JSON.stringify(row[key]);
  const base = rows.find((one) => ["seed", ...keys].every((key) => same(key)(one)));
  if (base === undefined || base["scheme"] === row["scheme"] || Number(base["throughput_gbps"]) === 0)
    return undefined;
  return 100 * (Number(row["throughput_gbps"]) / Number(base["throughput_gbps"]) - 1);
}
