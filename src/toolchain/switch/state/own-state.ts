/** State of one switch that generated code uses: all that a program keeps from packet to packet. */
import type { Random } from "../../../base/index.js";
import type { HashFunction, WideHash } from "../../hash/index.js";
import type { ActionProfileStore } from "../tables/profile.js";
import type { CounterArray, MeterArray, RegisterArray } from "../tables/resources.js";
import type { TableStore } from "../tables/store.js";
import type { ValueSet } from "../tables/value-set.js";

export type AnyHash = HashFunction | WideHash;

export interface OwnParts {
  readonly tables: readonly TableStore[];
  /** Those of the tables. */
  readonly indexes: readonly TableStore["index"][];
  readonly profiles: readonly ActionProfileStore[];
  readonly counters: readonly CounterArray[];
  readonly meters: readonly MeterArray[];
  readonly registers: readonly RegisterArray[];
  readonly valueSets: readonly ValueSet[];
}

/**
 * Beside these members it has one for each resource of the program (`t0`, `t1`, ... for tables, and so on), which
 * generated code uses by name: a list would cost a packet two more places in memory for each.
 */
export interface OwnState {
  /** Hashes that this switch has for itself, by their numbers in the code: the control plane can change them, or they count. */
  hashes: readonly (AnyHash | undefined)[];
  readonly dropPort: number;
  readonly random: Random;
  /** Microseconds. */
  readonly time: () => number;
  readonly onLog: ((message: string) => void) | undefined;
  /** What code that counts counts in (codegen/count-points.ts). */
  readonly hits: Float64Array | undefined;
}

/** The members of {@link OwnState} that stand for {@link OwnParts}, by kind and number. */
export const OWN_NAMES: { readonly [Kind in keyof OwnParts]: string } = {
  tables: "t",
  indexes: "x",
  profiles: "p",
  counters: "c",
  meters: "m",
  registers: "r",
  valueSets: "v",
};

/** Text of a place of generated code: resource `number` of the switch whose packet `s` is. */
export function ownPlace(kind: keyof OwnParts, number: number): string {
  return `s.own.${OWN_NAMES[kind]}${number}`;
}
