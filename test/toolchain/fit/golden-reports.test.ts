/**
 * Whole reports of the larger programs: text, advice, JSON document, page. `make golden` writes them; read the difference as a
 * user of the report would.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { SourceFile } from "../../../src/base/index.js";
import {
  explain,
  explanationText,
  fitProgram,
  type Target,
  toHtml,
  toJson,
  toSarif,
  toText,
} from "../../../src/toolchain/fit/index.js";
import type { Program } from "../../../src/toolchain/program/index.js";
import { goldenLines } from "../../golden-lines.js";
import { compileText, loadTarget } from "./golden.js";

const root = join(import.meta.dirname, "../../..");
const folder = join(root, "test/golden/fit/reports");

/** Text of a page, one line for each element. */
const markup = (html: string): string =>
  html
    .replace(/<style>[\s\S]*?<\/style>/, "")
    .replace(/></g, ">\n<")
    .replaceAll(/[ \t]+\n/g, "\n");

function reportOf(program: Program, source: SourceFile, target: Target, withPage: boolean): string {
  const result = fitProgram(program, target, {
    sources: (path) => (path === source.path ? source : undefined),
  });
  const explanation = explain(result);
  const { per_stage_limits: _, ...document } = toJson(result);
  return [
    toText(result),
    explanationText(result, explanation),
    goldenLines(document),
    goldenLines(toSarif(result, [], explanation.advice, "0.0.0")),
    ...(withPage ? [markup(toHtml(result, [source], explanation))] : []),
  ]
    .map((part) => `${part.trimEnd()}\n`)
    .join("\n");
}

/** Programs of the reference data, and those that we generate: between them they have every construct of the model. */
const PROGRAMS = [
  ...["acl_qos", "bitmap16", "ecmp", "flowlet", "heavy_hitter", "int", "l2l3", "pathclass_selector"].map(
    (name) => `test/golden/fit/programs/real_${name}.p4`,
  ),
  ...["arith_misc", "control", "cpu", "hash", "memory", "parse", "queue", "replicate", "selector"].map(
    (name) => `test/golden/${name}/${name}.p4`,
  ),
  ...["externs", "loops", "parser", "profiles", "stacks", "tables", "values"].map(
    (name) => `test/golden/constructs/${name}.p4`,
  ),
  "p4/pecmp/leaf.p4",
];
/** Targets of a program, and whether its page is recorded, too. */
const RUNS: readonly [program: string, target: string, withPage: boolean][] = PROGRAMS.flatMap(
  (path): [string, string, boolean][] => [
    [path, "tofino", /l2l3|selector\.p4|externs/.test(path)],
    ...(/real_/.test(path) ? [[path, "rmt", false] as [string, string, boolean]] : []),
    ...(/real_(heavy|l2l3)/.test(path) ? [[path, "tofino2", false] as [string, string, boolean]] : []),
  ],
);

describe("the whole report", () => {
  const targets = new Map(["tofino", "tofino2", "rmt"].map((name) => [name, loadTarget(name)]));
  const programs = new Map(
    PROGRAMS.map((path) => {
      const source = new SourceFile(path, readFileSync(join(root, path), "utf8"));
      return [path, { source, program: compileText(source.text, path).program! }];
    }),
  );

  it.each(RUNS)("of %s on %s is the recorded one", (path, target, withPage) => {
    const { source, program } = programs.get(path)!;
    const report = reportOf(program, source, targets.get(target)!, withPage);
    const file = join(folder, `${basename(path, ".p4")}.${target}.txt`);
    if (process.env["P4LOOM_GOLDEN"] === "update") {
      mkdirSync(folder, { recursive: true });
      writeFileSync(file, report);
    }
    expect(report).toBe(readFileSync(file, "utf8"));
  });
});
