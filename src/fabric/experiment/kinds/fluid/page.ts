/** The page of a fluid experiment, and its figures as files. The page loads no other file. */
import { escapeMarkup, htmlPage } from "../../../../base/index.js";
import { rowsCsv } from "../../csv.js";
import { flatten, inline } from "../../page.js";
import { loadPlot } from "../../plot.js";
import { lineOf } from "../load/figures/style.js";
import { PAGE_STYLE } from "../load/page-style.js";
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
  const { settings, source } = sweep.points[0]!.experiment;
  const title = settings.title ?? settings.name;
  const rows = sweep.points.flatMap(({ units }) => units.flatMap((unit) => unit.rows));
  const html = htmlPage(title, PAGE_STYLE, [
    "<main>",
    `<h1>${escapeMarkup(title)}</h1>`,
    `<p class="lead">Rates of flows without packets: ${schemes.length} schemes, ${sweep.points.length} points, seeds ${sweep.seeds.join(", ")}.</p>`,
    ...sweep.warnings.map((text) => `<p class="note"><strong>Warning: ${escapeMarkup(text)}</strong></p>`),
    ...sweep.notes.map((text) => `<p class="note">${escapeMarkup(text)}</p>`),
    legend(schemes),
    ...(over.length === 0
      ? []
      : [`<h2>By ${escapeMarkup(key!)}</h2>`, `<div class="panels">${over.join("\n")}</div>`]),
    "<h2>Results</h2>",
    resultTable(rows, sweep.keys),
    "<h2>Links and throughput over time</h2>",
    ...points,
    "<h2>Parameters</h2>",
    `<p class="note">${escapeMarkup(flatten(settings.topology).join(", "))}</p>`,
    `<details><summary>Experiment file</summary><pre>${escapeMarkup(source.text)}</pre></details>`,
    `<details><summary>Results as CSV</summary><pre>${escapeMarkup(rowsCsv(rows))}</pre></details>`,
    "</main>",
  ]);
  return [["report.html", html], ...figures];
}

function numberAt(key: string): (row: FluidRow) => number | undefined {
  return (row) => (typeof row[key] === "number" ? row[key] : undefined);
}

function legend(schemes: readonly string[]): string {
  const entries = schemes.map((scheme, place) => {
    const { colour, dash } = lineOf(place);
    const stroke = `stroke="${colour}" stroke-width="3"${dash === undefined ? "" : ` stroke-dasharray="${dash}"`}`;
    return `<span><svg width="26" height="8" aria-hidden="true"><path d="M0 4h26" ${stroke}></path></svg>${escapeMarkup(scheme)}</span>`;
  });
  return `<div class="legend">${entries.join("")}</div>`;
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
