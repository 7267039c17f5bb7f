/**
 * Crossbars as values: what a crossbar becomes by the uses of a table, worked out once. The placements of one program fill stages with the
 * same tables again and again: when they go back, when they try an earlier decision, when units are left out to find a reason. All of them
 * begin with the same empty crossbar, so that equal uses in equal order lead to the same crossbar.
 */
import { defined } from "../../../base/index.js";
import type { Target } from "../target.js";
import { type CrossbarUse, ExactCrossbar } from "./crossbar.js";

/** Answers that are kept, crossbars of about 3 kB among them. Past that all are forgotten and worked out again. */
const MOST_KEPT = 20_000;

/** Columns of the hash matrix where the target states none. */
const MOST_COLUMNS = 52;

/** Uses in their order, with a text that is equal for equal ones. */
export interface Uses {
  readonly list: readonly CrossbarUse[];
  readonly key: string;
}

/** Makes `Uses` of a list. */
export function usesOf(list: readonly CrossbarUse[]): Uses {
  return { list, key: JSON.stringify(list) };
}

const empty = new WeakMap<Target, ExactCrossbar>();
let after = new WeakMap<ExactCrossbar, Map<string, ExactCrossbar | undefined>>();
let kept = 0;

/** The crossbar of an empty stage; undefined where the target does not state how its hash matrix is made. */
export function emptyCrossbar(target: Target): ExactCrossbar | undefined {
  const { hash_groups: functions, hash_group_bits: columns, alu_crossbar_byte: first } = target.per_stage;
  if (functions === null || first === null) return undefined;
  if (!empty.has(target)) {
    const shape = { firstAluByte: first, functions, columns: columns ?? MOST_COLUMNS };
    empty.set(target, new ExactCrossbar(shape));
  }
  return empty.get(target);
}

/** A crossbar with the uses of one more table; undefined: it has no room for them. The crossbar itself stays as it is. */
export function crossbarWith(crossbar: ExactCrossbar, { list, key }: Uses): ExactCrossbar | undefined {
  const known = after.get(crossbar);
  if (known?.has(key)) return known.get(key);
  const next = crossbar.copy();
  const result = next.place(list) ? next : undefined;
  if (++kept > MOST_KEPT) {
    after = new WeakMap();
    kept = 1;
  }
  if (!after.has(crossbar)) after.set(crossbar, new Map());
  defined(after.get(crossbar)).set(key, result);
  return result;
}
