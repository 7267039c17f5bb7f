/**
 * Exact match: open addressing with linear probing over entry numbers, keys side by side in one array.
 * Deleting moves later entries of the probe run back, so that lookups stop at the first empty slot.
 */
import { type EntryKey, grown, hashWords } from "./shape.js";

export class ExactIndex {
  /** Entry number plus 1; 0 is empty. */
  slots = new Int32Array(16);
  mask = 15;
  /** `words` words an entry. */
  keys = new Int32Array(0);
  #count = 0;

  constructor(readonly words: number) {}

  insert(entry: number, { values }: Pick<EntryKey, "values">): void {
    this.keys = grown(this.keys, (entry + 1) * this.words);
    this.keys.set(values.subarray(0, this.words), entry * this.words);
    if (2 * ++this.#count > this.mask) this.#resize(2 * this.slots.length);
    this.#place(entry);
  }

  remove(entry: number): void {
    const { slots, mask } = this;
    let hole = this.#home(entry);
    while (slots[hole] !== entry + 1) hole = (hole + 1) & mask;
    slots[hole] = 0;
    this.#count--;
    for (let at = (hole + 1) & mask; slots[at] !== 0; at = (at + 1) & mask) {
      const home = this.#home(slots[at]! - 1);
      // Moves back unless its home lies between the hole and here.
      if (((at - home) & mask) >= ((at - hole) & mask)) {
        slots[hole] = slots[at]!;
        slots[at] = 0;
        hole = at;
      }
    }
  }

  clear(): void {
    this.slots = new Int32Array(16);
    this.mask = 15;
    this.#count = 0;
  }

  #home(entry: number): number {
    return hashWords(this.keys, entry * this.words, this.words) & this.mask;
  }

  #place(entry: number): void {
    let at = this.#home(entry);
    while (this.slots[at] !== 0) at = (at + 1) & this.mask;
    this.slots[at] = entry + 1;
  }

  #resize(size: number): void {
    const old = this.slots;
    this.slots = new Int32Array(size);
    this.mask = size - 1;
    for (const slot of old) if (slot !== 0) this.#place(slot - 1);
  }
}
