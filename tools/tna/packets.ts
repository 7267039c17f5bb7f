/**
 * Runs packet tests that others wrote for public TNA programs, and writes docs/tna/packets.md.
 *
 *     CORPUS=DIR [TESTS=DIR] npx tsx tools/tna/packets.ts [NAME ...]
 *
 * CORPUS holds `corpus.tsv` and the programs as `OWNER+NAME/PATH`; a test of the open compiler lies beside its program, with the suffix
 * `.stf`. TESTS holds the tests that P4Testgen made: a folder a program, with `results.json`. Results go to `CORPUS/packets.jsonl`, a line a
 * test file; a second run plays only what has no line (`FRESH=1`: all). `CORPUS/ptf.jsonl` has those of tools/tna/ptf/run.ts. With names, only tests
 * whose name contains one are played, and no page is written.
 */
import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { DiagnosticError, Diagnostics, SourceFile } from "../../src/base/index.js";
import { loadProgram } from "../../src/toolchain/loading/index.js";
import type { Program } from "../../src/toolchain/program/index.js";
import { readStf, runStf } from "../../src/toolchain/stf/index.js";
import { type Case, chipDefines, programFile, readCases, searchPath } from "./corpus.js";
import { ON_TOFINO2 } from "./packet-causes.js";
import { page } from "./packet-page.js";

/** What one test file gave. */
export interface Result {
  /** The open compiler's tests, by STF or by PTF, or those of P4Testgen. */
  judge: "compiler" | "ptf" | "testgen";
  /** Of the program, then of the file. */
  program: string;
  test: string;
  /** The test expects a packet. */
  expects: boolean;
  /** The first message, where the test failed. */
  failed?: string;
  /** The text of the program expects an error on this chip, and the compiler refuses it. */
  isRefused?: boolean;
}

interface Test {
  judge: Result["judge"];
  one: Case;
  path: string;
  name: string;
}

/** The open compiler's tests: beside the listed programs of its repository. */
function compilerTests(corpus: string, cases: readonly Case[]): Test[] {
  return cases.flatMap((one): Test[] => {
    if (one.repo !== "p4lang/bf-p4c" || !one.path.startsWith("p4-tests/p4_16/")) return [];
    const path = programFile(corpus, one).replace(/\.p4$/, ".stf");
    const name = one.chip === "tofino2" && one.isForBoth ? `${one.path}${ON_TOFINO2}` : one.path;
    return existsSync(path) ? [{ judge: "compiler", one, path, name }] : [];
  });
}

/** P4Testgen's, by folders that are named as the golden outputs are. */
function generatedTests(folder: string | undefined, cases: readonly Case[]): Test[] {
  if (folder === undefined || !existsSync(folder)) return [];
  const named = new Map(cases.filter(({ chip }) => chip === "tofino").map((one) => [folderOf(one), one]));
  return readdirSync(folder)
    .sort()
    .flatMap((name): Test[] => {
      const one = named.get(name);
      if (one === undefined) return [];
      const files = readdirSync(join(folder, name)).filter((file) => file.endsWith(".stf"));
      return files.map((file) => ({
        judge: "testgen",
        one,
        path: join(folder, name, file),
        name: `${name}/${file}`,
      }));
    });
}

function folderOf({ repo, path, variant }: Case): string {
  const flat = (text: string): string => text.replaceAll("/", "_");
  return `${flat(repo)}__${flat(path)}${variant === "" ? "" : `__${variant}`}`;
}

const programs = new Map<string, Promise<Program | string>>();

/** The program, or the first message that says why there is none. */
function programOf(corpus: string, one: Case): Promise<Program | string> {
  const key = JSON.stringify([one.repo, one.path, one.variant, one.chip]);
  let loading = programs.get(key);
  if (loading === undefined) {
    const files = {
      path: programFile(corpus, one),
      include: searchPath(corpus, one),
      define: [...one.defines, ...chipDefines(one.chip)],
    };
    loading = loadProgram(files, new Diagnostics(), "ignore").then(({ program }) => program, textOf);
    programs.set(key, loading);
  }
  return loading;
}

function textOf(error: unknown): string {
  if (!(error instanceof DiagnosticError)) return `exception: ${String(error)}`;
  const first = error.diagnostics.find(({ severity }) => severity === "error");
  return `${first?.code} ${first?.message}`;
}

/** Whether the text of a program of the open compiler says that it is refused, for this chip. */
function expectsError(corpus: string, one: Case): boolean {
  let isForChip = true;
  return readFileSync(programFile(corpus, one), "utf8")
    .split("\n")
    .some((line) => {
      if (/^\s*#\s*if __TARGET_TOFINO__ == 1/.test(line)) isForChip = one.chip === "tofino";
      else if (/^\s*#\s*else/.test(line)) isForChip = !isForChip;
      else if (/^\s*#\s*endif/.test(line)) isForChip = true;
      return isForChip && line.includes("expect error");
    });
}

/** A packet at a port that the test does not name is a failure: nothing else may leave. */
async function play(corpus: string, { judge, one, path, name }: Test): Promise<Result> {
  const text = readFileSync(path, "utf8");
  const [program = "", test = ""] = judge === "compiler" ? [name, name] : name.split("/");
  const result: Result = { judge, program, test, expects: /^\s*expect/m.test(text) };
  const loaded = await programOf(corpus, one);
  if (typeof loaded === "string")
    return { ...result, failed: loaded, ...(expectsError(corpus, one) ? { isRefused: true } : {}) };
  const diagnostics = new Diagnostics();
  try {
    const { failed } = await runStf(readStf(new SourceFile(name, text), diagnostics), loaded, diagnostics);
    const [first] = diagnostics.list;
    return failed === 0 && first === undefined
      ? result
      : { ...result, failed: `${first?.code} ${first?.message}` };
  } catch (error) {
    return { ...result, failed: textOf(error) };
  }
}

function readResults(path: string): Result[] {
  const lines = readFileSync(path, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Result);
}

async function main(): Promise<void> {
  const { CORPUS: corpus, TESTS: folder, FRESH: fresh } = process.env;
  const names = process.argv.slice(2);
  if (corpus === undefined || !existsSync(join(corpus, "corpus.tsv"))) {
    process.stdout.write("skipped: CORPUS names no folder with corpus.tsv and the programs\n");
    return;
  }
  const cases = readCases(corpus);
  const tests = [...compilerTests(corpus, cases), ...generatedTests(folder, cases)];
  const store = join(corpus, "packets.jsonl");
  if (fresh === "1") rmSync(store, { force: true });
  const known = new Map<string, Result>();
  for (const result of existsSync(store) ? readResults(store) : [])
    known.set(`${result.judge} ${result.program} ${result.test}`, result);
  for (const test of tests) {
    if (names.length > 0 && !names.some((name) => test.name.includes(name))) continue;
    const parts = test.judge === "compiler" ? [test.name, test.name] : test.name.split("/");
    const key = `${test.judge} ${parts.join(" ")}`;
    if (known.has(key) && names.length === 0) continue;
    const result = await play(corpus, test);
    known.set(key, result);
    if (names.length === 0) appendFileSync(store, `${JSON.stringify(result)}\n`);
    if (result.failed !== undefined) process.stdout.write(`${test.name}: ${result.failed}\n`);
  }
  if (names.length > 0) return;
  const byPtf = join(corpus, "ptf.jsonl");
  const results = [...known.values(), ...(existsSync(byPtf) ? readResults(byPtf) : [])];
  if (!results.some(({ judge }) => judge === "testgen"))
    process.stdout.write("P4Testgen's tests skipped: TESTS names no folder\n");
  writeFileSync(resolve(import.meta.dirname, "../../docs/tna/packets.md"), page(results));
  process.stdout.write(
    `${results.filter(({ failed }) => failed === undefined).length} of ${results.length} pass\n`,
  );
}

await main();
