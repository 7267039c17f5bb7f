/**
 * The entropy values of one sender under REPS (Bonato et al., "Recycled Entropies Packet Spraying", arXiv 2407.21625, algorithms 1 and 2). A packet whose
 * acknowledgement came back without a mark has found a path that is not congested, so its value is kept in a ring and used again, once. In
 * freezing mode, after a timeout, used values are used again until new ones arrive, and no value is drawn: a drawn one could lead over the failure.
 */
import type { Random } from "../../../base/index.js";
import type { HostClock, PathChooser, SegmentMarks } from "../../hosts/index.js";

export interface RecyclingRules {
  /** Values are drawn from [0, entropies). */
  readonly entropies: number;
  /** Values that are kept. */
  readonly cache: number;
  /** Packets with drawn values at the start, and after freezing mode: those of one bandwidth-delay product. */
  readonly explore: number;
  /** Nanoseconds of freezing mode; 0: there is none. */
  readonly freeze: number;
}

interface Kept {
  value: number;
  isValid: boolean;
}

export class RecycledEntropies implements PathChooser {
  readonly #rules: RecyclingRules;
  readonly #random: Random;
  readonly #clock: HostClock;
  readonly #ring: Kept[] = [];
  #head = 0;
  #valid = 0;
  #exploring: number;
  #frozenUntil = Number.NEGATIVE_INFINITY;
  #isFreezing = false;

  constructor(rules: RecyclingRules, random: Random, clock: HostClock) {
    this.#rules = rules;
    this.#random = random;
    this.#clock = clock;
    this.#exploring = rules.explore;
  }

  /** Of acknowledgements: drawn at each use. */
  get selector(): number {
    return this.#random.int(this.#rules.entropies);
  }

  get isFreezing(): boolean {
    return this.#isFreezing;
  }

  selectorFor(): number {
    if (this.#exploring > 0) {
      this.#exploring--;
      return this.selector;
    }
    if (this.#valid > 0) {
      const oldest = this.#ring[(this.#head - this.#valid + this.#ring.length) % this.#ring.length]!;
      this.#valid--;
      oldest.isValid = false;
      return oldest.value;
    }
    if (!this.#isFreezing || this.#ring.length === 0) return this.selector;
    // Values that were used already, in turn.
    this.#head %= this.#ring.length;
    const again = this.#ring[this.#head]!;
    this.#head = (this.#head + 1) % this.#ring.length;
    return again.value;
  }

  onAck({ echo, marked }: SegmentMarks): void {
    const { cache, explore } = this.#rules;
    if (this.#isFreezing && this.#clock.now() >= this.#frozenUntil) {
      this.#isFreezing = false;
      this.#exploring = explore;
    }
    if (marked === true) return;
    if (this.#ring.length < cache) {
      // Until the ring is full, its head is behind its last value.
      this.#head = this.#ring.length;
      this.#ring.push({ value: echo, isValid: false });
    }
    const kept = this.#ring[this.#head]!;
    if (!kept.isValid) this.#valid++;
    kept.value = echo;
    kept.isValid = true;
    this.#head = (this.#head + 1) % cache;
  }

  onTimeout(): readonly number[] {
    const { freeze } = this.#rules;
    if (freeze > 0 && !this.#isFreezing && this.#exploring === 0) {
      this.#isFreezing = true;
      this.#frozenUntil = this.#clock.now() + freeze;
    }
    return [this.selectorFor()];
  }

  onData(): readonly number[] {
    return [this.selector];
  }
}
