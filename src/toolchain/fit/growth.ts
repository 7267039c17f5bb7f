/** How large each table can still grow: the largest size with which the whole program is placed, each table alone. */
import { type Cell, defined, formatTable } from "../../base/index.js";
import { replacing } from "./explain.js";
import type { FitResult } from "./fit.js";
import { mostEntries } from "./model/build.js";
import { largestSize } from "./place/largest-size.js";
import { stageCount } from "./place/placement.js";
import { placeByStages } from "./place/tofino.js";

export interface Growth {
  readonly table: string;
  readonly size: number;
  /** The largest size that was placed, to one part in 16; not below `size`. */
  readonly largest: number;
}

/** Tables that are tried, the largest first. */
const MAX_TABLES = 16;
/** Sizes beyond any chip. */
const MAX_SIZE = 2 ** 24;
const PRECISION = 16;

/** Grows each table; none of a program that is not placed. */
export function growthOf({ problem, verdict, target }: FitResult): Growth[] {
  if (verdict !== "placed") return [];
  const tables = problem.model.units
    .filter(({ kind, algorithmic }) => kind === "match" && algorithmic === undefined)
    .sort((a, b) => b.size - a.size || a.id - b.id)
    .slice(0, MAX_TABLES);
  return tables.map((unit) => {
    const most = Math.min(MAX_SIZE, mostEntries(unit.key, unit.pragmas));
    const fits = (size: number) => {
      const placed = placeByStages(replacing(problem, unit.id, { ...unit, size }));
      return placed.unplaced.length === 0 && stageCount(placed.parts) <= target.stages;
    };
    let low = unit.size;
    let high = 2 * low;
    while (high < most && fits(high)) [low, high] = [high, 2 * high];
    const isWhole = most <= high && fits(most);
    const largest = isWhole ? most : largestSize(low, high, fits, PRECISION);
    return { table: unit.label, size: unit.size, largest };
  });
}

/** What is left and how large tables can grow, for a terminal. */
export function growthText(list: readonly Growth[]): string {
  const rows = list.map(({ table, size, largest }): Cell[] => [
    table,
    size,
    largest,
    `${defined((largest / size).toFixed(1))} x`,
  ]);
  return formatTable(["table", "entries", "can grow to", ""], rows);
}
