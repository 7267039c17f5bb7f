/** Gives equal sequences of integers the same number: the first sequence has index 0, the next different one 1, and so on. */
export class SequenceIndex {
  readonly #sequences: (readonly number[])[] = [];
  /** By hash: the index of the last sequence with this hash. */
  readonly #last = new Map<number, number>();
  /** By index: the one before it with the same hash, or -1. */
  readonly #before: number[] = [];

  /** Number of different sequences. */
  get size(): number {
    return this.#sequences.length;
  }

  /** The index of a sequence of 32-bit integers. A new sequence is stored, and must not change afterwards. */
  indexOf(sequence: readonly number[]): number {
    const hash = hashOf(sequence);
    const last = this.#last.get(hash) ?? -1;
    for (let index = last; index >= 0; index = this.#before[index]!)
      if (areEqual(this.#sequences[index]!, sequence)) return index;
    const index = this.#sequences.push(sequence) - 1;
    this.#before.push(last);
    this.#last.set(hash, index);
    return index;
  }
}

/** FNV-1a over 32-bit words. */
function hashOf(sequence: readonly number[]): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < sequence.length; i++) hash = Math.imul(hash ^ sequence[i]!, 0x01000193);
  return hash;
}

function areEqual(a: readonly number[], b: readonly number[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
