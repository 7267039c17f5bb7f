/** A quantity over time in at most a few hundred bins, for runs whose length is not known when they begin. */

/** As JSON. Bins have one length and begin at 0. */
export interface TimeSeriesJson {
  readonly binNs: number;
  /** Mean of each bin over time. */
  readonly mean: readonly number[];
  /** Greatest value of each bin. */
  readonly max: readonly number[];
}

const BINS = 256;
const FIRST_BIN_NS = 1024;

/** Whenever the run grows beyond the last bin, the length of all bins doubles: two bins become one. */
export class TimeSeries {
  readonly #integrals = new Float64Array(BINS);
  readonly #max = new Float64Array(BINS);
  #binNs = FIRST_BIN_NS;
  #at = 0;
  #value = 0;

  /** The quantity has this `value` from `now` on. Times must not descend. */
  set(now: number, value: number): void {
    this.#advance(now);
    this.#value = value;
    this.#raise(this.#binOf(now));
  }

  toJson(end: number): TimeSeriesJson {
    this.#advance(end);
    // The instant of the end begins no bin of its own.
    this.#makeRoom(end - 1);
    const bins = Math.ceil(end / this.#binNs);
    const lengthOf = (bin: number) => Math.min(this.#binNs, end - bin * this.#binNs);
    return {
      binNs: this.#binNs,
      mean: Array.from({ length: bins }, (_, bin) => Math.round(this.#integrals[bin]! / lengthOf(bin))),
      max: Array.from(this.#max.subarray(0, bins)),
    };
  }

  #advance(now: number): void {
    if (this.#value === 0) this.#at = Math.max(this.#at, now);
    while (this.#at < now) {
      const bin = this.#binOf(this.#at);
      this.#raise(bin);
      const until = Math.min(now, (bin + 1) * this.#binNs);
      this.#integrals[bin]! += this.#value * (until - this.#at);
      this.#at = until;
    }
  }

  #raise(bin: number): void {
    if (this.#value > this.#max[bin]!) this.#max[bin] = this.#value;
  }

  #binOf(time: number): number {
    this.#makeRoom(time);
    return Math.floor(time / this.#binNs);
  }

  #makeRoom(time: number): void {
    while (time >= BINS * this.#binNs) {
      for (let bin = 0; bin < BINS; bin++) {
        const [a, b] = [2 * bin, 2 * bin + 1];
        this.#integrals[bin] = a < BINS ? this.#integrals[a]! + this.#integrals[b]! : 0;
        this.#max[bin] = a < BINS ? Math.max(this.#max[a]!, this.#max[b]!) : 0;
      }
      this.#binNs *= 2;
    }
  }
}
