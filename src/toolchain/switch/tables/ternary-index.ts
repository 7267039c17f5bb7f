/**
 * Ternary, range and optional match. Few entries are searched in a list, those that win first. For many entries there is
 * tuple space search (Srinivasan, Suri, Varghese 1999): one hash table for every mask in use, in the order of their highest
 * priorities, so that the search ends when no later mask can win. The mask of a range has the high bits that both bounds
 * share; the bounds are checked for the entries that are found.
 *
 * Cost of an insert or delete among n entries: O(log n) comparisons. It moves at most a block of entries with the same
 * masked key (ordered-blocks.ts), and a block of masks when a mask comes, goes or gets a higher priority than it had.
 */
import { OrderedBlocks } from "./ordered-blocks.js";
import { type EntryKey, grown, hashWords, type KeyShape } from "./shape.js";

/** Maximum number of entries that are searched one by one (measured: bench `switch`). */
const FEW = 24;

/** A chain of more entries is searched by blocks when entries come and go. */
const SHORT_CHAIN = 32;

/** Entries of one mask: open addressing over the first entry of each chain of equal masked keys. */
export class MaskGroup {
  slots = new Int32Array(8);
  hashMask = 7;
  /** Highest priority that an entry of the group has, or had. */
  best = Number.NEGATIVE_INFINITY;
  keys = 0;
  size = 0;

  constructor(
    readonly mask: Int32Array,
    /** Decides the order among groups of equal `best`. */
    readonly number: number,
  ) {}
}

function orderedGroups(): OrderedBlocks<MaskGroup> {
  return new OrderedBlocks((a, b) => (a.best === b.best ? a.number < b.number : a.best > b.best));
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
  /** While there are few entries: the entries, those that win first. */
  order: Int32Array;
  count = 0;
  few = true;
  /** While there are many entries: the groups, in the order of falling `best`. */
  groups = orderedGroups();
  /** The next entry (plus 1) with the same masked key; it loses to this entry. */
  next = new Int32Array(0);
  readonly #shape: KeyShape;
  readonly #byMask = new Map<string, MaskGroup>();
  #groupCount = 0;
  /** Long chains, by their first entry. */
  readonly #long = new Map<number, OrderedBlocks<number>>();

  /** Actions and parameters by entry. */
  records = new Int32Array(0);
  readonly #record: number;
  readonly #few: number;
  readonly #shortChain: number;

  /**
   * @param record words of an entry's record
   * @param sizes other numbers than {@link FEW} and {@link SHORT_CHAIN}, for tests with few entries
   */
  constructor(shape: KeyShape, record: number, { few = FEW, shortChain = SHORT_CHAIN } = {}) {
    this.#shape = shape;
    this.words = shape.words;
    this.#record = record;
    this.#few = few;
    this.#shortChain = shortChain;
    this.order = new Int32Array(few);
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
    this.count++;
    if (!this.few) this.#addToGroup(entry);
    else if (this.count <= this.#few) this.#putInOrder(entry, this.count - 1);
    else {
      this.few = false;
      for (const other of this.order) this.#addToGroup(other);
      this.#addToGroup(entry);
    }
  }

  remove(entry: number): void {
    this.count--;
    if (this.few) {
      const at = this.order.indexOf(entry);
      this.order.copyWithin(at, at + 1, this.count + 1);
      return;
    }
    this.#removeFromGroup(entry);
    if (this.count <= this.#few / 2) this.#becomeFew();
  }

  #becomeFew(): void {
    let placed = 0;
    for (const { slots } of this.groups.blocks.flat())
      for (const head of slots)
        for (let entry = head - 1; entry >= 0; entry = this.next[entry]! - 1)
          this.#putInOrder(entry, placed++);
    this.few = true;
    this.groups = orderedGroups();
    this.#byMask.clear();
    this.#long.clear();
  }

  /** Whether entry a wins over entry b: larger priority, then smaller number. */
  readonly #wins = (a: number, b: number): boolean => {
    const difference = this.priorities[a]! - this.priorities[b]!;
    return difference !== 0 ? difference > 0 : a < b;
  };

  /** @param count entries in order so far */
  #putInOrder(entry: number, count: number): void {
    let at = count;
    for (; at > 0 && this.#wins(entry, this.order[at - 1]!); at--) this.order[at] = this.order[at - 1]!;
    this.order[at] = entry;
  }

  #addToGroup(entry: number): void {
    const { words } = this;
    const mask = this.masks.slice(entry * words, (entry + 1) * words);
    const name = mask.join();
    const priority = this.priorities[entry]!;
    let group = this.#byMask.get(name);
    if (group === undefined) {
      group = new MaskGroup(mask, this.#groupCount++);
      this.#byMask.set(name, group);
      group.best = priority;
      this.groups.insert(group);
    } else if (priority > group.best) {
      this.groups.remove(group);
      group.best = priority;
      this.groups.insert(group);
    }
    group.size++;
    if (2 * (group.keys + 1) > group.hashMask) this.#grow(group);
    this.#chain(group, entry);
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
    const before = this.#predecessor(head, entry);
    if (before < 0) {
      this.next[entry] = head + 1;
      group.slots[at] = entry + 1;
      return;
    }
    this.next[entry] = this.next[before]!;
    this.next[before] = entry + 1;
  }

  /** The entry of a chain that a new one follows; -1: it is the first. A chain that gets long gets blocks. */
  #predecessor(head: number, entry: number): number {
    if (head < 0) return -1;
    const blocks = this.#long.get(head);
    if (blocks !== undefined) {
      const before = blocks.insert(entry) ?? -1;
      if (before < 0) this.#renameLong(head, entry);
      return before;
    }
    let before = -1;
    let steps = 0;
    for (let at = head; at >= 0 && this.#wins(at, entry); at = this.next[at]! - 1) {
      before = at;
      steps++;
    }
    if (steps < this.#shortChain) return before;
    const made = new OrderedBlocks(this.#wins);
    for (let at = head; at >= 0; at = this.next[at]! - 1) made.insert(at);
    made.insert(entry);
    this.#long.set(head, made);
    return before;
  }

  #renameLong(from: number, to: number): void {
    const blocks = this.#long.get(from);
    this.#long.delete(from);
    if (blocks !== undefined && to >= 0) this.#long.set(to, blocks);
  }

  #removeFromGroup(entry: number): void {
    const { words } = this;
    const name = this.masks.slice(entry * words, (entry + 1) * words).join();
    const group = this.#byMask.get(name)!;
    if (--group.size === 0) {
      this.#byMask.delete(name);
      this.#long.delete(entry);
      this.groups.remove(group);
      return;
    }
    const at = this.#slot(group, entry);
    const head = group.slots[at]! - 1;
    const after = this.next[entry]! - 1;
    const blocks = this.#long.get(head);
    let before = -1;
    if (blocks !== undefined) before = blocks.remove(entry) ?? -1;
    else for (let other = head; other !== entry; other = this.next[other]! - 1) before = other;
    if (before >= 0) {
      this.next[before] = after + 1;
      return;
    }
    this.#renameLong(head, after);
    if (after >= 0) group.slots[at] = after + 1;
    else this.#vacate(group, at);
  }

  /** Empties a slot; later chains of the probe run move back, so that a search ends at the first empty slot. */
  #vacate(group: MaskGroup, slot: number): void {
    const { slots, hashMask } = group;
    const { words } = this;
    group.keys--;
    let hole = slot;
    for (let at = (hole + 1) & hashMask; slots[at] !== 0; at = (at + 1) & hashMask) {
      const home = hashWords(this.values, (slots[at]! - 1) * words, words) & hashMask;
      // It moves back unless its home is between the hole and here.
      if (((at - home) & hashMask) < ((at - hole) & hashMask)) continue;
      slots[hole] = slots[at]!;
      hole = at;
    }
    slots[hole] = 0;
  }

  #grow(group: MaskGroup): void {
    const heads = group.slots.filter((slot) => slot > 0);
    group.slots = new Int32Array(2 * group.slots.length);
    group.hashMask = group.slots.length - 1;
    for (const head of heads) group.slots[this.#slot(group, head - 1)] = head;
  }
}
