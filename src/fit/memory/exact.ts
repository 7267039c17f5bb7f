/**
 * Exact match in SRAM: entries packed into words, words into RAM blocks, blocks into hash ways. A packing of n
 * entries in a word of w blocks must hold the key bytes on byte boundaries with one version nibble an entry, all
 * bits, and each entry's overhead within one block.
 */
import type { Target } from "../target.js";

export interface KeyBytes {
  /** Bits of the key in each byte of the containers that hold it. */
  readonly bytes: readonly number[];
  readonly bits: number;
}

export interface Packing {
  readonly entriesPerWord: number;
  /** Blocks side by side. */
  readonly width: number;
}

const EXACT_DEFAULTS = {
  ghostBits: 10,
  versionBits: 4,
  maxPack: 9,
  maxWidth: 8,
  overheadBits: 64,
  perWord: 5,
};

/** Key bits that the hash already tells: they are not stored, whole bytes first, smallest first. */
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

/** Packings worth trying, for entries with `overhead` bits beside the key. */
export function packings(key: KeyBytes, overhead: number, target: Target, single: boolean): Packing[] {
  const ghost = target.exact.ghost_bits ?? EXACT_DEFAULTS.ghostBits;
  const version = target.exact.version_bits ?? EXACT_DEFAULTS.versionBits;
  const maxPack = single ? 1 : (target.exact.max_pack ?? EXACT_DEFAULTS.maxPack);
  const maxWidth = target.exact.max_width ?? EXACT_DEFAULTS.maxWidth;
  const overheadBits = target.exact.overhead_bits_per_word ?? EXACT_DEFAULTS.overheadBits;
  const perWord = target.exact.entries_per_word ?? EXACT_DEFAULTS.perWord;
  const word = target.sram.width;
  const stored = storedKey(key, ghost);
  const list: Packing[] = [];
  for (let n = 1; n <= maxPack; n++) {
    for (let w = 1; w <= maxWidth; w++) {
      const bytesFit = n * (stored.bytes + version / 8) <= (w * word) / 8;
      const bitsFit = n * (stored.bits + version + overhead) <= w * word;
      const overheadFits = overhead === 0 || n <= w * Math.floor(overheadBits / overhead);
      if (!bytesFit || !bitsFit || !overheadFits || n > w * perWord) continue;
      list.push({ entriesPerWord: n, width: w });
      break;
    }
  }
  return list;
}

/** Sizes of the hash ways for a depth in blocks (ways of equal power-of-two sizes first). */
export function waySizes(depth: number, minWays: number): number[] {
  if (depth <= minWays) return new Array<number>(minWays).fill(1);
  if (depth < 2 * minWays) {
    return Array.from({ length: minWays }, (_, i) => (i < depth - minWays ? 2 : 1));
  }
  let size = 2 ** Math.floor(Math.log2(Math.min(depth, 64))) / 4;
  const ways: number[] = [];
  let rest = depth;
  while (rest > 0) {
    while (size > rest) size /= 2;
    ways.push(size);
    rest -= size;
  }
  return ways;
}

/** Hash bits of a set of ways: ten for the line of each of the first ways, and the bits that choose a block. */
export function hashBits(ways: readonly number[], minWays: number): number {
  const lines = 10 * Math.min(ways.length, minWays);
  const select = ways
    .slice(0, minWays)
    .reduce((sum, size) => sum + Math.ceil(Math.log2(Math.max(1, size))), 0);
  return lines + select;
}

/**
 * Small keys need no hash ways: the key itself is the address. Blocks of the one way, or undefined where this does
 * not apply.
 */
export function directBlocks(keyBits: number, entriesPerWord: number, depth: number): number | undefined {
  if (keyBits > 18) return undefined;
  if (keyBits < 10) return 1;
  const lines = Math.ceil(2 ** (keyBits - 10) / entriesPerWord);
  const blocks = 2 ** Math.ceil(Math.log2(lines));
  return blocks <= depth ? blocks : undefined;
}
