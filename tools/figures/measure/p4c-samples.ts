/**
 * How the compiler takes p4c's public samples, as JSON: `npx tsx tools/figures/measure/p4c-samples.ts FOLDER`, the folder of a
 * checkout of p4c. Counted are the v1model programs of `p4_16_samples` that compile, those whose P4Info equals p4c's expected
 * output in `p4_16_samples_outputs`, and the programs of `p4_16_errors` that are rejected with a place in the file. A program
 * whose first error is that it has no `main`, or that the compiler does not support something, is not counted as rejected.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Diagnostics, SourceFile } from "../../../src/base/index.js";
import { type CompileResult, compile, type IncludeResolver } from "../../../src/toolchain/p4/index.js";
import { readP4Info, sameP4Info } from "../../../src/toolchain/program/index.js";

const testdata = join(process.argv[2] ?? "p4c", "testdata");
const source = (path: string) => new SourceFile(path, readFileSync(path, "utf8"));

const resolveInclude: IncludeResolver = (name, from) => {
  const path = join(dirname(from.path), name);
  return existsSync(path) ? source(path) : undefined;
};

/** Errors that do not say what is wrong with a program: no `main`, a construct that is not supported. */
const OTHER_ERRORS = ["P40430", "P40431"];

/** The compiled program, and whether its first error is at a place and one of the program. */
function compiled(path: string): { result: CompileResult | undefined; rejected: boolean } {
  const diagnostics = new Diagnostics();
  const result = compile({ file: source(path), resolveInclude }, diagnostics);
  const first = diagnostics.list.find(({ severity }) => severity === "error");
  return {
    result: diagnostics.hasErrors ? undefined : result,
    rejected: first?.span !== undefined && !OTHER_ERRORS.includes(first.code),
  };
}

const programsIn = (folder: string) =>
  readdirSync(join(testdata, folder))
    .filter((name) => name.endsWith(".p4"))
    .sort();

const samples = programsIn("p4_16_samples").filter((name) => {
  const path = join(testdata, "p4_16_samples", name);
  return existsSync(path) && readFileSync(path, "utf8").includes("v1model.p4");
});
const counts = { programs: samples.length, compiled: 0, described: 0, same: 0, wrong: 0, rejected: 0 };
const refused: string[] = [];
const differing: string[] = [];
for (const name of samples) {
  const { result } = compiled(join(testdata, "p4_16_samples", name));
  if (result === undefined) {
    refused.push(name);
    continue;
  }
  counts.compiled++;
  const path = join(testdata, "p4_16_samples_outputs", `${name}.p4info.txtpb`);
  if (!existsSync(path)) continue;
  counts.described++;
  const theirs = readP4Info(source(path), "text", new Diagnostics());
  if (theirs !== undefined && sameP4Info(result.program.p4info, theirs).length === 0) counts.same++;
  else differing.push(name);
}
const accepted: string[] = [];
for (const name of programsIn("p4_16_errors")) {
  counts.wrong++;
  if (compiled(join(testdata, "p4_16_errors", name)).rejected) counts.rejected++;
  else accepted.push(name);
}
console.log(JSON.stringify({ ...counts, refused, differing, accepted }));
