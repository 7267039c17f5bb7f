/** Grown public TNA designs: where a design grows, its grown sources, and what `p4loom fit` says of them. */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { DiagnosticError, Diagnostics } from "../../src/base/index.js";
import { loadTarget } from "../../src/cli/targets.js";
import { type FitResult, fitProgram, onePipe, pipesOf } from "../../src/toolchain/fit/index.js";
import { loadProgram } from "../../src/toolchain/loading/index.js";
import type { Program } from "../../src/toolchain/program/index.js";
import { type Case, caseName, chipDefines, programFile, searchPath } from "./corpus.js";
import { type Growing, grownText, type Place, writeGrown } from "./grown-source.js";

/** The ways in which a design grows. */
export const GROWTHS = ["table", "tables", "fields"] as const satisfies readonly Growing["kind"][];

/** A line of `grow.jsonl`. */
export interface Grown {
  readonly case: string;
  readonly table: string;
  readonly kind: Growing["kind"];
  /** Entries, tables that are added, or fields: as published, the most that fits, the least that is refused. */
  readonly from: number;
  readonly fits: number;
  readonly refused: number | undefined;
  /** What the refused program has too much of. */
  readonly resource: string;
}

interface Design {
  readonly one: Case;
  readonly root: string;
  readonly main: string;
  readonly files: readonly string[];
  readonly program: Program;
}

/** Where a design grows: its table, by its label in `fit`, and the entries that it has as published. */
export interface GrowthPlace {
  readonly design: Design;
  readonly place: Place;
  readonly size: number;
  readonly label: string;
}

/** A grown source, and what `fit` says of it. */
export interface Trial {
  readonly main: string;
  readonly include: readonly string[];
  readonly result: FitResult;
}

interface Fitted {
  readonly result: FitResult;
  readonly program: Program;
  readonly files: readonly string[];
}

/** Compiles and fits a program: the first pipe that is refused, else the first. */
export async function fitted(one: Case, path: string, include: string[]): Promise<Fitted> {
  const define = [...chipDefines(one.chip), ...one.defines];
  const { program, sources } = await loadProgram(
    { path, include, define, form: "hardware" },
    new Diagnostics(),
    "ignore",
  );
  return {
    result: fitAll(program, one),
    program,
    files: [...sources.keys()].map((file) => resolve(file)),
  };
}

export function fitAll(program: Program, { chip }: Case, sizes?: ReadonlyMap<string, number>): FitResult {
  const target = loadTarget(chip);
  const results = pipesOf(program).map((name) =>
    fitProgram(onePipe(program, name), target, sizes === undefined ? {} : { sizes }),
  );
  return results.find(({ verdict }) => verdict !== "placed") ?? results[0]!;
}

/** What a refused program has too much of, in a word. */
export function resourceOf({ verdict, placement, bounds, phv, target, stages }: FitResult): string {
  if (verdict === "placed") return "";
  const [unplaced] = placement.unplaced;
  if (unplaced !== undefined) return unplaced.resource;
  const bound = bounds.find((one) => one.stages > target.stages);
  if (bound !== undefined) return bound.name;
  if (phv.exceeded.length > 0) return "phv";
  return stages > target.stages ? "stages" : "refused";
}

/**
 * The largest table with memory whose text shows where it grows, or the one with that label, and its control; undefined where `fit` does not
 * place the design or no table can grow.
 */
export async function growthPlace(
  corpus: string,
  one: Case,
  wanted?: string,
): Promise<GrowthPlace | undefined> {
  const main = resolve(programFile(corpus, one));
  const { result, program, files } = await fitted(one, main, searchPath(corpus, one));
  if (result.verdict !== "placed" && wanted === undefined) return undefined;
  const root = resolve(corpus, one.repo.replace("/", "+"));
  const inside = files.filter((file) => file.startsWith(`${root}/`));
  const tables = result.model.units
    .filter(
      ({ kind, algorithmic, source, constEntries, label }) =>
        kind === "match" &&
        algorithmic === undefined &&
        constEntries === undefined &&
        source !== undefined &&
        (wanted === undefined || label === wanted),
    )
    .sort((a, b) => b.size - a.size || a.id - b.id);
  for (const { source, label, size } of tables) {
    const file = resolve(source!.filename);
    const name = label.split(".").at(-1)!;
    const place = { file, line: source!.line, name };
    if (!inside.includes(file) || grownText(place, growingOf("table", name, 1)) === undefined) continue;
    return { design: { one, root, main, files: inside, program }, place, size, label };
  }
  return undefined;
}

export function growingOf(kind: Growing["kind"], table: string, amount: number): Growing {
  if (kind === "table") return { kind, table, size: amount };
  return kind === "tables" ? { kind, table, tables: amount } : { kind, table, fields: amount };
}

/** `OWNER_NAME_PATH@CHIP-KIND`: the folder of a growth. */
export const growthFolder = (name: string, kind: Growing["kind"]): string =>
  `${name}-${kind}`.replaceAll("/", "_");

/** The source of a growth that is refused: the least that a compiler refuses where one was asked (ask.ts), else that `fit` does. */
export function refusedFolder(grown: string, one: Case, kind: Growing["kind"]): string {
  const folder = join(grown, growthFolder(caseName(one), kind));
  const least = join(folder, "least");
  return existsSync(least) ? least : join(folder, "refused");
}

/** Writes and fits one growth below `folder`; undefined when the grown source does not compile. */
export async function tryGrowth(
  corpus: string,
  { design, place }: GrowthPlace,
  growing: Growing,
  folder: string,
): Promise<Trial | undefined> {
  const text = grownText(place, growing);
  if (text === undefined) return undefined;
  const main = writeGrown(folder, design, { file: place.file, text });
  const include = searchPath(corpus, design.one).map((path) => resolve(path).replace(design.root, folder));
  try {
    return { main, include, result: (await fitted(design.one, main, include)).result };
  } catch (error) {
    if (error instanceof DiagnosticError) return undefined;
    throw error;
  }
}
