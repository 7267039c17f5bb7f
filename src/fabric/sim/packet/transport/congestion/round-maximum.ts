/**
 * The maximum of the last rounds: BBR's filter of the bottleneck bandwidth. Old values are dropped when a new one arrives,
 * so that rounds without values, for example while the flight is kept small, do not empty it.
 */
export class RoundMaximum {
  /** One slot a round, in a ring. */
  readonly #slots: Float64Array;
  #round = 0;
  /** 0 when nothing was added. */
  value = 0;

  constructor(rounds: number) {
    this.#slots = new Float64Array(rounds);
  }

  /** `round` counts up. */
  add(value: number, round: number): void {
    const slots = this.#slots;
    if (round - this.#round >= slots.length) slots.fill(0);
    else for (let old = this.#round + 1; old <= round; old++) slots[old % slots.length] = 0;
    this.#round = round;
    const slot = round % slots.length;
    if (value > slots[slot]!) slots[slot] = value;
    let largest = 0;
    for (let i = 0; i < slots.length; i++) if (slots[i]! > largest) largest = slots[i]!;
    this.value = largest;
  }
}
