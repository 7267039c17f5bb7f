/** A result for the terminal: verdict, what limits it, stages and tables. */
import { formatTable } from "../../base/index.js";
import type { FitResult } from "../fit.js";
import { limitsOf, type Resource } from "../place/stage.js";
import { gressStages, tableReports } from "./json.js";

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

export function verdictLine(result: FitResult): string {
  const { verdict, target, stages, bounds, placement } = result;
  const of = `${stages} of ${target.stages} stages`;
  switch (verdict) {
    case "placed":
      return `placed on ${target.title}: ${of} (${placement.method}; assignment verified)`;
    case "refused":
      return `refused by ${target.title}: the program asks for what the hardware lacks`;
    case "cannot fit": {
      const stuck = placement.unplaced[0];
      const bound = bounds[0];
      if (stuck?.detail !== undefined) return `cannot fit ${target.title}: ${stuck.detail}`;
      if (stuck !== undefined) {
        return `cannot fit ${target.title}: ${stuck.unit.name} exceeds a whole stage's ${stuck.resource}`;
      }
      return `cannot fit ${target.title}: at least ${bound?.stages} of ${target.stages} stages (${bound?.name}: ${bound?.detail})`;
    }
    case "fits by counts":
      return result.phv.exceeded.length > 0
        ? `fits ${target.title} by counts of stages, but ${result.phv.exceeded.join("; ")}`
        : `fits ${target.title} by counts, but the placement found needs ${of}; not proven either way`;
  }
}

export function toText(result: FitResult): string {
  const { problem, placement, target, phv, model } = result;
  const lines = [verdictLine(result), ""];
  if (result.verdict !== "refused" || placement.stages.length > 0) {
    lines.push(
      `stages ${result.stages} (ingress ${gressStages(result, "ingress")}, egress ${gressStages(result, "egress")}), critical path ${problem.graph.criticalPath}: ${problem.graph.criticalUnits.map((id) => model.units[id]!.name).join(" > ")}`,
    );
    for (const bound of result.bounds.slice(0, 3))
      lines.push(`at least ${bound.stages}: ${bound.name}, ${bound.detail}`);
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
            placement.parts
              .filter((part) => part.stage === stage && part.unit.condition === undefined)
              .map((part) => part.unit.name)
              .join(" "),
          ]),
          ["of", ...shown.map(([, name]) => limits[name]), ""],
        ],
      ),
      "",
      formatTable(
        ["table", "stage", "range", "kind", "entries", "allocated", "SRAM", "TCAM", "map"],
        tableReports(result)
          .filter((table) => table.match_kind !== "gateway")
          .map((table) => [
            table.name,
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
  return lines.join("\n");
}
