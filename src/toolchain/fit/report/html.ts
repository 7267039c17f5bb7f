/**
 * A result as one page that needs no other file: heat map of stages and resources, tables across stages, containers of
 * the PHV, dependency graph, and the source, which cells and boxes link to.
 */
import { escapeMarkup, htmlPage, type SourceFile } from "../../../base/index.js";
import type { Explanation } from "../explain.js";
import type { FitResult } from "../fit.js";
import type { Unit } from "../model/model.js";
import {
  type AllocatedContainer,
  containerName,
  FROM_PARSER,
  type PhvAllocation,
  type PlacedSlice,
  TO_DEPARSER,
} from "../phv/allocation.js";
import { limitsOf, RESOURCE_NAMES, RESOURCES } from "../place/stage.js";
import { dependencySvg } from "./graph-svg.js";
import { matchKindOf, tableReports } from "./json.js";
import { latencyHtml } from "./latency.js";
import { pardeHtml } from "./parde.js";
import { verdictLine } from "./text.js";

/** Link to the source line of a unit; undefined when the page does not have that file. */
function linkOf(unit: Unit, files: readonly SourceFile[]): string | undefined {
  return unit.source === undefined ? undefined : placeLink(unit.source, files);
}

function placeLink(source: NonNullable<Unit["source"]>, files: readonly SourceFile[]): string | undefined {
  const at = files.findIndex((file) => file.path === source.filename);
  return at < 0 ? undefined : `#f${at}l${source.line}`;
}

/** The page, complete in one file. @param files sources that cells and boxes lead to, by the path that units name */
export function toHtml(result: FitResult, files: readonly SourceFile[], explanation: Explanation): string {
  const link = (unit: Unit, text: string) => {
    const href = linkOf(unit, files);
    return href === undefined ? escapeMarkup(text) : `<a href="${href}">${escapeMarkup(text)}</a>`;
  };
  const section = pardeHtml(result, (source, text) => {
    const href = source === undefined ? undefined : placeLink(source, files);
    return href === undefined ? escapeMarkup(text) : `<a href="${href}">${escapeMarkup(text)}</a>`;
  });
  const parde = section === "" ? [] : [section, latencyHtml(result)];
  const title = `${result.model.name} on ${result.target.title}`;
  return htmlPage(title, STYLE, [
    `<h1>${escapeMarkup(title)}</h1>`,
    `<p class="verdict ${result.verdict.replace(/ /g, "-")}">${escapeMarkup(verdictLine(result))}</p>`,
    unplacedHtml(result, link),
    adviceHtml(result, explanation, link),
    "<h2>Stages and resources</h2>",
    "<p>Amounts in use; the redder, the nearer to the limit of a stage. A red stage number is beyond the device.</p>",
    heatMap(result, link),
    "<h2>Tables across stages</h2>",
    BARS_LEGEND,
    bars(result, link),
    "<h2>Packet header vector</h2>",
    '<p class="legend"><i class="key bar"></i> ingress <i class="key egress"></i> egress <i class="key"></i> free; the filled part of a container is in use. The tooltip names its fields.</p>',
    phvGrid(result),
    ...parde,
    "<h2>Dependencies</h2>",
    "<p>Red: the longest chain. Solid arrow: the second table needs a later stage (match, action, output dependency). Dashed: it needs the same stage or a later one. Round boxes are conditions. The tooltip of an arrow names the field.</p>",
    dependencySvg(result, (unit) => linkOf(unit, files)),
    findings(result),
    ...files.map((file, index) => sourceHtml(file, index)),
  ]);
}

type Link = (unit: Unit, text: string) => string;

const BARS_LEGEND =
  '<p class="legend"><i class="key bar"></i> exact match <i class="key ternary_match"></i> ternary match <i class="key keyless"></i> without a key <i class="key may"></i> stages that dependencies allow; the numbers are blocks of SRAM and TCAM</p>';

/** Tables that no stage holds; empty when there are none. */
function unplacedHtml({ placement }: FitResult, link: Link): string {
  if (placement.unplaced.length === 0) return "";
  const items = placement.unplaced.map(
    ({ unit, detail }) => `<li><b>${link(unit, unit.label)}</b>: ${escapeMarkup(detail)}</li>`,
  );
  return `<h2>Not placed</h2><ul>${items.join("")}</ul>`;
}

function adviceHtml(result: FitResult, explanation: Explanation, link: Link): string {
  const items = explanation.advice.map((advice) => {
    const unit = result.model.units.find((u) => u.source !== undefined && u.source === advice.source);
    const place = unit === undefined ? "" : ` (${link(unit, unit.label)})`;
    return `<li><b>${result.stages} → ${advice.stages} stages</b>: ${escapeMarkup(advice.message)}${place}</li>`;
  });
  const list =
    items.length === 0
      ? "<p>No single change that was tried saves a stage.</p>"
      : `<ul>${items.join("")}</ul>`;
  return `<h2>What binds</h2><p>${escapeMarkup(explanation.binding)}</p>${list}`;
}

function heatMap(result: FitResult, link: Link): string {
  const limits = limitsOf(result.target);
  const shown = RESOURCES.filter(
    (name) => limits[name] !== null && result.placement.stages.some((stage) => stage[name] > 0),
  );
  const head = `<tr><th>Stage</th>${shown.map((name) => `<th>${RESOURCE_NAMES[name]}<br><small>of ${limits[name]}</small></th>`).join("")}<th>Tables</th></tr>`;
  const rows = result.placement.stages.map((counts, stage) => {
    const cells = shown.map((name) => {
      const share = counts[name] / limits[name]!;
      const heat = Math.round(Math.min(1, share) * 100);
      return `<td style="background:color-mix(in srgb, var(--hot) ${heat}%, transparent)" title="${heat} %">${counts[name]}</td>`;
    });
    const tables = result.placement.parts
      .filter((part) => part.stage === stage && part.unit.condition === undefined)
      .map((part) => link(part.unit, part.unit.label));
    const late = stage >= result.target.stages ? ' class="over"' : "";
    return `<tr${late}><th>${stage}</th>${cells.join("")}<td class="names">${tables.join("<br>")}</td></tr>`;
  });
  return `<div class="wide"><table class="heat">${head}${rows.join("")}</table></div>`;
}

function bars(result: FitResult, link: Link): string {
  const stages = Math.max(result.stages, 1);
  const reports = tableReports(result);
  const units = result.model.units.filter((unit) => unit.condition === undefined);
  const rows = units.map((unit) => {
    const cells: string[] = [];
    for (let stage = 0; stage < stages; stage++) {
      const part = result.placement.parts.find((p) => p.unit.id === unit.id && p.stage === stage);
      const report = reports.find((r) => r.name === unit.name && r.stage === stage);
      if (part === undefined || report === undefined) {
        const earliest = result.problem.graph.earliest[unit.id]!;
        cells.push(stage >= earliest ? '<td class="may"></td>' : "<td></td>");
        continue;
      }
      const text = [
        report.srams > 0 ? `${report.srams} SRAM` : "",
        report.tcams > 0 ? `${report.tcams} TCAM` : "",
      ].filter((part) => part !== "");
      cells.push(
        `<td class="bar ${matchKindOf(part)}" title="${escapeMarkup(unit.label)}: ${report.entries_allocated} entries allocated">${link(unit, text.join(", ") || "no memory")}</td>`,
      );
    }
    return `<tr><th>${link(unit, unit.label)}</th>${cells.join("")}</tr>`;
  });
  const head = `<tr><th></th>${Array.from({ length: stages }, (_, i) => `<th>${i}</th>`).join("")}</tr>`;
  return `<div class="wide"><table class="bars">${head}${rows.join("")}</table></div>`;
}

function phvGrid(result: FitResult): string {
  return result.phv.allocation === undefined
    ? countedGrid(result)
    : allocatedGrid(result, result.phv.allocation);
}

/** Containers by group, each with its fields and the stages from which to which they are there. */
function allocatedGrid(result: FitResult, { containers, bypasses, unallocated }: PhvAllocation): string {
  const { arrangement, tagalong } = result.target.phv;
  const parts = ([8, 16, 32] as const).map((size) => {
    const here = containers.filter((one) => one.size === size);
    const rows = [...new Set(here.filter(({ kind }) => kind !== "tagalong").map(({ group }) => group))]
      .sort((a, b) => a - b)
      .map((group) => {
        const own = here.filter((one) => one.kind !== "tagalong" && one.group === group);
        return `<div class="phv s${size}"><small>group ${group}</small>${own.map(cellOf).join("")}</div>`;
      });
    const beside = here.filter(({ kind }) => kind === "tagalong");
    const last =
      beside.length === 0
        ? ""
        : `<p>${size} bit beside the pipeline: ${beside.length} of ${tagalong[size]}</p><div class="phv s${size}">${beside.map(cellOf).join("")}</div>`;
    const most =
      arrangement === undefined
        ? 0
        : KINDS.reduce((sum, kind) => sum + arrangement[kind][size], 0) * arrangement.groups[size];
    return `<p>${size} bit: ${here.length - beside.length} of ${most}</p>${rows.join("")}${last}`;
  });
  const past = bypasses.map(
    ({ header, firstByte, bytes }) => `${bytes} bytes of ${header} from byte ${firstByte}`,
  );
  const missing = unallocated.map(
    ({ fields, detail, source }) =>
      `<li>${escapeMarkup(fields.join(", "))}: ${escapeMarkup(detail)}${source === undefined ? "" : ` (line ${source.line})`}</li>`,
  );
  return [
    ...parts,
    past.length === 0 ? "" : `<p>Past the pipeline: ${escapeMarkup(past.join(", "))}.</p>`,
    missing.length === 0 ? "" : `<p>Without containers:</p><ul>${missing.join("")}</ul>`,
  ].join("");
}

const KINDS = ["normal", "mocha", "dark"] as const;

function cellOf(container: AllocatedContainer): string {
  const { size, gress, slices } = container;
  const taken = new Set(slices.flatMap(({ at, width }) => Array.from({ length: width }, (_, i) => at + i)));
  const stages = ({ from, to }: PlacedSlice["live"]) =>
    `${from === FROM_PARSER ? "parser" : `stage ${from}`} to ${to === TO_DEPARSER ? "deparser" : `stage ${to}`}`;
  const names = slices.map(
    ({ field, lo, width, live }) => `${field}[${lo + width - 1}:${lo}], ${stages(live)}`,
  );
  return `<i class="${gress}" style="--fill:${Math.round((100 * taken.size) / size)}%" title="${escapeMarkup(`${containerName(container)}: ${names.join("; ")}`)}"></i>`;
}

/** Containers by count, for a program whose fields are given none. */
function countedGrid(result: FitResult): string {
  const { containers } = result.problem.phv;
  const parts = ([8, 16, 32] as const).map((size) => {
    const own = containers.filter((c) => c.size === size && !c.tagalong && c.overlays === undefined);
    const total = result.target.phv.containers[size];
    const cells = own.map((container) => {
      const bits = container.slices.reduce((sum, slice) => sum + slice.width, 0);
      const guests = containers.filter((c) => c.overlays === container.id);
      const names = [container, ...guests].flatMap((c) =>
        c.slices.map((slice) => `${slice.field}[${slice.lo + slice.width - 1}:${slice.lo}]`),
      );
      return `<i class="${container.gress}" style="--fill:${Math.round((100 * bits) / size)}%" title="${escapeMarkup(names.join(", "))}"></i>`;
    });
    const free = Math.max(0, total - own.length);
    return `<p>${size} bit: ${own.length} of ${total}</p><div class="phv s${size}">${cells.join("")}${"<i></i>".repeat(free)}</div>`;
  });
  const naive = result.phv.naive;
  return `${parts.join("")}<p>Each field alone: ${naive[8]} x 8, ${naive[16]} x 16, ${naive[32]} x 32 bit.</p>`;
}

function findings(result: FitResult): string {
  if (result.diagnostics.length === 0) return "";
  const items = result.diagnostics.map((d) => {
    const place = d.span === undefined ? "" : `line ${d.span.file.position(d.span.start).line}: `;
    return `<li>${place}${escapeMarkup(d.message)} <small>${escapeMarkup(d.notes.map((n) => n.message).join("; "))}</small></li>`;
  });
  return `<h2>Findings</h2><ul>${items.join("")}</ul>`;
}

function sourceHtml(file: SourceFile, index: number): string {
  const lines = file.text
    .split("\n")
    .map((line, i) => `<li id="f${index}l${i + 1}">${escapeMarkup(line) || " "}</li>`);
  return `<h2>${escapeMarkup(file.path)}</h2><ol class="source">${lines.join("")}</ol>`;
}

const STYLE = `
:root{--hot:#e4572e;--ink:#1c1c1c;--paper:#fdfdfb;--soft:#8884;color-scheme:light dark}
@media(prefers-color-scheme:dark){:root{--ink:#eee;--paper:#181818}}
body{font:15px/1.45 system-ui,sans-serif;color:var(--ink);background:var(--paper);margin:2rem auto;max-width:75rem;padding:0 1rem}
h1{font-size:1.4rem}h2{font-size:1.1rem;margin-top:2rem}
.verdict{padding:.6rem 1rem;border-left:.4rem solid #777;background:var(--soft)}
.placed{border-color:#2a9d5c}.refused,.cannot-fit{border-color:#d33}.fits-by-counts{border-color:#d9a400}
.wide{overflow-x:auto}table{border-collapse:collapse;font-size:13px}
th,td{border:1px solid var(--soft);padding:.15rem .4rem;text-align:center}th{font-weight:600}
.heat td.names{text-align:left}.over th{background:#d33;color:#fff}
.bars th:first-child{text-align:left;white-space:nowrap}.may{background:var(--soft)}
.bar{color:#fff;background:#4472a8;white-space:nowrap}.ternary_match{background:#a8447a}.keyless,.hash_action{background:#777}
.phv{display:flex;flex-wrap:wrap;gap:2px}.phv i{width:18px;height:14px;border:1px solid var(--soft)}
.phv small{width:4.5em}.s16 i{width:26px}.s32 i{width:38px}
.phv i.ingress{background:linear-gradient(to right,#4472a8 var(--fill),transparent var(--fill))}
.phv i.egress{background:linear-gradient(to right,#a8447a var(--fill),transparent var(--fill))}
.key{display:inline-block;width:14px;height:14px;border:1px solid var(--soft);vertical-align:-2px;margin-left:.8em}
.key.egress{background:#a8447a}.legend{margin:.3rem 0}
svg .box{fill:var(--paper)}svg text{font:11px system-ui,sans-serif;fill:var(--ink)}
.source{font:12px/1.5 ui-monospace,monospace;white-space:pre;overflow-x:auto;padding-left:4rem}
.source li:target{background:#ffd54a88}a{color:inherit}
`;
