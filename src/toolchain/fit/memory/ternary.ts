/**
 * Ternary match: TCAM blocks (Tofino: 512 rows of 44 bits), side by side for wide keys and one above another for more
 * entries. A range is stored as 4-bit pieces in one-hot code, so its bits count twice and an entry can need several rows.
 */
import type { KeyPart } from "../model/model.js";
import type { Target } from "../target.js";
import type { KeyBytes } from "./exact.js";
import { largestWhere } from "./parts.js";

/**
 * TCAM blocks side by side.
 * @param nibbleBits key bits; those of a partly filled container byte are rounded up to a nibble
 */
export function ternaryWidth(nibbleBits: number, target: Target): number {
  const overhead = target.tcam.overhead_bits ?? 0;
  return Math.max(1, Math.ceil((nibbleBits + overhead) / target.tcam.width));
}

/**
 * TCAM blocks side by side for a key with ranges. A block takes 5 bytes of the crossbar and half a byte between two groups, one of which
 * holds the version. A half byte of a range takes a byte, none of them between groups, and no group has bytes of two ranges (p4c,
 * mau/tofino/input_xbar.cpp, allocate_mid_bytes and found_bytes).
 */
export function ternaryGroups({ bytes, ranges = [] }: KeyBytes): number {
  const plain = bytes.filter((_, i) => ranges[i] === undefined);
  const halves = plain.filter((bits) => bits <= 4).length;
  const ofRanges = new Map<number, number>();
  for (const [i, bits] of bytes.entries()) {
    const key = ranges[i];
    if (key !== undefined) ofRanges.set(key, (ofRanges.get(key) ?? 0) + (bits > 4 ? 2 : 1));
  }
  const own = [...ofRanges.values()];
  const least = own.reduce((sum, count) => sum + Math.ceil(count / GROUP_BYTES), 0);
  const all = plain.length + own.reduce((sum, count) => sum + count, 0);
  for (let groups = Math.max(1, least); ; groups++) {
    const between = Math.min(halves, groups - 1);
    const whole = Math.min(plain.length - halves, Math.floor((groups - 1 - between) / 2));
    if (all - between - whole <= GROUP_BYTES * groups) return groups;
  }
}

/** Bytes of the ternary crossbar that one block takes whole. */
const GROUP_BYTES = 5;

/** TCAM rows of a table: the target states the share of its entries whose ranges need the maximum number of rows. */
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

/** The most entries whose rows are at most `rows`; at least one (p4c, mau/table_placement.cpp, initial_stage_and_entries: tables are split by rows). */
export function entriesWithin(key: readonly KeyPart[], rows: number, target: Target): number {
  return Math.max(
    1,
    largestWhere(1, rows, (entries) => rangeRows(key, entries, target) <= rows),
  );
}

/** Indirection RAM: the bits of a ternary entry beside its match, in fields of a power of two. */
export function indirectionBlocks(entries: number, overhead: number, target: Target): number {
  if (overhead === 0) return 0;
  let bits = target.tcam.min_indirection_bits ?? 1;
  while (bits < overhead) bits *= 2;
  const { depth, width } = target.sram;
  if (bits > width) return Math.ceil(entries / depth) * Math.ceil(bits / width);
  return Math.ceil(entries / (depth * Math.floor(width / bits)));
}
