/** A submission: the files that were handed in, together with the exercise's own files. Its programs are compiled once. */
import {
  Diagnostics,
  folderOfPath,
  formatDiagnostic,
  isWithin,
  pathIn,
  SourceFile,
} from "../../base/index.js";
import { DeviceError } from "../../toolchain/device/index.js";
import { compile } from "../../toolchain/p4/index.js";
import type { Program } from "../../toolchain/program/index.js";
import {
  type Exercise,
  type ExerciseFiles,
  type ExerciseSetup,
  openExercise,
  TEACHER_FOLDERS,
} from "../exercises/index.js";
import { StepFailure } from "./failure.js";

interface CompiledProgram {
  readonly program: Program;
  /** By path. */
  readonly sources: ReadonlyMap<string, SourceFile>;
}

type Form = "switch" | "hardware";

export class Submission {
  readonly files: ExerciseFiles;
  /** The exercise's folder, as a path of {@link files}. */
  readonly folder: string;
  readonly #programs = new Map<string, CompiledProgram | StepFailure>();
  readonly #forHardware = new Map<string, CompiledProgram | StepFailure>();
  #setup: ExerciseSetup | StepFailure | undefined;
  readonly #firstTests = new Map<string, string>();

  /**
   * @param handedIn texts by their paths in the exercise's folder; files that are not in `exercise.handsIn` are ignored
   * @param similar of missing files: the names of files that differ only in upper and lower case
   */
  constructor(
    readonly exercise: Exercise,
    readonly handedIn: ReadonlyMap<string, string>,
    readonly similar: ReadonlyMap<string, string> = new Map(),
  ) {
    const { files, handsIn } = exercise;
    const folder = files.absolute(exercise.folder);
    this.folder = folder;
    const own = new Map(
      handsIn.flatMap((path) => {
        const text = handedIn.get(path);
        return text === undefined ? [] : [[pathIn(folder, path), text] as const];
      }),
    );
    const expected = new Set(handsIn.map((path) => pathIn(folder, path)));
    const closed = TEACHER_FOLDERS.map((name) => pathIn(folder, name));
    const isShown = (path: string): boolean =>
      !expected.has(path) && !closed.some((one) => isWithin(one, path));
    this.files = {
      absolute: files.absolute,
      exists: (path) => own.has(path) || (isShown(path) && files.exists(path)),
      list: (path) => files.list(path).filter((name) => this.files.exists(pathIn(path, name))),
      read: (path) => own.get(path) ?? files.read(path),
    };
  }

  /** Required files that were not handed in; undefined where all are there. */
  get missing(): StepFailure | undefined {
    const { handsIn } = this.exercise;
    const missing = handsIn.filter((path) => !this.handedIn.has(path));
    if (missing.length === 0) return undefined;
    const others = missing.flatMap((path) => {
      const other = this.similar.get(path);
      return other === undefined
        ? []
        : [`${other} is not ${path}: upper and lower case count in names of files`];
    });
    const seen = `${missing.join(", ")} ${missing.length === 1 ? "is" : "are"} missing`;
    return new StepFailure(`the files ${handsIn.join(", ")}`, seen, others, true);
  }

  /** The first test that failed by the same failure of the files; undefined if this is the first one. */
  sameBefore({ expected, seen, details }: StepFailure, test: string): string | undefined {
    const key = JSON.stringify([expected, seen, details]);
    const first = this.#firstTests.get(key);
    if (first === undefined) this.#firstTests.set(key, test);
    return first === test ? undefined : first;
  }

  /** The programs of the switches. Throws StepFailure if a file of the submission is missing or wrong. */
  get setup(): ExerciseSetup {
    if (this.#setup === undefined) {
      const diagnostics = new Diagnostics();
      try {
        const { topology } = this.exercise;
        this.#setup = openExercise(topology, this.files, {}, diagnostics);
        diagnostics.throwIfErrors();
      } catch (error) {
        this.#setup = ofFiles(failureOf(error, "files that are consistent"));
      }
    }
    if (this.#setup instanceof StepFailure) throw this.#setup;
    return this.#setup;
  }

  /** The programs that the tests so far have needed, by their paths in {@link files}; those that do not compile are left out. */
  get compiled(): ReadonlyMap<string, CompiledProgram> {
    return new Map(
      [...this.#programs].flatMap(([path, one]) =>
        one instanceof StepFailure ? [] : [[path, one] as const],
      ),
    );
  }

  /**
   * A program by its path in {@link files}. Throws StepFailure if it does not compile.
   * @param form `hardware`: as a chip runs it, which is another form than our switch's for Tofino programs
   */
  program(path: string, form: Form = "switch"): CompiledProgram {
    const programs = form === "switch" ? this.#programs : this.#forHardware;
    let found = programs.get(path);
    if (found === undefined) {
      found = this.#compile(path, form);
      programs.set(path, found);
    }
    if (found instanceof StepFailure) throw found;
    return found;
  }

  #compile(path: string, form: Form): CompiledProgram | StepFailure {
    if (!this.files.exists(path)) return new StepFailure(`a file ${path}`, "it was not handed in", [], true);
    const file = new SourceFile(path, this.files.read(path));
    const sources = new Map([[path, file]]);
    const diagnostics = new Diagnostics();
    const input = {
      file,
      form,
      resolveInclude: (name: string, from: SourceFile, system: boolean) => {
        const included = pathIn(folderOfPath(from.path), name);
        // Only programs can be included, because messages quote the text of included files.
        if (system || !included.endsWith(".p4") || !isWithin(this.folder, included)) return undefined;
        if (!this.files.exists(included)) return undefined;
        const source = new SourceFile(included, this.files.read(included));
        sources.set(included, source);
        return source;
      },
    };
    try {
      const result = compile(input, diagnostics);
      diagnostics.throwIfErrors();
      return { program: result!.program, sources };
    } catch (error) {
      return ofFiles(failureOf(error, `a program that compiles: ${path}`));
    }
  }
}

const ofFiles = ({ expected, seen, details }: StepFailure): StepFailure =>
  new StepFailure(expected, seen, details, true);

/**
 * Converts errors of the user, and of a switch that refuses an update, to the failure of a step; throws any other
 * error again.
 */
export function failureOf(error: unknown, expected: string): StepFailure {
  if (error instanceof StepFailure) return error;
  if (error instanceof DeviceError) return new StepFailure(expected, error.message);
  const list = (error as { diagnostics?: unknown }).diagnostics;
  if (!Array.isArray(list)) throw error;
  const errors = list.filter(({ severity }) => severity === "error");
  return new StepFailure(
    expected,
    `${errors.length} ${errors.length === 1 ? "error" : "errors"}`,
    errors.slice(0, 5).flatMap((one) => formatDiagnostic(one).split("\n")),
  );
}
