/**
 * Ternary match: blocks of 512 x 44 bits, side by side for wide keys and one above another for more entries. A
 * range is kept as rows of 4-bit pieces in one-hot code, so its bits count twice and an entry may need several rows.
 */
import type { KeyPart } from "../model/model.js";
import type { Target } from "../target.js";

/** @param nibbleBits key bits rounded up to nibbles where a container byte is not filled. */
export function ternaryWidth(nibbleBits: number, target: Target): number {
  const overhead = target.tcam.overhead_bits ?? 0;
  return Math.max(1, Math.ceil((nibbleBits + overhead) / target.tcam.width));
}

/** Rows that the entries of a table take when some of them are worst-case ranges. */
export function rangeRows(key: readonly KeyPart[], entries: number, target: Target): number {
  const maxRows = target.range.max_rows ?? 1;
  const share = target.range.worst_case_share ?? 1;
  let rows = 1;
  for (const part of key) {
    if (part.kind !== "range") continue;
    const nibbles = Math.ceil(part.access.width / 4);
    rows = Math.max(rows, Math.min(maxRows, 2 * nibbles - 1));
  }
  const worst = Math.floor(entries * share);
  return entries - worst + worst * rows;
}

/** Units of one block height that fit a stage: blocks of a unit lie in consecutive rows of one column. */
export function unitsPerStage(width: number, target: Target): number {
  const columns = target.tcam.columns;
  if (columns === null) return Math.floor(target.tcam.blocks / width);
  return columns * Math.floor(target.tcam.blocks / columns / width);
}

/** Indirection RAM: what a ternary entry says beside its match, in fields of 8 to 64 bits. */
export function indirectionBlocks(entries: number, overhead: number, target: Target): number {
  if (overhead === 0) return 0;
  let bits = 8;
  while (bits < overhead) bits *= 2;
  return Math.ceil(entries / (target.sram.depth * Math.floor(target.sram.width / bits)));
}
