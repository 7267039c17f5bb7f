/**
 * Tries `p4loom fit --advise` on designs that `fit` refuses for containers or for placement, and counts for how many it finds a change.
 *
 *     CORPUS=DIR [GROWN=DIR] npx tsx tools/tna/advise.ts [NAME ...]
 *
 * Designs are the listed ones of CORPUS and what `grow.ts` wrote to `GROWN/NAME/refused`. A change is compared by tests that are made from
 * the design and by 256 packets or more with random entries, on the embedded switch (`equal` compares v1model programs only). The changed program goes to
 * `GROWN/NAME.advised.p4`. A line a design goes to standard output and to `GROWN/advise.jsonl`, from which growth-page.ts makes the page; a design that fits, or whose
 * operations are refused, has none. A second run leaves out designs that have a line.
 */
import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DiagnosticError, Diagnostics, SourceFile } from "../../src/base/index.js";
import { loadTarget } from "../../src/cli/targets.js";
import { advise, compareByPackets, unhitTables } from "../../src/toolchain/advice/index.js";
import { fitProgram, onePipe, pipesOf } from "../../src/toolchain/fit/index.js";
import { compileInput } from "../../src/toolchain/loading/index.js";
import { compile } from "../../src/toolchain/p4/index.js";
import type { Program } from "../../src/toolchain/program/index.js";
import { readStf, runStf } from "../../src/toolchain/stf/index.js";
import { CoverageCounts } from "../../src/toolchain/switch/index.js";
import { generateTests, stfOf } from "../../src/toolchain/testgen/index.js";
import { type Case, caseName, chipDefines, linesOf, programFile, readCases, searchPath } from "./corpus.js";
import { GROWTHS, refusedFolder } from "./growing.js";

const PACKETS = 256;
const SEED = 1;
/** Processor time for tests that are made from a program. */
const TEST_SECONDS = 10;

interface Source {
  readonly name: string;
  readonly one: Case;
  readonly path: string;
  readonly include: string[];
}

/** The listed designs, and the grown ones that `fit` refused. */
function* sourcesOf(corpus: string, grown: string | undefined): Iterable<Source> {
  for (const one of readCases(corpus).filter(({ class: kind }) => kind === "design")) {
    const path = programFile(corpus, one);
    const include = searchPath(corpus, one);
    yield { name: caseName(one), one, path, include };
    if (grown === undefined) continue;
    const root = join(corpus, one.repo.replace("/", "+"));
    for (const kind of GROWTHS) {
      const folder = refusedFolder(grown, one, kind);
      if (!existsSync(folder) || readdirSync(folder).length === 0) continue;
      const moved = (file: string) => file.replace(root, folder);
      yield {
        name: `${caseName(one)} grown by ${kind}`,
        one,
        path: moved(path),
        include: include.map(moved),
      };
    }
  }
}

interface Line {
  readonly name: string;
  readonly changes: readonly string[];
  readonly [key: string]: unknown;
}

/** What a trial gave; undefined for a design that fits, that does not compile, or whose operations are refused. */
async function tried({ name, one, path, include }: Source): Promise<Line | undefined> {
  const { file: _, ...options } = compileInput({
    path,
    include,
    define: [...chipDefines(one.chip), ...one.defines],
  });
  const own = new SourceFile(path, readFileSync(path, "utf8"));
  const program = compile({ ...options, file: own, form: "hardware" }, new Diagnostics())?.program;
  if (program === undefined) return undefined;
  const target = loadTarget(one.chip);
  // Of several pipes the first one that is refused.
  const isRefused = (pipe: string | undefined) =>
    fitProgram(pipe === undefined ? program : onePipe(program, pipe), target).verdict !== "placed";
  const pipe = pipesOf(program).find(isRefused);
  const pipeOf = (made: Program) => (pipe === undefined ? made : onePipe(made, pipe));
  const advised = advise({ file: own, options, target, pipeOf, mayShrink: false });
  const { before, after, changes } = advised;
  if (before.verdict === "placed" || before.verdict === "refused") return undefined;
  const line = {
    ...{ name, before: before.verdict, stages: before.stages, after: after.verdict },
    ...{ afterStages: after.stages, changes, tried: Object.fromEntries(advised.tried) },
  };
  if (changes.length === 0) return line;
  if (grown !== undefined)
    writeFileSync(join(grown, `${name.replaceAll("/", "_")}.advised.p4`), advised.file.text);
  const runs = (source: SourceFile) => {
    const found = new Diagnostics();
    const made = compile({ ...options, file: source, form: "switch" }, found);
    found.throwIfErrors();
    return made!.program;
  };
  return {
    ...line,
    ...(await compared(runs(own), runs(advised.file))),
  };
}

/** The given program beside the changed one: tests that are made from it, whose expectations are its own answers, then random packets. */
async function compared(asGiven: Program, changed: Program) {
  const coverage = new CoverageCounts();
  const tests = await testsOf(asGiven);
  const failures: string[] = [];
  for (const program of [asGiven, changed])
    for (const text of tests) {
      const diagnostics = new Diagnostics();
      const commands = readStf(new SourceFile("test.stf", text), diagnostics);
      const { failed } = await runStf(
        commands,
        program,
        diagnostics,
        program === asGiven ? { coverage } : {},
      );
      if (failed > 0 && program !== asGiven) failures.push(text);
    }
  const { difference: found, ...meaning } = compareByPackets(asGiven, changed, {
    ...{ packets: PACKETS, seed: SEED, coverage },
  });
  const difference = failures[0] ?? found ?? "";
  return {
    tests: tests.length,
    ...meaning,
    unhit: Object.fromEntries(unhitTables(coverage, asGiven)),
    difference,
  };
}

/** Tests of a program, made in so many seconds, that the program itself passes on the embedded switch. */
async function testsOf(program: Program): Promise<string[]> {
  const start = process.cpuUsage();
  const hasTime = () => {
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1e6 < TEST_SECONDS;
  };
  const { tests } = await generateTests(program, {
    seed: SEED,
    maxTests: 1000,
    allPaths: false,
    goesOn: hasTime,
    hasTime,
  });
  const passed: string[] = [];
  for (const test of tests) {
    const diagnostics = new Diagnostics();
    const text = stfOf(test, "");
    const { failed } = await runStf(
      readStf(new SourceFile("test.stf", text), diagnostics),
      program,
      diagnostics,
      {},
    );
    if (failed === 0) passed.push(text);
  }
  return passed;
}

const { CORPUS: corpus, GROWN: grown } = process.env;
/** Designs of an earlier run that goes on, by name. */
const known = new Set(
  grown === undefined ? [] : linesOf<Line>(join(grown, "advise.jsonl")).map(({ name }) => name),
);
if (corpus === undefined || !existsSync(join(corpus, "corpus.tsv"))) {
  console.error("advise: skipped; CORPUS names no folder with corpus.tsv");
} else {
  const names = process.argv.slice(2);
  let [all, helped] = [0, 0];
  for (const source of sourcesOf(corpus, grown)) {
    if (names.length > 0 && !names.some((part) => source.name.includes(part))) continue;
    if (known.has(source.name)) continue;
    try {
      const line = await tried(source);
      if (line === undefined) continue;
      all++;
      if (line["after"] === "placed" && line["difference"] === "") helped++;
      console.log(JSON.stringify(line));
      if (grown !== undefined) appendFileSync(join(grown, "advise.jsonl"), `${JSON.stringify(line)}\n`);
    } catch (error) {
      // A design that does not compile has no advice: docs/tna/accuracy.md has the reasons.
      if (!(error instanceof DiagnosticError)) throw error;
    }
  }
  console.log(`${helped} of ${all} designs that fit refuses fit after the advice`);
}
