/**
 * PHV demand as the P4TE paper counts it (section 5.2, with the mapper of arXiv 2208.12892): each field has its own
 * containers, and both gresses use one PHV. 24 bits take 3 x 8, 48 bits 32 + 16, 128 bits 4 x 32.
 */
import type { FitModel } from "../model/model.js";
import { actionReads, keyReads, writesOf } from "../model/model.js";

export interface WordCount {
  /** Containers of 8, 16 and 32 bits. */
  readonly 8: number;
  readonly 16: number;
  readonly 32: number;
  readonly bits: number;
}

/** Containers of fields that share none. @param widths width of each field in bits */
export function countWords(widths: readonly number[]): WordCount {
  const count = { 8: 0, 16: 0, 32: 0, bits: 0 };
  for (const width of widths) {
    if (width <= 0) continue;
    const whole = Math.floor(width / 32);
    const rest = width - whole * 32;
    count[32] += whole;
    if (rest > 24) count[32]++;
    else if (rest > 16) count[8] += 3;
    else if (rest > 8) count[16]++;
    else if (rest > 0) count[8]++;
  }
  count.bits = count[8] * 8 + count[16] * 16 + count[32] * 32;
  return count;
}

/** Widths of the fields that a program carries, once for each gress that uses them; parsed headers count in both. */
export function naiveWidths(model: FitModel): number[] {
  const widths: number[] = [];
  for (const gress of ["ingress", "egress"] as const) {
    const used = new Set<string>();
    for (const unit of model.units) {
      if (unit.gress !== gress) continue;
      for (const access of [...keyReads(unit), ...actionReads(unit), ...writesOf(unit)])
        used.add(access.field);
    }
    for (const field of model.fields.values()) {
      if (field.name.endsWith(".$valid$")) continue;
      const carried = !field.metadata && model.parser.parsed.has(field.header);
      if (carried || used.has(field.name)) widths.push(field.width);
    }
  }
  return widths;
}
