/** The layout of a table key in words, and the key of an entry in that layout. */
import type { bmv2 } from "../../program/index.js";
import { wordsOf } from "../codegen/layout.js";

export type FieldKind = "exact" | "lpm" | "ternary" | "range" | "optional";

export interface KeyField {
  readonly name: string;
  readonly kind: FieldKind;
  readonly width: number;
  /** First word in the key, and how many; low word first. */
  readonly at: number;
  readonly words: number;
}

export interface KeyShape {
  readonly fields: readonly KeyField[];
  readonly words: number;
  readonly index: "exact" | "trie" | "prefix" | "ternary";
  /** Some field is a range: entries carry bounds too. */
  readonly ranges: boolean;
}

/** The key of an entry: for each word the value and the mask of the bits that count; ranges have bounds instead. */
export interface EntryKey {
  readonly values: Int32Array;
  readonly masks: Int32Array;
  readonly lows: Int32Array;
  readonly highs: Int32Array;
  /** Length of the lpm field's prefix; 0 without one. */
  readonly prefix: number;
  /** Larger wins. */
  readonly priority: number;
}

export function keyShape(fields: readonly { name: string; kind: FieldKind; width: number }[]): KeyShape {
  let at = 0;
  const placed = fields.map((field) => {
    const slot = { ...field, at, words: wordsOf(field.width) };
    at += slot.words;
    return slot;
  });
  const kinds = new Set(fields.map((field) => field.kind));
  const fuzzy = kinds.has("ternary") || kinds.has("range") || kinds.has("optional");
  const single = fields.length === 1 && fields[0]!.kind === "lpm" && fields[0]!.width <= 32;
  const index = fuzzy ? "ternary" : single ? "trie" : kinds.has("lpm") ? "prefix" : "exact";
  return { fields: placed, words: at, index, ranges: kinds.has("range") };
}

/** The kind of a key field for the switch; `valid` is an exact match of one bit. */
export function fieldKind(kind: bmv2.MatchKind): FieldKind {
  return kind === "valid" ? "exact" : kind;
}

/** Stores a number in the words of a field. */
export function putWords(target: Int32Array, field: KeyField, value: bigint): void {
  for (let i = 0; i < field.words; i++)
    target[field.at + i] = Number(BigInt.asIntN(32, value >> BigInt(32 * i)));
}

/** The mask of a prefix of `length` bits in a field of `width`. */
export function prefixMask(length: number, width: number): bigint {
  return ((1n << BigInt(length)) - 1n) << BigInt(width - length);
}

/** Hash of key words; generated lookups spell out the same steps. */
export function hashWords(words: Int32Array, at: number, count: number): number {
  let hash = 0;
  for (let i = 0; i < count; i++) hash = Math.imul(hash ^ words[at + i]!, HASH_FACTOR);
  return hash ^ (hash >>> 15);
}

/** 2^32 divided by the golden ratio, odd, as int32. */
export const HASH_FACTOR = 0x9e3779b1 | 0;

/** A copy of an array with room for at least `size`, at least twice as long as before if it had to grow. */
export function grown<T extends Int32Array | Float64Array | Uint8Array>(array: T, size: number): T {
  if (array.length >= size) return array;
  const longer = new (array.constructor as new (length: number) => T)(Math.max(size, 2 * array.length, 16));
  longer.set(array);
  return longer;
}
