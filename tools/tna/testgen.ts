/**
 * Makes tests for public TNA programs and compares what they reach with what P4Testgen's tests reach:
 *
 *     CORPUS=DIR TESTS=DIR npx tsx tools/tna/testgen.ts [NAME ...]
 *
 * CORPUS and TESTS are those of packets.ts. Each program has SECONDS (30) for our tests, or with CPU so many seconds of processor time, which is the same
 * on a loaded machine; P4Testgen's are there. Both sets run on the embedded switch with one
 * counter. Each path is compared, too: what the symbolic execution says leaves against what leaves. Results go to `CORPUS/testgen-tna.jsonl`, a line a program; a
 * second run plays only what has no line (`FRESH=1`: all). With names, only programs whose folder contains one. At the end it prints the table of docs/tna/testgen.md.
 */
import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DiagnosticError, Diagnostics, SourceFile } from "../../src/base/index.js";
import { coverageOf } from "../../src/toolchain/coverage/index.js";
import { loadProgram } from "../../src/toolchain/loading/index.js";
import type { Program } from "../../src/toolchain/program/index.js";
import { readStf, runStf } from "../../src/toolchain/stf/index.js";
import { CoverageCounts } from "../../src/toolchain/switch/index.js";
import { contradicts, generateTests, stfOf } from "../../src/toolchain/testgen/index.js";
import { type Case, chipDefines, programFile, readCases, searchPath } from "./corpus.js";

interface Side {
  tests: number;
  /** Tests of which the switch says that another packet leaves. */
  failed: number;
  statements: number;
}

interface Line {
  program: string;
  statements: number;
  ours: Side & { seconds: number; paths: number; compared: number; contradicted: number; end: string };
  theirs: Side;
  unhandled: Record<string, number>;
}

const seconds = Number(process.env.SECONDS ?? 30);
const processorSeconds = process.env.CPU === undefined ? undefined : Number(process.env.CPU);

/** Asking for the processor time takes longer than a question to the solver: it is asked this often, in milliseconds. */
const ASKED_EVERY = 20;

/** Whether a program has time left, from now on, and how much it took. */
function budget(): { hasTime: () => boolean; took: () => number } {
  const start = performance.now();
  const began = process.cpuUsage();
  let [asked, used] = [start, 0];
  const took = () => {
    if (processorSeconds === undefined) return (performance.now() - start) / 1000;
    if (performance.now() - asked < ASKED_EVERY) return used;
    asked = performance.now();
    const { user, system } = process.cpuUsage(began);
    used = (user + system) / 1e6;
    return used;
  };
  return { hasTime: () => took() < (processorSeconds ?? seconds), took };
}

function folderOf({ repo, path, variant }: Case): string {
  const flat = (text: string): string => text.replaceAll("/", "_");
  return `${flat(repo)}__${flat(path)}${variant === "" ? "" : `__${variant}`}`;
}

async function played(program: Program, texts: readonly string[]): Promise<Side & { all: number }> {
  const coverage = new CoverageCounts();
  let failed = 0;
  for (const text of texts) {
    const diagnostics = new Diagnostics();
    const commands = readStf(new SourceFile("test.stf", text), diagnostics);
    try {
      const result = await runStf(commands, program, diagnostics, { coverage });
      if (result.failed > 0 || diagnostics.list.length > 0) failed++;
    } catch (error) {
      if (!(error instanceof DiagnosticError)) throw error;
      failed++;
    }
  }
  const counts = coverage.of(program.bmv2);
  const items = counts === undefined ? [] : coverageOf(counts).items;
  const statements = items.filter(({ kind }) => kind === "statement");
  return {
    tests: texts.length,
    failed,
    statements: statements.filter(({ hits }) => hits > 0).length,
    all: statements.length,
  };
}

async function compare(corpus: string, tests: string, one: Case): Promise<Line> {
  const files = {
    path: programFile(corpus, one),
    include: searchPath(corpus, one),
    define: [...one.defines, ...chipDefines(one.chip)],
  };
  const { program } = await loadProgram(files, new Diagnostics(), "ignore");
  let [compared, contradicted] = [0, 0];
  const { hasTime, took } = budget();
  const made = await generateTests(program, {
    seed: 1,
    maxTests: 1000,
    allPaths: false,
    goesOn: hasTime,
    hasTime,
    onPath: (path, stimulus, expected) => {
      compared++;
      if (!contradicts(path, stimulus, expected)) return;
      contradicted++;
      process.stdout.write(`contradicted: ${folderOf(one)}\n${stfOf({ stimulus, expected }, "")}`);
    },
  });
  const spent = took();
  const folder = join(tests, folderOf(one));
  const theirs = readdirSync(folder).filter((name) => name.endsWith(".stf"));
  const { all, ...ours } = await played(
    program,
    made.tests.map((test) => stfOf(test, "")),
  );
  const { all: _, ...rival } = await played(
    program,
    theirs.map((name) => readFileSync(join(folder, name), "utf8")),
  );
  return {
    program: folderOf(one),
    statements: all,
    ours: { ...ours, seconds: spent, paths: made.paths, compared, contradicted, end: made.end },
    theirs: rival,
    unhandled: Object.fromEntries(made.unhandled),
  };
}

function table(lines: readonly Line[]): string {
  const sum = (of: (line: Line) => number) => lines.reduce((total, line) => total + of(line), 0);
  const share = (wanted: (line: Line) => boolean) => `${lines.filter(wanted).length} of ${lines.length}`;
  return [
    `| of ${lines.length} programs | p4loom | P4Testgen |`,
    "|---|---:|---:|",
    `| tests | ${sum(({ ours }) => ours.tests)} | ${sum(({ theirs }) => theirs.tests)} |`,
    `| tests that the embedded switch contradicts | ${sum(({ ours }) => ours.failed)} | ${sum(({ theirs }) => theirs.failed)} |`,
    `| paths where the switch does something else than the symbolic execution says | ${sum(({ ours }) => ours.contradicted)} of ${sum(({ ours }) => ours.compared)} | |`,
    `| statements reached, of ${sum(({ statements }) => statements)} | ${sum(({ ours }) => ours.statements)} | ${sum(({ theirs }) => theirs.statements)} |`,
    `| programs with not fewer statements than the other | ${share(({ ours, theirs }) => ours.statements >= theirs.statements)} | ${share(({ ours, theirs }) => theirs.statements >= ours.statements)} |`,
    `| programs with more statements than the other | ${share(({ ours, theirs }) => ours.statements > theirs.statements)} | ${share(({ ours, theirs }) => theirs.statements > ours.statements)} |`,
  ].join("\n");
}

async function main(): Promise<void> {
  const { CORPUS: corpus, TESTS: tests, FRESH: fresh } = process.env;
  const names = process.argv.slice(2);
  if (corpus === undefined || tests === undefined || !existsSync(join(corpus, "corpus.tsv"))) {
    process.stdout.write("skipped: CORPUS and TESTS name no folders with the programs and their tests\n");
    return;
  }
  const store = join(process.env.RESULTS ?? corpus, "testgen-tna.jsonl");
  if (fresh === "1") rmSync(store, { force: true });
  const stored = existsSync(store) ? readFileSync(store, "utf8").trim().split("\n") : [];
  const known = new Map(
    stored
      .filter((line) => line !== "")
      .map((line) => [(JSON.parse(line) as Line).program, JSON.parse(line) as Line]),
  );
  const lines: Line[] = [];
  for (const one of readCases(corpus)) {
    const folder = folderOf(one);
    const isThere = existsSync(join(tests, folder)) && existsSync(programFile(corpus, one));
    if (one.chip !== "tofino" || !isThere || lines.some(({ program }) => program === folder)) continue;
    if (names.length > 0 && !names.some((name) => folder.includes(name))) continue;
    try {
      const line = known.get(folder) ?? (await compare(corpus, tests, one));
      if (!known.has(folder)) {
        appendFileSync(store, `${JSON.stringify(line)}\n`);
        process.stdout.write(`${JSON.stringify(line)}\n`);
      }
      lines.push(line);
    } catch (error) {
      if (!(error instanceof DiagnosticError)) throw error;
      process.stdout.write(`${folder}: ${error.diagnostics[0]?.message}\n`);
    }
  }
  process.stdout.write(`${table(lines)}\n`);
}

await main();
