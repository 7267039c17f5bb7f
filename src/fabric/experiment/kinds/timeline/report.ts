/** The files that a timeline writes: outages, a figure, and a page with all of it. */
import { escapeMarkup } from "../../../../base/index.js";
import { csv } from "../../csv.js";
import { effectName, elementName } from "../../faults/fault.js";
import { inline, resultsPage, schemeTitle } from "../../page.js";
import type { SchemeRun } from "../../scheme-run.js";
import { timelineFigure } from "./figure.js";
import { recoveredText, recoveryOf, type TimelineRow } from "./flows.js";
import type { TimelineResults, TimelineSeries } from "./results.js";
import type { Timeline } from "./schema.js";

export async function timelineFiles(results: TimelineResults): Promise<[name: string, text: string][]> {
  const { engine, rows, series, source } = results;
  const figure = timelineFigure(results);
  const html = resultsPage(results, {
    body: [
      `<figure>${inline(figure)}<figcaption>A line a flow, from its start to its end. Red: outages, from the last progress before a timeout to the next one. Dashed: faults, and dotted where one ends.</figcaption></figure>`,
      "<h2>Faults</h2>",
      faultList(source),
      "<h2>Results</h2>",
      resultTable(rows, source.schemes),
      `<p class="note">Outage: the longest time from the last acknowledgement of new data before a timeout to the first one after it${engine === "sim" ? "" : ", a lower bound: hosts report the timeout, which came at least the RTO margin after the last progress"}. Recovered: left, if data flowed again while all faults of the outage still acted; repaired, if only after one of them had ended; yes, without a fault.</p>`,
    ],
    facts: [["traffic", `IPv${source.settings.traffic.ip}`]],
  });
  return [
    ["outages.csv", outagesCsv(source, series)],
    ["timeline.svg", figure],
    ["report.html", html],
  ];
}

function outagesCsv({ faults }: Timeline, series: readonly TimelineSeries[]): string {
  const ms = (ns: number | undefined) => (ns === undefined ? null : Number((ns / 1e6).toFixed(3)));
  const outages = series.flatMap(({ scheme, records }) =>
    records.flatMap((record, flow) =>
      record.outages.map((outage) => [
        scheme.label,
        flow,
        ms(outage.firstTimeout),
        ms(outage.to),
        outage.timeouts,
        ms(outage.from),
        recoveryOf(outage, faults) ?? null,
      ]),
    ),
  );
  return csv(
    ["scheme", "flow", "first_timeout_ms", "recovered_ms", "timeouts", "last_progress_ms", "recovered_by"],
    outages,
  );
}

function faultList({ faults, controllerFaults, topology }: Timeline): string {
  const lines = [
    ...faults.map((fault) => {
      const until = fault.until === undefined ? "" : ` to ${fault.until / 1e6} ms`;
      return `${fault.at / 1e6} ms${until}: ${elementName(topology, fault.element)}, ${effectName(fault)}`;
    }),
    ...controllerFaults.map(
      ({ at, controller, kind }) => `${at / 1e6} ms: controller ${controller}, ${kind}`,
    ),
  ];
  if (lines.length === 0) return "<p>None.</p>";
  return `<ul>${lines.map((line) => `<li>${escapeMarkup(line)}</li>`).join("")}</ul>`;
}

function resultTable(rows: readonly TimelineRow[], schemes: readonly SchemeRun[]): string {
  const head = [
    "scheme",
    "flow",
    "bytes",
    "fct ms",
    "timeouts",
    "re-paths",
    "copies",
    "outage ms",
    "recovered",
  ];
  const cell = (value: number | null) =>
    value === null ? "&ndash;" : value.toLocaleString("en-US", { maximumFractionDigits: 1 });
  const lines = rows.map((row, i) => {
    const first = i > 0 && rows[i - 1]!.scheme !== row.scheme ? ' class="first"' : "";
    const words = [schemeTitle(schemes, row.scheme), `${row.flow}: ${row.from} to ${row.to}`];
    const numbers = [row.bytes, row.fct_ms, row.timeouts, row.repaths, row.copies, row.longest_outage_ms].map(
      cell,
    );
    return `<tr${first}>${words.map((word) => `<td class="word">${escapeMarkup(word)}</td>`).join("")}${[...numbers, recoveredText(row)].map((text) => `<td>${text}</td>`).join("")}</tr>`;
  });
  return `<table><thead><tr>${head.map((name, i) => `<th${i < 2 ? ' class="word"' : ""}>${name}</th>`).join("")}</tr></thead><tbody>${lines.join("\n")}</tbody></table>`;
}
