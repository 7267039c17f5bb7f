/** Table, page, figure and file of the kind `timeline`. */
import { escapeMarkup } from "../../../../base/index.js";
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
import type { SchemeUnit } from "../kind.js";
import { timelineFigure } from "./figure.js";
import { recoveredText, recoveryOf, type TimelineRow } from "./flows.js";
import type { TimelineSeries } from "./results.js";
import type { Timeline } from "./schema.js";

type NumberKey = "bytes" | "fct_ms" | "timeouts" | "repaths" | "copies" | "longest_outage_ms";

function number(key: NumberKey, title: string, digits?: number): Column<TimelineRow> {
  const html = (row: TimelineRow) => row[key]?.toLocaleString("en-US", { maximumFractionDigits: 1 });
  return { key, title, html, ...(digits === undefined ? {} : { digits }) };
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

export const TIMELINE_VIEW: View<Timeline, SchemeUnit, TimelineSeries, TimelineRow> = {
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
