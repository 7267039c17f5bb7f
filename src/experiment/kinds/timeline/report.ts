/** The files that a timeline leaves: rows, outages, a figure, and a page with all of it. */

import { join } from "node:path";
import { escapeMarkup } from "../../../base/index.js";
import { logFiles } from "../../control-plane.js";
import type { SchemeRun } from "../../experiment.js";
import { effectName, elementName } from "../../faults/fault.js";
import { inline, reportPage } from "../../page.js";
import { schemeTitle } from "../failover/palette.js";
import { flatten } from "../failover/report.js";
import { csv } from "../failover/tables.js";
import { timelineFigure } from "./figure.js";
import type { TimelineRow } from "./flows.js";
import { type TimelineResults, timelineJson } from "./run.js";

export function timelineFiles(results: TimelineResults): [name: string, text: string][] {
  const { rows, series } = results;
  const header = Object.keys(rows[0]!) as (keyof TimelineRow)[];
  const table = csv(
    header,
    rows.map((row) => header.map((key) => row[key])),
  );
  const ms = (ns: number | undefined) => (ns === undefined ? null : Number((ns / 1e6).toFixed(3)));
  const outages = series.flatMap(({ scheme, records }) =>
    records.flatMap((record, flow) =>
      record.outages.map(({ from, firstTimeout, to, timeouts }) => [
        scheme.label,
        flow,
        ms(firstTimeout),
        ms(to),
        timeouts,
        ms(from),
      ]),
    ),
  );
  const figure = timelineFigure(results);
  return [
    ["results.json", timelineJson(results)],
    ["results.csv", table],
    [
      "outages.csv",
      csv(["scheme", "flow", "first_timeout_ms", "recovered_ms", "timeouts", "last_progress_ms"], outages),
    ],
    ["timeline.svg", figure],
    ["report.html", page(results, figure, table)],
    ...logFiles(series.flatMap(({ scheme: { label }, log: lines }) => (lines ? [{ label, lines }] : []))),
    ...results.programs.map(({ file, text }): [string, string] => [join("programs", file), text]),
  ];
}

function page(
  { notes, warnings, seed, engine, source, rows, programs }: TimelineResults,
  svg: string,
  data: string,
): string {
  const { settings, topology } = source;
  const title = settings.title ?? settings.name;
  const faults = source.faults.map((fault) => {
    const until = fault.until === undefined ? "" : ` to ${fault.until / 1e6} ms`;
    const what = `${elementName(topology, fault.element)}, ${effectName(fault)}`;
    return `<li>${fault.at / 1e6} ms${until}: ${escapeMarkup(what)}</li>`;
  });
  const killed = source.controllerFaults.map(
    ({ at, controller, kind }) =>
      `<li>${at / 1e6} ms: ${escapeMarkup(`controller ${controller}, ${kind}`)}</li>`,
  );
  const facts: [string, string][] = [
    ["experiment, seed, engine", `${settings.name}, ${seed}, ${engine}`],
    ["topology", flatten(settings.topology).join(", ")],
    ...source.schemes.map(({ label, parameters }): [string, string] => [
      `scheme ${label}`,
      flatten(parameters).join(", "),
    ]),
    ["transport", flatten({ ...settings.transport }).join(", ")],
  ];
  return reportPage(title, [
    `<h1>${escapeMarkup(title)}</h1>`,
    ...warnings.map((text) => `<p class="note"><strong>Warning: ${escapeMarkup(text)}</strong></p>`),
    ...notes.map((note) => `<p class="note">${escapeMarkup(note)}</p>`),
    `<figure>${inline(svg)}<figcaption>A line a flow, from its start to its end. Red: outages, from the last progress before a timeout to the next one. Dashed: faults, and dotted where one ends.</figcaption></figure>`,
    "<h2>Faults</h2>",
    faults.length + killed.length === 0 ? "<p>None.</p>" : `<ul>${[...faults, ...killed].join("")}</ul>`,
    "<h2>Results</h2>",
    resultTable(rows, source.schemes),
    `<p class="note">Outage: the longest time from the last acknowledgement of new data before a timeout to the first one after it${engine === "sim" ? "" : ", a lower bound: hosts report the timeout, which came at least the RTO margin after the last progress"}.</p>`,
    "<h2>Parameters</h2>",
    `<table class="parameters"><tbody>${facts.map(([name, value]) => `<tr><td>${escapeMarkup(name)}</td><td>${escapeMarkup(value)}</td></tr>`).join("")}</tbody></table>`,
    "<h2>Data</h2>",
    `<details><summary>Result table as CSV</summary><pre>${escapeMarkup(data)}</pre></details>`,
    `<details><summary>Experiment file</summary><pre>${escapeMarkup(source.source.text)}</pre></details>`,
    ...programs.map(
      ({ file, text }) =>
        `<details><summary>Generated program ${escapeMarkup(file)}</summary><pre>${escapeMarkup(text)}</pre></details>`,
    ),
  ]);
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
    return `<tr${first}>${words.map((word) => `<td class="word">${escapeMarkup(word)}</td>`).join("")}${[...numbers, row.recovered ? "yes" : "no"].map((text) => `<td>${text}</td>`).join("")}</tr>`;
  });
  return `<table><thead><tr>${head.map((name, i) => `<th${i < 2 ? ' class="word"' : ""}>${name}</th>`).join("")}</tr></thead><tbody>${lines.join("\n")}</tbody></table>`;
}
