/**
 * Compares the tests that `p4loom testgen` makes with those of P4Testgen (part of p4c), program by program:
 *
 *     P4C=DIR [MOST=N] [CORPUS=DIR] [STORE=FILE] npx tsx tools/testgen-rival.ts [TEXT]
 *
 * P4C holds `src` (p4c's sources with `testdata`) and `build` (with `p4testgen`). Programs: a drawn sample of the v1model programs of
 * `testdata/p4_16_samples`; TEXT chooses those whose name has it, in place of a sample. With CORPUS they are the third-party ones of
 * tools/third-party-programs.ts in that folder. Each side has 30 s a program, one after the other,
 * then both sets of STF files run on the embedded switch, and one counter (`p4loom coverage`) says which statements each set reaches.
 * P4Testgen gets 6 GB of memory at most: built without p4c's garbage collector, it gives none back. Results go to STORE
 * (`P4C/testgen.jsonl`), a line a program; a second run plays only what has no line (`FRESH=1`: all). MOST takes the first
 * programs of the drawn order, which are a sample, too. At the end it prints the table of docs/testgen.md. Without the folder it says so
 * and ends.
 */
import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { DiagnosticError, Diagnostics, Random, SourceFile } from "../src/base/index.js";
import { loadProgram } from "../src/toolchain/loading/index.js";
import type { Program } from "../src/toolchain/program/index.js";
import { readStf, runStf } from "../src/toolchain/stf/index.js";
import { THIRD_PARTY } from "./third-party-programs.js";

const SEED = 2026;
const SECONDS = 30;
const MEMORY_KB = 6 << 20;

const command = resolve(import.meta.dirname, "../dist/cli/main.js");

interface Side {
  tests: number;
  seconds: number;
  /** Statements that the tests reach, of those of the program; undefined where there are no tests. */
  statements?: { reached: number; all: number };
  /** Tests of which the switch says that another packet leaves. */
  failed: string[];
  /** The first message of a generator that gives no test. */
  refused?: string;
}

interface Source {
  readonly name: string;
  readonly path: string;
  readonly defines: readonly string[];
  readonly include: readonly string[];
}

interface Line {
  program: string;
  ours: Side;
  theirs: Side;
}

const timed = (run: () => ReturnType<typeof spawnSync>) => {
  const start = performance.now();
  const result = run();
  return { result, seconds: (performance.now() - start) / 1000 };
};

function stfFiles(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".stf"))
    .sort((a, b) => a.localeCompare(b, "en", { numeric: true }))
    .map((name) => join(folder, name));
}

/** Undefined for a program that our compiler refuses. */
async function compiled({ path, defines, include }: Source): Promise<Program | undefined> {
  try {
    const options = { path, include: [...include], define: [...defines] };
    return (await loadProgram(options, new Diagnostics(), "ignore")).program;
  } catch (error) {
    if (error instanceof DiagnosticError) return undefined;
    throw error;
  }
}

/** Whether the embedded switch does what a test expects. */
async function holds(program: Program, file: string): Promise<boolean> {
  const diagnostics = new Diagnostics();
  try {
    const commands = readStf(new SourceFile(file, readFileSync(file, "utf8")), diagnostics);
    if (!diagnostics.hasErrors) await runStf(commands, program, diagnostics);
  } catch (error) {
    if (!(error instanceof DiagnosticError)) throw error;
    return false;
  }
  return !diagnostics.hasErrors;
}

/** What a set of tests reaches, and which of them the switch contradicts. */
async function played(
  program: Source,
  folder: string,
): Promise<Pick<Side, "tests" | "statements" | "failed">> {
  const files = stfFiles(folder);
  if (files.length === 0) return { tests: 0, failed: [] };
  const loaded = await compiled(program);
  if (loaded === undefined) return { tests: files.length, failed: [] };
  const failed: string[] = [];
  for (const file of files) if (!(await holds(loaded, file))) failed.push(file);
  const { stdout } = spawnSync(
    process.execPath,
    [command, "coverage", program.path, ...macros(program), ...files, "--json"],
    {
      encoding: "utf8",
      maxBuffer: 1 << 28,
    },
  );
  const tests = { tests: files.length, failed: failed.map((file) => file.slice(folder.length + 1)) };
  if (!stdout.startsWith("{")) return tests;
  const { items } = JSON.parse(stdout) as { items: { kind: string; hits: number }[] };
  const statements = items.filter(({ kind }) => kind === "statement");
  return {
    ...tests,
    statements: { reached: statements.filter(({ hits }) => hits > 0).length, all: statements.length },
  };
}

const macros = ({ defines, include }: Source): string[] => [
  ...defines.flatMap((define) => ["-D", define]),
  ...include.flatMap((folder) => ["-I", folder]),
];

function firstLine(text: string): string {
  return text.split("\n").find((line) => /error|refus|cannot|not /i.test(line)) ?? text.split("\n")[0] ?? "";
}

async function compare(p4c: string, program: Source): Promise<Line> {
  const { name, path } = program;
  const folder = join(p4c, "testgen", name.replaceAll(/[ /]/g, "+"));
  const sides = { ours: join(folder, "ours"), theirs: join(folder, "theirs") };
  for (const folder of Object.values(sides)) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
  }
  const own = timed(() =>
    spawnSync(
      process.execPath,
      [command, "testgen", path, ...macros(program), "--out", sides.ours, "--time", String(SECONDS)],
      {
        encoding: "utf8",
        timeout: 3 * SECONDS * 1000,
      },
    ),
  );
  const rival = timed(() =>
    spawnSync(
      "bash",
      [
        ...["-c", `ulimit -v ${MEMORY_KB}; exec "$@"`, "p4testgen", "timeout", "-s", "INT", "-k", "10"],
        ...[String(SECONDS), join(p4c, "build/p4testgen"), "--target", "bmv2", "--arch", "v1model"],
        ...["--seed", "1", "--max-tests", "0", "--stop-metric", "MAX_NODE_COVERAGE"],
        ...["--track-coverage", "STATEMENTS", "--path-selection", "GREEDY_STATEMENT_SEARCH"],
        ...["--only-covering-tests", "--test-backend", "STF", "--out-dir", sides.theirs],
        ...["-I", join(p4c, "build/p4include"), ...macros(program), path],
      ],
      { encoding: "utf8", maxBuffer: 1 << 28, cwd: dirname(path) },
    ),
  );
  const side = async ({ result, seconds }: typeof own, folder: string): Promise<Side> => {
    const outcome = { ...(await played(program, folder)), seconds };
    return outcome.tests > 0
      ? outcome
      : { ...outcome, refused: firstLine(`${result.stderr}${result.stdout}`) };
  };
  return { program: name, ours: await side(own, sides.ours), theirs: await side(rival, sides.theirs) };
}

function thirdParty(corpus: string, text: string): Source[] {
  return THIRD_PARTY.filter(({ name }) => name.includes(text)).map((one) => ({
    ...one,
    path: join(corpus, one.path),
    include: one.include.map((folder) => join(corpus, folder)),
  }));
}

function programsOf(p4c: string, text: string): Source[] {
  const folder = join(p4c, "src/testdata/p4_16_samples");
  const all = readdirSync(folder)
    .filter((name) => name.endsWith(".p4") && readFileSync(join(folder, name), "utf8").includes("v1model.p4"))
    .sort();
  const source = (name: string): Source => ({ name, path: join(folder, name), defines: [], include: [] });
  if (text !== "") return all.filter((name) => name.includes(text)).map(source);
  const random = new Random(SEED);
  const drawn = all.map((name) => ({ name, at: random.float() })).sort((a, b) => a.at - b.at);
  return drawn.map(({ name }) => source(name));
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? Number.NaN;
}

function table(lines: readonly Line[]): string {
  const both = lines.filter(
    ({ ours, theirs }) => ours.statements !== undefined && theirs.statements !== undefined,
  );
  const share = (wanted: (line: Line) => boolean) => `${both.filter(wanted).length} of ${both.length}`;
  const reached = (side: Side) => side.statements?.reached ?? 0;
  const failing = (side: "ours" | "theirs") => lines.reduce((sum, line) => sum + line[side].failed.length, 0);
  const tests = (side: "ours" | "theirs") => lines.reduce((sum, line) => sum + line[side].tests, 0);
  return [
    `| of ${lines.length} programs | p4loom | P4Testgen |`,
    "|---|---:|---:|",
    `| programs with tests | ${lines.filter(({ ours }) => ours.tests > 0).length} | ${lines.filter(({ theirs }) => theirs.tests > 0).length} |`,
    `| tests | ${tests("ours")} | ${tests("theirs")} |`,
    `| tests that the embedded switch contradicts | ${failing("ours")} | ${failing("theirs")} |`,
    `| of programs with tests of both: statements not fewer than the other | ${share(({ ours, theirs }) => reached(ours) >= reached(theirs))} | ${share(({ ours, theirs }) => reached(theirs) >= reached(ours))} |`,
    `| more statements than the other | ${share(({ ours, theirs }) => reached(ours) > reached(theirs))} | ${share(({ ours, theirs }) => reached(theirs) > reached(ours))} |`,
    `| time, median | ${median(both.map(({ ours }) => ours.seconds)).toFixed(2)} s | ${median(both.map(({ theirs }) => theirs.seconds)).toFixed(2)} s |`,
  ].join("\n");
}

async function main(
  { P4C: p4c = "", CORPUS: corpus, STORE: kept, FRESH: fresh, MOST: most = "80" }: NodeJS.ProcessEnv,
  [text = ""]: readonly string[],
): Promise<void> {
  if (!existsSync(join(p4c, "build/p4testgen"))) {
    console.log("skipped: P4C names no folder with build/p4testgen and src/testdata");
    return;
  }
  const store = kept ?? join(p4c, "testgen.jsonl");
  if (fresh === "1") rmSync(store, { force: true });
  const stored = existsSync(store)
    ? readFileSync(store, "utf8")
        .split("\n")
        .filter((line) => line.endsWith("}"))
    : [];
  const known = new Map(stored.map((line) => [(JSON.parse(line) as Line).program, JSON.parse(line) as Line]));
  const lines: Line[] = [];
  const programs = corpus === undefined ? programsOf(resolve(p4c), text) : thirdParty(resolve(corpus), text);
  for (const program of programs.slice(0, Number(most))) {
    const before = known.get(program.name);
    const line = before ?? (await compare(resolve(p4c), program));
    if (before === undefined) appendFileSync(store, `${JSON.stringify(line)}\n`);
    lines.push(line);
  }
  for (const { program, ours, theirs } of lines)
    if (theirs.statements !== undefined && (ours.statements?.reached ?? 0) < theirs.statements.reached)
      console.log(`fewer: ${program}: ${JSON.stringify(ours)} ${JSON.stringify(theirs)}`);
  for (const { program, ours } of lines)
    if (ours.failed.length > 0) console.log(`contradicted: ${program}: ${ours.failed.join(", ")}`);
  for (const { program, theirs } of lines)
    if (theirs.failed.length > 0)
      console.log(`P4Testgen's contradicted: ${program}: ${theirs.failed.join(", ")}`);
  for (const { program, ours, theirs } of lines)
    if (ours.tests === 0 || theirs.tests === 0)
      console.log(
        `without tests: ${program}: ${ours.refused ?? ours.tests} | ${theirs.refused ?? theirs.tests}`,
      );
  console.log(table(lines));
}

await main(process.env, process.argv.slice(2));
