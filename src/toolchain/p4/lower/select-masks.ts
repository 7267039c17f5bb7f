/**
 * Pass: a range in a select becomes masks, since BMv2's transitions compare under a mask. A range of n bits
 * needs at most 2n - 2 masks.
 */
import { defined, maskOf } from "../../../base/index.js";
import type { EntryKey, IrProgram, IrSelectCase } from "./ir.js";
import { ENUM_WIDTH, scalarWidth } from "./ir-types.js";
import { statesOf } from "./walk.js";

export function selectMasks(program: IrProgram): void {
  for (const state of statesOf(program)) {
    const next = state.next;
    if (next.kind !== "select") continue;
    const widths = next.keys.map((key) => scalarWidth(key.type) ?? ENUM_WIDTH);
    next.cases = next.cases.flatMap((one) => expandCase(one, widths));
  }
}

function expandCase(one: IrSelectCase, widths: readonly number[]): IrSelectCase[] {
  if (!Array.isArray(one.patterns)) return [one];
  let combinations: EntryKey[][] = [[]];
  for (const [index, pattern] of one.patterns.entries()) {
    const choices = expandPattern(pattern, defined(widths[index]));
    combinations = combinations.flatMap((head) => choices.map((choice) => [...head, choice]));
  }
  return combinations.map((patterns) => ({ ...one, patterns }));
}

function expandPattern(pattern: EntryKey, width: number): EntryKey[] {
  if (pattern.kind !== "range") return [pattern];
  const { low, high } = pattern;
  if (low <= high) return rangeMasks(low, high, width);
  // A signed range that contains -1 and 0 wraps around as bits.
  return [...rangeMasks(low, maskOf(width), width), ...rangeMasks(0n, high, width)];
}

/** The aligned blocks, in ascending order, that together are `low .. high`. */
export function rangeMasks(low: bigint, high: bigint, width: number): EntryKey[] {
  const all = maskOf(width);
  const blocks: EntryKey[] = [];
  while (low <= high) {
    let size = 1n;
    while ((low & (size * 2n - 1n)) === 0n && low + size * 2n - 1n <= high) size *= 2n;
    const mask = all & ~(size - 1n);
    if (mask === 0n) blocks.push({ kind: "any" });
    else if (size === 1n) blocks.push({ kind: "exact", value: low });
    else blocks.push({ kind: "mask", value: low, mask });
    low += size;
  }
  return blocks;
}
