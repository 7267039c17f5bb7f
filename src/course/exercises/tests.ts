/** Reads the tests of an exercise, the visible ones and the hidden ones. */
import { type Diagnostics, type Locate, pathIn, SourceFile, type Span } from "../../base/index.js";
import { CODES } from "./codes.js";
import type { RawTest } from "./exercise-schema.js";
import type { ExerciseFiles } from "./files.js";
import type { HeaderLayout } from "./header-layouts.js";
import { type ExerciseStep, StepReader } from "./steps.js";
import type { ExerciseTopology } from "./topology-file.js";

export interface ExerciseTest {
  readonly name: string;
  readonly points: number;
  readonly hint: string | undefined;
  /** Whether students may see nothing of it but its points. */
  readonly hidden: boolean;
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
      /** Whether a warning fails the test. */
      readonly strict: boolean;
      readonly program: string;
    };

/** The folder of an exercise, and the file that names its paths. */
export interface ExercisePlace {
  readonly files: ExerciseFiles;
  readonly folder: string;
  readonly locate: Locate;
  readonly diagnostics: Diagnostics;
}

/** A file of the exercise's folder; undefined after P46301 (it is missing) and P46306 (it is outside the folder). */
export function readOwnFile(
  path: string,
  at: readonly PropertyKey[],
  { files, folder, locate, diagnostics }: ExercisePlace,
): SourceFile | undefined {
  if (path.startsWith("/") || path.split("/").includes("..")) {
    const message = `${path}: expected the path of a file in the exercise's folder`;
    diagnostics.error(CODES.outside, locate(at), message);
    return undefined;
  }
  const whole = pathIn(folder, path);
  if (files.exists(whole)) return new SourceFile(whole, files.read(whole));
  diagnostics.error(CODES.noFile, locate(at), `there is no file ${whole}`);
  return undefined;
}

/** What the tests of an exercise refer to. */
export interface TestSurroundings {
  readonly topology: ExerciseTopology;
  readonly headers: ReadonlyMap<string, HeaderLayout>;
  readonly handsIn: readonly string[];
}

/** Reads a list `tests`, which is in the file of `place`; a test with errors (P46301 to P46306) is left out. */
export function readTests(
  tests: readonly RawTest[],
  hidden: boolean,
  surroundings: TestSurroundings,
  place: ExercisePlace,
): ExerciseTest[] {
  const reader = new TestReader(hidden, surroundings, place);
  return tests.flatMap((test, index) => reader.read(test, index) ?? []);
}

class TestReader {
  readonly #steps: StepReader;

  constructor(
    readonly hidden: boolean,
    readonly surroundings: TestSurroundings,
    readonly place: ExercisePlace,
  ) {
    const { topology, headers } = surroundings;
    this.#steps = new StepReader(topology, headers, place.locate, place.diagnostics);
  }

  read(raw: RawTest, index: number): ExerciseTest | undefined {
    const { name, points, hint } = raw;
    const { locate, diagnostics } = this.place;
    const path = ["tests", index];
    const kinds = (["steps", "stf", "fit"] as const).filter((kind) => raw[kind] !== undefined);
    const [kind] = kinds;
    if (kind === undefined || kinds.length > 1) {
      const got = kinds.length === 0 ? "none" : kinds.join(" and ");
      diagnostics.error(
        CODES.whichKind,
        locate(path),
        `test "${name}": expected one of steps, stf and fit, got ${got}`,
      );
      return undefined;
    }
    const what = this.#kind(raw, kind, path);
    return what && { name, points, hint, hidden: this.hidden, span: locate([...path, "name"]), what };
  }

  #kind(raw: RawTest, kind: TestKind["kind"], path: readonly PropertyKey[]): TestKind | undefined {
    if (kind === "steps")
      return {
        kind,
        steps: raw.steps!.flatMap((step, at) => this.#steps.read(step, [...path, "steps", at]) ?? []),
      };
    const program = raw.program ?? this.surroundings.handsIn.find((one) => one.endsWith(".p4"));
    if (program === undefined) {
      const message = `test "${raw.name}": the program is missing; add program: NAME.p4`;
      this.place.diagnostics.error(CODES.whichKind, this.place.locate(path), message);
      return undefined;
    }
    if (raw.program !== undefined) readOwnFile(raw.program, [...path, "program"], this.place);
    if (kind === "stf") {
      const script = readOwnFile(raw.stf!, [...path, "stf"], this.place);
      return script && { kind, script, program };
    }
    const { target, stages, strict } = raw.fit!;
    const isFile = /[./]/.test(target);
    const read = isFile ? readOwnFile(target, [...path, "fit", "target"], this.place) : target;
    return read === undefined ? undefined : { kind, target: read, stages, strict, program };
  }
}
