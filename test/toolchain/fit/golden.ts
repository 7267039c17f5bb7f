/** The programs of test/golden/fit, compiled by our compiler and checked against what the Tofino compiler did. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { Diagnostics, SourceFile } from "../../../src/base/index.js";
import { type FitResult, fitProgram, type Target, targetSchema } from "../../../src/toolchain/fit/index.js";
import { compile } from "../../../src/toolchain/p4/index.js";
import type { Program } from "../../../src/toolchain/program/index.js";

const root = join(import.meta.dirname, "../../..");
const folder = join(root, "test/golden/fit");

export function loadTarget(name: string): Target {
  return targetSchema.parse(parse(readFileSync(join(root, "data/targets", `${name}.yaml`), "utf8")));
}

/** A golden program; undefined with the compiler's first error when our compiler refuses it. */
export function loadProgram(name: string): { program: Program | undefined; error: string | undefined } {
  const path = join(folder, "programs", `${name}.p4`);
  return compileText(readFileSync(path, "utf8"), `${name}.p4`);
}

export function compileText(
  text: string,
  path = "program.p4",
): { program: Program | undefined; error: string | undefined } {
  const diagnostics = new Diagnostics();
  const result = compile({ file: new SourceFile(path, text), form: "hardware" }, diagnostics);
  const error = diagnostics.list.find((d) => d.severity === "error");
  return {
    program: result?.program,
    error: error === undefined ? undefined : `${error.code} ${error.message}`,
  };
}

export interface Outcome {
  verdict: "placed" | "over" | "refused";
  stages?: number;
  srams?: number;
  tcams?: number;
  mapRams?: number;
  criticalPath?: number;
}

export interface Comparison {
  program: string;
  target: string;
  ours: Outcome;
  theirs: Outcome;
  same: boolean;
  note: string | undefined;
}

interface Golden {
  program: string;
  target: string;
  result: "placed" | "over" | "refused";
  stages?: { total: number };
  critical_path?: number;
  srams?: number;
  tcams?: number;
  map_rams?: number;
}

function outcomeOf(result: FitResult): Outcome {
  const sum = (name: "srams" | "tcams" | "map_rams") =>
    result.placement.stages.reduce((total, stage) => total + stage[name], 0);
  if (result.verdict === "refused") return { verdict: "refused" };
  return {
    verdict: result.verdict === "placed" ? "placed" : "over",
    stages: result.stages,
    srams: sum("srams"),
    tcams: sum("tcams"),
    mapRams: sum("map_rams"),
    criticalPath: result.problem.graph.criticalPath,
  };
}

/** What the Tofino compiler did, for each program and target. */
export const goldenResults = (): Golden[] =>
  JSON.parse(readFileSync(join(folder, "results.json"), "utf8")) as Golden[];

const targets = new Map(["tofino", "tofino2"].map((name) => [name, loadTarget(name)]));
const programs = new Map<string, ReturnType<typeof loadProgram>>();

/** A result beside ours. */
export function compareOne(golden: Golden): Comparison {
  let loaded = programs.get(golden.program);
  if (loaded === undefined) {
    loaded = loadProgram(golden.program);
    programs.set(golden.program, loaded);
  }
  if (loaded.program === undefined) return compareWith(golden, { verdict: "refused" }, loaded.error);
  return compareWith(golden, outcomeOf(fitProgram(loaded.program, targets.get(golden.target)!)));
}

export function compareWith(golden: Golden, ours: Outcome, note?: string): Comparison {
  const theirs: Outcome =
    golden.result === "refused"
      ? { verdict: "refused" }
      : {
          verdict: golden.result,
          stages: golden.stages!.total,
          srams: golden.srams!,
          tcams: golden.tcams!,
          mapRams: golden.map_rams!,
          criticalPath: golden.critical_path!,
        };
  const same =
    ours.verdict === theirs.verdict &&
    (theirs.verdict !== "placed" ||
      (ours.stages === theirs.stages && ours.srams === theirs.srams && ours.tcams === theirs.tcams));
  return { program: golden.program, target: golden.target, ours, theirs, same, note };
}

export function summarize(rows: readonly Comparison[]) {
  const placed = rows.filter((row) => row.theirs.verdict === "placed" && row.ours.stages !== undefined);
  const equal = (name: keyof Outcome) => placed.filter((row) => row.ours[name] === row.theirs[name]).length;
  return {
    results: rows.length,
    verdicts: rows.filter((row) => row.ours.verdict === row.theirs.verdict).length,
    placed: placed.length,
    stages: equal("stages"),
    within: placed.filter((row) => Math.abs(row.ours.stages! - row.theirs.stages!) <= 1).length,
    srams: equal("srams"),
    tcams: equal("tcams"),
    mapRams: equal("mapRams"),
    criticalPath: equal("criticalPath"),
  };
}
