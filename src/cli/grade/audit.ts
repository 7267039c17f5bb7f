/** `p4loom grade --audit`: which small changes of the solution keep all points. */
import { type Diagnostics, fail, formatTable, printable } from "../../base/index.js";
import {
  type AuditedMutant,
  type AuditReport,
  auditExercise,
  openSurvivors,
} from "../../course/audit/index.js";
import type { Exercise } from "../../course/exercises/index.js";
import { testsOnThisMachine } from "../../course/submissions/index.js";
import { CODES } from "../codes.js";
import { EXIT, printDiagnostics, untilSignal } from "../outcome.js";
import type { GradeArguments } from "./grade-options.js";

const MUTANTS = 1000;
const PACKETS = 10_000;

/** Status 1 if a change keeps all points that `solution/audit.yaml` does not list. After a signal, that of the signal. */
export async function audit(
  exercise: Exercise,
  diagnostics: Diagnostics,
  { engine, json, mutants = MUTANTS, packets = PACKETS, seed = 1, ...rest }: GradeArguments,
): Promise<number> {
  const others = { ...rest, audit: undefined, engine: engine === "sim" ? undefined : engine };
  const [other] = Object.entries(others).find(([, value]) => value !== undefined) ?? [];
  if (other !== undefined)
    fail(
      CODES.wrongValue,
      undefined,
      `--${other} has no meaning with --audit`,
      "an audit grades changes of the solution on the simulator",
    );
  const report = await untilSignal((stop) =>
    auditExercise(exercise, diagnostics, { ...testsOnThisMachine(exercise), mutants, packets, seed, stop }),
  );
  printDiagnostics(diagnostics.list);
  if (typeof report === "number") return report;
  process.stdout.write(
    json ? `${JSON.stringify(report)}\n` : `${auditText(report).map(printable).join("\n")}\n`,
  );
  return openSurvivors(report).length === 0 ? EXIT.success : EXIT.wrongInput;
}

const of = ({ mutants }: AuditReport, outcome: AuditedMutant["outcome"]): AuditedMutant[] =>
  mutants.filter((one) => one.outcome === outcome);

function auditText(report: AuditReport): string[] {
  const survivors = of(report, "survived");
  const listed = (kind: string): number =>
    survivors.filter(({ exception }) => exception?.kind === kind).length;
  const [killed, notCompiled, open] = [
    of(report, "killed").length,
    of(report, "notCompiled").length,
    openSurvivors(report),
  ];
  const { known, mutants, tests } = report;
  return [
    ...open.flatMap((one) => survivorLines(one, report)),
    ...formatTable(
      ["test", "points", "detects", "alone", "name"],
      tests.map(({ name, points, detects, alone }, index) => [
        index + 1,
        points,
        detects,
        alone,
        printable(name),
      ]),
    ).split("\n"),
    "",
    `${mutants.length} of ${known} changes of the solution tried: ${killed} detected, ${survivors.length} keep all points, ${notCompiled} do not compile`,
    `of those that keep all points, ${listed("equivalent")} are listed as equivalent, ${listed("untested")} as untested, ${open.length} are not listed`,
  ];
}

function survivorLines(
  { file, line, column, name, near = [], difference }: AuditedMutant,
  { tests, packets }: AuditReport,
): string[] {
  const groups = near.map((number) => `${number} (${tests[number - 1]!.name})`);
  return [
    `${file}:${line}:${column}: all points: ${name}`,
    ...(groups.length === 0 ? [] : [`    tests of this part: ${groups.join(", ")}`]),
    ...(difference === null ? [`    ${packets} random packets show no difference`] : []),
    ...(difference ? differenceLines(difference) : []),
  ];
}

function differenceLines({
  switch: name,
  packet,
  first,
  second,
}: NonNullable<AuditedMutant["difference"]>): string[] {
  const line = (text: string): string => text.replaceAll("\n", "; ");
  return [
    packet === undefined
      ? `    the state of ${name} differs after random packets`
      : `    random packet ${packet.number + 1} shows it: ${name} port ${packet.port} ${packet.hex}`,
    `        solution: ${line(first)}`,
    `        changed:  ${line(second)}`,
  ];
}
