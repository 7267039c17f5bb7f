/** The largest value of the last rounds: BBR's filter of the bottleneck bandwidth. */
export class RoundMaximum {
  /** One slot a round, in a ring. */
  readonly #slots: Float64Array;
  #round = 0;

  constructor(rounds: number) {
    this.#slots = new Float64Array(rounds);
  }

  /** A new round began: what is older than the window is forgotten. */
  nextRound(): void {
    this.#round = (this.#round + 1) % this.#slots.length;
    this.#slots[this.#round] = 0;
  }

  add(value: number): void {
    if (value > this.#slots[this.#round]!) this.#slots[this.#round] = value;
  }

  /** 0 when nothing was added. */
  get value(): number {
    const slots = this.#slots;
    let largest = 0;
    for (let i = 0; i < slots.length; i++) if (slots[i]! > largest) largest = slots[i]!;
    return largest;
  }
}
