/**
 * Longest prefix over one field of at most 32 bits: a trie of four bits a step with the answers pushed to
 * the leaves, so that a lookup is one array read a step and never looks back. Keys are kept at the top of
 * a 32-bit word.
 */
import { type EntryKey, grown } from "./shape.js";

const STEP = 4;
const FAN = 1 << STEP;

export class PrefixTrie {
  /** 16 slots a node: above 0 the child's number, else minus the answer's entry number minus 1 (0: no answer). */
  nodes = new Int32Array(FAN);
  /** Prefix length plus 1 of the answer in a slot; 0 without one. */
  #lengths = new Uint8Array(FAN);
  #used = 1;
  readonly #width: number;
  /** Entry by prefix length and key, to find what a deleted prefix uncovers. */
  readonly #entries: Map<number, number>[] = Array.from({ length: 33 }, () => new Map());
  readonly #keys = new Map<number, { value: number; length: number }>();

  constructor(width: number) {
    this.#width = width;
  }

  insert(entry: number, key: EntryKey): void {
    const length = key.prefix;
    const value = cutTo(key.values[0]! << (32 - this.#width), length);
    this.#entries[length]!.set(value, entry);
    this.#keys.set(entry, { value, length });
    this.#cover(0, 0, value, length, -(entry + 1), length + 1);
  }

  remove(entry: number): void {
    const { value, length } = this.#keys.get(entry)!;
    this.#keys.delete(entry);
    this.#entries[length]!.delete(value);
    let answer = 0;
    let answerLength = 0;
    for (let shorter = length - 1; shorter >= 0; shorter--) {
      const found = this.#entries[shorter]!.get(cutTo(value, shorter));
      if (found === undefined) continue;
      answer = -(found + 1);
      answerLength = shorter + 1;
      break;
    }
    this.#cover(0, 0, value, length, answer, answerLength, -(entry + 1));
  }

  clear(): void {
    this.nodes = new Int32Array(FAN);
    this.#lengths = new Uint8Array(FAN);
    this.#used = 1;
    for (const entries of this.#entries) entries.clear();
    this.#keys.clear();
  }

  /** Puts an answer under a prefix: over shorter ones, or (with `instead`) in place of that answer. */
  #cover(
    node: number,
    depth: number,
    value: number,
    length: number,
    answer: number,
    answerLength: number,
    instead?: number,
  ): void {
    const left = length - depth;
    const digit = (value << depth) >>> (32 - STEP);
    if (left > STEP) {
      this.#cover(
        this.#child(node * FAN + digit),
        depth + STEP,
        value,
        length,
        answer,
        answerLength,
        instead,
      );
      return;
    }
    const span = 1 << (STEP - left);
    for (let slot = node * FAN + digit; slot < node * FAN + digit + span; slot++)
      this.#push(slot, answer, answerLength, instead);
  }

  #push(slot: number, answer: number, answerLength: number, instead: number | undefined): void {
    const held = this.nodes[slot]!;
    if (held > 0) {
      for (let i = 0; i < FAN; i++) this.#push(held * FAN + i, answer, answerLength, instead);
    } else if (instead === undefined ? this.#lengths[slot]! <= answerLength : held === instead) {
      this.nodes[slot] = answer;
      this.#lengths[slot] = answerLength;
    }
  }

  #child(slot: number): number {
    const held = this.nodes[slot]!;
    if (held > 0) return held;
    const child = this.#used++;
    this.nodes = grown(this.nodes, this.#used * FAN);
    this.#lengths = grown(this.#lengths, this.#used * FAN);
    this.nodes.fill(held, child * FAN, (child + 1) * FAN);
    this.#lengths.fill(this.#lengths[slot]!, child * FAN, (child + 1) * FAN);
    this.nodes[slot] = child;
    this.#lengths[slot] = 0;
    return child;
  }
}

/** The top `length` bits of a word. */
function cutTo(value: number, length: number): number {
  return length === 0 ? 0 : value & (-1 << (32 - length));
}
