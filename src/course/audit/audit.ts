/** Audits the tests of an exercise: do they detect small changes of its solution? */
import { type Diagnostics, fail, nameOfPath, pathIn, SourceFile } from "../../base/index.js";
import { chooseMutants, type Mutant, mutantsOf, mutatedText } from "../../toolchain/mutation/index.js";
import { CoverageCounts, type ProgramCounts } from "../../toolchain/switch/index.js";
import { type Exercise, maximumPoints } from "../exercises/index.js";
import { type RunTestOptions, runTest, StepFailure, Submission } from "../grading/index.js";
import { CODES } from "./codes.js";
import { compareByPackets, type Difference } from "./compare.js";
import { type Exception, readExceptions } from "./exceptions.js";
import { lineDeletions, lineMutants } from "./line-changes.js";

export interface AuditOptions extends RunTestOptions {
  /** Maximum number of mutants. */
  readonly mutants: number;
  /** Of the choice of mutants and of random packets. */
  readonly seed: number;
  /** Random packets that a surviving mutant and the solution get; 0: none. */
  readonly packets: number;
  /** Ends the tests of a mutant at the first that fails: the result lacks which other tests detect it. */
  readonly quick?: boolean;
  /** Each line of the solution's programs left out, in place of the other changes. */
  readonly lines?: boolean;
  readonly stop?: AbortSignal;
  /** Called after each mutant with the number of those that are done, and of all. */
  done?(count: number, of: number): void;
}

/** What the tests say of a mutant. */
export interface AuditedMutant {
  readonly name: string;
  readonly kind: Mutant["kind"];
  /** Path of the file, and the place in it. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly change: string;
  /** `killed`: a test fails; `survived`: all points; `notCompiled`: the changed program is no program. */
  readonly outcome: "killed" | "survived" | "notCompiled";
  /** Numbers of the tests that fail, from 1. */
  readonly failed: readonly number[];
  /** Of a survivor: the entry of `solution/audit.yaml`. */
  readonly exception?: Pick<Exception, "kind" | "why">;
  /** Of a survivor: a packet that the two programs treat differently; null: random packets show no difference. */
  readonly difference?: Difference | null;
  /** Of a survivor: numbers of the tests that detect other changes of the same part of the program. */
  readonly near?: readonly number[];
}

/** A test of the exercise, and how many mutants it detects. */
export interface AuditedTest {
  readonly name: string;
  readonly points: number;
  readonly detects: number;
  /** Mutants that no other test detects. */
  readonly alone: number;
}

export interface AuditReport {
  readonly exercise: string;
  readonly seed: number;
  readonly packets: number;
  /** All changes that the audit knows; {@link mutants} are those that were tried. */
  readonly known: number;
  readonly mutants: readonly AuditedMutant[];
  readonly tests: readonly AuditedTest[];
}

/** Survivors that `solution/audit.yaml` does not list. */
export function openSurvivors({ mutants }: AuditReport): AuditedMutant[] {
  return mutants.filter(({ outcome, exception }) => outcome === "survived" && exception === undefined);
}

/** A change with the file in which it is. */
interface Change {
  readonly path: string;
  readonly mutant: Mutant;
  /** With the name of the file in front. */
  readonly name: string;
}

/**
 * Grades mutants of the files in the folder `solution`. Throws diagnostics: P46320 (a file of the solution is missing), P46321 (it does
 * not get all points), errors of the solution. Warns of entries of `solution/audit.yaml` that are not needed (P46322).
 */
export async function auditExercise(
  exercise: Exercise,
  diagnostics: Diagnostics,
  options: AuditOptions,
): Promise<AuditReport> {
  const solution = readSolution(exercise);
  await checkSolution(exercise, solution, options);
  const exceptions = readExceptions(exercise, diagnostics);
  const known = changesOf(exercise, solution, options.lines === true, diagnostics);
  diagnostics.throwIfErrors();
  const chosen = chooseMutants(known, options.mutants, options.seed);
  const audited: AuditedMutant[] = [];
  for (const change of chosen) {
    options.stop?.throwIfAborted();
    audited.push(await auditOne(change, exercise, solution, exceptions, options));
    options.done?.(audited.length, chosen.length);
  }
  if (!options.lines) warnOfStale(exceptions, known, audited, diagnostics);
  return {
    exercise: exercise.title,
    seed: options.seed,
    packets: options.packets,
    known: known.length,
    mutants: audited.map((one) =>
      one.outcome === "survived" ? { ...one, near: nearOf(one, audited) } : one,
    ),
    tests: exercise.tests.map(({ name, points }, index) => {
      const found = audited.filter(({ failed }) => failed.includes(index + 1));
      return {
        name,
        points,
        detects: found.length,
        alone: found.filter(({ failed }) => failed.length === 1).length,
      };
    }),
  };
}

function readSolution({ files, folder, handsIn }: Exercise): ReadonlyMap<string, string> {
  return new Map(
    handsIn.map((path) => {
      const whole = pathIn(folder, `solution/${path}`);
      if (!files.exists(whole))
        fail(
          CODES.noSolution,
          undefined,
          `there is no file ${whole}`,
          "an audit changes the files of the solution",
        );
      return [path, files.read(whole)];
    }),
  );
}

/** What the tests of an exercise reach of a program: one of its solution, or one that students get. */
export interface CoveredProgram {
  /** In the folder of the exercise, as switches name it; a program of the solution stands where it is handed in. */
  readonly path: string;
  readonly counts: ProgramCounts;
  readonly sources: ReadonlyMap<string, SourceFile>;
}

/**
 * Runs the tests of an exercise on its solution and counts what their packets reach of its programs. Throws diagnostics: P46320,
 * P46321 as {@link auditExercise}.
 */
export async function coverSolution(exercise: Exercise, options: RunTestOptions): Promise<CoveredProgram[]> {
  const coverage = new CoverageCounts();
  const submission = await checkSolution(exercise, readSolution(exercise), { ...options, coverage });
  return [...submission.compiled].flatMap(([whole, { program, sources }]) => {
    const counts = coverage.of(program.bmv2);
    // No switch runs a program that the tests fit alone.
    if (counts === undefined) return [];
    return [{ path: whole.slice(submission.folder.length + 1), counts, sources }];
  });
}

async function checkSolution(
  exercise: Exercise,
  solution: ReadonlyMap<string, string>,
  options: RunTestOptions,
): Promise<Submission> {
  const submission = new Submission(exercise, solution);
  const failed: string[] = [];
  for (const test of exercise.tests) {
    const { passed, name } = await runTest(test, submission, { ...options, story: false });
    if (!passed) failed.push(name);
  }
  if (failed.length === 0) return submission;
  const of = maximumPoints(exercise);
  fail(
    CODES.solutionFails,
    undefined,
    `the solution of ${exercise.title} does not get all ${of} points: nothing can be said of its tests`,
    ...failed.map((name) => `failed: ${name}`),
  );
}

function changesOf(
  exercise: Exercise,
  solution: ReadonlyMap<string, string>,
  lines: boolean,
  diagnostics: Diagnostics,
): Change[] {
  const { files, folder } = exercise;
  return [...solution].flatMap(([path, text]) => {
    const file = new SourceFile(pathIn(folder, `solution/${path}`), text);
    const withFile = (mutant: Mutant): Change => ({
      path,
      mutant,
      name: `${nameOfPath(path)} ${mutant.name}`,
    });
    if (lines) return path.endsWith(".p4") ? lineDeletions(file).map(withFile) : [];
    const resolveInclude = (name: string): SourceFile | undefined => {
      const own = solution.get(name);
      const whole = pathIn(folder, name);
      if (own === undefined && !files.exists(whole)) return undefined;
      return new SourceFile(whole, own ?? files.read(whole));
    };
    const mutants = path.endsWith(".p4")
      ? mutantsOf(file, { resolveInclude }, diagnostics)
      : lineMutants(file, /\.(m?js|py)$/.test(path));
    return mutants.map(withFile);
  });
}

async function auditOne(
  { path, mutant, name }: Change,
  exercise: Exercise,
  solution: ReadonlyMap<string, string>,
  exceptions: ReadonlyMap<string, Exception>,
  options: AuditOptions,
): Promise<AuditedMutant> {
  const { line, column } = mutant.span.file.position(mutant.span.start);
  const { kind, change } = mutant;
  const about = { name, kind, file: mutant.span.file.path, line, column, change };
  const changed = new Submission(exercise, new Map([...solution, [path, mutatedText(mutant)]]));
  if (path.endsWith(".p4") && !compiles(changed)) return { ...about, outcome: "notCompiled", failed: [] };
  const failed: number[] = [];
  for (const [index, test] of exercise.tests.entries()) {
    const { passed } = await runTest(test, changed, { ...options, story: false });
    if (!passed) failed.push(index + 1);
    if (!passed && options.quick) break;
  }
  if (failed.length > 0) return { ...about, outcome: "killed", failed };
  const exception = exceptions.get(name);
  const difference =
    options.packets === 0 || exercise.controller === path
      ? undefined
      : ((await compareByPackets(new Submission(exercise, solution), changed, options)) ?? null);
  return {
    ...about,
    outcome: "survived",
    failed,
    ...(exception === undefined ? {} : { exception: { kind: exception.kind, why: exception.why } }),
    ...(difference === undefined ? {} : { difference }),
  };
}

/** Whether all programs of a submission compile. */
function compiles(submission: Submission): boolean {
  const { exercise, folder } = submission;
  try {
    for (const { source } of submission.setup.programs.values())
      if (source !== undefined) submission.program(source);
    for (const { what } of exercise.tests)
      if (what.kind !== "steps") submission.program(pathIn(folder, what.program));
    return true;
  } catch (error) {
    if (error instanceof StepFailure) return false;
    throw error;
  }
}

/** The tests that detect other changes of the same part: one of them should detect this change, too. */
function nearOf({ name }: AuditedMutant, audited: readonly AuditedMutant[]): number[] {
  const part = (one: string): string => one.slice(0, one.indexOf(":"));
  const near = audited.filter((other) => part(other.name) === part(name)).flatMap(({ failed }) => failed);
  return [...new Set(near)].sort((a, b) => a - b);
}

/** Entries of the list that no change has, or whose change a test detects, or whose change packets show. */
function warnOfStale(
  exceptions: ReadonlyMap<string, Exception>,
  known: readonly Change[],
  audited: readonly AuditedMutant[],
  diagnostics: Diagnostics,
): void {
  const names = new Set(known.map(({ name }) => name));
  for (const [name, { kind, span }] of exceptions) {
    const one = audited.find((mutant) => mutant.name === name);
    const reason = !names.has(name)
      ? "the solution has no such change"
      : one?.outcome === "killed"
        ? `the test ${one.failed[0]} detects it`
        : one?.outcome === "notCompiled"
          ? "it does not compile"
          : kind === "equivalent" && one?.difference
            ? `a packet shows it at switch ${one.difference.switch}`
            : undefined;
    if (reason !== undefined) diagnostics.warning(CODES.staleException, span, `${name}: ${reason}`);
  }
}
