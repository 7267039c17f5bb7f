/**
 * The tables of math units. A unit takes the leading bits of its operand as the index of a table of 16 results of 8 bits and shifts the
 * result by the place of the leading bit. For functions with half powers the index has three leading bits where the place is odd, and four
 * where it is even, so that the place of what is left is even.
 */
import { defined } from "../../../../../base/index.js";
import { constantBits } from "../../../emit/bmv2-tables.js";
import { fold } from "../../../lower/fold.js";
import type { Expr, ExternInstance } from "../../../lower/ir.js";
import { argument } from "../p4info-scope.js";

export interface MathTable {
  /** Results by index. */
  readonly table: readonly number[];
  /** The result is shifted by half of this for each place of the operand. */
  readonly halfPowers: number;
  readonly scale: number;
}

/** Half powers of the functions. */
const OPERATIONS: Readonly<Record<string, number>> = {
  MUL: 2,
  SQR: 4,
  SQRT: 1,
  DIV: -2,
  RSQR: -4,
  RSQRT: -1,
};

export function mathUnit(unit: ExternInstance): MathTable {
  const op = argument(unit, "op");
  return op === undefined ? written(unit) : computed(unit, fold(op));
}

function numberOf(unit: ExternInstance, name: string): number | undefined {
  const value = argument(unit, name);
  const folded = value === undefined ? undefined : fold(value);
  return folded?.kind === "number" ? Number(folded.value) : undefined;
}

function written(unit: ExternInstance): MathTable {
  const data = argument(unit, "data");
  const results = data?.kind === "aggregate" ? data.elements.map((one) => Number(constantBits(one))) : [];
  const invert = fold(defined(argument(unit, "invert")));
  const shift = numberOf(unit, "shift") ?? 0;
  const power = shift < 0 ? 1 : 2 * (shift + 1);
  return {
    // From index 15 down to 0.
    table: Array.from({ length: 16 }, (_, i) => results[15 - i] ?? 0),
    halfPowers: invert.kind === "bool" && invert.value ? -power : power,
    scale: numberOf(unit, "scale") ?? 0,
  };
}

/** The results of eight bits that are nearest to `factor * op(x)`. */
function computed(unit: ExternInstance, op: Expr): MathTable {
  const halfPowers = OPERATIONS[op.kind === "member" ? op.name : ""] ?? 2;
  const factor = numberOf(unit, "factor") ?? (numberOf(unit, "A") ?? 1) / (numberOf(unit, "B") ?? 1);
  const least = halfPowers % 2 === 0 ? 8 : 4;
  const exact = Array.from({ length: 16 }, (_, i) => (i < least ? 0 : factor * (i / 8) ** (halfPowers / 2)));
  let scale = -32;
  while (scale < 31 && Math.round(Math.max(...exact) * 2 ** -scale) > 255) scale++;
  return { table: exact.map((value) => Math.round(value * 2 ** -scale)), halfPowers, scale };
}
