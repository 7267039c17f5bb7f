/** The page of a fluid experiment, and its figures as files. The page loads no other file. */

import { escapeMarkup } from "../../../../base/index.js";
import { inline } from "../../page.js";
import { loadPlot } from "../../plot.js";
import { schemeLegend, sweepPage } from "../sweep-page.js";
import {
  axisKey,
  type FluidSweep,
  gainFigure,
  overAxis,
  schemesOf,
  timeFigure,
  utilisationFigure,
} from "./figures.js";
import { type FluidRow, gainOf } from "./rows.js";

export async function fluidFiles(sweep: FluidSweep): Promise<[name: string, text: string][]> {
  const Plot = await loadPlot();
  const schemes = schemesOf(sweep);
  const figures: [string, string][] = [];
  const figure = (name: string, svg: string | undefined): string => {
    if (svg === undefined) return "";
    figures.push([`figures/${name}.svg`, svg]);
    return `<figure>${inline(svg)}</figure>`;
  };
  const key = axisKey(sweep);
  const over =
    key === undefined
      ? []
      : [
          figure("gain", gainFigure(Plot, sweep, key)),
          figure("throughput", overAxis(Plot, sweep, key, "throughput (Gbps)", numberAt("throughput_gbps"))),
          figure("links", overAxis(Plot, sweep, key, "links of a path", numberAt("mean_links"))),
          figure("idle", overAxis(Plot, sweep, key, "idle links (%)", numberAt("idle_links_percent"))),
        ];
  const points = sweep.points.flatMap((point, i) => {
    const suffix = sweep.points.length === 1 ? "" : `-${i + 1}`;
    const name = sweep.keys.map((own) => `${own} ${JSON.stringify(point.values[own])}`).join(", ");
    return [
      `<h3>${escapeMarkup(name === "" ? "Links and time" : name)}</h3>`,
      `<div class="panels">${figure(`utilisation${suffix}`, utilisationFigure(Plot, point, schemes))}${figure(`time${suffix}`, timeFigure(Plot, point, schemes))}</div>`,
    ];
  });
  const rows = sweep.points.flatMap(({ units }) => units.flatMap((unit) => unit.rows));
  const lead = `Rates of flows without packets: ${schemes.length} schemes, ${sweep.points.length} points, seeds ${sweep.seeds.join(", ")}.`;
  const html = sweepPage(sweep, rows, lead, [
    schemeLegend(schemes),
    ...(over.length === 0
      ? []
      : [`<h2>By ${escapeMarkup(key!)}</h2>`, `<div class="panels">${over.join("\n")}</div>`]),
    "<h2>Results</h2>",
    resultTable(rows, sweep.keys),
    "<h2>Links and throughput over time</h2>",
    ...points,
  ]);
  return [["report.html", html], ...figures];
}

function numberAt(key: string): (row: FluidRow) => number | undefined {
  return (row) => (typeof row[key] === "number" ? row[key] : undefined);
}

function resultTable(rows: readonly FluidRow[], keys: readonly string[]): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cell = (tag: string, key: string, text: string) =>
    `<${tag}${key === "scheme" ? ' class="word"' : ""}>${escapeMarkup(text)}</${tag}>`;
  const head = [...columns.map((key) => cell("th", key, key)), cell("th", "", "gain %")];
  const lines = rows.map((row) => {
    const gain = gainOf(row, rows, keys);
    const text = (key: string) => (typeof row[key] === "string" ? row[key] : JSON.stringify(row[key] ?? ""));
    const cells = columns.map((key) => cell("td", key, text(key)));
    return `<tr>${[...cells, cell("td", "", gain?.toFixed(1) ?? "")].join("")}</tr>`;
  });
  return `<div style="overflow-x: auto"><table><thead><tr>${head.join("")}</tr></thead><tbody>${lines.join("\n")}</tbody></table></div>`;
}
