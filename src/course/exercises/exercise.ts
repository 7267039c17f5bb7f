/** An exercise: its topology, the files that are handed in, and the tests of `exercise.yaml` with resolved names. */
import { type Diagnostics, type Locate, pathIn, SourceFile, type Span } from "../../base/index.js";
import { loadDocument } from "../../toolchain/documents/index.js";
import { CODES } from "./codes.js";
import { exerciseSchema, type RawExercise } from "./exercise-schema.js";
import type { ExerciseFiles } from "./files.js";
import { HEADER_LAYOUTS, type HeaderLayout, layoutBytes } from "./header-layouts.js";
import { type ExerciseStep, StepReader } from "./steps.js";
import { type ExerciseTopology, readTopologyFile } from "./topology-file.js";

export interface ExerciseTest {
  readonly name: string;
  readonly points: number;
  readonly hint: string | undefined;
  readonly span: Span | undefined;
  readonly what: TestKind;
}

type TestKind =
  /** Steps that run on the exercise's network; each test has a new network. */
  | { readonly kind: "steps"; readonly steps: readonly ExerciseStep[] }
  | { readonly kind: "stf"; readonly script: SourceFile; readonly program: string }
  | {
      readonly kind: "fit";
      /** Name of a target, or its text and path in the exercise's folder. */
      readonly target: string | SourceFile;
      readonly stages: number | undefined;
      readonly program: string;
    };

interface ExerciseLimits {
  /** Maximum processor time of one submission for all tests together, in seconds. */
  readonly seconds: number;
  readonly memoryMb: number;
  /** Maximum number of frames that cross links in a test. */
  readonly frames: number;
}

export interface Exercise {
  readonly title: string;
  readonly about: string;
  /** Paths of the files that a submission contains; all other files are those of the exercise. */
  readonly handsIn: readonly string[];
  /** Path of the control plane's module; undefined: the exercise has none. */
  readonly controller: string | undefined;
  readonly topology: ExerciseTopology;
  readonly limits: ExerciseLimits;
  readonly tests: readonly ExerciseTest[];
  readonly files: ExerciseFiles;
  /** Its folder, as a path of `files`; all paths in `exercise.yaml` are relative to it. */
  readonly folder: string;
}

/** Name of the file in an exercise's folder. */
export const EXERCISE_FILE = "exercise.yaml";

/** Sum of the points of all tests. */
export function maximumPoints({ tests }: Pick<Exercise, "tests">): number {
  return tests.reduce((sum, { points }) => sum + points, 0);
}

/**
 * Reads `exercise.yaml` with the topology that it names. Undefined after errors: P43001 to P43004 (form), those of
 * readTopologyFile, P46301 to P46306.
 */
export function readExercise(
  files: ExerciseFiles,
  folder: string,
  diagnostics: Diagnostics,
): Exercise | undefined {
  const path = pathIn(folder, EXERCISE_FILE);
  if (!files.exists(path)) {
    const message = isFile(files, folder)
      ? `${folder} is a file; expected the folder of an exercise, which has a file ${EXERCISE_FILE}`
      : `there is no file ${path}`;
    diagnostics.error(CODES.noFile, undefined, message);
    return undefined;
  }
  const document = loadDocument(new SourceFile(path, files.read(path)), exerciseSchema, diagnostics);
  if (document === undefined) return undefined;
  return new ExerciseReader(document.value, document.locate, files, folder, diagnostics).read();
}

/** Whether a path names a file: that of a folder cannot be read. */
function isFile(files: ExerciseFiles, path: string): boolean {
  if (!files.exists(path)) return false;
  try {
    files.read(path);
    return true;
  } catch {
    return false;
  }
}

class ExerciseReader {
  constructor(
    readonly raw: RawExercise,
    readonly locate: Locate,
    readonly files: ExerciseFiles,
    readonly folder: string,
    readonly diagnostics: Diagnostics,
  ) {}

  read(): Exercise | undefined {
    const { raw, diagnostics, files, folder } = this;
    for (const [index, path] of raw.hands_in.entries()) this.#file(path, ["hands_in", index]);
    if (raw.controller !== undefined && !raw.hands_in.includes(raw.controller)) {
      const place = this.locate(["controller"]);
      diagnostics.error(
        CODES.noFile,
        place,
        `controller: ${raw.controller} is not one of the files of hands_in`,
        `hands_in: ${raw.hands_in.join(", ")}`,
      );
    }
    if (raw.controller !== undefined && !/\.(m?js|py)$/.test(raw.controller)) {
      diagnostics.error(
        CODES.controller,
        this.locate(["controller"]),
        `controller: ${raw.controller} is neither a JavaScript module (.mjs or .js) nor one of Python (.py)`,
        "controllers in other languages are not supported",
      );
    }
    const headers = this.#headers();
    const written = this.#file(raw.topology, ["topology"]);
    const topology = written === undefined ? undefined : readTopologyFile(written, diagnostics);
    if (topology === undefined) return undefined;
    const steps = new StepReader(topology, headers, this.locate, diagnostics);
    const tests = raw.tests.map((test, index) => this.#test(test, index, steps));
    if (diagnostics.hasErrors) return undefined;
    const { seconds, memory_mb, frames } = raw.limits;
    return {
      title: raw.title,
      about: raw.about,
      handsIn: raw.hands_in,
      controller: raw.controller,
      topology,
      limits: { seconds, memoryMb: memory_mb, frames },
      tests: tests.filter((test) => test !== undefined),
      files,
      folder,
    };
  }

  /** A file of the exercise's folder; reports a file that is missing or outside the folder. */
  #file(path: string, place: readonly PropertyKey[]): SourceFile | undefined {
    if (path.startsWith("/") || path.split("/").includes("..")) {
      const message = `${path}: expected the path of a file in the exercise's folder`;
      this.diagnostics.error(CODES.outside, this.locate(place), message);
      return undefined;
    }
    const whole = pathIn(this.folder, path);
    if (this.files.exists(whole)) return new SourceFile(whole, this.files.read(whole));
    this.diagnostics.error(CODES.noFile, this.locate(place), `there is no file ${whole}`);
    return undefined;
  }

  #headers(): ReadonlyMap<string, HeaderLayout> {
    const headers = new Map(HEADER_LAYOUTS);
    for (const [name, fields] of Object.entries(this.raw.headers)) {
      const layout: HeaderLayout = new Map(Object.entries(fields));
      if (!Number.isInteger(layoutBytes(layout)) || layout.size === 0) {
        this.diagnostics.error(
          CODES.headerLayout,
          this.locate(["headers", name]),
          `header ${name} has ${8 * layoutBytes(layout)} bits: expected whole bytes`,
        );
      } else if (HEADER_LAYOUTS.has(name)) {
        const message = `header ${name}: every exercise has a header of this name; use another name`;
        this.diagnostics.error(CODES.headerLayout, this.locate(["headers", name], true), message);
      }
      headers.set(name, layout);
    }
    return headers;
  }

  #test(raw: RawExercise["tests"][number], index: number, steps: StepReader): ExerciseTest | undefined {
    const { name, points, hint } = raw;
    const path = ["tests", index];
    const kinds = (["steps", "stf", "fit"] as const).filter((kind) => raw[kind] !== undefined);
    const [kind] = kinds;
    if (kind === undefined || kinds.length > 1) {
      const got = kinds.length === 0 ? "none" : kinds.join(" and ");
      this.diagnostics.error(
        CODES.whichKind,
        this.locate(path),
        `test "${name}": expected one of steps, stf and fit, got ${got}`,
      );
      return undefined;
    }
    const what = this.#kind(raw, kind, path, steps);
    return what && { name, points, hint, span: this.locate([...path, "name"]), what };
  }

  #kind(
    raw: RawExercise["tests"][number],
    kind: TestKind["kind"],
    path: readonly PropertyKey[],
    steps: StepReader,
  ): TestKind | undefined {
    if (kind === "steps")
      return {
        kind,
        steps: raw.steps!.flatMap((step, at) => steps.read(step, [...path, "steps", at]) ?? []),
      };
    const program = raw.program ?? this.raw.hands_in.find((one) => one.endsWith(".p4"));
    if (program === undefined) {
      const message = `test "${raw.name}": the program is missing; add program: NAME.p4`;
      this.diagnostics.error(CODES.whichKind, this.locate(path), message);
      return undefined;
    }
    if (raw.program !== undefined) this.#file(raw.program, [...path, "program"]);
    if (kind === "stf") {
      const script = this.#file(raw.stf!, [...path, "stf"]);
      return script && { kind, script, program };
    }
    const { target, stages } = raw.fit!;
    const isFile = /[./]/.test(target);
    const read = isFile ? this.#file(target, [...path, "fit", "target"]) : target;
    return read === undefined ? undefined : { kind, target: read, stages, program };
  }
}
