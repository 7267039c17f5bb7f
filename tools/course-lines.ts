/**
 * Which lines of the course's solutions can be left out with all points kept:
 *
 *     npx tsx tools/course-lines.ts [EXERCISE ...]
 *
 * Each line of each program of a solution is left out, one at a time. A line without which the program compiles and keeps all points is printed
 * with what says that it may: the entry of `solution/audit.yaml` for it, the same compiled program, or the verdict of `equal`. At the end it prints the sums. Exit status 1:
 * a line keeps all points, and nothing says that it may.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join, relative, resolve } from "node:path";
import { DiagnosticError, Diagnostics, SourceFile } from "../src/base/index.js";
import { readExceptions } from "../src/course/audit/exceptions.js";
import { type AuditedMutant, auditExercise } from "../src/course/audit/index.js";
import { openExerciseFolder, testsOnThisMachine } from "../src/course/submissions/index.js";
import { comparePrograms, tableDifference } from "../src/toolchain/equal/index.js";
import { loadProgram } from "../src/toolchain/loading/index.js";
import { compile } from "../src/toolchain/p4/index.js";

const COURSE = resolve(import.meta.dirname, "../examples/course");
const SECONDS = 30;
const SAME = "the same switch, but for the sizes of tables";
const chosen = process.argv.slice(2);

/** The same switch, but for the places in the source and for how many entries its tables hold. */
function isSameSwitch(a: object, b: object): boolean {
  const text = (program: object) =>
    JSON.stringify(program, (key, value) =>
      key === "source_info" || key === "max_size" ? undefined : value,
    );
  return text(a) === text(b);
}

/** What is known of a program without one of its lines: that it is the same switch, or what `equal` says. */
async function verdictWithout({ file, line }: AuditedMutant): Promise<string> {
  const lines = readFileSync(file, "utf8").split("\n");
  lines[line - 1] = "";
  const diagnostics = new Diagnostics();
  try {
    const { program } = await loadProgram({ path: file, include: [], define: [] }, diagnostics, "ignore");
    const changed = compile({ file: new SourceFile(file, lines.join("\n")) }, diagnostics);
    if (changed?.program === undefined || diagnostics.hasErrors) return "does not compile alone";
    if (isSameSwitch(program.bmv2, changed.program.bmv2)) return SAME;
    if (program.bmv2.architecture !== undefined) return "a program for a Tofino is not compared";
    const tables = tableDifference(program, changed.program);
    if (tables !== undefined) return `other tables: ${tables}`;
    const ends = performance.now() + SECONDS * 1000;
    const goesOn = () => performance.now() < ends;
    const { verdict, reasons } = await comparePrograms(program, changed.program, {
      ...{ entries: "same", seed: 1, goesOn, hasTime: goesOn },
    });
    return [verdict, ...reasons.keys()].join(": ");
  } catch (error) {
    if (error instanceof DiagnosticError) return error.diagnostics[0]?.message ?? "refused";
    throw error;
  }
}

const sums = { lines: 0, compile: 0, detected: 0, listed: 0, same: 0, equal: 0, open: 0 };
for (const name of readdirSync(COURSE).filter((one) => existsSync(join(COURSE, one, "exercise.yaml")))) {
  if (chosen.length > 0 && !chosen.some((one) => name.includes(one))) continue;
  const diagnostics = new Diagnostics();
  const exercise = openExerciseFolder(join(COURSE, name), diagnostics);
  const { mutants } = await auditExercise(exercise, diagnostics, {
    ...testsOnThisMachine(exercise),
    ...{ mutants: Number.MAX_SAFE_INTEGER, seed: 1, packets: 1000, quick: true, lines: true },
  });
  const exceptions = [...readExceptions(exercise, diagnostics)];
  sums.lines += mutants.length;
  for (const one of mutants.filter(({ outcome }) => outcome !== "notCompiled")) {
    sums.compile++;
    if (one.outcome === "killed") {
      sums.detected++;
      continue;
    }
    const listed = exceptions.find(
      ([change]) => change.startsWith(basename(one.file)) && change.includes(one.change),
    );
    const verdict = listed === undefined ? await verdictWithout(one) : undefined;
    sums[
      listed !== undefined ? "listed" : verdict === SAME ? "same" : verdict === "equal" ? "equal" : "open"
    ]++;
    const place = `${relative(COURSE, one.file)}:${one.line}`;
    console.log(
      JSON.stringify({
        place,
        change: one.change,
        listed: listed?.[1].kind,
        verdict,
        difference: one.difference,
      }),
    );
  }
  console.error(name, JSON.stringify(sums));
}
console.log(JSON.stringify(sums));
if (sums.open > 0) process.exitCode = 1;
