/** The assignment of hash functions to the switches of a scheme, for people. */
import type { PathModel } from "../paths/index.js";

/** The functions of the switches of a place: a stage, and where packets come from. */
export interface NamedSetting {
  readonly place: string;
  readonly switches: number;
  /** Names of functions. */
  readonly functions: readonly string[];
  /** Number of different seeds other than 0. */
  readonly seeds: number;
  /** Numbers of slots of the groups with several. */
  readonly slots: readonly number[];
}

export interface HashAssignment {
  readonly model: PathModel;
  readonly places: readonly NamedSetting[];
  /** What people must know about it, one sentence each. */
  readonly notes: readonly string[];
  placeOf(node: number, kind: number): string;
}
