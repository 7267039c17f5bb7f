/**
 * Exact match: open addressing with linear probing. A slot holds the entry, its key and its record (action and
 * parameters), so that a packet mostly needs one cache line. A deletion moves later entries of the probe run back, so that
 * lookups stop at the first empty slot.
 */
import { type EntryKey, grown, hashWords } from "./shape.js";

const FEWEST = 16;
/** Maximum fraction of slots in use: longer probe runs mostly stay within a cache line. */
const FULL = 0.8;

export class ExactIndex {
  /** Words of a slot: the number of the entry plus 1 (0: empty), the key, the record. */
  readonly stride: number;
  slots: Int32Array;
  /** Number of slots minus 1. */
  mask = FEWEST - 1;
  /** First word of the record of the entry that was found last. */
  found = 0;
  /** Slot of an entry. */
  #places = new Int32Array(0);
  #count = 0;

  /** @param record words of an entry's record */
  constructor(
    readonly words: number,
    record: number,
  ) {
    this.stride = 1 + words + record;
    this.slots = new Int32Array(FEWEST * this.stride);
  }

  insert(entry: number, { values }: Pick<EntryKey, "values">): void {
    this.#places = grown(this.#places, entry + 1);
    if (++this.#count > FULL * this.mask) this.#resize();
    const { stride, slots, words } = this;
    const at = this.#vacancy(hashWords(values, 0, words));
    slots[at * stride] = entry + 1;
    for (let i = 0; i < words; i++) slots[at * stride + 1 + i] = values[i]!;
    this.#places[entry] = at;
  }

  remove(entry: number): void {
    const { slots, mask, stride } = this;
    let hole = this.#places[entry]!;
    this.#count--;
    for (let at = (hole + 1) & mask; slots[at * stride] !== 0; at = (at + 1) & mask) {
      const home = this.#hash(at) & mask;
      // It moves back unless its home is between the hole and here.
      if (((at - home) & mask) < ((at - hole) & mask)) continue;
      this.#move(slots, at, hole);
      hole = at;
    }
    slots[hole * stride] = 0;
  }

  get records(): Int32Array {
    return this.slots;
  }

  recordAt(entry: number): number {
    return this.#places[entry]! * this.stride + 1 + this.words;
  }

  #hash(slot: number): number {
    return hashWords(this.slots, slot * this.stride + 1, this.words);
  }

  /** First empty slot for a hash. */
  #vacancy(hash: number): number {
    const { slots, mask, stride } = this;
    let at = hash & mask;
    while (slots[at * stride] !== 0) at = (at + 1) & mask;
    return at;
  }

  #move(from: Int32Array, source: number, target: number): void {
    const { stride, slots } = this;
    for (let i = 0; i < stride; i++) slots[target * stride + i] = from[source * stride + i]!;
    this.#places[slots[target * stride]! - 1] = target;
  }

  #resize(): void {
    const { slots: old, mask, stride, words } = this;
    this.slots = new Int32Array(2 * old.length);
    this.mask = 2 * mask + 1;
    for (let at = 0; at <= mask; at++)
      if (old[at * stride] !== 0) this.#move(old, at, this.#vacancy(hashWords(old, at * stride + 1, words)));
  }
}
