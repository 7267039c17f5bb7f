/** An experiment file that was read. */

import type { z } from "zod";
import type { Diagnostics, Locate, SourceFile } from "../../base/index.js";
import type { EditedContents, OpenDocument } from "../../toolchain/documents/index.js";
import type { CommonSettings, SchemeSet } from "./experiment.js";
import type { FabricCache } from "./fabric-cache.js";
import type { PrintedResults } from "./results.js";
import type { RunOptions } from "./run.js";
import type { FinishedSweep, Point, SweepOutput } from "./sweep/point.js";
import type { Sweep } from "./sweep/sweep.js";

/** A checked experiment file, ready to run, whatever its kind is. */
export interface LoadedExperiment {
  readonly kind: string;
  /** Whether the kind accepts {@link RunOptions.runs}. */
  readonly takesRuns: boolean;
  /** Settings of the first point of a sweep. */
  readonly settings: CommonSettings;
  /** Present where the experiment runs as a sweep. */
  readonly sweep?: Sweep;
  run(options: RunOptions): Promise<PrintedResults>;
}

/** A kind without its types, as the registry has it. */
export interface RegisteredKind {
  readonly name: string;
  readonly keys: readonly string[];
  readonly takesRuns: boolean;
  /** The schema of its files, which may name these schemes. */
  schemaWith(schemes: SchemeSet): z.ZodType<CommonSettings>;
  /** `value`: the document after the schema has parsed it. */
  check(
    source: SourceFile,
    value: unknown,
    locate: Locate,
    diagnostics: Diagnostics,
    means: CheckMeans,
  ): CheckedFile | undefined;
  /** The results of points of files that {@link check} accepted. */
  output(sweep: FinishedSweep): Promise<SweepOutput>;
}

/** An experiment file that has been read. */
export interface ExperimentFile {
  readonly source: SourceFile;
  readonly document: OpenDocument;
  readonly schemes: SchemeSet;
  /** Checks the file, or a version of it with other contents. Undefined after errors, which go to `diagnostics`. */
  check(
    edited: EditedContents | undefined,
    diagnostics: Diagnostics,
  ): { readonly kind: RegisteredKind; readonly checked: CheckedFile } | undefined;
}

/** A checked file whose kind is hidden. */
export interface CheckedFile {
  readonly settings: CommonSettings;
  /** `runs`: in place of those of the file and its schemes. */
  point(runs?: number): Point;
  /** Runs the experiment; undefined where the kind always runs as a sweep. */
  readonly run: ((options: RunOptions) => Promise<PrintedResults>) | undefined;
}

/** State that checks of several files share. */
export interface CheckMeans {
  readonly schemes: SchemeSet;
  /** For checks of files that differ in a few keys. */
  readonly cache?: FabricCache;
}
