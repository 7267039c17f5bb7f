/**
 * Seeded random numbers. No code of p4loom uses `Math.random`: every user of random numbers receives a
 * generator. Independent streams are forked by label, so that a new stream does not change the others.
 */

/** 32-bit FNV-1a of a string, used to turn labels into seeds. */
function hashLabel(label: string, start: number): number {
  let hash = (start ^ 0x811c9dc5) >>> 0;
  for (let i = 0; i < label.length; i++) {
    hash ^= label.charCodeAt(i);
    hash = Math.imul(hash, 0x01000193) >>> 0;
  }
  return hash;
}

/** splitmix32 step: spreads a 32-bit seed over the state words. */
function splitmix(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let z = state;
    z = Math.imul(z ^ (z >>> 16), 0x85ebca6b);
    z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35);
    return (z ^ (z >>> 16)) >>> 0;
  };
}

/** sfc32 (Doty-Humphrey): 128 bits of state, passes PractRand, fast on 32-bit integers. */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;
  readonly #seed: number;

  constructor(seed: number | string) {
    this.#seed = typeof seed === "string" ? hashLabel(seed, 0) : seed >>> 0;
    const next = splitmix(this.#seed);
    this.#a = next() | 0;
    this.#b = next() | 0;
    this.#c = next() | 0;
    for (let i = 0; i < 12; i++) this.uint32();
  }

  /** An independent stream that depends on this stream's seed and the label only, not on its position. */
  fork(label: string | number): Random {
    // The seed is hashed first: without this, two different pairs of seed and label could give the same stream.
    return new Random(hashLabel(String(label), splitmix(this.#seed)()));
  }

  /** Uniform over [0, 2^32). */
  uint32(): number {
    const t = (this.#a + this.#b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (this.#c << 21) | (this.#c >>> 11);
    this.#c = (this.#c + t) | 0;
    return t >>> 0;
  }

  /** Uniform over [0, 1) with 53 random bits. */
  float(): number {
    return ((this.uint32() >>> 5) * 67108864 + (this.uint32() >>> 6)) / 9007199254740992;
  }

  /**
   * Uniform integer in [0, bound), without modulo bias.
   * @throws RangeError when `bound` is not in 1..2^32
   */
  int(bound: number): number {
    if (!(bound >= 1 && bound <= 4294967296))
      throw new RangeError(`a random integer below ${bound}: expected a bound from 1 to 2^32`);
    if (bound === 4294967296) return this.uint32();
    // Remainders of 32-bit integers: many times quicker than those of floating-point numbers. `rest` is 2^32 modulo the bound.
    const whole = bound >>> 0;
    const rest = (-whole >>> 0) % whole;
    let draw = this.uint32();
    while (draw > 4294967295 - rest) draw = this.uint32();
    return (draw >>> 0) % whole;
  }

  /** Exponentially distributed with the given mean. */
  exponential(mean: number): number {
    return -mean * Math.log(1 - this.float());
  }

  /** One element of a non-empty list. */
  pick<T>(list: readonly T[]): T {
    return list[this.int(list.length)]!;
  }

  /** Fisher-Yates, in place. */
  shuffle<T>(list: T[]): T[] {
    for (let i = list.length - 1; i > 0; i--) {
      const j = this.int(i + 1);
      [list[i], list[j]] = [list[j]!, list[i]!];
    }
    return list;
  }
}
