/**
 * Exact match in SRAM: entries are packed into words, words into RAM blocks, blocks into hash ways. A word of w blocks
 * holds n entries when their key bytes fit on byte boundaries with one version nibble an entry, all their bits fit, and
 * the overhead of each entry fits one block; where one search bus brings the key, word.ts says which of these hold.
 */
import type { Target } from "../target.js";

/** A key as its containers hold it. */
export interface KeyBytes {
  /** Bits of the key in each byte of the containers that hold it. */
  readonly bytes: readonly number[];
  /** By byte: where these bits are, as a mask. */
  readonly masks?: readonly number[];
  /** By byte: the number of the range that it belongs to. */
  readonly ranges?: readonly (number | undefined)[];
  readonly bits: number;
}

/** `entriesPerWord` entries in a word of `width` blocks side by side. */
export interface Packing {
  readonly entriesPerWord: number;
  /** Blocks side by side. */
  readonly width: number;
}

/** The hash implies some key bits, which are not stored: whole bytes first, smallest first. */
function storedKey(key: KeyBytes, ghostBits: number): { bytes: number; bits: number } {
  let ghost = ghostBits;
  const sorted = [...key.bytes].sort((a, b) => a - b);
  let bytes = sorted.length;
  for (const bits of sorted) {
    if (bits > ghost) break;
    ghost -= bits;
    bytes--;
  }
  return { bytes, bits: Math.max(0, key.bits - ghostBits) };
}

/** Bits of a block for overhead: action data of entries ends before the last one (p4c, mau/table_format.cpp, allocate_all_immediate). */
export function overheadBitsOf({ exact, sram }: Target, hasImmediate: boolean): number {
  const stated = exact.overhead_bits_per_word;
  return stated === null ? sram.width : stated - (hasImmediate ? 1 : 0);
}

/**
 * Packings worth trying, for entries with `overhead` bits beside the key. Limits that the target does not state are
 * not applied. Empty: the key is too wide for the target.
 * @param immediate bits of action data among `overhead`: they end before the last bit that a word has for overhead (p4c,
 * mau/table_format.cpp, allocate_all_immediate)
 * @param single one entry a word
 */
export function packings(
  key: KeyBytes,
  overhead: number,
  target: Target,
  { immediate, single }: { immediate: number; single: boolean },
): Packing[] {
  const { exact } = target;
  const version = exact.version_bits ?? 0;
  const word = target.sram.width;
  const stored = storedKey(key, exact.ghost_bits ?? 0);
  const entryBits = Math.max(1, stored.bits + version + overhead);
  const maxWidth = exact.max_width ?? Math.ceil(entryBits / word);
  const maxPack = single ? 1 : (exact.max_pack ?? Math.max(1, Math.floor((maxWidth * word) / entryBits)));
  const overheadBits = overheadBitsOf(target, immediate > 0);
  const perWord = exact.entries_per_word ?? Number.POSITIVE_INFINITY;
  // What a word of one search bus holds is found out bit by bit: word.ts.
  const isFound = exact.ghost_bits !== null && key.bytes.length <= word / 8;
  const list: Packing[] = [];
  for (let n = 1; n <= maxPack; n++) {
    for (let w = 1; w <= maxWidth; w++) {
      const bytesFit = n * (stored.bytes + (isFound ? 0 : version / 8)) <= (w * word) / 8;
      const bitsFit = n * (stored.bits + version + overhead) <= w * word;
      const overheadFits =
        overhead === 0 ||
        (isFound ? n * overhead <= w * overheadBits : n <= w * Math.floor(overheadBits / overhead));
      if (!bytesFit || !bitsFit || !overheadFits || n > w * perWord) continue;
      list.push({ entriesPerWord: n, width: w });
      break;
    }
  }
  return list;
}

/**
 * Sizes in blocks of the hash ways for a depth in blocks: ways of equal power-of-two sizes first.
 * @param maxDepth depth up to which ways grow
 */
export function waySizes(depth: number, minWays: number, maxDepth: number): number[] {
  if (depth <= minWays) return new Array<number>(minWays).fill(1);
  if (depth < 2 * minWays) {
    return Array.from({ length: minWays }, (_, i) => (i < depth - minWays ? 2 : 1));
  }
  let size = 2 ** Math.floor(Math.log2(Math.min(depth, maxDepth))) / minWays;
  const ways: number[] = [];
  let rest = depth;
  while (rest > 0) {
    while (size > rest) size /= 2;
    ways.push(size);
    rest -= size;
  }
  return ways;
}

/** So many ways for a depth in blocks, each a power of two (p4c, mau/resource_estimate.cpp, ways_provided). */
export function askedWays(depth: number, count: number): number[] {
  let rest = depth;
  return Array.from({ length: count }, (_, i) => {
    const even = Math.ceil(Math.max(1, rest) / (count - i));
    const size = 2 ** Math.ceil(Math.log2(even));
    rest -= size;
    return size;
  });
}

/** What a table takes of one hash function: lines in so many ways, and bits that choose a block in each. */
export interface HashSearch {
  readonly ways: number;
  readonly select: number;
}

/**
 * The hash functions of a set of ways (p4c, mau/resource_estimate.cpp, select_bus_split). Ways beyond `most` share lines and bits of others.
 * Where one of those has no bits left to choose its block, it and the later ones take another function, and the key stands in one more group.
 * @param selectBits bits of a function that choose blocks; a way that needs more has a function alone, which no stage holds
 * @param isAsked the program asks for so many ways, each with lines of its own
 */
export function searchesOf(
  ways: readonly number[],
  { most, selectBits, isAsked = false }: { most: number; selectBits: number; isAsked?: boolean },
): HashSearch[] {
  const searches: HashSearch[] = [];
  for (let from = 0; from < ways.length; ) {
    let own = 0;
    let select = 0;
    for (const size of ways.slice(from, from + most)) {
      const bits = selectOf(size);
      if (own > 0 && select + bits > selectBits) break;
      own++;
      select += bits;
    }
    searches.push({ ways: own, select });
    from = own < most || (isAsked && from === 0) ? from + own : ways.length;
  }
  return searches;
}

/** Bits of a hash function that choose blocks: what its lines leave of its columns, of which the last ones do (p4c, mau/tofino/input_xbar.h). */
export function selectBitsOf({ per_stage, exact, sram }: Target): number {
  const { hash_groups: functions, hash_group_bits: columns } = per_stage;
  if (functions === null) return Number.POSITIVE_INFINITY;
  const lines = (exact.min_ways ?? 1) * Math.ceil(Math.log2(sram.depth));
  return columns === null ? MOST_SELECT_BITS : Math.min(MOST_SELECT_BITS, Math.max(0, columns - lines));
}

/** Columns of a hash function that are single bits. */
export const MOST_SELECT_BITS = 12;

/** Bits that choose one of so many blocks. */
function selectOf(blocks: number): number {
  return Math.ceil(Math.log2(Math.max(1, blocks)));
}

/**
 * Small keys need no hash ways: the key itself is the address (bf-p4c's identity hash). Returns the blocks of the one
 * way, or undefined where this does not apply.
 */
export function identityBlocks(
  keyBits: number,
  entriesPerWord: number,
  depth: number,
  target: Target,
): number | undefined {
  const lineBits = lineBitsOf(target);
  if (target.exact.max_identity_bits === null) return undefined;
  if (keyBits > lineBits + target.exact.max_identity_bits) return undefined;
  if (keyBits < lineBits) return 1;
  const lines = Math.ceil(2 ** (keyBits - lineBits) / entriesPerWord);
  const blocks = 2 ** Math.ceil(Math.log2(lines));
  return blocks <= depth ? blocks : undefined;
}

/** Bits that address a line of an SRAM block. */
export function lineBitsOf(target: Target): number {
  return Math.ceil(Math.log2(target.sram.depth));
}
