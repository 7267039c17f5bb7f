/** `p4loom fit`: does a program fit RMT, Tofino 1 or Tofino 2? */
import { existsSync } from "node:fs";
import { Diagnostics, fail, given } from "../base/index.js";
import {
  checkBudget,
  compareLogs,
  difference,
  differenceText,
  explain,
  explanationText,
  type FitResult,
  findReasons,
  fitExactly,
  fitProgram,
  fitSweep,
  growthOf,
  growthText,
  logsText,
  onePipe,
  overBudgetText,
  parseBudget,
  parseSweep,
  pipesOf,
  QUICK,
  readLogs,
  reasonsText,
  sweepText,
  type Target,
  toHtml,
  toJson,
  toSarif,
  toText,
} from "../toolchain/fit/index.js";
import {
  type LoadedProgram,
  loadProgram,
  type OutputFile,
  withProject,
  writeFiles,
} from "../toolchain/loading/index.js";
import { presetMacros } from "../toolchain/p4/index.js";
import type { Program } from "../toolchain/program/index.js";
import { CODES } from "./codes.js";
import { EXIT, printDiagnostics, wrongUsage } from "./outcome.js";
import { loadTarget } from "./targets.js";
import { version } from "./version.js";

export interface FitCommandOptions {
  I: string[];
  D: string[];
  U: string[];
  /** Name of a target that comes with p4loom, or a file. */
  target: string;
  p4info?: string;
  json?: boolean;
  html?: string;
  sarif?: string;
  explain?: boolean;
  /** Seconds for the exact solver; true: the default. */
  exact?: string | true;
  budget?: string;
  /** The older program to compare with, or a git revision of this one. */
  diff?: string;
  /** The folder with the real compiler's logs. */
  compareLogs?: string;
  /** How large each table can still grow. */
  growth?: boolean;
  sweep?: string;
  /** The pipe of a TNA program with several. */
  pipe?: string;
  /** Where the program with changes goes. */
  advise?: string;
  /** The changes may make tables smaller. */
  shrink?: boolean;
  jsonDiagnostics?: boolean;
}

const DEFAULT_EXACT_SECONDS = 60;
const MAX_EXACT_SECONDS = 86_400;

/** Options that say what is printed; `--advise`, `--diff`, `--compare-logs` and `--sweep` print something else. */
const WITHOUT: Readonly<Record<string, readonly (keyof FitCommandOptions)[]>> = {
  advise: ["json", "html", "budget", "sweep", "diff", "compareLogs", "growth", "explain", "exact"],
  diff: ["compareLogs", "growth", "sweep"],
  compareLogs: ["growth", "sweep"],
  sweep: ["growth"],
};

/** Two options of which one would do nothing. */
function conflictOf(options: FitCommandOptions): string | undefined {
  const given_ = (name: string) => options[name as keyof FitCommandOptions] !== undefined;
  const flag = (name: string) => `--${name === "compareLogs" ? "compare-logs" : name}`;
  for (const [one, others] of Object.entries(WITHOUT)) {
    const other = given_(one) ? others.find(given_) : undefined;
    if (other !== undefined) return `${flag(other)} does nothing with ${flag(one)}`;
  }
  return given_("shrink") && !given_("advise") ? "--shrink belongs to --advise" : undefined;
}

/** Exit status 0 when the program is placed (and within budget); 1 when it is not; 2 for options that exclude each other. */
export async function fit(path: string, options: FitCommandOptions): Promise<number> {
  const conflict = conflictOf(options);
  if (conflict !== undefined) return wrongUsage(conflict);
  const target = loadTarget(options.target);
  const budget = options.budget === undefined ? [] : parseBudget(options.budget);
  const sweep = options.sweep === undefined ? undefined : parseSweep(options.sweep);
  if (options.advise !== undefined) return adviseOn(path, options.advise, target, options);
  const input = await readProgram(path, target, options);
  const sources = (name: string) => input.sources.get(name);

  if (sweep !== undefined) {
    const points = fitSweep(input.program, target, sweep, { sources });
    if (options.json) {
      print(
        points.map(({ size, result }) => ({
          size,
          verdict: result.verdict,
          stages: result.stages,
          bounds: result.bounds,
        })),
      );
    } else process.stdout.write(`${sweepText(points)}\n`);
    return EXIT.success;
  }

  let result = fitProgram(input.program, target, { sources });
  if (options.exact !== undefined) result = await improve(result, options.exact);
  printDiagnostics(result.diagnostics, options.jsonDiagnostics);
  const uses = checkBudget(result, budget);
  const explanation = options.explain || options.html !== undefined ? explain(result) : undefined;

  if (options.diff !== undefined) {
    const changes = difference(await fitOlder(path, options.diff, target, options), result);
    if (options.json) print(changes);
    else process.stdout.write(`${differenceText(changes)}\n`);
  } else if (options.compareLogs !== undefined) {
    const { findLogs } = await import("./fit-logs.js");
    const compared = compareLogs(result, readLogs(findLogs(options.compareLogs, options.pipe)));
    if (options.json) print(compared);
    else process.stdout.write(`${logsText(compared)}\n`);
  } else {
    const shown = options.explain ? explanation : undefined;
    const reasons = await findReasons(result, limitsOf(options));
    const growth = options.growth ? growthOf(result) : undefined;
    if (options.json) {
      print({
        ...toJson(result),
        ...given({ budget: options.budget === undefined ? undefined : uses }),
        ...given({ explanation: shown }),
        ...given({ growth }),
        ...given({ reasons: reasons.length > 0 ? reasons : undefined }),
      });
    } else {
      process.stdout.write(`${toText(result)}\n`);
      if (reasons.length > 0) process.stdout.write(`\n${reasonsText(reasons)}\n`);
      if (growth !== undefined) process.stdout.write(`\n${growthText(growth)}\n`);
      if (shown !== undefined) process.stdout.write(`\n${explanationText(result, shown)}\n`);
    }
  }

  const over = uses.filter((use) => !use.within);
  for (const use of over) process.stderr.write(`over budget: ${overBudgetText(use)}\n`);
  const files: OutputFile[] = [];
  if (options.html !== undefined && explanation !== undefined) {
    files.push({ path: options.html, content: toHtml(result, [...input.sources.values()], explanation) });
  }
  if (options.sarif !== undefined) {
    const advice = options.explain ? (explanation?.advice ?? []) : [];
    files.push({
      path: options.sarif,
      content: `${JSON.stringify(toSarif(result, uses, advice, version), null, 2)}\n`,
    });
  }
  writeFiles(files);
  return result.verdict === "placed" && over.length === 0 ? EXIT.success : EXIT.wrongInput;
}

/** Questions to the solver about one program. */
const SOLVER_QUESTIONS = 16;
const SOLVER_NODES = 20_000;
/** Of the heuristic, where the solver may take minutes anyway. */
const EXACT_WORK = 10 * QUICK.work;

/** How much work the search for reasons may take: with `--exact` the solver is asked, for its seconds a member. */
function limitsOf({ exact }: FitCommandOptions): typeof QUICK {
  if (exact === undefined) return QUICK;
  const solver = { questions: SOLVER_QUESTIONS, nodes: SOLVER_NODES, seconds: secondsOf(exact), clock };
  return { work: EXACT_WORK, solver };
}

function print(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

const clock = () => performance.now() / 1000;

function secondsOf(seconds: string | true): number {
  const limit = seconds === true ? DEFAULT_EXACT_SECONDS : Number(seconds);
  if (!(limit > 0 && limit <= MAX_EXACT_SECONDS)) {
    fail(
      CODES.wrongValue,
      undefined,
      `--exact ${seconds}: not a number of seconds`,
      `write 1 to ${MAX_EXACT_SECONDS}`,
    );
  }
  return limit;
}

async function improve(result: FitResult, seconds: string | true): Promise<FitResult> {
  const limits = { timeLimit: secondsOf(seconds), clock };
  const { result: improved, exact } = await fitExactly(result, limits);
  process.stderr.write(
    `exact: ${exact.stages} stages, at least ${exact.bound}, gap ${Math.round(100 * exact.gap)} % (${exact.status})\n`,
  );
  return improved;
}

/** The older program: a file, or this one as a git revision has it. */
async function fitOlder(
  path: string,
  older: string,
  target: Target,
  options: FitCommandOptions,
): Promise<FitResult> {
  const fitted = async (file: string, own: FitCommandOptions) => {
    const { program, sources } = await readProgram(file, target, own);
    return fitProgram(program, target, { sources: (name) => sources.get(name) });
  };
  if (existsSync(older)) return fitted(older, options);
  const { atRevision } = await import("./fit-revision.js");
  return atRevision(path, older, ({ path: old, folderOf }) =>
    fitted(old, { ...options, I: options.I.map(folderOf) }),
  );
}

/** The compiler is imported when it is asked for, like the rooms that try changes. */
async function adviseOn(
  path: string,
  output: string,
  target: Target,
  options: FitCommandOptions,
): Promise<number> {
  // Errors and warnings of the program as it is come first.
  await readProgram(path, target, options);
  const { adviseProgram } = await import("./fit-advice.js");
  return adviseProgram({
    files: await filesOf(path, target, options),
    target,
    pipeOf: (program) => pipeOf(program, path, options.pipe),
    output,
    mayShrink: options.shrink === true,
  });
}

async function filesOf(path: string, target: Target, options: FitCommandOptions) {
  const { p4info, I: include, D: define, U: undefine } = options;
  const files = await withProject({ path, include, define, undefine, ...given({ p4info }) });
  const presets = Object.entries(presetMacros(target.architecture)).map(
    ([name, value]) => `${name}=${value}`,
  );
  return { ...files, define: [...presets, ...files.define] };
}

/** Prints the compiler's warnings. Without a P4Info there is nothing to check. */
async function readProgram(path: string, target: Target, options: FitCommandOptions): Promise<LoadedProgram> {
  const diagnostics = new Diagnostics();
  const loaded = await loadProgram(
    { ...(await filesOf(path, target, options)), form: "hardware" },
    diagnostics,
    "error",
  );
  printDiagnostics(
    diagnostics.list.filter(({ severity }) => severity !== "info"),
    options.jsonDiagnostics,
  );
  const { architecture } = loaded.program.bmv2;
  if (
    architecture !== undefined &&
    target.architecture !== undefined &&
    architecture.name !== target.architecture
  )
    fail(
      CODES.wrongValue,
      undefined,
      `--target ${target.name}: ${path} is for ${architecture.name}, the target takes ${target.architecture}`,
      "name the other chip's target, or leave out the macros that choose the chip (-D, p4loom.yaml)",
    );
  return { ...loaded, program: pipeOf(loaded.program, path, options.pipe) };
}

/** The program with the pipe that is asked for, or its only one. */
function pipeOf(program: Program, path: string, name: string | undefined): Program {
  const pipes = pipesOf(program);
  const [only, ...others] = pipes;
  const listed = `the pipes are ${pipes.join(", ")}`;
  if (name !== undefined && !pipes.includes(name))
    fail(
      CODES.wrongValue,
      undefined,
      `--pipe ${name}: ${path} has no such pipe`,
      only === undefined ? "only programs for tna and t2na have pipes with names" : listed,
    );
  if (name === undefined && others.length > 0)
    fail(CODES.wrongValue, undefined, `${path} has ${pipes.length} pipes`, `name one with --pipe: ${listed}`);
  return only === undefined ? program : onePipe(program, name ?? only);
}
