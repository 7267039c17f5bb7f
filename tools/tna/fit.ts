/**
 * Compares `p4loom fit` of public TNA programs with what the open Tofino compiler placed, and writes docs/tna/fit-accuracy.md.
 *
 *     CORPUS=DIR RIVAL=DIR npx tsx tools/tna/fit.ts [NAME ...]
 *
 * CORPUS holds `corpus.tsv` and the programs as `OWNER+NAME/PATH`; RIVAL holds the compiler's records, `results.json`. A program that the
 * compiler placed counts once for each chip. Results go to `CORPUS/fit.jsonl`, a line a case; a second run tries only what has no line
 * (`FRESH=1`: all). With names, only cases whose name contains one are tried, and no page is written.
 */
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { DiagnosticError } from "../../src/base/index.js";
import { loadTarget } from "../../src/cli/targets.js";
import { fitProgram, onePipe, pipesOf } from "../../src/toolchain/fit/index.js";
import { type Case, type Chip, caseName, loadCase, readCases } from "./corpus.js";
import {
  type CONTAINERS,
  type Containers,
  type FitRecord,
  fitPage,
  RESOURCES,
  type Resource,
} from "./fit-page.js";

interface Placed {
  repo: string;
  path: string;
  variant?: string;
  target: Chip;
  result: string;
  pipes?: number;
  stages: { total: number };
  per_stage_resources: Record<string, number>[];
  phv: Record<(typeof CONTAINERS)[number], { containers: number }>;
}

async function fitCase(corpus: string, one: Case, placed: Placed): Promise<FitRecord> {
  const record: FitRecord = {
    case: caseName(one),
    chip: one.chip,
    theirs: {
      stages: placed.stages.total,
      sums: sumsOf(placed.per_stage_resources),
      containers: containersOf((size) => placed.phv[size].containers),
    },
  };
  try {
    const program = await loadCase(corpus, one);
    const start = performance.now();
    const target = loadTarget(one.chip);
    const pipes = pipesOf(program).map((name) => fitProgram(onePipe(program, name), target));
    const longest = pipes.reduce((a, b) => (b.stages > a.stages ? b : a));
    const refusal = longest.diagnostics.find(({ severity }) => severity === "error")?.message;
    const reason = refusal ?? longest.placement.unplaced[0]?.detail ?? longest.exceeded[0];
    return {
      ...record,
      ours: {
        stages: longest.stages,
        verdict: longest.verdict,
        sums: sumsOf(longest.placement.stages as unknown as Record<string, number>[]),
        containers: containersOf((size) => {
          const { packed } = longest.phv;
          return size === "8b" ? packed[8].containers : packed[size === "16b" ? 16 : 32].containers;
        }),
        ms: Math.round(performance.now() - start),
      },
      ...(reason === undefined ? {} : { reason }),
    };
  } catch (error) {
    const message =
      error instanceof DiagnosticError ? error.diagnostics[0]?.message : (error as Error).message;
    return { ...record, reason: (message ?? "no message").split("\n")[0]! };
  }
}

function containersOf(count: (size: (typeof CONTAINERS)[number]) => number): Containers {
  return { "8b": count("8b"), "16b": count("16b"), "32b": count("32b") };
}

function sumsOf(stages: readonly Record<string, number>[]): Partial<Record<Resource, number>> {
  const sums: Partial<Record<Resource, number>> = {};
  for (const stage of stages)
    for (const name of RESOURCES) {
      const used = stage[name];
      if (typeof used === "number") sums[name] = (sums[name] ?? 0) + used;
    }
  return sums;
}

const { CORPUS: corpus, RIVAL: rival, FRESH: fresh } = process.env;
const missing = [
  ["CORPUS", corpus, "corpus.tsv"],
  ["RIVAL", rival, "results.json"],
].find(([, folder, file]) => folder === undefined || !existsSync(join(folder, file!)));
if (missing !== undefined || corpus === undefined || rival === undefined) {
  console.error(`fit: skipped; ${missing?.[0]} names no folder with ${missing?.[2]}`);
} else {
  const names = process.argv.slice(2);
  const results = join(corpus, "fit.jsonl");
  if (fresh !== undefined) rmSync(results, { force: true });
  const known = existsSync(results)
    ? readFileSync(results, "utf8")
        .trimEnd()
        .split("\n")
        .filter((line) => line !== "")
        .map((line): FitRecord => JSON.parse(line))
    : [];
  const all = (JSON.parse(readFileSync(join(rival, "results.json"), "utf8")) as Placed[]).filter(
    ({ result }) => result === "placed",
  );
  const cases = readCases(corpus).filter((one) => one.class === "design");
  for (const placed of all) {
    const one = cases.find(
      ({ repo, path, variant, chip }) =>
        repo === placed.repo &&
        path === placed.path &&
        chip === placed.target &&
        variant === (placed.variant ?? ""),
    );
    if (one === undefined) continue;
    const name = caseName(one);
    const isKnown = known.some((record) => record.case === name);
    if (names.length === 0 ? isKnown : !names.some((part) => name.includes(part))) continue;
    const record = await fitCase(corpus, one, placed);
    if (names.length > 0) console.log(JSON.stringify(record));
    else {
      appendFileSync(results, `${JSON.stringify(record)}\n`);
      known.push(record);
    }
  }
  if (names.length === 0) {
    writeFileSync(resolve(import.meta.dirname, "../../docs/tna/fit-accuracy.md"), fitPage(known));
    console.log(`${known.length} cases`);
  }
}
