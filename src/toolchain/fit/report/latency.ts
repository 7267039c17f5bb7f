/** Cycles of each gress and the estimate of power, for a terminal, as JSON and as a part of a page. */
import { type Cell, escapeMarkup, formatTable } from "../../../base/index.js";
import type { FitResult } from "../fit.js";
import { type Accesses, added, NO_ACCESS } from "../latency/accesses.js";
import type { Power, PowerUse } from "../latency/power.js";

/** No lines for a program whose cycles are not known. */
export function latencyText({ cycles, power, placement }: FitResult): string[] {
  if (cycles === undefined) return [];
  const stages = placement.stages.map((_, stage) => stage);
  const waits = (stage: number) =>
    cycles.map(({ stages: all }) => {
      const own = all[stage];
      return own === undefined ? "" : `${own.wait} +${own.adds}`;
    });
  const head = ["stage", ...cycles.map(({ gress }) => `${gress} waits`)];
  const lines = [
    "",
    `latency: ${cycles.map(({ gress, total }) => `${gress} ${total} cycles`).join(", ")}, through all stages of the device`,
  ];
  if (power === undefined)
    return [
      ...lines,
      formatTable(
        head,
        stages.map((stage): Cell[] => [stage, ...waits(stage)]),
      ),
    ];
  const running = power.gresses.flatMap(({ tables }) => tables.filter(({ runs }) => runs !== "off"));
  const all = running.reduce((sum, { weight }) => sum + weight, 0);
  const rows = stages.map((stage): Cell[] => {
    const here = running.filter(({ part }) => part.stage === stage);
    return [stage, ...waits(stage), ...cellsOf(here, all)];
  });
  return [
    ...lines,
    `power: ${wattsText(power)}, as the compiler estimates it: all pipes, each packet on the worst way, and the tables that no stage switches off in time`,
    formatTable(
      [...head, ...ACCESSES],
      [...rows, ["sum", ...cycles.map(() => ""), ...cellsOf(running, all)]],
    ),
  ];
}

const wattsText = ({ watts, limit }: Power): string => `${watts.toFixed(2)} of ${limit} W`;

const ACCESSES = ["tables", "SRAM read", "written", "TCAM", "map read", "written", "% of power"];

function cellsOf(uses: readonly PowerUse[], all: number): Cell[] {
  const one = uses.reduce((sum, { accesses }) => added(sum, accesses), NO_ACCESS);
  const weight = uses.reduce((sum, use) => sum + use.weight, 0);
  return [
    uses.length,
    one.sramReads,
    one.sramWrites,
    one.tcamSearches,
    one.mapReads,
    one.mapWrites,
    all === 0 ? "" : ((100 * weight) / all).toFixed(1),
  ];
}

/** What `--json` says of the cycles of a gress. */
export interface LatencyDocument {
  gress: string;
  cycles: number;
  /** All stages of the device. `waits_for`: the results of an earlier stage (`match`), its actions, or nothing. */
  stages: { waits_for: string; cycles: number; adds: number }[];
}

/** What `--json` says of power. */
export interface PowerDocument {
  watts: number;
  limit_watts: number;
  gresses: {
    gress: string;
    watts: number;
    /** Of all packets, those that the deparser lets in: below 1 where the gress takes more cycles than it has room for. */
    share: number;
    tables: {
      table: string;
      stage: number;
      /** On the worst way (`worst`), not on it and not switched off in time (`on`), or `off`. */
      runs: string;
      /** Power in the smallest access of the chip. */
      weight: number;
      accesses: AccessDocument;
    }[];
  }[];
}

/** Memory blocks that a packet accesses. */
interface AccessDocument {
  sram_reads: number;
  sram_writes: number;
  tcam_searches: number;
  map_ram_reads: number;
  map_ram_writes: number;
  waiting_reads: number;
  waiting_writes: number;
}

/** Undefined for a program whose cycles are not known; without power for a target that states no watts. */
export function latencyJson({
  cycles,
  power,
}: FitResult): { latency: LatencyDocument[]; power?: PowerDocument } | undefined {
  if (cycles === undefined) return undefined;
  const latency = cycles.map(({ gress, total, stages }) => ({
    gress,
    cycles: total,
    stages: stages.map(({ wait, own, adds }) => ({ waits_for: wait, cycles: own, adds })),
  }));
  return power === undefined ? { latency } : { latency, power: powerJson(power) };
}

function powerJson({ watts, limit, gresses }: Power): PowerDocument {
  return {
    watts: rounded(watts),
    limit_watts: limit,
    gresses: gresses.map(({ gress, watts: own, share, tables }) => ({
      gress,
      watts: rounded(own),
      share: rounded(share),
      tables: tables.map(({ part, runs, weight, accesses }) => ({
        table: part.unit.label,
        stage: part.stage,
        runs,
        weight: rounded(weight),
        accesses: accessJson(accesses),
      })),
    })),
  };
}

/** To the last digit that the watts of an access have. */
const rounded = (value: number): number => Math.round(value * 1e6) / 1e6;

const accessJson = (one: Accesses): AccessDocument => ({
  sram_reads: one.sramReads,
  sram_writes: one.sramWrites,
  tcam_searches: one.tcamSearches,
  map_ram_reads: one.mapReads,
  map_ram_writes: one.mapWrites,
  waiting_reads: one.waitingReads,
  waiting_writes: one.waitingWrites,
});

/** The section of the page; empty for a program whose cycles are not known. */
export function latencyHtml(result: FitResult): string {
  const lines = latencyText(result);
  return lines.length === 0
    ? ""
    : `<h2>Latency and power</h2><pre>${escapeMarkup(lines.join("\n").trim())}</pre>`;
}
