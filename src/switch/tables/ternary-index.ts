/**
 * Ternary, range and optional match. Few entries are a list in the order of winning; many are tuple space
 * search (Srinivasan, Suri, Varghese 1999): one hash table for every mask in use, best mask first, so that
 * the search ends as soon as no later mask can win. A range counts as a mask of the bits that both bounds
 * share and is checked on the entries found.
 */
import { type EntryKey, grown, hashWords, type KeyShape } from "./shape.js";

/** Up to so many entries are searched one by one (measured: bench `switch`). */
const FEW = 24;

/** Entries of one mask: open addressing over the first entry of each chain of equal masked keys. */
export class MaskGroup {
  slots = new Int32Array(8);
  hashMask = 7;
  /** Highest priority that an entry of the group has, or had. */
  best = Number.NEGATIVE_INFINITY;
  keys = 0;
  size = 0;

  constructor(readonly mask: Int32Array) {}
}

export class TernaryIndex {
  readonly words: number;
  /** `words` words an entry. */
  values = new Int32Array(0);
  masks = new Int32Array(0);
  /** Bounds of range fields with the top bit turned, so that signed comparison orders them. */
  lows = new Int32Array(0);
  highs = new Int32Array(0);
  priorities = new Float64Array(0);
  /** Entries, the winning ones first. */
  order = new Int32Array(16);
  count = 0;
  few = true;
  groups: MaskGroup[] = [];
  /** Next entry (plus 1) with the same masked key, in the order of winning. */
  next = new Int32Array(0);
  readonly #shape: KeyShape;
  readonly #byMask = new Map<string, MaskGroup>();

  /** Actions and parameters by entry. */
  records = new Int32Array(0);
  readonly #record: number;

  /** @param record words of an entry's record */
  constructor(shape: KeyShape, record: number) {
    this.#shape = shape;
    this.words = shape.words;
    this.#record = record;
  }

  recordAt(entry: number): number {
    return entry * this.#record;
  }

  insert(entry: number, key: EntryKey): void {
    const { words } = this;
    const size = (entry + 1) * words;
    this.values = grown(this.values, size);
    this.masks = grown(this.masks, size);
    if (this.#shape.ranges) {
      this.lows = grown(this.lows, size);
      this.highs = grown(this.highs, size);
    }
    this.priorities = grown(this.priorities, entry + 1);
    this.records = grown(this.records, (entry + 1) * this.#record);
    this.next = grown(this.next, entry + 1);
    for (let i = 0; i < words; i++) {
      this.masks[entry * words + i] = key.masks[i]!;
      this.values[entry * words + i] = key.values[i]! & key.masks[i]!;
      if (!this.#shape.ranges) continue;
      this.lows[entry * words + i] = key.lows[i]! ^ 0x80000000;
      this.highs[entry * words + i] = key.highs[i]! ^ 0x80000000;
    }
    this.priorities[entry] = key.priority;
    this.#putInOrder(entry);
    if (this.few && this.count > FEW) {
      this.few = false;
      for (let i = 0; i < this.count; i++) this.#addToGroup(this.order[i]!);
    } else if (!this.few) this.#addToGroup(entry);
  }

  remove(entry: number): void {
    const at = this.#position(entry);
    this.order.copyWithin(at, at + 1, this.count);
    this.count--;
    if (this.few) return;
    if (this.count <= FEW / 2) {
      this.few = true;
      this.groups = [];
      this.#byMask.clear();
    } else this.#removeFromGroup(entry);
  }

  clear(): void {
    this.count = 0;
    this.few = true;
    this.groups = [];
    this.#byMask.clear();
  }

  /** Whether entry a wins over entry b: larger priority, then smaller number. */
  #wins(a: number, b: number): boolean {
    const difference = this.priorities[a]! - this.priorities[b]!;
    return difference !== 0 ? difference > 0 : a < b;
  }

  #position(entry: number): number {
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.order[middle] !== entry && this.#wins(this.order[middle]!, entry)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #putInOrder(entry: number): void {
    this.order = grown(this.order, this.count + 1);
    const at = this.#position(entry);
    this.order.copyWithin(at + 1, at, this.count);
    this.order[at] = entry;
    this.count++;
  }

  #addToGroup(entry: number): void {
    const { words } = this;
    const mask = this.masks.slice(entry * words, (entry + 1) * words);
    const name = mask.join();
    let group = this.#byMask.get(name);
    if (group === undefined) {
      group = new MaskGroup(mask);
      this.#byMask.set(name, group);
      this.groups.push(group);
    }
    group.size++;
    if (2 * (group.keys + 1) > group.hashMask) this.#grow(group);
    this.#chain(group, entry);
    if (this.priorities[entry]! > group.best) group.best = this.priorities[entry]!;
    this.groups.sort((a, b) => b.best - a.best);
  }

  /** Slot of the chain with the entry's masked key, or the empty slot for it. */
  #slot(group: MaskGroup, entry: number): number {
    const { words, values } = this;
    let at = hashWords(values, entry * words, words) & group.hashMask;
    for (; ; at = (at + 1) & group.hashMask) {
      const head = group.slots[at]! - 1;
      if (head < 0) return at;
      let same = true;
      for (let i = 0; i < words && same; i++) same = values[head * words + i] === values[entry * words + i];
      if (same) return at;
    }
  }

  #chain(group: MaskGroup, entry: number): void {
    const at = this.#slot(group, entry);
    const head = group.slots[at]! - 1;
    if (head < 0) group.keys++;
    if (head < 0 || this.#wins(entry, head)) {
      this.next[entry] = head + 1;
      group.slots[at] = entry + 1;
      return;
    }
    let before = head;
    while (this.next[before]! > 0 && this.#wins(this.next[before]! - 1, entry))
      before = this.next[before]! - 1;
    this.next[entry] = this.next[before]!;
    this.next[before] = entry + 1;
  }

  #removeFromGroup(entry: number): void {
    const { words } = this;
    const name = this.masks.slice(entry * words, (entry + 1) * words).join();
    const group = this.#byMask.get(name)!;
    if (--group.size === 0) {
      this.#byMask.delete(name);
      this.groups = this.groups.filter((other) => other !== group);
      return;
    }
    const at = this.#slot(group, entry);
    const head = group.slots[at]! - 1;
    if (head !== entry) {
      let before = head;
      while (this.next[before]! - 1 !== entry) before = this.next[before]! - 1;
      this.next[before] = this.next[entry]!;
    } else if (this.next[entry]! > 0) group.slots[at] = this.next[entry]!;
    else this.#rehash(group, group.slots.length, entry);
  }

  #grow(group: MaskGroup): void {
    this.#rehash(group, 2 * group.slots.length, -1);
  }

  /** Places the heads of all chains but `without` anew. */
  #rehash(group: MaskGroup, size: number, without: number): void {
    const heads = group.slots.filter((slot) => slot > 0 && slot - 1 !== without);
    group.slots = new Int32Array(size);
    group.hashMask = size - 1;
    group.keys = heads.length;
    for (const head of heads) group.slots[this.#slot(group, head - 1)] = head;
  }
}
