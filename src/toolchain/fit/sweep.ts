/** Sweeps: how the number of stages grows with the size of a table (`table.size=1k..1M`). */
import { defined, fail, formatTable } from "../../base/index.js";
import type { Program } from "../program/index.js";
import { CODES } from "./codes.js";
import { type FitOptions, type FitResult, fitProgram } from "./fit.js";
import type { Target } from "./target.js";

export interface Sweep {
  readonly table: string;
  readonly sizes: readonly number[];
}

const UNITS: Readonly<Record<string, number>> = { "": 1, k: 1024, M: 1024 * 1024 };

function parseSize(text: string): number | undefined {
  const match = /^(\d+)([kM]?)$/.exec(text);
  const size = match === null ? Number.NaN : Number(match[1]) * defined(UNITS[defined(match[2])]);
  return Number.isSafeInteger(size) ? size : undefined;
}

/**
 * Reads `NAME.size=FROM..TO` (doubling from FROM; TO is the last size) or `NAME.size=A,B,C`; k is 1024, M is 1024 k.
 * Fails with P44031 when the text is not a sweep.
 */
export function parseSweep(text: string): Sweep {
  const match = /^(.+)\.size=(.+)$/.exec(text);
  const wrong = (): never =>
    fail(
      CODES.sweep,
      undefined,
      `--sweep "${text}": not a sweep`,
      "write TABLE.size=1k..1M, or TABLE.size=512,1k,4k",
    );
  if (match === null) return wrong();
  const [, table, values] = match;
  const range = values!.split("..");
  if (range.length === 2) {
    const from = parseSize(defined(range[0]));
    const to = parseSize(defined(range[1]));
    if (from === undefined || to === undefined || from < 1 || to < from) return wrong();
    const sizes: number[] = [];
    for (let size = from; size < to; size *= 2) sizes.push(size);
    sizes.push(to);
    return { table: table!, sizes };
  }
  const sizes = values!.split(",").map(parseSize);
  if (sizes.some((size) => size === undefined || size < 1)) return wrong();
  return { table: table!, sizes: sizes as number[] };
}

/** The result for one size. */
export interface SweepPoint {
  readonly size: number;
  readonly result: FitResult;
}

/**
 * One result a size of a table or action profile, which `sweep.table` names in full or by its last part. Fails with
 * P44032 when the program has no such table, or several.
 */
export function fitSweep(
  program: Program,
  target: Target,
  sweep: Sweep,
  options: FitOptions = {},
): SweepPoint[] {
  const tables = program.bmv2.pipelines.flatMap((p) => [
    ...p.tables.filter((t) => t.key.length > 0).map((t) => t.name),
    ...p.action_profiles.map((profile) => profile.name),
  ]);
  const found = tables.filter((name) => name === sweep.table || name.endsWith(`.${sweep.table}`));
  const [name] = found;
  if (name === undefined || found.length > 1) {
    fail(
      CODES.sweepTable,
      undefined,
      found.length > 1 ? `${sweep.table} is the name of several tables` : `there is no table ${sweep.table}`,
      `tables: ${(found.length > 1 ? found : tables).join(", ")}`,
    );
  }
  return sweep.sizes.map((size) => ({
    size,
    result: fitProgram(program, target, { ...options, sizes: new Map([[name, size]]) }),
  }));
}

/** The results of a sweep as a table. */
export function sweepText(points: readonly SweepPoint[]): string {
  const sum = (result: FitResult, name: "srams" | "tcams") =>
    result.placement.stages.reduce((total, stage) => total + stage[name], 0);
  return formatTable(
    ["entries", "stages", "SRAM", "TCAM", "verdict"],
    points.map(({ size, result }) => [
      size,
      result.stages,
      sum(result, "srams"),
      sum(result, "tcams"),
      result.verdict,
    ]),
  );
}
