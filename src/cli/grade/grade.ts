/** `p4loom grade`: the tests of an exercise, with points. */

import { availableParallelism } from "node:os";
import { basename, join, resolve } from "node:path";
import { Diagnostics, defined, fail, formatTable, given, printable } from "../../base/index.js";
import { ENGINES } from "../../course/exercises/index.js";
import {
  changesCsv,
  changesSince,
  changesText,
  findSubmissions,
  type GradedSubmission,
  gradeAll,
  openExerciseFolder,
  readEarlierResults,
  readHandedIn,
  reportFiles,
  studentLines,
  studentView,
  teacherLines,
  versionsOf,
} from "../../course/submissions/index.js";
import { readSource, writeFiles } from "../../toolchain/loading/index.js";
import { CODES } from "../codes.js";
import { oneOf } from "../net/dialogue.js";
import { EXIT, printDiagnostics, untilSignal } from "../outcome.js";
import { audit } from "./audit.js";
import { openFormat } from "./formats.js";
import type { GradeArguments } from "./grade-options.js";

/** Without submissions, status 1 unless all tests pass; with them, 0 when all are graded. After a signal, that of the signal. */
export async function grade(folder: string, options: GradeArguments): Promise<number> {
  const diagnostics = new Diagnostics();
  const exercise = openExerciseFolder(folder, diagnostics);
  const { submissions: from, out, since, bmv2, json, student } = options;
  if (options.audit) return audit(exercise, diagnostics, options);
  for (const name of ["mutants", "packets", "seed"] as const)
    if (options[name] !== undefined)
      fail(CODES.wrongValue, undefined, `--${name} has no meaning without --audit`);
  if (student && (from ?? out ?? since) !== undefined)
    fail(
      CODES.wrongValue,
      undefined,
      "--student prints the report of the folder's own files: it has no meaning with --submissions, --out or --since",
      "--out writes a report for each student: students/NAME.txt",
    );
  const engine = oneOf("--engine", options.engine, ENGINES);
  if (bmv2 !== undefined && engine !== "bmv2")
    fail(CODES.wrongValue, undefined, `--bmv2 names the switch of --engine bmv2; the engine is ${engine}`);
  const testbed = engine === "sim" ? undefined : { engine, ...given({ bmv2 }) };
  const earlier = since === undefined ? undefined : readEarlierResults(readSource(since), diagnostics);
  // Real switches share the processors: parallel tests would be slower and change their timing.
  const workers = options.workers ?? (testbed === undefined ? availableParallelism() : 1);
  const found =
    from === undefined
      ? [{ name: basename(resolve(folder)), ...readHandedIn(folder, exercise.handsIn, diagnostics) }]
      : findSubmissions(from, exercise.handsIn, diagnostics);
  const format = openFormat(options, exercise, found, diagnostics);
  const graded = await untilSignal((stop) =>
    gradeAll(found, exercise, folder, diagnostics, {
      workers,
      ...given({ testbed }),
      stop,
    }),
  );
  printDiagnostics(diagnostics.list);
  if (typeof graded === "number") return graded;
  const versions = versionsOf(folder, exercise.handsIn, engine);
  const changes = earlier === undefined ? undefined : changesSince(earlier, versions, graded);
  if (out !== undefined)
    writeFiles([
      ...reportFiles(exercise, graded, out, versions),
      ...(changes === undefined ? [] : [{ path: join(out, "changes.csv"), content: changesCsv(changes) }]),
    ]);
  const views = student ? graded.map(studentView) : graded;
  const document = { exercise: exercise.title, versions, submissions: views, ...given({ changes }) };
  const lines = [
    ...(from === undefined ? linesOf(defined(graded[0]), student) : manyText(graded)),
    ...(changes === undefined ? [] : ["", ...changesText(changes)]),
  ];
  const text = json ? JSON.stringify(document) : lines.map(printable).join("\n");
  process.stdout.write(format?.(graded) ?? `${text}\n`);
  if (graded.some(({ fault }) => fault !== undefined)) return EXIT.wrongInput;
  const all = graded.every(({ points, of }) => points === of);
  return from === undefined && !all ? EXIT.wrongInput : EXIT.success;
}

function linesOf(one: GradedSubmission, student = false): string[] {
  return student ? studentLines(studentView(one)) : teacherLines(one);
}

function manyText(graded: readonly GradedSubmission[]): string[] {
  const rows = graded.map(({ name, points, of, tests }) => [
    printable(name),
    points,
    of,
    tests.flatMap(({ passed }, index) => (passed ? [] : [index + 1])).join(" "),
  ]);
  return formatTable(["submission", "points", "of", "failed tests"], rows).split("\n");
}
