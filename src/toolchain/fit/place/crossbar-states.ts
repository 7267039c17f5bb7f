/**
 * Crossbars as values: what a crossbar becomes by the uses of a table, worked out once. The placements of one program fill stages with the
 * same tables again and again: when they go back, when they try an earlier decision, when units are left out to find a reason. All of them
 * begin with the same empty crossbar, so that equal uses in equal order lead to the same crossbar. One object serves one fit.
 */
import { defined } from "../../../base/index.js";
import { lineBitsOf } from "../memory/exact.js";
import type { Target } from "../target.js";
import { type CrossbarUse, ExactCrossbar, SLOT_BITS } from "./crossbar.js";

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

export class CrossbarStates {
  /** By target, because an explanation asks for one with a limit less. */
  readonly #empty = new Map<Target, ExactCrossbar>();
  readonly #after = new Map<ExactCrossbar, Map<string, ExactCrossbar | undefined>>();
  #kept = 0;

  /** The crossbar of an empty stage; undefined where the target does not state how its hash matrix is made. */
  empty(target: Target): ExactCrossbar | undefined {
    const { hash_groups: functions, hash_group_bits: columns, alu_crossbar_byte: first } = target.per_stage;
    // The matrix is the one of blocks with 1,024 lines.
    if (functions === null || first === null || lineBitsOf(target) !== SLOT_BITS) return undefined;
    const known = this.#empty.get(target);
    if (known !== undefined) return known;
    const made = new ExactCrossbar({ firstAluByte: first, functions, columns: columns ?? MOST_COLUMNS });
    this.#empty.set(target, made);
    return made;
  }

  /** A crossbar with the uses of one more table; undefined: it has no room for them. The crossbar itself stays as it is. */
  with(crossbar: ExactCrossbar, { list, key }: Uses): ExactCrossbar | undefined {
    if (crossbar.lacksColumns(list)) return undefined;
    const known = this.#after.get(crossbar);
    if (known?.has(key)) return known.get(key);
    const next = crossbar.copy();
    const result = next.place(list) ? next : undefined;
    if (++this.#kept > MOST_KEPT) {
      this.#after.clear();
      this.#kept = 1;
    }
    if (!this.#after.has(crossbar)) this.#after.set(crossbar, new Map());
    defined(this.#after.get(crossbar)).set(key, result);
    return result;
  }
}
