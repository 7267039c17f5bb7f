/** A sweep that was read. */
import type { SourceFile } from "../../../base/index.js";
import type { CommonSettings } from "../experiment.js";
import type { FinishedSweep, Point, SweepOutput } from "./point.js";
import type { SweepSpace } from "./space.js";

/** An experiment file as a sweep of its points. */
export interface Sweep {
  readonly source: SourceFile;
  /** Of the first point. */
  readonly settings: CommonSettings;
  readonly space: SweepSpace;
  /** Checks the point with this number, from 0. Throws DiagnosticError. */
  point(number: number, runs?: number): Point;
  output(sweep: FinishedSweep): Promise<SweepOutput>;
  /** Throws DiagnosticError P43041 where there are more jobs than the user accepts; `each`: jobs for each point and seed. */
  checkNumber(each: number): void;
}
