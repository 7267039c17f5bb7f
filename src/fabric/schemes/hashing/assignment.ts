/** The hash functions of a fabric's switches. */

import type { ChipFunction } from "./functions.js";

export interface Assignment {
  /** Functions of the chip, in its order. */
  readonly functions: readonly ChipFunction[];
  /** How many of them are in use. */
  readonly used: number;
  /** Setting for packets from below (kind 0) or others (kind 1). */
  settingOf(node: number, kind: number): HashSetting;
  /** Number of slots of the groups of a class; undefined: the sum of the weights. */
  sizeOf(node: number, kind: number, source: number): number | undefined;
}

interface HashSetting {
  /** Index in {@link Assignment.functions}. */
  readonly function: number;
  /** 32 bits. */
  readonly seed: number;
}
