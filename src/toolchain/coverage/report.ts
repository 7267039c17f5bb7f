/** Coverage of a program: its items, their sums, and its lines. */
import type { ProgramCounts } from "../switch/index.js";
import { type Item, itemsOf, type Kind } from "./items.js";

export interface Total {
  /** Items that were reached, of all. */
  readonly reached: number;
  readonly of: number;
}

export interface Coverage {
  readonly items: readonly Item[];
  readonly totals: Readonly<Record<Kind, Total>>;
}

/** What stands on one line of a source. */
export interface Line {
  readonly line: number;
  /** Executions of the line's statements: the most of any. Undefined: it has no statement. */
  readonly hits: number | undefined;
  readonly items: readonly Item[];
  /** Whether some items of the line were reached, all, or none. */
  readonly state: "all" | "some" | "none";
}

export function coverageOf(counts: ProgramCounts): Coverage {
  const items = itemsOf(counts);
  const total = (kind: Kind): Total => {
    const own = items.filter((item) => item.kind === kind);
    return { reached: own.filter(({ hits }) => hits > 0).length, of: own.length };
  };
  return {
    items,
    totals: {
      statement: total("statement"),
      branch: total("branch"),
      action: total("action"),
      state: total("state"),
    },
  };
}

/** Share of the statements that were reached, in percent; 100 of a program without statements. */
export function percentOf({ reached, of }: Total): number {
  return of === 0 ? 100 : (100 * reached) / of;
}

/** The lines with items, by file in the order of the items. */
export function linesOf({ items }: Coverage): Map<string, Line[]> {
  const files = new Map<string, Map<number, Item[]>>();
  for (const item of items) {
    if (item.place === undefined) continue;
    const { filename, line } = item.place;
    const lines = files.get(filename) ?? new Map<number, Item[]>();
    files.set(filename, lines);
    lines.set(line, [...(lines.get(line) ?? []), item]);
  }
  return new Map(
    [...files].map(([file, lines]) => [file, [...lines].map(([line, own]) => lineOf(line, own))]),
  );
}

function lineOf(line: number, items: readonly Item[]): Line {
  const statements = items.filter(({ kind }) => kind === "statement").map(({ hits }) => hits);
  const reached = items.filter(({ hits }) => hits > 0).length;
  return {
    line,
    hits: statements.length === 0 ? undefined : Math.max(...statements),
    items,
    state: reached === items.length ? "all" : reached === 0 ? "none" : "some",
  };
}

export const KIND_WORDS: Readonly<Record<Kind, string>> = {
  statement: "statements",
  branch: "branches",
  action: "table actions",
  state: "parser states",
};
