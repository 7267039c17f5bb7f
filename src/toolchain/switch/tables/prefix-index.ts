/**
 * Longest prefix match for wide or mixed keys: one exact index whose last key word is the prefix length. A lookup searches
 * it once for every prefix length in use, longest first. The number of lengths bounds the cost, not the number of entries.
 */
import { ExactIndex } from "./exact-index.js";
import { type EntryKey, type KeyShape, prefixMask, putWords } from "./shape.js";

export class PrefixIndex {
  readonly exact: ExactIndex;
  /** Prefix lengths in use, longest first, and for each the mask of the whole key. */
  lengths = new Int32Array(0);
  masks = new Int32Array(0);
  count = 0;
  readonly #uses = new Map<number, number>();
  readonly #shape: KeyShape;
  readonly #prefixes = new Map<number, number>();

  /** @param record words of an entry's record */
  constructor(shape: KeyShape, record: number) {
    this.#shape = shape;
    this.exact = new ExactIndex(shape.words + 1, record);
  }

  get records(): Int32Array {
    return this.exact.records;
  }

  recordAt(entry: number): number {
    return this.exact.recordAt(entry);
  }

  insert(entry: number, key: EntryKey): void {
    const values = new Int32Array(this.#shape.words + 1);
    key.values.forEach((value, i) => {
      values[i] = value & key.masks[i]!;
    });
    values[this.#shape.words] = key.prefix;
    this.exact.insert(entry, { values });
    this.#prefixes.set(entry, key.prefix);
    const uses = this.#uses.get(key.prefix) ?? 0;
    this.#uses.set(key.prefix, uses + 1);
    if (uses === 0) this.#rebuild();
  }

  remove(entry: number): void {
    this.exact.remove(entry);
    const prefix = this.#prefixes.get(entry)!;
    this.#prefixes.delete(entry);
    const uses = this.#uses.get(prefix)! - 1;
    if (uses > 0) {
      this.#uses.set(prefix, uses);
      return;
    }
    this.#uses.delete(prefix);
    this.#rebuild();
  }

  #rebuild(): void {
    this.lengths = Int32Array.from(this.#uses.keys()).sort().reverse();
    this.count = this.lengths.length;
    const { words, fields } = this.#shape;
    this.masks = new Int32Array(this.count * words).fill(-1);
    this.lengths.forEach((length, i) => {
      const mask = this.masks.subarray(i * words, (i + 1) * words);
      for (const field of fields)
        if (field.kind === "lpm") putWords(mask, field, prefixMask(length, field.width));
    });
  }
}
