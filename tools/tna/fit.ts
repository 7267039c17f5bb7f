/**
 * Compares `p4loom fit` of public TNA programs with what the open Tofino compiler placed, and writes docs/tna/fit-accuracy.md.
 *
 *     CORPUS=DIR RIVAL=DIR [OUTSIDE=FILE,FILE] npx tsx tools/tna/fit.ts [NAME ...]
 *
 * CORPUS holds `corpus.tsv` and the programs as `OWNER+NAME/PATH`; RIVAL holds the compiler's records, `results.json`, of the listed designs.
 * OUTSIDE names files of further records, of programs outside the list: the records of changed programs (`adapted.json`), and those of
 * `record.ts`. A program that the compiler placed within the chip's stages counts once for each chip. Results go to `CORPUS/fit.jsonl`, those of
 * programs outside the list to `CORPUS/fit-outside.jsonl`, a line a case; a second run tries only what has no line (`FRESH=1`: all). With names,
 * only cases whose name contains one are tried, and no page is written.
 */
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { DiagnosticError } from "../../src/base/index.js";
import { loadTarget } from "../../src/cli/targets.js";
import { type FitResult, fitProgram, onePipe, pipesOf } from "../../src/toolchain/fit/index.js";
import { type Case, caseName, linesOf, loadCase, readCases } from "./corpus.js";
import {
  type CONTAINERS,
  type Containers,
  type FitRecord,
  fitPage,
  RESOURCES,
  type Resource,
} from "./fit-page.js";
import { type PlacedPipe, placedPipe, type Rival } from "./outside.js";

async function fitCase(
  corpus: string,
  one: Case,
  placed: PlacedPipe,
  options: readonly string[] | undefined,
): Promise<FitRecord> {
  const record: FitRecord = {
    case: caseName(one),
    chip: one.chip,
    theirs: {
      stages: placed.stages,
      sums: sumsOf(placed.counts),
      containers: containersOf((size) => placed.phv[size].containers),
    },
  };
  try {
    const program = await loadCase(corpus, one, options);
    const start = performance.now();
    const target = loadTarget(one.chip);
    const pipes = pipesOf(program)
      .filter((name) => placed.name === undefined || placed.name === name)
      .map((name) => fitProgram(onePipe(program, name), target));
    const longest = pipes.reduce((a, b) => (b.stages > a.stages ? b : a));
    const ms = Math.round(performance.now() - start);
    const refusal = longest.diagnostics.find(({ severity }) => severity === "error")?.message;
    const reason = refusal ?? longest.placement.unplaced[0]?.detail ?? longest.exceeded[0];
    return { ...record, ours: { ...oursOf(longest), ms }, ...(reason === undefined ? {} : { reason }) };
  } catch (error) {
    const message =
      error instanceof DiagnosticError
        ? error.diagnostics.find(({ severity }) => severity === "error")?.message
        : (error as Error).message;
    return { ...record, reason: (message ?? "no message").split("\n")[0]! };
  }
}

function oursOf({ stages, verdict, placement, phv: { packed } }: FitResult) {
  return {
    ...{ stages, verdict },
    sums: sumsOf(placement.stages as unknown as Readonly<Record<string, unknown>>[]),
    containers: containersOf((size) => packed[size === "8b" ? 8 : size === "16b" ? 16 : 32].containers),
  };
}

function containersOf(count: (size: (typeof CONTAINERS)[number]) => number): Containers {
  return { "8b": count("8b"), "16b": count("16b"), "32b": count("32b") };
}

function sumsOf(stages: readonly Readonly<Record<string, unknown>>[]): Partial<Record<Resource, number>> {
  const sums: Partial<Record<Resource, number>> = {};
  for (const stage of stages)
    for (const name of RESOURCES) {
      const used = stage[name];
      if (typeof used === "number") sums[name] = (sums[name] ?? 0) + used;
    }
  return sums;
}

/** Fits what has no line in the file yet, or, with names, the cases whose name contains one; the lines of all records. */
async function fitAll(
  corpus: string,
  file: string,
  rivals: readonly Rival[],
  names: readonly string[],
): Promise<FitRecord[]> {
  const path = join(corpus, file);
  if (process.env["FRESH"] !== undefined && names.length === 0) rmSync(path, { force: true });
  const known = new Map(linesOf<FitRecord>(path).map((line) => [line.case, line]));
  const cases = readCases(corpus);
  const lines: FitRecord[] = [];
  for (const rival of rivals) {
    const placed = placedPipe(rival);
    if (placed === undefined) continue;
    const one = cases.find(
      ({ repo, path: at, variant, chip }) =>
        repo === rival.repo &&
        at === rival.path &&
        chip === rival.target &&
        variant === (rival.variant ?? ""),
    );
    if (one === undefined) continue;
    const name = caseName(one);
    const compared = () => fitCase(corpus, one, placed, rival.adapted?.options);
    if (names.length > 0) {
      if (names.some((part) => name.includes(part))) console.log(JSON.stringify(await compared()));
      continue;
    }
    const line = known.get(name) ?? (await compared());
    if (!known.has(name)) appendFileSync(path, `${JSON.stringify(line)}\n`);
    lines.push(line);
  }
  return lines;
}

const recordsOf = (path: string): Rival[] => JSON.parse(readFileSync(path, "utf8"));

const { CORPUS: corpus, RIVAL: rival, OUTSIDE: outside = "" } = process.env;
const missing = [
  ["CORPUS", corpus, "corpus.tsv"],
  ["RIVAL", rival, "results.json"],
].find(([, folder, file]) => folder === undefined || !existsSync(join(folder, file!)));
if (missing !== undefined || corpus === undefined || rival === undefined) {
  console.error(`fit: skipped; ${missing?.[0]} names no folder with ${missing?.[2]}`);
} else {
  const names = process.argv.slice(2);
  const further = outside.split(",").filter((path) => path !== "");
  const records = {
    listed: await fitAll(corpus, "fit.jsonl", recordsOf(join(rival, "results.json")), names),
    outside: await fitAll(corpus, "fit-outside.jsonl", further.flatMap(recordsOf), names),
  };
  if (names.length === 0) {
    writeFileSync(resolve(import.meta.dirname, "../../docs/tna/fit-accuracy.md"), fitPage(records));
    console.log(`${records.listed.length} cases, ${records.outside.length} outside the list`);
  }
}
