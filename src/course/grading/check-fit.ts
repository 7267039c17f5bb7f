/** A test of kind `fit`: whether a program of the submission is placed on a chip. */
import { Diagnostics, formatDiagnostic, pathIn, type SourceFile } from "../../base/index.js";
import { loadDocument } from "../../toolchain/documents/index.js";
import {
  type FitResult,
  fitProgram,
  onePipe,
  pipesOf,
  type Target,
  targetSchema,
  verdictLine,
} from "../../toolchain/fit/index.js";
import type { Program } from "../../toolchain/program/index.js";
import type { ExerciseTest } from "../exercises/index.js";
import { StepFailure } from "./failure.js";
import { failureOf, type Submission } from "./submission.js";

type FitTest = Extract<ExerciseTest["what"], { kind: "fit" }>;

/** Messages that a failure shows. */
const MAX_MESSAGES = 5;

/** Why the test fails; undefined: it passes. */
export function checkFit(
  { target, stages, strict, program }: FitTest,
  submission: Submission,
  targets: ((name: string) => SourceFile | undefined) | undefined,
): StepFailure | undefined {
  try {
    // What the chip runs has no steps that only our switch needs.
    const compiled = submission.program(pathIn(submission.folder, program), "hardware");
    const file = typeof target === "string" ? targets?.(target) : target;
    if (file === undefined)
      throw new StepFailure(`a fit target ${String(target)}`, "there is no target of this name");
    const diagnostics = new Diagnostics();
    const document = loadDocument(file, targetSchema, diagnostics);
    diagnostics.throwIfErrors();
    const chip = document!.value;
    const result = fitProgram(pipeFor(chip, compiled.program), chip, {
      sources: (path) => compiled.sources.get(path),
    });
    return judge(result, program, stages ?? chip.stages, strict);
  } catch (error) {
    return failureOf(error, "a program that the target accepts");
  }
}

/** The program's only pipe, for the chip that it is written for. Throws StepFailure for another chip, and for several pipes. */
function pipeFor(chip: Target, program: Program): Program {
  const { architecture } = program.bmv2;
  if (architecture === undefined) return program;
  const expected = `a program of one pipe for ${chip.title}`;
  if (chip.architecture !== undefined && architecture.name !== chip.architecture)
    throw new StepFailure(expected, `a program for ${architecture.name}`);
  const [pipe, ...others] = pipesOf(program);
  if (pipe === undefined || others.length > 0)
    throw new StepFailure(expected, `a program of ${others.length + 1} pipes`);
  return onePipe(program, pipe);
}

function judge(result: FitResult, program: string, limit: number, strict: boolean): StepFailure | undefined {
  const of = (kind: string) => result.diagnostics.filter(({ severity }) => severity === kind);
  const warnings = strict ? of("warning") : [];
  if (result.verdict === "placed" && result.stages <= limit && warnings.length === 0) return undefined;
  const place = `${program} is placed in at most ${limit} stages of ${result.target.title}`;
  const seen = [
    verdictLine(result),
    ...(warnings.length === 0
      ? []
      : [`${warnings.length} ${warnings.length === 1 ? "warning" : "warnings"}`]),
  ];
  return new StepFailure(
    strict ? `${place}, without a warning` : place,
    seen.join("; "),
    [...of("error"), ...warnings].slice(0, MAX_MESSAGES).flatMap((one) => formatDiagnostic(one).split("\n")),
  );
}
