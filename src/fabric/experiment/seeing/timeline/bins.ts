/** Many quantities over time in the same bins, for runs whose length is not known when they begin. */

const FIRST_BIN_NS = 1024;

/**
 * Bins begin at 0 and have one length, which doubles whenever the run grows beyond the last one: two bins become one, with their sum
 * or their maximum.
 */
export class Bins {
  readonly #values: Float64Array;
  readonly #bins: number;
  readonly #merge: (a: number, b: number) => number;
  #binNs = FIRST_BIN_NS;

  /** `bins`: an even number. */
  constructor(
    readonly series: number,
    bins: number,
    how: "sum" | "max",
  ) {
    this.#bins = bins;
    this.#values = new Float64Array(series * bins);
    this.#merge = how === "sum" ? (a, b) => a + b : Math.max;
  }

  get binNs(): number {
    return this.#binNs;
  }

  /** Adds an amount that is spread evenly over `from` to `to`. */
  add(series: number, from: number, to: number, amount: number): void {
    this.#makeRoom(to);
    const base = series * this.#bins;
    const [first, last] = [Math.floor(from / this.#binNs), Math.floor(to / this.#binNs)];
    if (first >= last) {
      this.#values[base + last]! += amount;
      return;
    }
    for (let bin = first; bin <= last; bin++) {
      const part = Math.min(to, (bin + 1) * this.#binNs) - Math.max(from, bin * this.#binNs);
      this.#values[base + bin]! += (amount * part) / (to - from);
    }
  }

  /** Raises the bins from `from` to `to` to at least `value`. */
  raise(series: number, from: number, to: number, value: number): void {
    this.#makeRoom(to);
    const base = series * this.#bins;
    const last = Math.floor(to / this.#binNs);
    for (let bin = Math.floor(from / this.#binNs); bin <= last; bin++)
      if (value > this.#values[base + bin]!) this.#values[base + bin] = value;
  }

  /** The bins of one quantity up to `end`. */
  of(series: number, end: number): Float64Array {
    this.#makeRoom(Math.max(0, end - 1));
    const bins = Math.max(1, Math.ceil(end / this.#binNs));
    return this.#values.subarray(series * this.#bins, series * this.#bins + bins);
  }

  #makeRoom(time: number): void {
    while (time >= this.#bins * this.#binNs) this.double();
  }

  /** Two bins become one. */
  double(): void {
    const half = this.#bins / 2;
    for (let base = 0; base < this.#values.length; base += this.#bins) {
      for (let bin = 0; bin < half; bin++)
        this.#values[base + bin] = this.#merge(
          this.#values[base + 2 * bin]!,
          this.#values[base + 2 * bin + 1]!,
        );
      this.#values.fill(0, base + half, base + this.#bins);
    }
    this.#binNs *= 2;
  }
}

/** Gives all of them the same length of bins, long enough for a run up to `end`. */
export function alignBins(all: readonly Bins[], end: number): void {
  for (const bins of all) if (bins.series > 0) bins.of(0, end);
  const longest = Math.max(...all.map(({ binNs }) => binNs));
  for (const bins of all) while (bins.binNs < longest) bins.double();
}
