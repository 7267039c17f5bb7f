/** Which entries of a table a packet with given field values would match. */
import { defined, maskOf } from "../../../base/index.js";
import type { Match, TableEntry } from "../../device/index.js";
import type { TableInfo } from "../../program/index.js";

/** The values that a part matches: all with `value` in the bits of `mask`, or those from `low` to `high`. */
function bitsOf(part: Match, bits: number): { value: bigint; mask: bigint } | undefined {
  const all = maskOf(bits);
  switch (part.kind) {
    case "exact":
    case "optional":
      return { value: part.value, mask: all };
    case "lpm":
      return { value: part.value, mask: all ^ maskOf(bits - part.prefixLength) };
    case "ternary":
      return { value: part.value, mask: part.mask };
    case "range":
      return undefined;
  }
}

/** Whether both have some value in common; between a mask and a range, the mask's smallest value decides. */
function meets(one: Match, other: Match, bits: number): boolean {
  const [a, b] = [bitsOf(one, bits), bitsOf(other, bits)];
  if (a !== undefined && b !== undefined) return ((a.value ^ b.value) & a.mask & b.mask) === 0n;
  const bounds = (part: Match): [bigint, bigint] => {
    if (part.kind === "range") return [part.low, part.high];
    const { value, mask } = defined(bitsOf(part, bits));
    // a prefix is a range; of any other mask only the smallest value is checked
    const low = value;
    return part.kind === "lpm" ? [low, low | (maskOf(bits) ^ mask)] : [low, low];
  };
  const [[low, high], [from, to]] = [bounds(one), bounds(other)];
  return low <= to && from <= high;
}

/** Whether packets with these values can match the entry; fields that are not given may have any value. */
export function covers(table: TableInfo, entry: TableEntry, wanted: readonly Match[]): boolean {
  return wanted.every((want) => {
    const part = entry.match.find(({ field }) => field === want.field);
    const bits = defined(table.fields.byName(want.field)).bitwidth;
    return part === undefined || meets(part, want, bits);
  });
}
