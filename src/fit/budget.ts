/** Budgets for CI (`stages=10,sram=40%`), and the difference between two programs. */
import { type Cell, fail, formatTable } from "../base/index.js";
import type { FitResult } from "./fit.js";
import { limitsOf, type Resource } from "./place/stage.js";

const RESOURCE_OF: Readonly<Record<string, Resource>> = {
  sram: "srams",
  tcam: "tcams",
  map_ram: "map_rams",
  gateways: "gateways",
  ids: "logical_tables",
  hash_bits: "hash_bits",
  hash_dist: "hash_dist_units",
  stats_alus: "stats_alus",
  meter_alus: "meter_alus",
  vliw: "vliw_slots",
};

export interface BudgetItem {
  readonly name: string;
  readonly limit: number;
  /** The limit is a percentage of what the whole device has. */
  readonly percent: boolean;
}

/** Fails with P44030 when the text is no budget. */
export function parseBudget(text: string): BudgetItem[] {
  return text.split(",").map((part) => {
    const match = /^\s*(\w+)\s*=\s*(\d+(?:\.\d+)?)(%?)\s*$/.exec(part);
    const known = ["stages", "phv", ...Object.keys(RESOURCE_OF)];
    if (match === null || !known.includes(match[1]!)) {
      fail(
        "P44030",
        undefined,
        `"${part}" is no budget`,
        `write NAME=NUMBER or NAME=NUMBER%; names: ${known.join(", ")}`,
      );
    }
    return { name: match[1]!, limit: Number(match[2]), percent: match[3] === "%" };
  });
}

/** What a budget item counts: amount in use, and what the whole device has. */
function amountOf(result: FitResult, name: string): { used: number; of: number | null } {
  const { target, placement, phv } = result;
  if (name === "stages") return { used: result.stages, of: target.stages };
  if (name === "phv") {
    const sizes = [8, 16, 32] as const;
    const of = sizes.reduce((sum, size) => sum + size * target.phv.containers[size], 0);
    const packed = sizes.reduce((sum, size) => sum + size * phv.packed[size].containers, 0);
    return { used: target.phv.packs_fields ? packed : phv.naive.bits, of };
  }
  const resource = RESOURCE_OF[name]!;
  const limit = limitsOf(target)[resource];
  return {
    used: placement.stages.reduce((sum, stage) => sum + stage[resource], 0),
    of: limit === null ? null : limit * target.stages,
  };
}

/** Items beyond their limit, one line each. */
export function overBudget(result: FitResult, budget: readonly BudgetItem[]): string[] {
  return budget.flatMap((item) => {
    const { used, of } = amountOf(result, item.name);
    const value = item.percent ? (100 * used) / (of ?? Number.POSITIVE_INFINITY) : used;
    if (value <= item.limit) return [];
    const shown = item.percent ? `${Math.round(value * 10) / 10} %` : String(used);
    return [`${item.name}: ${shown}, budget ${item.limit}${item.percent ? " %" : ""}`];
  });
}

export interface FitDifference {
  readonly measures: readonly { readonly name: string; readonly before: number; readonly after: number }[];
  readonly tables: readonly {
    readonly name: string;
    readonly before: string | null;
    readonly after: string | null;
  }[];
  readonly verdicts: readonly [string, string];
}

export function difference(before: FitResult, after: FitResult): FitDifference {
  const names = [
    "stages",
    "sram",
    "tcam",
    "map_ram",
    "ids",
    "gateways",
    "hash_dist",
    "stats_alus",
    "meter_alus",
    "vliw",
    "phv",
  ];
  const measures = names.map((name) => ({
    name,
    before: amountOf(before, name).used,
    after: amountOf(after, name).used,
  }));
  const describe = (result: FitResult) => {
    const map = new Map<string, string>();
    for (const part of result.placement.parts) {
      if (part.unit.condition !== undefined) continue;
      const { layout } = part;
      const text = `stage ${part.stage}${layout.srams > 0 ? `, ${layout.srams} SRAM` : ""}${layout.tcams > 0 ? `, ${layout.tcams} TCAM` : ""}`;
      map.set(part.unit.name, map.has(part.unit.name) ? `${map.get(part.unit.name)}; ${text}` : text);
    }
    return map;
  };
  const old = describe(before);
  const now = describe(after);
  const tables = [...new Set([...old.keys(), ...now.keys()])]
    .sort()
    .map((name) => ({ name, before: old.get(name) ?? null, after: now.get(name) ?? null }))
    .filter((entry) => entry.before !== entry.after);
  return { measures, tables, verdicts: [before.verdict, after.verdict] };
}

export function differenceText(diff: FitDifference): string {
  const rows: Cell[][] = diff.measures
    .filter((measure) => measure.before !== 0 || measure.after !== 0)
    .map(({ name, before, after }) => [
      name,
      before,
      after,
      after === before ? "" : after > before ? `+${after - before}` : String(after - before),
    ]);
  const lines = [
    `verdict: ${diff.verdicts[0]} -> ${diff.verdicts[1]}`,
    "",
    formatTable(["", "before", "after", "change"], rows),
  ];
  if (diff.tables.length > 0) {
    lines.push(
      "",
      formatTable(
        ["table", "before", "after"],
        diff.tables.map((t) => [t.name, t.before, t.after]),
      ),
    );
  }
  return lines.join("\n");
}
