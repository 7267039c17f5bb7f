/** Budgets for CI (`stages=10,sram=40%`), and the difference between two programs on one target. */
import { type Cell, defined, didYouMean, fail, formatTable } from "../../base/index.js";
import { CODES } from "./codes.js";
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

/** Of parsers and deparsers: the larger one of both gresses, since each has its own. */
const PARDE = ["parser_rows", "deparser_entries", "validity_bits"] as const;
/** The cycles of the slower gress, and the estimate of power. */
const TIMING = ["cycles", "watts"] as const;

export interface BudgetItem {
  readonly name: string;
  readonly limit: number;
  /** The limit is a percentage of the whole device. */
  readonly percent: boolean;
}

/** A budget item beside what a result uses. Percentages are compared as they are shown, with one decimal. */
export interface BudgetUse extends BudgetItem {
  /** In the unit of the limit: an amount, or per cent. */
  readonly used: number;
  readonly within: boolean;
}

/** Reads `NAME=NUMBER` and `NAME=NUMBER%`, comma-separated. Fails with P44030 when the text is not a budget. */
export function parseBudget(text: string): BudgetItem[] {
  return text.split(",").map((part) => {
    const match = /^\s*(\w+)\s*=\s*(\d+(?:\.\d+)?)(%?)\s*$/.exec(part);
    const known = ["stages", "phv", ...Object.keys(RESOURCE_OF), ...PARDE, ...TIMING];
    if (match === null || !known.includes(defined(match[1]))) {
      const name = /^\s*(\w+)\s*=/.exec(part)?.[1];
      fail(
        CODES.budget,
        undefined,
        `--budget "${part}": not a budget${name === undefined ? "" : didYouMean(name, known, '"')}`,
        `write NAME=NUMBER or NAME=NUMBER%; names: ${known.join(", ")}`,
      );
    }
    return { name: defined(match[1]), limit: Number(match[2]), percent: match[3] === "%" };
  });
}

/** The amount in use (undefined: not known of such a program), and the amount of the whole device (null: not stated). */
interface Amount {
  readonly used: number | undefined;
  readonly of: number | null;
}

/** What a budget item counts. */
function amountOf(result: FitResult, name: string): Amount {
  const { target, placement, phv } = result;
  if (name === "stages") return { used: result.stages, of: target.stages };
  if (name === "phv") {
    const sizes = [8, 16, 32] as const;
    const of = sizes.reduce((sum, size) => sum + size * target.phv.containers[size], 0);
    const packed = sizes.reduce((sum, size) => sum + size * phv.packed[size].containers, 0);
    return { used: target.phv.packs_fields ? packed : phv.naive.bits, of };
  }
  const own = PARDE.find((one) => one === name);
  if (own !== undefined) return pardeAmount(result, own);
  if (name === "cycles") {
    const totals = result.cycles?.map(({ total }) => total);
    return { used: totals === undefined ? undefined : Math.max(...totals), of: null };
  }
  if (name === "watts") {
    const { power } = result;
    return { used: power === undefined ? undefined : rounded(power.watts), of: target.power?.limit ?? null };
  }
  const resource = defined(RESOURCE_OF[name]);
  const limit = limitsOf(target)[resource];
  return {
    used: placement.stages.reduce((sum, stage) => sum + stage[resource], 0),
    of: limit === null ? null : limit * target.stages,
  };
}

/** As the report shows watts. */
const rounded = (watts: number): number => Math.round(100 * watts) / 100;

function pardeAmount({ parde, target }: FitResult, name: (typeof PARDE)[number]): Amount {
  const { parser, deparser } = target.parde ?? {};
  const of = {
    parser_rows: parser?.rows,
    deparser_entries: deparser?.entries,
    validity_bits: deparser?.validity_bits,
  };
  if (parde === undefined) return { used: undefined, of: of[name] ?? null };
  const deparsers = [parde.deparsers.ingress, parde.deparsers.egress];
  const amounts = {
    parser_rows: parde.parsers.map(({ rows }) => rows),
    deparser_entries: deparsers.map((one) => one?.entries ?? 0),
    validity_bits: deparsers.map((one) => one?.validityBits ?? 0),
  };
  return { used: Math.max(0, ...amounts[name]), of: of[name] ?? null };
}

/** Compares a result with a budget. Fails with P44046 for what is not known of the program, and for a percentage of an amount that the target does not state. */
export function checkBudget(result: FitResult, budget: readonly BudgetItem[]): BudgetUse[] {
  return budget.map((item) => {
    const { used, of } = amountOf(result, item.name);
    if (used === undefined)
      fail(
        CODES.budgetNotStated,
        undefined,
        `--budget ${item.name}=${item.limit}: not known of this program on ${result.target.name}`,
        "give a program for TNA, whose parsers and containers are known, and one of the targets for it",
      );
    if (!item.percent) return { ...item, used, within: used <= item.limit };
    if (of === null) {
      fail(
        CODES.budgetNotStated,
        undefined,
        `--budget ${item.name}=${item.limit}%: ${result.target.name} does not state how much there is`,
        `write ${item.name}=NUMBER`,
      );
    }
    const share = Math.round((1000 * used) / of) / 10;
    return { ...item, used: share, within: share <= item.limit };
  });
}

/** A budget item that is exceeded, as a sentence. */
export function overBudgetText({ name, used, limit, percent }: BudgetUse): string {
  const unit = percent ? " %" : "";
  return `${name}: ${used}${unit} used, budget ${limit}${unit}`;
}

/** What differs between two programs on one target: amounts, placement of tables, verdicts (before, after). */
export interface FitDifference {
  readonly measures: readonly { readonly name: string; readonly before: number; readonly after: number }[];
  readonly tables: readonly {
    readonly name: string;
    readonly before: string | null;
    readonly after: string | null;
  }[];
  readonly verdicts: readonly [string, string];
}

/** Compares the results of two programs on one target. Tables without a change are left out. */
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
    ...PARDE,
    ...TIMING,
  ];
  const measures = names.map((name) => ({
    name,
    before: amountOf(before, name).used ?? 0,
    after: amountOf(after, name).used ?? 0,
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

/** A difference for a terminal. */
export function differenceText(diff: FitDifference): string {
  const rows: Cell[][] = diff.measures
    .filter((measure) => measure.before !== 0 || measure.after !== 0)
    .map(({ name, before, after }) => [
      name,
      before,
      after,
      after === before
        ? ""
        : after > before
          ? `+${rounded(after - before)}`
          : String(rounded(after - before)),
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
