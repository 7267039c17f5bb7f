/** Cycles of each gress and accesses of memory by stage, for a terminal, as JSON and as a part of a page. */
import { type Cell, escapeMarkup, formatTable } from "../../../base/index.js";
import type { FitResult } from "../fit.js";
import { type Accesses, accessesOf, added } from "../latency/accesses.js";

/** No lines for a program whose cycles are not known. */
export function latencyText(result: FitResult): string[] {
  const { cycles } = result;
  if (cycles === undefined) return [];
  const accesses = accessesOf(result.problem, result.placement);
  const rows = accesses.map((here, stage): Cell[] => [
    stage,
    ...cycles.map(({ stages }) => {
      const own = stages[stage];
      return own === undefined ? "" : `${own.wait} +${own.adds}`;
    }),
    ...cellsOf(here),
  ]);
  const sum = accesses.reduce(added, NOTHING);
  const head = ["stage", ...cycles.map(({ gress }) => `${gress} waits`), ...ACCESSES];
  return [
    "",
    `latency: ${cycles.map(({ gress, total }) => `${gress} ${total} cycles`).join(", ")}, through all stages of the device`,
    "accesses of memory by a packet that runs every table: power grows with them (no source states watts an access)",
    formatTable(head, [...rows, ["sum", ...cycles.map(() => ""), ...cellsOf(sum)]]),
  ];
}

const NOTHING: Accesses = { sramReads: 0, sramWrites: 0, tcamSearches: 0, mapReads: 0, mapWrites: 0 };
const ACCESSES = ["SRAM read", "written", "TCAM", "map read", "written"];

const cellsOf = (one: Accesses): Cell[] => [
  one.sramReads,
  one.sramWrites,
  one.tcamSearches,
  one.mapReads,
  one.mapWrites,
];

/** What `--json` says of the cycles of a gress. */
export interface LatencyDocument {
  gress: string;
  cycles: number;
  /** All stages of the device. `waits_for`: the results of an earlier stage (`match`), its actions, or nothing. */
  stages: { waits_for: string; cycles: number; adds: number }[];
}

/** Memory blocks that a packet accesses in a stage when it runs every table of it. */
export interface AccessDocument {
  stage: number;
  sram_reads: number;
  sram_writes: number;
  tcam_searches: number;
  map_ram_reads: number;
  map_ram_writes: number;
}

/** Undefined for a program whose cycles are not known. */
export function latencyJson(
  result: FitResult,
): { latency: LatencyDocument[]; accesses: AccessDocument[] } | undefined {
  const { cycles } = result;
  if (cycles === undefined) return undefined;
  return {
    latency: cycles.map(({ gress, total, stages }) => ({
      gress,
      cycles: total,
      stages: stages.map(({ wait, own, adds }) => ({ waits_for: wait, cycles: own, adds })),
    })),
    accesses: accessesOf(result.problem, result.placement).map((one, stage) => ({
      stage,
      sram_reads: one.sramReads,
      sram_writes: one.sramWrites,
      tcam_searches: one.tcamSearches,
      map_ram_reads: one.mapReads,
      map_ram_writes: one.mapWrites,
    })),
  };
}

/** The section of the page; empty for a program whose cycles are not known. */
export function latencyHtml(result: FitResult): string {
  const lines = latencyText(result);
  return lines.length === 0
    ? ""
    : `<h2>Latency and accesses</h2><pre>${escapeMarkup(lines.join("\n").trim())}</pre>`;
}
