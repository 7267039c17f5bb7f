/** Meters with two rates and three colours: RFC 2698 (trTCM) and RFC 4115. Tokens are exact: time and rates are BigInt. */

export type Colour = "green" | "yellow" | "red";

interface TwoRates {
  /** Bytes a second; RFC 2698: committed and peak. RFC 4115: committed and excess. */
  readonly committed: bigint;
  readonly second: bigint;
  /** Bytes: CBS, and PBS or EBS. */
  readonly committedBurst: bigint;
  readonly secondBurst: bigint;
}

const NS = 1_000_000_000n;

/** Both buckets start full. Tokens count in billionths of a byte, so that nothing is rounded. */
abstract class Buckets {
  protected first: bigint;
  protected other: bigint;
  #last = 0n;

  constructor(protected readonly rates: TwoRates) {
    this.first = rates.committedBurst * NS;
    this.other = rates.secondBurst * NS;
  }

  protected fill(at: bigint): void {
    const { committed, second, committedBurst, secondBurst } = this.rates;
    const passed = at - this.#last;
    this.#last = at;
    const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);
    this.first = least(this.first + committed * passed, committedBurst * NS);
    this.other = least(this.other + second * passed, secondBurst * NS);
  }

  /** `at` in ns; `colour` is the packet's own; without one the meter is colour-blind, which is the same as green. */
  abstract meter(at: bigint, bytes: bigint, colour?: Colour): Colour;
}

/** RFC 2698, section 3. */
export class Rfc2698 extends Buckets {
  override meter(at: bigint, bytes: bigint, colour: Colour = "green"): Colour {
    this.fill(at);
    const size = bytes * NS;
    if (colour === "red" || this.other < size) return "red";
    this.other -= size;
    if (colour === "yellow" || this.first < size) return "yellow";
    this.first -= size;
    return "green";
  }
}

/** RFC 4115, section 2: a green packet takes from one bucket only. */
export class Rfc4115 extends Buckets {
  override meter(at: bigint, bytes: bigint, colour: Colour = "green"): Colour {
    this.fill(at);
    const size = bytes * NS;
    if (colour === "green" && this.first >= size) {
      this.first -= size;
      return "green";
    }
    if (colour !== "red" && this.other >= size) {
      this.other -= size;
      return "yellow";
    }
    return "red";
  }
}
