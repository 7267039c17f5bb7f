/** An exercise: its topology, the files that are handed in, and the tests of `exercise.yaml` with resolved names. */
import { type Diagnostics, type Locate, pathIn, SourceFile } from "../../base/index.js";
import { loadDocument } from "../../toolchain/documents/index.js";
import { CODES } from "./codes.js";
import { ENGINES, type Engine, exerciseSchema, type RawExercise } from "./exercise-schema.js";
import type { ExerciseFiles } from "./files.js";
import { HEADER_LAYOUTS, type HeaderLayout, layoutBytes } from "./header-layouts.js";
import { type HiddenTests, readHidden } from "./hidden.js";
import { type ExercisePlace, type ExerciseTest, readOwnFile, readTests } from "./tests.js";
import { type ExerciseTopology, readTopologyFile } from "./topology-file.js";

interface ExerciseLimits {
  /** Real time without progress after which the tests of a submission are stopped, in seconds: it only ends what hangs. */
  readonly seconds: number;
  readonly memoryMb: number;
  /** Maximum number of frames that cross links in a test. */
  readonly frames: number;
  /** Maximum number of events of the simulation in a test. */
  readonly events: number;
}

export interface Exercise {
  readonly title: string;
  readonly about: string;
  /** Paths of the files that a submission contains; all other files are those of the exercise. */
  readonly handsIn: readonly string[];
  /** Path of the control plane's module; undefined: the exercise has none. */
  readonly controller: string | undefined;
  /** What can run its programs. */
  readonly engines: readonly Engine[];
  readonly topology: ExerciseTopology;
  readonly limits: ExerciseLimits;
  /** The visible tests, then the hidden ones, where they are in the folder. */
  readonly tests: readonly ExerciseTest[];
  /** Undefined: the exercise has no hidden tests. */
  readonly hidden: HiddenTests | undefined;
  readonly files: ExerciseFiles;
  /** Its folder, as a path of `files`; all paths in `exercise.yaml` are relative to it. */
  readonly folder: string;
}

/** Name of the file in an exercise's folder. */
export const EXERCISE_FILE = "exercise.yaml";

/** Sum of the points of all tests in the folder. */
export function maximumPoints({ tests }: Pick<Exercise, "tests">): number {
  return tests.reduce((sum, { points }) => sum + points, 0);
}

/**
 * Reads `exercise.yaml` with the topology that it names. Undefined after errors: P43001 to P43004 (form), those of
 * readTopologyFile, P46301 to P46308.
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
      : folder === "" || folder === "."
        ? `there is no file ${path} in ${files.absolute(folder)}`
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
  readonly #place: ExercisePlace;

  constructor(
    readonly raw: RawExercise,
    readonly locate: Locate,
    readonly files: ExerciseFiles,
    readonly folder: string,
    readonly diagnostics: Diagnostics,
  ) {
    this.#place = { files, folder, locate, diagnostics };
  }

  read(): Exercise | undefined {
    const { raw, diagnostics, files, folder } = this;
    for (const [index, path] of raw.hands_in.entries()) readOwnFile(path, ["hands_in", index], this.#place);
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
    const written = readOwnFile(raw.topology, ["topology"], this.#place);
    const topology = written === undefined ? undefined : readTopologyFile(written, diagnostics);
    if (topology === undefined) return undefined;
    const surroundings = { topology, headers, handsIn: raw.hands_in };
    const visible = readTests(raw.tests, false, surroundings, this.#place);
    const hidden = readHidden(raw.hidden, surroundings, this.#place);
    if (diagnostics.hasErrors) return undefined;
    const { seconds, memory_mb, frames, events } = raw.limits;
    return {
      title: raw.title,
      about: raw.about,
      handsIn: raw.hands_in,
      controller: raw.controller,
      engines: raw.engines ?? ENGINES,
      topology,
      limits: { seconds, memoryMb: memory_mb, frames, events },
      tests: [...visible, ...hidden.tests],
      hidden: hidden.summary,
      files,
      folder,
    };
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
}
