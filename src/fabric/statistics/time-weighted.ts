/**
 * A quantity that changes at instants and is constant between them (the length of a queue): its mean, maximum and quantiles over
 * time. Each value is weighted by its duration, so that nothing depends on a sampling interval.
 */
import { wholeBucketOf, wholeMiddleOf } from "./sketch.js";

/** As JSON: `buckets` is bucket, nanoseconds, bucket, nanoseconds, ...; ascending. */
export interface TimeWeightedJson {
  readonly integral: number;
  readonly max: number;
  readonly buckets: readonly number[];
}

/** Time by value. Values are whole numbers from 0 to 2^31 - 1: below 256 exact, above at most 0.4 % off. */
export class TimeWeighted {
  #times = new Float64Array(256);
  #duration = 0;
  /** Sum of value times nanoseconds. */
  #integral = 0;
  #max = 0;

  /** The quantity had this value for this number of nanoseconds. */
  add(value: number, ns: number): void {
    if (ns <= 0) return;
    const bucket = wholeBucketOf(value);
    if (bucket >= this.#times.length) this.#grow(bucket);
    this.#times[bucket]! += ns;
    this.#duration += ns;
    this.#integral += value * ns;
    if (value > this.#max) this.#max = value;
  }

  merge(other: TimeWeighted): void {
    if (other.#times.length > this.#times.length) this.#grow(other.#times.length - 1);
    for (let i = 0; i < other.#times.length; i++) this.#times[i]! += other.#times[i]!;
    this.#duration += other.#duration;
    this.#integral += other.#integral;
    this.#max = Math.max(this.#max, other.#max);
  }

  /** Nanoseconds of all values together. */
  get duration(): number {
    return this.#duration;
  }

  /** NaN for an empty time. */
  get mean(): number {
    return this.#integral / this.#duration;
  }

  get max(): number {
    return this.#max;
  }

  /** The smallest value that is not exceeded for at least this fraction of the time; NaN for an empty time. */
  quantile(fraction: number): number {
    if (this.#duration === 0) return Number.NaN;
    let before = 0;
    for (let bucket = 0; bucket < this.#times.length; bucket++) {
      before += this.#times[bucket]!;
      if (before > 0 && before >= fraction * this.#duration - 1e-6)
        return Math.min(wholeMiddleOf(bucket), this.#max);
    }
    return this.#max;
  }

  toJson(): TimeWeightedJson {
    const buckets: number[] = [];
    for (let bucket = 0; bucket < this.#times.length; bucket++)
      if (this.#times[bucket]! > 0) buckets.push(bucket, this.#times[bucket]!);
    return { integral: this.#integral, max: this.#max, buckets };
  }

  static fromJson({ integral, max, buckets }: TimeWeightedJson): TimeWeighted {
    const result = new TimeWeighted();
    for (let i = 0; i + 1 < buckets.length; i += 2) {
      const [bucket, ns] = [buckets[i]!, buckets[i + 1]!];
      if (bucket >= result.#times.length) result.#grow(bucket);
      result.#times[bucket] = ns;
      result.#duration += ns;
    }
    result.#integral = integral;
    result.#max = max;
    return result;
  }

  #grow(bucket: number): void {
    const times = new Float64Array(Math.max(bucket + 1, 2 * this.#times.length));
    times.set(this.#times);
    this.#times = times;
  }
}

/** Records a quantity from change to change. */
export class TimeWeightedRecorder {
  #since: number;
  #value = 0;
  #times = new TimeWeighted();

  constructor(nowNs: number) {
    this.#since = nowNs;
  }

  /** The quantity has this value from now on. Times must not descend. */
  set(nowNs: number, value: number): void {
    this.#times.add(this.#value, nowNs - this.#since);
    this.#since = nowNs;
    this.#value = value;
  }

  /** The record up to now, since the start or the last call. The value stays. */
  take(nowNs: number): TimeWeighted {
    this.set(nowNs, this.#value);
    const times = this.#times;
    this.#times = new TimeWeighted();
    return times;
  }
}
