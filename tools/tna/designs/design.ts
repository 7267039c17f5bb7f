/** What a known design is to the tool, and what a run of it gives. */
import type { Program } from "../../../src/toolchain/program/index.js";
import type { Chip } from "../corpus.js";

/** A comparison of every answer with a second model, which has no code of the switch. */
export interface Check {
  readonly what: string;
  readonly compared: number;
  /** Empty where all are as expected. */
  readonly disagreements: readonly string[];
}

/** One line of the design's table: the property in the simulator, and what it is compared with. */
export interface Row {
  readonly property: string;
  readonly measured: string;
  /** By the second model or a closed form. */
  readonly expected?: string;
  readonly paper?: string;
}

export interface Outcome {
  readonly rows: readonly Row[];
  readonly checks: readonly Check[];
}

export interface Design {
  /** As the command line names it. */
  readonly name: string;
  readonly title: string;
  readonly repo: string;
  /** The commit that was read; others may do. */
  readonly commit: string;
  /** Relative to the repository, as `includeFolders`. */
  readonly program: string;
  readonly chip: Chip;
  readonly defines?: readonly string[];
  readonly includeFolders?: readonly string[];
  readonly licence: string;
  /** The paper, and where its figures stand. */
  readonly paper: string;
  /** Network, traffic, and what the tool installs, in sentences. */
  readonly settings: string;
  /** What the comparison with the paper is worth. */
  readonly remark: string;
  run(program: Program): Promise<Outcome>;
}

export function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

/** A comparison of a figure with a closed form, of which it may differ by `most`. */
export function near(what: string, measured: number, expected: number, most: number): Check {
  const isNear = Math.abs(measured - expected) <= most;
  const text = `${measured}, expected ${expected} with at most ${most} between them`;
  return { what, compared: 1, disagreements: isNear ? [] : [text] };
}
