/**
 * The exercises of the course on each engine: the points of starter and solution, graded by `p4loom grade` as it grades
 * submissions. Real switches need root and a build; BMv2 runs where P4LOOM_BMV2 names its simple_switch_grpc. P4LOOM_COURSE
 * takes some exercises only (01-forwarding,09-controller), P4LOOM_ENGINES some engines. Rewrites the rows in docs/course.md,
 * and fails where a solution has not all points, or a starter half of them.
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Diagnostics } from "../../src/base/index.js";
import type { GradeAllOptions } from "../../src/course/submissions/grade-all.js";
import { findSubmissions, gradeAll, openExerciseFolder } from "../../src/course/submissions/index.js";
import type { Benchmark } from "../benchmark.js";
import { writeRows } from "../toolchain/page-table.js";

const course = resolve(import.meta.dirname, "../../examples/course");
const bmv2 = process.env["P4LOOM_BMV2"];
const listed = (name: string): string[] | undefined => process.env[name]?.split(",");

type Engine = "sim" | "switch" | "bmv2";
const ENGINES: readonly Engine[] = ["sim", "switch", "bmv2"];

/** The graded files, and whether their points are as expected. */
interface Points {
  readonly text: string;
  readonly right: boolean;
}

async function grade(name: string, testbed: GradeAllOptions["testbed"]): Promise<Points> {
  const folder = join(course, name);
  const submissions = mkdtempSync(join(tmpdir(), "p4loom-course-"));
  try {
    const diagnostics = new Diagnostics();
    const exercise = openExerciseFolder(folder, diagnostics);
    for (const [to, from] of Object.entries({ starter: folder, solution: join(folder, "solution") })) {
      mkdirSync(join(submissions, to));
      for (const path of exercise.handsIn) cpSync(join(from, path), join(submissions, to, path));
    }
    const found = findSubmissions(submissions, exercise.handsIn, diagnostics);
    const options = { workers: 1, ...(testbed === undefined ? {} : { testbed }) };
    const graded = await gradeAll(found, exercise, folder, diagnostics, options);
    for (const { message, notes } of diagnostics.list)
      process.stderr.write(`${[message, ...notes.map((note) => note.message)].join("\n")}\n`);
    const [solution, starter] = graded;
    for (const { name: test, seen, details } of solution!.tests.filter(({ passed }) => !passed))
      process.stderr.write(`${name}: ${test}: ${[seen, ...details].join("; ")}\n`);
    const right = solution!.points === solution!.of && starter!.points < starter!.of / 2;
    return { text: `${starter!.points}, ${solution!.points} of ${solution!.of}`, right };
  } finally {
    rmSync(submissions, { recursive: true, force: true });
  }
}

export const run: Benchmark = async (report) => {
  process.env["P4LOOM_COMMAND"] ??= resolve(import.meta.dirname, "../../dist/cli/main.js");
  const names = readdirSync(course).filter((name) => existsSync(join(course, name, "exercise.yaml")));
  const chosen = names.filter((name) => listed("P4LOOM_COURSE")?.includes(name) ?? true);
  const engines = ENGINES.filter(
    (engine) =>
      (listed("P4LOOM_ENGINES")?.includes(engine) ?? true) && (engine !== "bmv2" || bmv2 !== undefined),
  );
  const wrong: string[] = [];
  const seconds = new Map<Engine, number>(engines.map((engine) => [engine, 0]));
  for (const name of chosen) {
    const cells = new Map<Engine, string>();
    const { engines: runs } = openExerciseFolder(join(course, name), new Diagnostics());
    for (const engine of engines) {
      if (!runs.includes(engine)) {
        cells.set(engine, "–");
        continue;
      }
      const start = performance.now();
      const { text, right } = await grade(
        name,
        engine === "sim" ? undefined : { engine, ...(engine === "bmv2" ? { bmv2: bmv2! } : {}) },
      );
      seconds.set(engine, seconds.get(engine)! + (performance.now() - start) / 1000);
      cells.set(engine, text);
      process.stderr.write(`${name} ${engine}: ${text}\n`);
      if (!right) wrong.push(`${name} on ${engine}: ${text}`);
    }
    const columns = ["exercise", ...ENGINES];
    if (engines.length === ENGINES.length)
      writeRows({ page: "course.md", bench: "course", columns }, [
        [name, ...ENGINES.map((engine) => cells.get(engine)!)],
      ]);
  }
  for (const [engine, value] of seconds)
    report({ name: `course: starters and solutions on ${engine}`, unit: "s", value });
  if (wrong.length > 0) throw new Error(`points are not as they should be: ${wrong.join("; ")}`);
};
