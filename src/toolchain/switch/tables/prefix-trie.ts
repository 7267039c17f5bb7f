/**
 * Longest prefix match for one field of at most 32 bits: a trie whose answers are stored where a lookup ends, so that it
 * never backtracks. The number of bits of the first step grows with the number of entries; each further step has four bits.
 * Where only one longer prefix is below a slot, the slot names that prefix instead of a path to it. So a lookup reads few
 * cache lines: one in the first step, and mostly one of a node or of a prefix. Keys are in the high bits of a 32-bit word.
 */
import { type EntryKey, grown } from "./shape.js";

/** Bits of a step after the first. */
export const STEP = 4;
const FAN = 1 << STEP;
/** Maximum number of bits of the first step; its slots take 4 MB. */
const FIRST_MOST = 20;
/** Maximum number of slots of the first step for each entry. */
const SPARE = 4;
/** Words of an entry in `records`, before its action and parameters. */
const VALUE = 0;
const MASK = 1;
const BELOW = 2;
const LENGTH = 3;
export const PREFIX_WORDS = 4;

export class PrefixTrie {
  /**
   * Nodes of 16 slots; the first step is a run of nodes. A slot is 0 or less: minus the answer's entry number minus 1
   * (0: no answer); or even: twice a node's number; or odd: twice an entry's number plus 1, the only prefix that ends
   * below this slot.
   */
  slots = new Int32Array(FAN);
  /** First slot of the first step, and by how much a key is shifted down for it. */
  first = 0;
  shift = 32 - STEP;
  /**
   * For each entry its key, its mask, the answer where its slot names it and the key differs, its length, then its action
   * and parameters: a packet needs all of them, or the last alone.
   */
  records = new Int32Array(0);
  /** Nodes in use, free ones among them; those are chained by their first slot, 0 ends. */
  #nodes = 1;
  #free = 0;
  #count = 0;
  /** Entry by prefix length and key, to find what a deleted prefix uncovers. */
  readonly #entries: (Map<number, number> | undefined)[] = [];

  /** Words of an entry in `records`. */
  readonly #words: number;

  readonly #firstMost: number;
  readonly #spare: number;

  /**
   * @param record words of an entry's record
   * @param sizes other numbers than {@link FIRST_MOST} and {@link SPARE}, for tests with few entries
   */
  constructor(
    readonly width: number,
    record: number,
    { firstMost = FIRST_MOST, spare = SPARE } = {},
  ) {
    this.#words = PREFIX_WORDS + record;
    this.#firstMost = firstMost;
    this.#spare = spare;
  }

  recordAt(entry: number): number {
    return this.#words * entry + PREFIX_WORDS;
  }

  insert(entry: number, key: EntryKey): void {
    const length = key.prefix;
    const mask = length === 0 ? 0 : -1 << (32 - length);
    const value = (key.values[0]! << (32 - this.width)) & mask;
    this.records = grown(this.records, this.#words * (entry + 1));
    this.records[this.#words * entry + VALUE] = value;
    this.records[this.#words * entry + MASK] = mask;
    this.records[this.#words * entry + LENGTH] = length;
    this.#entries[length] ??= new Map();
    this.#entries[length].set(value, entry);
    this.#count++;
    const bits = 32 - this.shift + STEP;
    if (bits <= this.#firstMost && 1 << bits <= this.#spare * this.#count) this.#widen();
    this.#put(entry, value, length);
  }

  remove(entry: number): void {
    const value = this.records[this.#words * entry + VALUE]!;
    const length = this.records[this.#words * entry + LENGTH]!;
    this.#entries[length]!.delete(value);
    this.#count--;
    const path: number[] = [];
    let slot = this.first + (value >>> this.shift);
    let depth = 32 - this.shift;
    for (; length > depth; depth += STEP) {
      const held = this.slots[slot]!;
      if ((held & 1) === 1) {
        this.slots[slot] = this.records[this.#words * entry + BELOW]!;
        this.#join(path);
        return;
      }
      path.push(slot);
      slot = FAN * (held >> 1) + ((value << depth) >>> (32 - STEP));
    }
    const uncovered = this.#shorter(value, length);
    const end = slot + 2 ** (depth - length);
    for (; slot < end; slot++) this.#replace(slot, -(entry + 1), uncovered);
    this.#join(path);
  }

  #put(entry: number, value: number, length: number): void {
    let slot = this.first + (value >>> this.shift);
    let depth = 32 - this.shift;
    for (; length > depth; depth += STEP) {
      const held = this.slots[slot]!;
      if (held <= 0) {
        this.records[this.#words * entry + BELOW] = held;
        this.slots[slot] = 2 * entry + 1;
        return;
      }
      const node = (held & 1) === 0 ? held >> 1 : this.#take();
      if ((held & 1) === 1) {
        this.slots[slot] = 2 * node;
        this.#open(held, FAN * node, depth);
      }
      slot = FAN * node + ((value << depth) >>> (32 - STEP));
    }
    const end = slot + 2 ** (depth - length);
    for (; slot < end; slot++) this.#cover(slot, -(entry + 1), length);
  }

  /** Stores an answer in a slot and below, wherever the present answer is a shorter prefix or none. */
  #cover(slot: number, answer: number, length: number): void {
    const held = this.slots[slot]!;
    if (held <= 0) {
      if (this.#lengthOf(held) < length) this.slots[slot] = answer;
    } else if ((held & 1) === 1) {
      const below = this.#words * (held >> 1) + BELOW;
      if (this.#lengthOf(this.records[below]!) < length) this.records[below] = answer;
    } else {
      const node = FAN * (held >> 1);
      for (let i = 0; i < FAN; i++) this.#cover(node + i, answer, length);
    }
  }

  /** Replaces one answer by another in a slot and below. */
  #replace(slot: number, old: number, answer: number): void {
    const held = this.slots[slot]!;
    if (held === old) this.slots[slot] = answer;
    else if (held > 0 && (held & 1) === 1) {
      const below = this.#words * (held >> 1) + BELOW;
      if (this.records[below] === old) this.records[below] = answer;
    } else if (held > 0) {
      const node = FAN * (held >> 1);
      for (let i = 0; i < FAN; i++) this.#replace(node + i, old, answer);
    }
  }

  /** Frees the nodes at the end of a path (of the slots that name them) in which all slots have the same answer. */
  #join(path: number[]): void {
    for (let slot = path.pop(); slot !== undefined; slot = path.pop()) {
      const node = this.slots[slot]! >> 1;
      const answer = this.slots[FAN * node]!;
      if (answer > 0) return;
      for (let i = 1; i < FAN; i++) if (this.slots[FAN * node + i] !== answer) return;
      this.slots[slot] = answer;
      this.#release(node);
    }
  }

  #lengthOf(answer: number): number {
    return answer === 0 ? -1 : this.records[this.#words * (-answer - 1) + LENGTH]!;
  }

  /** The answer that the longest shorter prefix of a key gives. */
  #shorter(value: number, length: number): number {
    for (let shorter = length - 1; shorter >= 0; shorter--) {
      const mask = shorter === 0 ? 0 : -1 << (32 - shorter);
      const found = this.#entries[shorter]?.get(value & mask);
      if (found !== undefined) return -(found + 1);
    }
    return 0;
  }

  /** Fills 16 slots, the step after `depth` bits, from one slot of the previous step that names a prefix. */
  #open(named: number, at: number, depth: number): void {
    const entry = named >> 1;
    const value = this.records[this.#words * entry + VALUE]!;
    const length = this.records[this.#words * entry + LENGTH]!;
    this.slots.fill(this.records[this.#words * entry + BELOW]!, at, at + FAN);
    const slot = at + ((value << depth) >>> (32 - STEP));
    if (length > depth + STEP) this.slots[slot] = named;
    else this.slots.fill(-(entry + 1), slot, slot + 2 ** (depth + STEP - length));
  }

  /** Increases the bits of the first step by one step. */
  #widen(): void {
    const old = this.first;
    const depth = 32 - this.shift;
    const count = 1 << depth;
    this.first = FAN * this.#nodes;
    this.shift -= STEP;
    this.#nodes += count;
    this.slots = grown(this.slots, FAN * this.#nodes);
    for (let i = 0; i < count; i++) {
      const held = this.slots[old + i]!;
      const at = this.first + FAN * i;
      if (held <= 0) this.slots.fill(held, at, at + FAN);
      else if ((held & 1) === 1) this.#open(held, at, depth);
      else {
        this.slots.copyWithin(at, FAN * (held >> 1), FAN * (held >> 1) + FAN);
        this.#release(held >> 1);
      }
    }
    for (let node = old / FAN; node < (old + count) / FAN; node++) this.#release(node);
  }

  #take(): number {
    const node = this.#free;
    if (node !== 0) {
      this.#free = this.slots[FAN * node]!;
      return node;
    }
    this.slots = grown(this.slots, FAN * (this.#nodes + 1));
    return this.#nodes++;
  }

  /** Node 0 is not used: its number means that there is no node. */
  #release(node: number): void {
    if (node === 0) return;
    this.slots[FAN * node] = this.#free;
    this.#free = node;
  }
}
