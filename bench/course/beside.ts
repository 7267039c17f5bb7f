/**
 * Whether grades depend on the machine: the same submissions are graded alone and beside busy processes, and must get the same points and
 * texts. They are solutions, starters, mutants of solutions, and those of `test/course/submissions/hostile`. The command must have been built.
 *
 *     P4LOOM_SUBMISSIONS=200 P4LOOM_BUSY=16 npm run bench -- grade-beside
 */
import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Diagnostics, SourceFile } from "../../src/base/index.js";
import {
  type FoundSubmission,
  type GradedSubmission,
  gradeAll,
  openExerciseFolder,
} from "../../src/course/submissions/index.js";
import { chooseMutants, mutantsOf, mutatedText } from "../../src/toolchain/mutation/index.js";
import type { Benchmark } from "../benchmark.js";

const root = resolve(import.meta.dirname, "../..");
const hostile = join(root, "test/course/submissions/hostile");
/** With tables, with a controller, with state that depends on time, with many flows, with many packets, for a Tofino. */
const EXERCISES = ["01-forwarding", "09-controller", "06-flowlets", "04-ecmp", "02-lpm-ttl", "21-memory"];
/** The exercise that hostile programs and controllers are written for. */
const HOSTILE: Readonly<Record<string, string>> = {
  "01-forwarding": "programs",
  "09-controller": "controllers",
};
const WORKERS = 2;
const SEED = 1;

export const run: Benchmark = async (report) => {
  process.env["P4LOOM_COMMAND"] ??= join(root, "dist/cli/main.js");
  const count = Number(process.env["P4LOOM_SUBMISSIONS"] ?? 40);
  const busy = Number(process.env["P4LOOM_BUSY"] ?? 8);
  const all = chosen(count);
  const alone = await gradeEach(all);
  const others = Array.from({ length: busy }, () => spawn(process.execPath, ["-e", "for (;;);"]));
  let beside: Graded;
  try {
    beside = await gradeEach(all);
  } finally {
    for (const one of others) stop(one);
  }
  const text = ({ name, points, tests }: GradedSubmission): string => JSON.stringify({ name, points, tests });
  const different = alone.results.filter((one, index) => text(one) !== text(beside.results[index]!));
  for (const { name } of different) process.stderr.write(`another result: ${name}\n`);
  const name = `grade-beside: ${alone.results.length} submissions beside ${busy} busy processes`;
  report({ name: `${name}, with other points or texts`, unit: "submissions", value: different.length });
  report({ name: `${name}, alone`, unit: "s", value: alone.seconds });
  report({ name, unit: "s", value: beside.seconds });
  if (different.length > 0) throw new Error(`${different.length} results depend on the machine`);
};

interface Graded {
  readonly results: GradedSubmission[];
  readonly seconds: number;
}

async function gradeEach(
  all: readonly { readonly folder: string; readonly submissions: readonly FoundSubmission[] }[],
): Promise<Graded> {
  const start = performance.now();
  const results: GradedSubmission[] = [];
  for (const { folder, submissions } of all) {
    const diagnostics = new Diagnostics();
    const exercise = openExerciseFolder(folder, diagnostics);
    results.push(...(await gradeAll(submissions, exercise, folder, diagnostics, { workers: WORKERS })));
  }
  return { results, seconds: (performance.now() - start) / 1000 };
}

function stop(child: ChildProcess): void {
  child.kill("SIGKILL");
}

type Submissions = { readonly folder: string; readonly submissions: FoundSubmission[] };

/** The first of each exercise in turn, until there are `count`. */
function chosen(count: number): Submissions[] {
  const known = EXERCISES.map((name) => ({ name, submissions: submissionsOf(name) }));
  const taken: Submissions[] = known.map(({ name }) => ({
    folder: join(root, "examples/course", name),
    submissions: [],
  }));
  const most = Math.max(...known.map(({ submissions }) => submissions.length));
  let left = count;
  for (let index = 0; index < most; index++)
    for (const [exercise, { submissions }] of known.entries()) {
      const one = submissions[index];
      if (one !== undefined && left-- > 0) taken[exercise]!.submissions.push(one);
    }
  return taken;
}

/** The solution, the starter, the hostile ones, then mutants of the solution's program. */
function submissionsOf(name: string): FoundSubmission[] {
  const folder = join(root, "examples/course", name);
  const { handsIn } = openExerciseFolder(folder, new Diagnostics());
  const read = (from: string): Map<string, string> =>
    new Map(handsIn.map((path) => [path, readFileSync(join(folder, from, path), "utf8")]));
  const solution = read("solution");
  const attacks = HOSTILE[name];
  const attacked = (attacks === undefined ? [] : readdirSync(join(hostile, attacks)).sort()).map((file) => ({
    name: `${name} ${file}`,
    files: new Map([...solution, [handsIn[0]!, readFileSync(join(hostile, attacks!, file), "utf8")]]),
  }));
  const program = handsIn.find((path) => path.endsWith(".p4"));
  const file = program && new SourceFile(program, solution.get(program)!);
  const mutants = file ? mutantsOf(file, { resolveInclude: () => undefined }, new Diagnostics()) : [];
  return [
    { name: `${name} solution`, files: solution },
    { name: `${name} starter`, files: read("") },
    ...attacked,
    ...chooseMutants(mutants, mutants.length, SEED).map((mutant) => ({
      name: `${name} ${mutant.name}`,
      files: new Map([...solution, [program!, mutatedText(mutant)]]),
    })),
  ];
}
