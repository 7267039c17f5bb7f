/** A result for a terminal: verdict, bounds, stages and tables. */
import { claim, defined, formatTable } from "../../../base/index.js";
import type { FitResult } from "../fit.js";
import { fieldLabel } from "../model/expressions.js";
import { labelOf, type Thread } from "../model/model.js";
import type { Placement } from "../place/placement.js";
import { limitsOf, type Resource } from "../place/stage.js";
import { tableReports, threadStages } from "./json.js";
import { latencyText } from "./latency.js";
import { pardeText } from "./parde.js";

const COLUMNS: readonly [string, Resource][] = [
  ["ids", "logical_tables"],
  ["SRAM", "srams"],
  ["TCAM", "tcams"],
  ["map", "map_rams"],
  ["gw", "gateways"],
  ["hash", "hash_bits"],
  ["dist", "hash_dist_units"],
  ["xbar", "xbar_bytes_exact"],
  ["txbar", "xbar_bytes_ternary"],
  ["stats", "stats_alus"],
  ["meter", "meter_alus"],
  ["vliw", "vliw_slots"],
  ["bus", "action_bus_bytes"],
];

/** The verdict in one line, with the reason when the program does not fit. */
export function verdictLine(result: FitResult): string {
  const { verdict, target, stages, bounds, placement } = result;
  const of = `${stages} of ${target.stages} stages`;
  switch (verdict) {
    case "placed":
      return claim("placed", { target: target.title, stages: of, method: placement.method });
    case "refused":
      return `refused by ${target.title}: the program asks for what the hardware lacks`;
    case "cannot fit": {
      const [stuck] = placement.unplaced;
      if (stuck !== undefined) return `cannot fit ${target.title}: ${stuck.detail}`;
      const [bound] = bounds;
      return `cannot fit ${target.title}: at least ${bound?.stages} of ${target.stages} stages (${bound?.detail})`;
    }
    case "fits by counts": {
      if (result.exceeded.length > 0) {
        return `fits ${target.title} by counts of stages, but ${result.exceeded.join("; ")}`;
      }
      const least = bounds[0]?.stages ?? 0;
      return `${claim("fitsByCounts", { target: target.title, least })}, but the placement found takes ${of}; --exact may find one that fits, --explain says what binds`;
    }
  }
}

/** The match tables of a stage, and the number of actions outside tables. */
function tablesOf(placement: Placement, stage: number): string {
  const here = placement.parts.filter((part) => part.stage === stage && part.unit.condition === undefined);
  const tables = here.filter((part) => part.unit.kind === "match").map((part) => part.unit.label);
  const actions = here.length - tables.length;
  if (actions > 0) tables.push(`${actions} ${actions === 1 ? "action" : "actions"}`);
  return tables.join(", ");
}

function threadsText(result: FitResult): string {
  const threads: Thread[] = ["ingress", "egress"];
  if (result.model.ghostFields.length > 0) threads.push("ghost");
  return threads.map((thread) => `${thread} ${threadStages(result, thread)}`).join(", ");
}

/** The whole report for a terminal. */
export function toText(result: FitResult): string {
  const { problem, placement, target, phv, model } = result;
  const lines = [verdictLine(result), ""];
  for (const { detail } of placement.unplaced) lines.push(`not placed: ${detail}`);
  if (result.verdict !== "refused" || placement.stages.length > 0) {
    const missing = placement.unplaced.map((entry) => entry.unit.label);
    const without = missing.length === 0 ? "" : ` without ${missing.join(", ")}`;
    const chain = problem.graph.criticalUnits.map((id) => labelOf(defined(model.units[id]))).join(" > ");
    lines.push(
      `stages${without}: ${result.stages} (${threadsText(result)})`,
      `critical path: ${problem.graph.criticalPath} ${problem.graph.criticalPath === 1 ? "stage" : "stages"}, ${chain}`,
    );
    for (const bound of result.bounds.slice(0, 3)) lines.push(`at least ${bound.stages}: ${bound.detail}`);
    if (result.greedy !== undefined) {
      const { ffd, ffl, ffls } = result.greedy;
      lines.push(
        `match tables alone, greedy orders of Jose et al.: FFD ${ffd}, FFL ${ffl}, FFLS ${ffls} stages`,
      );
    }
    const limits = limitsOf(target);
    const shown = COLUMNS.filter(([, name]) => placement.stages.some((stage) => stage[name] > 0));
    lines.push(
      "",
      formatTable(
        ["stage", ...shown.map(([label]) => label), "tables"],
        [
          ...placement.stages.map((counts, stage) => [
            stage,
            ...shown.map(([, name]) => counts[name]),
            tablesOf(placement, stage),
          ]),
          ["of", ...shown.map(([, name]) => limits[name]), ""],
        ],
      ),
      "",
      formatTable(
        ["table", "line", "stage", "range", "kind", "entries", "allocated", "SRAM", "TCAM", "map"],
        tableReports(result)
          .filter((table) => table.match_kind !== "gateway")
          .map((table) => [
            table.label,
            table.source?.line ?? null,
            table.stage,
            `${table.min_stage}-${table.max_stage}`,
            table.match_kind.replace("_match", ""),
            table.entries_requested,
            table.entries_allocated,
            table.srams,
            table.tcams,
            table.map_rams,
          ]),
      ),
    );
  }
  const sizes = [8, 16, 32] as const;
  const naive = !target.phv.packs_fields;
  lines.push(
    "",
    `PHV: ${sizes
      .map(
        (size) =>
          `${naive ? phv.naive[size] : phv.packed[size].containers}/${target.phv.containers[size]} x ${size} b`,
      )
      .join(", ")}${naive ? " (each field alone)" : ""}`,
  );
  for (const { fields, detail, source } of phv.allocation?.unallocated ?? []) {
    const named = fields.slice(0, MAX_FIELDS).map(fieldLabel).join(", ");
    const others = fields.length > MAX_FIELDS ? ` and ${fields.length - MAX_FIELDS} more fields` : "";
    lines.push(
      `no containers: ${named}${others}: ${detail}${source === undefined ? "" : ` (line ${source.line})`}`,
    );
  }
  lines.push(...pardeText(result), ...latencyText(result));
  return lines.join("\n");
}

/** Fields that a line names. */
const MAX_FIELDS = 4;
